// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

/// At least one of the three outputs must be requested.
struct MergeSortConfig {
  /// u8, u16, u32, u64, i32, i64, f16, f32 or f64. 64-bit keys need no device feature.
  Type key = Type::u32;
  SortOrder order = SortOrder::ascending;
  /// Whether sorted keys are written.
  bool keys = true;
  /// Size in bytes of the value that moves with each key: 1, 2, or a multiple of 4 up to 256; 0: no values.
  uint32_t value_bytes = 0;
  /// Whether the source index of each output, the permutation, is written.
  bool indices = false;
  /// A set built for "merge_sort": keys are its snippet's items, 4-byte aligned, ordered by its less().
  /// key and order are ignored.
  std::optional<KernelSet> own_kernels{};
};

/// Arguments of MergeSort::record.
///
/// - No range that is written may overlap another one, or a count on the device.
/// - Keys and values are aligned to min(their size, 4). Fastest: 8-byte keys and values to 8, 16-byte values to 16.
/// - Ranges that the config does not ask for are ignored.
/// - Inputs are not modified.
struct MergeSortArgs {
  /// `count` keys.
  BufferRange keys;
  /// Room for `count` keys.
  BufferRange keys_out{};
  /// `count` values.
  BufferRange values{};
  /// Room for `count` values.
  BufferRange values_out{};
  /// Room for `count` u32, 4-byte aligned.
  BufferRange indices_out{};
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// At most 2^32 - 1.
  Count count;
};

/// Sorts by comparison: keys of any type, or a user's items by a user's less(), with values, or as a permutation.
///
///     output[i] = keys[indices[i]]      indices: a permutation; no output is ordered before its predecessor
///
/// - Stable: equal keys keep their order.
/// - Key order is Merge's: total, -0 before +0, NaN outside all numbers, by sign. Descending reverses it; equal keys
///   still keep their order.
/// - Keys are moved bit by bit.
/// - With own_kernels, keys are equal if neither is less. If less() is not a strict weak order, outputs are some keys,
///   values and indices of the input.
/// - Work does not depend on the distribution of keys.
/// - Results are bit-identical on every run and device.
/// - Dispatches: one sorts blocks of block_keys(); then each pass doubles the length of runs in one dispatch, or two if
///   count.maximum() is many tiles (tuned per device class). Passes follow from count.maximum(), not the actual count.
/// - Cost: a dispatch over keys reads and writes each key once, and with it its value if that has at most 4 bytes and
///   no indices are written, else a 4-byte index. The last dispatch then reads and writes values once.
/// - Scratch: with more than block_keys(), a copy of the keys, and of the values or indices that passes move; two
///   copies of either that is not an output; 4 bytes per tile if a pass is two dispatches.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: RadixSort, for built-in keys of 4 and 8 bytes; SegmentedSort.
class WEFT_API MergeSort {
 public:
  /// Builds the pipelines. Errors: unsupported (key type, value size, no output requested, own_kernels of another
  /// primitive), out_of_{host,device}_memory, device_lost, driver_error.
  static Result<MergeSort> create(const Context& context, const MergeSortConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` keys. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one sort; nothing if count.maximum() is 0. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 or more keys).
  Status record(VkCommandBuffer commands, const MergeSortArgs& args) const noexcept;

  /// Keys a workgroup sorts. Counts around its multiples are edge cases.
  uint32_t block_keys() const noexcept;
  /// Keys a workgroup merges; calls with few keys use smaller tiles. Counts around its multiples are edge cases.
  uint32_t tile_keys() const noexcept;
  /// Keys of a block that a subgroup sorts.
  uint32_t subgroup_keys() const noexcept;

 private:
  struct Plan;
  explicit MergeSort(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
