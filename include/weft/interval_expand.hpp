// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/load_balance_search.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of an IntervalExpand are built for.
struct IntervalExpandConfig {
  IntervalsBy by = IntervalsBy::counts;
  Type count = Type::u32;    ///< of a count or an offset: u32 or u64, which needs no shaderInt64 here
  uint32_t value_bytes = 4;  ///< 1, 2, or a multiple of 4 up to 256
};

/// What one call works on. No range that is written may overlap another, or `count` on the device.
struct IntervalExpandArgs {
  BufferRange values;  ///< `count` values
  BufferRange counts;  ///< `count` counts, or `count` + 1 offsets, aligned to 4 (16 goes fastest)
  BufferRange output;  ///< `max_output` values, aligned to a value's size, or to 4 where that is more
  BufferRange
      total;  ///< 1 u64, aligned to 4: the sum of all counts, also where it is above `max_output`; 2^64 - 1 where
              ///< it is more than that
  BufferRange status;  ///< 1 u32, aligned to 4: 0, or 1 where the total is above `max_output`
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< intervals: a value, or a device address and a maximum
  uint64_t max_output = 0;  ///< values the output has room for: an upper bound on the total
};

/// Fills each interval of the output with its value, the intervals lying one behind the other:
///
///     output = values[0] × counts[0], values[1] × counts[1], … values[count-1] × counts[count-1]
///
/// Of a total above max_output, the first max_output values are written and the status says so; nothing is written past them
/// or, where the total is less, past it. Counts may be distributed in any way: the work is cut evenly. Results have the same bits on
/// every run and every device. Of counts, values of 1, 2, 4, 8 and 16 bytes: the same as RunLengthDecode, which has the words of
/// that trade.
///
/// Cost: reads each count twice and each value once from memory, writes each output once; counts and values of a tile of intervals with
/// more outputs than one workgroup writes are read again from the device's cache, and so are values of more than 4 bytes for each
/// output. 3 dispatches, 2 where count.maximum() is a few tiles, and 1 of few intervals told by offsets, as in LoadBalanceSearch; the
/// last has a workgroup for each tile of intervals in count.maximum() and for each segment_outputs() in max_output, and those
/// without work return at once. Scratch: 16 bytes for each tile of intervals and a few KiB.
/// Barriers, threads, lifetime: docs/integration.md.
class IntervalExpand {
 public:
  /// Builds the pipelines. Errors: unsupported (another size of values or type of counts), out_of_host_memory,
  /// out_of_device_memory, device_lost.
  static Result<IntervalExpand> create(const Context& context, const IntervalExpandConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` intervals. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one expansion into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, more
  /// intervals or outputs than 2^30 tiles hold).
  Status record(VkCommandBuffer commands, const IntervalExpandArgs& args) const noexcept;

  uint32_t tile_intervals() const noexcept;  ///< intervals of a tile: counts around its multiples are edges
  uint32_t segment_outputs()
      const noexcept;  ///< outputs one workgroup writes at most: totals around its multiples are edges

 private:
  struct Plan;
  explicit IntervalExpand(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
