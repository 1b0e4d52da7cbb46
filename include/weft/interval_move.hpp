// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/load_balance_search.hpp>
#include <weft/types.hpp>

namespace weft {

/// At least one of `gather` and `scatter` must be set.
struct IntervalMoveConfig {
  IntervalsBy by = IntervalsBy::counts;
  /// Type of IntervalMoveArgs::counts: u32 or u64 (u64 does not need shaderInt64).
  Type count = Type::u32;
  /// Type of IntervalMoveArgs::gather and scatter: u32 or u64 (u64 does not need shaderInt64).
  Type offset = Type::u32;
  /// Size of an item in bytes: 1, 2, or a multiple of 4 up to 256.
  uint32_t item_bytes = 4;
  /// Whether intervals of the input begin at IntervalMoveArgs::gather. If not, they are packed.
  bool gather = true;
  /// Whether intervals of the output begin at IntervalMoveArgs::scatter. If not, they are packed.
  bool scatter = true;
};

/// Arguments of IntervalMove::record. No range that is written may overlap another one, or `count` on the device.
struct IntervalMoveArgs {
  /// Items, aligned to min(item_bytes, 4). Gathered: as many as the range holds. Packed: `max_output`.
  BufferRange input;
  /// `count` counts of items, or `count` + 1 offsets, 4-byte aligned; 16 is fastest.
  BufferRange counts;
  /// With config.gather: `count` indices of items of `input`, 4-byte aligned; 16 is fastest.
  BufferRange gather;
  /// With config.scatter: `count` indices of items of `output`, 4-byte aligned; 16 is fastest.
  BufferRange scatter;
  /// Items, aligned to min(item_bytes, 4). Scattered: as many as the range holds. Packed: `max_output`.
  BufferRange output;
  /// Receives the sum of all counts as a u64, 4-byte aligned: also above `max_output`; 2^64 - 1 if it is more.
  BufferRange total;
  /// Receives 2 u32, 4-byte aligned. The first: 1 if the total is above `max_output`, plus 2 if an interval is out of
  /// range. The second: the index of the first such interval, or 2^32 - 1.
  BufferRange status;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// Number of intervals, at most 2^32 - 2.
  Count count;
  /// Upper bound on the total: items to move.
  uint64_t max_output = 0;
};

/// Moves intervals of items: many copies of any lengths in one call. With 1-byte items, a batched memory copy.
///
///     gather and scatter   output[scatter[i] + k] = input[gather[i] + k]     0 <= k < counts[i]
///     gather alone         output[o[i] + k]       = input[gather[i] + k]     o: exclusive sums of counts
///     scatter alone        output[scatter[i] + k] = input[o[i] + k]
///
/// - Source intervals may overlap and have any order.
/// - Destination intervals must not overlap. This is not checked: each overlapped word is of one of them; bits of 1-
///   and 2-byte items are any mixture of theirs.
/// - Bytes of the output that no interval covers keep their values.
/// - Every interval that is not empty is checked. If it is not entirely in `input` and `output`, it is not moved, and
///   `status` reports the first one. Its items in a packed output keep their values.
/// - If the total is above max_output, `status` reports it, and nothing past max_output items of a packed range is
///   accessed. Gathered and scattered intervals after the first max_output items may be moved entirely, partly or not.
/// - If max_output is 0, nothing is checked or moved.
/// - Work is split evenly for any lengths.
/// - If destinations do not overlap, results are bit-identical on every run and device.
/// - Cost: reads and writes each item once. Reads counts twice and offsets once, and again from cache.
///   16 bytes of scratch per tile of intervals and a few KiB.
/// - With gather and scatter, offsets of `scatter` are read twice, and full 16-byte lines of an interval are stored
///   whole (docs/decisions/intervals-moved-in-lines.md).
/// - Words partly covered by 1- and 2-byte items are merged by atomics.
/// - Dispatches: as LoadBalanceSearch; with gather and scatter, as by counts.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - Known elsewhere as interval_move, interval_gather and interval_scatter (moderngpu).
class WEFT_API IntervalMove {
 public:
  /// Builds the pipelines. Errors: unsupported (item size, type of counts or offsets, neither gather nor scatter),
  /// out_of_{host,device}_memory, device_lost, driver_error.
  static Result<IntervalMove> create(const Context& context, const IntervalMoveConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` intervals. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one move. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 - 1 or more
  /// intervals, more than 2^30 tiles).
  Status record(VkCommandBuffer commands, const IntervalMoveArgs& args) const noexcept;

  /// Intervals of a tile. Counts around its multiples are edge cases.
  uint32_t tile_intervals() const noexcept;
  /// Most items a workgroup moves; with gather and scatter, most 16-byte lines. Totals around its multiples are edge
  /// cases.
  uint32_t segment_outputs() const noexcept;

 private:
  struct Plan;
  explicit IntervalMove(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
