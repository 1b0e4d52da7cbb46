// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/ktx2.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::test {

/// What is wrong with a texture that read() has accepted; null if nothing is. `file_bytes`: of its file.
inline const char* fault_of(const ktx2::Texture& texture, uint64_t file_bytes) {
  const ktx2::Header& header = texture.header;
  const uint64_t slices = uint64_t{header.layers} * header.faces;
  const bool is_ktx2 = header.container == ktx2::Container::ktx2;
  const bool is_plain = header.supercompression == ktx2::Supercompression::none;
  if (!is_plain && (!is_ktx2 || header.supercompression != ktx2::Supercompression::zstd)) return "supercompression";
  if (header.layers == 0 || (header.faces != 1 && header.faces != 6) || slices > ktx2::kMaxSlices) return "slices";
  for (const uint32_t size : {header.extent.width, header.extent.height, header.extent.depth})
    if (size == 0 || size > ktx2::kMaxExtent) return "extent";
  if (texture.levels.empty() || texture.levels.size() != header.levels || header.levels > ktx2::kMaxLevels)
    return "levels";
  uint64_t end = file_bytes;
  for (uint32_t i = 0; i < header.levels; ++i) {
    const ktx2::Level& level = texture.levels[i];
    const ktx2::Extent extent = ktx2::extent_of(header, i);
    const auto blocks = [](uint32_t size, uint32_t block) { return (uint64_t{size} - 1) / block + 1; };
    const uint64_t bytes = blocks(extent.width, header.block.width) * blocks(extent.height, header.block.height) *
                           blocks(extent.depth, header.block.depth);
    if (header.block_bytes != 0 ? level.slice_bytes != bytes * header.block_bytes : level.slice_bytes % bytes != 0)
      return "slice bytes";
    if (level.slice_bytes == 0 || level.slice_stride < level.slice_bytes) return "slices that overlap";
    if (level.stored_bytes == 0 || level.position > end || level.stored_bytes > end - level.position) return "position";
    // Of plain files, the last slice ends in the file too.
    const uint64_t rest = file_bytes - level.position;
    if (is_plain && (rest - level.slice_bytes) / level.slice_stride < slices - 1) return "slices beyond the end";
    if (!is_ktx2) continue;
    end = level.position;
    if (level.slice_stride != level.slice_bytes) return "stride";
    if (is_plain && level.stored_bytes != slices * level.slice_bytes) return "stored bytes";
  }
  return nullptr;
}

}  // namespace weft::test
