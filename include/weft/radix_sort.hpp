// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

struct RadixSortConfig {
  /// u32, i32, f32, u64, i64 or f64. 64-bit keys need no device feature.
  Type key = Type::u32;
  /// Size in bytes of the value that moves with each key: 4 or 8; 0: keys alone.
  uint32_t value_bytes = 0;
  SortOrder order = SortOrder::ascending;
  /// Keys are compared by bits [begin_bit, end_bit) alone; fewer bits take fewer passes. end_bit 0: all from begin_bit.
  /// Bits are those of the unsigned number with the key's rank: i32 and i64 with the highest bit inverted, f32 and f64
  /// with the highest bit inverted if it is 0, else all bits.
  uint32_t begin_bit = 0;
  uint32_t end_bit = 0;
  /// look_back does not need shaderBufferInt64Atomics here.
  Strategy strategy = Strategy::automatic;
};

/// Arguments of RadixSort::record.
///
/// - No range that is written may overlap another one, or a count on the device.
/// - Keys and values are 4-byte aligned. Those of 8 bytes are fastest if 8-byte aligned.
/// - Inputs are not modified.
struct RadixSortArgs {
  /// `count` keys.
  BufferRange keys;
  /// `count` values. Ignored if value_bytes is 0.
  BufferRange values;
  /// Room for `count` keys.
  BufferRange keys_out;
  /// Room for `count` values. Ignored if value_bytes is 0.
  BufferRange values_out;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// At most 2^32 - 1.
  Count count;
};

/// Sorts keys by radix, and with each key its value.
///
/// - Stable: equal keys keep their order.
/// - Floats are totally ordered: numbers by `<`, -0 before +0, NaN before all numbers if its sign bit is set, else
///   after them, by its bits.
/// - Keys are moved bit by bit.
/// - Results are bit-identical on every run and device.
/// - Time depends little on the distribution of keys.
/// - Cost: one pass per 8 bits of the range, more only for very small subgroups.
/// - look_back reads keys once, in two dispatches; then each pass reads and writes keys and values once, in one.
/// - reduce_then_scan: each pass reads keys twice and values once, writes both once, in two dispatches for few keys,
///   three for many.
/// - Scratch: a copy of keys and values; with look_back 2 KiB per tile of some thousands of keys; with reduce_then_scan
///   1 KiB per workgroup, of which there are at most 65,535.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: MergeSort, for other keys, a user's order and permutations; SegmentedSort.
class WEFT_API RadixSort {
 public:
  /// Builds the pipelines. Errors: unsupported (key type, value size, bit range), out_of_{host,device}_memory,
  /// device_lost, driver_error.
  static Result<RadixSort> create(const Context& context, const RadixSortConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` keys. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one sort; nothing if count.maximum() is 0. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 or more keys).
  Status record(VkCommandBuffer commands, const RadixSortArgs& args) const noexcept;

  /// The strategy in use, never automatic. reduce_then_scan is also used for counts of 2^30 and more and, if automatic
  /// chose look_back, for small counts.
  Strategy strategy() const noexcept;
  /// Keys a workgroup processes at a time. Counts around its multiples are edge cases.
  uint32_t tile_keys() const noexcept;

 private:
  struct Plan;
  explicit RadixSort(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
