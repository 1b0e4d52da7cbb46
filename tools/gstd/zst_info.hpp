// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "files.hpp"

namespace gstd_tool {

/// What headers of frames and blocks say of a .zst.
struct ZstInfo {
  uint64_t frames = 0, skippable_frames = 0;
  uint64_t raw_blocks = 0, rle_blocks = 0, compressed_blocks = 0;
  uint64_t compressed_bytes = 0;          ///< of the file
  std::optional<uint64_t> content_bytes;  ///< none if a frame does not declare its own
  uint64_t largest_window = 0;
  bool checksums = true;  ///< whether every frame has one

  uint64_t blocks() const { return raw_blocks + rle_blocks + compressed_blocks; }
};

/// Reads the headers only. Errors: with the position of the frame.
weft::Result<ZstInfo> inspect_zst(const Input& input, uint64_t bytes);

}  // namespace gstd_tool
