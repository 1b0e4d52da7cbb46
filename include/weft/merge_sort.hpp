// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a MergeSort are built for. Of its three outputs at least one is wanted.
struct MergeSortConfig {
  /// u8, u16, u32, u64, i32, i64, f16, f32 or f64; those of 64 bits need no feature of the device here
  Type key = Type::u32;
  SortOrder order = SortOrder::ascending;
  bool keys = true;  ///< whether sorted keys are written
  /// Of the value that moves with each key: 1, 2 or a multiple of 4 up to 256; 0: there are none.
  uint32_t value_bytes = 0;
  bool indices = false;  ///< whether it is written from where each output comes: the permutation
  /// A set made for "merge_sort": keys are the snippet's items, aligned to 4, in the order of its less(). key and order are not looked at.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on. No range that is written may overlap another, or the count on the device. Keys and values are aligned to their
/// size, or to 4 where that is more; those of 8 bytes, and values of 16, go fastest where they are aligned to as much. Ranges that the
/// config does not ask for are not looked at.
struct MergeSortArgs {
  BufferRange keys;           ///< `count` keys
  BufferRange keys_out{};     ///< room for as many
  BufferRange values{};       ///< `count` values
  BufferRange values_out{};   ///< room for as many
  BufferRange indices_out{};  ///< room for a u32 for each key, aligned to 4
  /// `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  BufferRange scratch;
  Count count;  ///< a value, or a device address and a maximum; at most 2^32 - 1
};

/// Sorts by comparisons: keys of any type, or items of the caller's own by a less() of the caller's own, with values, or as a
/// permutation. Stable: equal keys keep their order. keys and values are left as they are.
///
///     output[i] = keys[indices[i]]      indices: all below count, no output comes before the one in front of it
///
/// The order of keys is Merge's (weft/merge.hpp): total, -0 in front of 0, NaN outside of all numbers, by sign. Descending, all of this is
/// the other way round, but for equal keys. Keys are moved bit by bit. With a less() of the caller's own, keys of which neither is
/// less are equal; where it is no strict weak order, the outputs are some keys, values and indices of the input.
///
/// How keys are distributed makes no difference to the work. Results have the same bits on every run and every device.
///
/// Cost: 1 dispatch sorts blocks of `block_keys()`; then each pass makes runs twice as long, in 1 dispatch, or 2 where count.maximum()
/// is many tiles, by the tuning of the device's class: as many passes as count.maximum() takes, fewer keys or not; none up to `block_keys()`. A dispatch over keys reads and writes each key once, and with
/// it its value, if that has at most 4 bytes and no indices are wanted, else an index of 4 bytes; values of these are read and
/// written once, by the last. Scratch: where there are passes, as much as keys, and values or indices, that the passes move, twice as much
/// of either where it is no output, and 4 bytes for each tile where a pass is 2 dispatches.
/// Barriers, threads, lifetime: docs/integration.md.
class MergeSort {
 public:
  /// Builds the pipelines. Errors: unsupported (another type of keys or size of values, no output wanted, or own_kernels made
  /// for something else), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<MergeSort> create(const Context& context, const MergeSortConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` keys. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one sort into `commands`; nothing where there can be no keys. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, 2^32 or more
  /// keys).
  Status record(VkCommandBuffer commands, const MergeSortArgs& args) const noexcept;

  uint32_t block_keys() const noexcept;     ///< that a workgroup sorts: counts around its multiples are edges
  uint32_t tile_keys() const noexcept;      ///< that a workgroup merges: likewise; fewer of few keys
  uint32_t subgroup_keys() const noexcept;  ///< of the part of a block that a subgroup sorts

 private:
  struct Plan;
  explicit MergeSort(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
