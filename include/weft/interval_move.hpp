// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/load_balance_search.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of an IntervalMove are built for. With `gather` and `scatter` it is the interval_move of the field, with one of
/// them interval_gather and interval_scatter; with neither it would be a copy, and is refused.
struct IntervalMoveConfig {
  IntervalsBy by = IntervalsBy::counts;
  Type count = Type::u32;   ///< of a count, or an offset in their place: u32 or u64, which needs no shaderInt64 here
  Type offset = Type::u32;  ///< of an offset of IntervalMoveArgs::gather and scatter: u32 or u64, likewise
  /// 1, 2, or a multiple of 4 up to 256; with 1, gather and scatter this is a batched copy of memory.
  uint32_t item_bytes = 4;
  bool gather =
      true;  ///< intervals lie at IntervalMoveArgs::gather of the input; otherwise packed, one behind the other
  bool scatter = true;  ///< likewise at IntervalMoveArgs::scatter of the output
};

/// What one call works on. No range that is written may overlap another, or `count` on the device.
struct IntervalMoveArgs {
  BufferRange
      input;  ///< items, aligned to an item's size, or to 4 where that is more: as many as the range holds whole (its
              ///< size is not VK_WHOLE_SIZE), or, packed, `max_output`
  BufferRange counts;  ///< `count` counts of items, or `count` + 1 offsets, aligned to 4 (16 goes fastest)
  BufferRange
      gather;  ///< `count` offsets among the items of `input`, aligned to 4 (16 goes fastest); with config.gather
  BufferRange scatter;  ///< likewise among those of `output`; with config.scatter
  BufferRange output;   ///< items, aligned and counted like those of `input`
  BufferRange
      total;  ///< 1 u64, aligned to 4: the sum of all counts, also where it is above `max_output`; 2^64 - 1 where
              ///< it is more than that
  BufferRange
      status;  ///< 2 u32, aligned to 4: the sum of 1 where the total is above `max_output` and 2 where an interval was
               ///< out of range; and the index of the first such interval, or 2^32 - 1 where there is none
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< intervals: a value, or a device address and a maximum
  uint64_t max_output = 0;  ///< items to be moved at most: an upper bound on the total
};

/// Moves intervals of items, many copies of any lengths in one call. With o the exclusive sums of the counts:
///
///     gather and scatter   output[scatter[i] + k] = input[gather[i] + k]     0 <= k < counts[i]
///     gather alone         output[o[i] + k]       = input[gather[i] + k]
///     scatter alone        output[scatter[i] + k] = input[o[i] + k]
///
/// Intervals may have any lengths, most of them none or one all items: the work is cut evenly. They may be read more than once, in any
/// order. Every interval that is not empty is checked: one that does not lie in `input` or `output` as a whole is not moved, and the
/// status tells the first; its items in a packed output are left as they are. Of a total above max_output the status tells too, and
/// nothing is read or written past a packed side's max_output items; gathered and scattered intervals behind the first max_output
/// items may be moved or not, in part too. With max_output 0 nothing is checked or moved.
///
/// Not checked: intervals that overlap at the destination. Each word there then is of one of them; of items of 1 and 2
/// bytes, bits are any mixture of theirs. Otherwise results have the same bits on every run and every device, and
/// bytes of the output that no interval goes to are left as they are.
///
/// Cost: reads each item once and writes it once; reads counts twice and offsets once from memory (those of `scatter` twice
/// with both), and again from the device's cache. With both, lines of 16 bytes are stored whole wherever an interval has all of one.
/// Words that items of 1 and 2 bytes fill in part are merged by atomics. 3 dispatches, 2 where count.maximum() is a few tiles, and with
/// gather or scatter alone 1 of few intervals told by offsets, as in LoadBalanceSearch; the last has a workgroup for each tile of
/// intervals in count.maximum() and for each segment in max_output, and those without work return at once. Scratch: 16 bytes
/// for each tile of intervals and a few KiB.
/// Barriers, threads, lifetime: docs/integration.md.
/// Source: docs/decisions/intervals-moved-in-lines.md.
class IntervalMove {
 public:
  /// Builds the pipelines. Errors: unsupported (another size of items or type of counts or offsets, neither gather nor scatter),
  /// out_of_host_memory, out_of_device_memory, device_lost.
  static Result<IntervalMove> create(const Context& context, const IntervalMoveConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` intervals. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one move into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, 2^32 - 1
  /// intervals or more, more intervals or items than 2^30 tiles hold).
  Status record(VkCommandBuffer commands, const IntervalMoveArgs& args) const noexcept;

  uint32_t tile_intervals() const noexcept;  ///< intervals of a tile: counts around its multiples are edges
  /// Items that one workgroup moves at most, or lines of 16 bytes with both gather and scatter: totals around
  /// its multiples are edges.
  uint32_t segment_outputs() const noexcept;

 private:
  struct Plan;
  explicit IntervalMove(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
