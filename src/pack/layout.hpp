// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::pack {

/// Positions in a header slot, as docs/pack-format.md has them.
struct HeaderAt {
  static constexpr size_t magic = 0, version = 8, reserved = 12, generation = 16, directory_position = 24,
                          directory_bytes = 32, pack_bytes = 40, entries = 48, ranges = 56, name_bytes = 64,
                          reserved_bytes = 72, directory_hash = 112, header_hash = 120;
};
constexpr size_t kHeaderBytes = 128;
constexpr uint64_t kMagic = 0x4b43415054464557;  // "WEFTPACK"

/// Positions in an entry.
struct EntryAt {
  static constexpr size_t path_hash = 0, content_hash = 8, content_bytes = 16, position = 24, stored_bytes = 32,
                          path_offset = 40, path_bytes = 48, first_range = 52, ranges = 56, kind = 60, image_file = 61,
                          reserved = 62, slices = 64, vk_format = 68, width = 72, height = 76, depth = 80, levels = 84,
                          layers = 88, faces = 92;
};
constexpr size_t kEntryBytes = 96;

/// Positions in a range.
struct RangeAt {
  static constexpr size_t position = 0, stored_bytes = 8, content_offset = 16, slice_bytes = 24, stored_hash = 32,
                          level = 40, coding = 44, reserved = 45, table_bytes = 48, tile_bytes = 52;
};
constexpr size_t kRangeBytes = 56;

constexpr uint64_t kBlockMask = 4095;
/// Small ranges of an asset share a block and begin at multiples of it.
constexpr uint64_t kSmallAlignment = 16;

constexpr uint64_t rounded_up(uint64_t value, uint64_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}

/// Whether a range may lie there: from the beginning of a block, or within one.
constexpr bool is_aligned(uint64_t position, uint64_t bytes) noexcept {
  if ((position & kBlockMask) == 0) return true;
  return position % kSmallAlignment == 0 && (position & kBlockMask) + bytes <= kBlockMask + 1;
}

/// Where a range of so many bytes begins after `end`.
constexpr uint64_t next_position(uint64_t end, uint64_t bytes) noexcept {
  const uint64_t small = rounded_up(end, kSmallAlignment);
  return is_aligned(small, bytes) ? small : rounded_up(end, kBlockMask + 1);
}

}  // namespace weft::pack
