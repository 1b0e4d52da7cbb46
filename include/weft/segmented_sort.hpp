// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

struct SegmentedSortConfig {
  /// u32, i32, f32, u64, i64 or f64. 64-bit keys need no device feature.
  Type key = Type::u32;
  /// Size in bytes of the value that moves with each key: 4 or 8; 0: keys alone.
  uint32_t value_bytes = 0;
  SortOrder order = SortOrder::ascending;
  /// Type of the offsets: u32 or u64 (u64 does not need shaderInt64).
  Type offset = Type::u32;
};

/// Arguments of SegmentedSort::record.
///
/// - No range that is written may overlap another one, or a count on the device.
/// - Keys and values are 4-byte aligned. Those of 8 bytes are fastest if 8-byte aligned.
/// - Inputs are not modified.
struct SegmentedSortArgs {
  /// `key_count` keys.
  BufferRange keys;
  /// `key_count` values. Ignored if value_bytes is 0.
  BufferRange values;
  /// `count` + 1 offsets, ascending, 4-byte aligned. Clamped to `key_count`.
  BufferRange offsets;
  /// Room for `key_count` keys.
  BufferRange keys_out;
  /// Room for `key_count` values. Ignored if value_bytes is 0.
  BufferRange values_out;
  /// scratch_size(key_count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// Number of segments, less than 2^40.
  Count count;
  /// Number of keys, at most 2^32 - 1.
  Count key_count;
};

/// Sorts the keys of each segment, and with each key its value.
///
///     segment s = keys[offsets[s]], … keys[offsets[s+1] - 1], sorted into the same positions of keys_out
///
/// - Stable: equal keys of a segment keep their order.
/// - Keys before offsets[0] and from offsets[count] on belong to no segment: they are not read, and their positions in
///   the outputs are not written.
/// - If offsets decrease, outputs are unspecified. No access is out of range.
/// - Segments may have any lengths (docs/decisions/segmented-sort.md).
/// - Floats are totally ordered, as in RadixSort.
/// - Keys are moved bit by bit.
/// - Results are bit-identical on every run and device.
/// - Cost: the first dispatch reads the offsets, and sorts segments of up to short_keys() keys: it reads and writes
///   each key and value once.
/// - Segments of middle length have a workgroup each, in one dispatch more. They have up to some tiles, and at most
///   1/64 of key_count.maximum() keys if that is more than a tile. Not recorded if key_count.maximum() <= short_keys().
/// - All longer ones together take RadixSort's passes, three dispatches per 8 bits of a key. These are not recorded if
///   no segment can be as long, and find nothing to do if none is.
/// - Scratch: a copy of keys and values, 8 bytes per short_keys() keys, and 1 KiB per tile_keys() / 3 keys or fewer. If
///   key_count.maximum() <= short_keys(), only some words.
/// - Barriers, lifetime, threads: docs/integration.md.
class WEFT_API SegmentedSort {
 public:
  /// Builds the pipelines. Errors: unsupported (type of keys or offsets, value size), out_of_{host,device}_memory,
  /// device_lost, driver_error.
  static Result<SegmentedSort> create(const Context& context, const SegmentedSortConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_keys` keys, in any segments. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_keys) const noexcept;

  /// Records one sort; nothing if either maximum is 0. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 or more keys,
  /// 2^40 or more segments).
  Status record(VkCommandBuffer commands, const SegmentedSortArgs& args) const noexcept;

  /// Longest short segment. Sizes around its multiples are edge cases.
  uint32_t short_keys() const noexcept;
  /// Keys of a long segment that a workgroup processes at a time. Sizes around its multiples are edge cases.
  uint32_t tile_keys() const noexcept;

 private:
  struct Plan;
  explicit SegmentedSort(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
