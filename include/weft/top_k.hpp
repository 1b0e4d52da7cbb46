// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

struct TopKConfig {
  /// u32, i32, f32, u64, i64 or f64. 64-bit keys need no device feature.
  Type key = Type::u32;
  /// Size in bytes of the value that moves with each key: 4 or 8; 0: keys alone.
  uint32_t value_bytes = 0;
  /// The value of a key is its position in `keys`, a u32; value_bytes must be 4.
  bool positions = false;
  /// descending: the largest keys. ascending: the smallest.
  SortOrder order = SortOrder::descending;
  Strategy strategy = Strategy::automatic;
};

/// Arguments of TopK::record.
///
/// - No range that is written may overlap another one, or a count on the device.
/// - Keys and values are 4-byte aligned. Those of 8 bytes are fastest if 8-byte aligned.
/// - Inputs are not modified.
struct TopKArgs {
  /// `count` keys.
  BufferRange keys;
  /// `count` values. Ignored if value_bytes is 0 or positions are requested.
  BufferRange values;
  /// Room for min(k, count.maximum()) keys.
  BufferRange keys_out;
  /// Room for as many values. Ignored if value_bytes is 0.
  BufferRange values_out;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// At most 2^32 - 1.
  Count count;
  /// Any number.
  uint32_t k = 0;
};

/// Finds the k largest or smallest of n keys, and with each its value.
///
///     keys_out[0, min(k, count)) = first, the keys that come before the k-th key in `order`, in input order;
///                                  then keys equal to the k-th, the earliest first, in input order
///
/// - The output is not sorted: sort it by RadixSort or MergeSort if needed.
/// - Nothing is written after min(k, count) keys and values.
/// - Floats are totally ordered, as in RadixSort.
/// - Keys are moved bit by bit.
/// - Results are bit-identical on every run and device.
/// - Cost: reads keys three times, and once more per 8 bits of a key as long as more than an eighth of all keys share
///   those bits with the k-th key. One dispatch per 8 bits of a key, two more, and those of a scan.
/// - Scratch: an eighth of the keys, 1 KiB per 8 bits of a key, and that of a scan.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: RadixSort; Reduce for k = 1; Select for keys beyond a known limit.
class WEFT_API TopK {
 public:
  /// Builds the pipelines. Errors: missing_feature (look_back), unsupported (key type, value size,
  /// positions of another size than 4), out_of_{host,device}_memory, device_lost, driver_error.
  static Result<TopK> create(const Context& context, const TopKConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` keys. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one search; nothing if count.maximum() or k is 0. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 or more keys).
  Status record(VkCommandBuffer commands, const TopKArgs& args) const noexcept;

  /// The strategy in use, never automatic. If automatic chose look_back, small counts may use reduce_then_scan.
  Strategy strategy() const noexcept;
  /// Keys a workgroup moves at a time. Counts around its multiples are edge cases.
  uint32_t tile_keys() const noexcept;

 private:
  struct Plan;
  explicit TopK(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
