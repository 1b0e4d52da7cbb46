// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/ktx2.hpp>

#include <cstdint>
#include <optional>

namespace weft::ktx2 {

/// Block of a format: its texels and its bytes.
struct Block {
  Extent texels;
  uint32_t bytes = 0;

  bool is_compressed() const noexcept { return texels != Extent{}; }
};

/// Block of a VkFormat of one plane, combined depth and stencil as KTX2 stores them. None of PVRTC, of formats with
/// _422_ in their names, and of what is newer.
std::optional<Block> block_of(uint32_t vk_format) noexcept;

/// Blocks of a slice of a level. Below 2^49.
uint64_t blocks_of(const Header& header, uint32_t level) noexcept;

}  // namespace weft::ktx2
