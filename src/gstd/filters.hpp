// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::gstd {

/// What is done to a tile's bytes before they are encoded, and undone after. Numbers are the format's.
enum class Filter : uint32_t {
  none,
  delta,          ///< each byte less the one `stride` before it
  planes,         ///< bytes i with i mod stride = 0, then = 1, ...
  delta_planes,   ///< both, in this order
  zigzag_planes,  ///< 16-bit numbers less those `stride` bytes before them, sign in the lowest bit, then planes
  bc1,
  bc2,
  bc3,
  bc4,
  bc5,
  bc7,  ///< fields of blocks, each field of all blocks in a row
  count,
};

/// Whether a tile may have this filter with this stride.
bool is_filter(uint32_t filter, uint32_t stride);

/// `to` has as many bytes as `from`, and may not overlap it.
void apply_filter(Filter filter, uint32_t stride, std::span<const std::byte> from, std::span<std::byte> to);
/// Undoes it in place; `scratch` has as many bytes as `bytes`.
void undo_filter(Filter filter, uint32_t stride, std::span<std::byte> bytes, std::span<std::byte> scratch);

}  // namespace weft::gstd
