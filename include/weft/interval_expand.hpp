// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/load_balance_search.hpp>
#include <weft/types.hpp>

namespace weft {

struct IntervalExpandConfig {
  IntervalsBy by = IntervalsBy::counts;
  /// Type of a count or an offset: u32 or u64 (u64 does not need shaderInt64).
  Type count = Type::u32;
  /// Size of a value in bytes: 1, 2, or a multiple of 4 up to 256.
  uint32_t value_bytes = 4;
};

/// Arguments of IntervalExpand::record. No range that is written may overlap another one, or `count` on the device.
struct IntervalExpandArgs {
  /// `count` values, aligned to min(value_bytes, 4).
  BufferRange values;
  /// `count` counts, or `count` + 1 offsets, 4-byte aligned; 16 is fastest.
  BufferRange counts;
  /// Room for `max_output` values, aligned to min(value_bytes, 4).
  BufferRange output;
  /// Receives the sum of all counts as a u64, 4-byte aligned: also above `max_output`; 2^64 - 1 if it is more.
  BufferRange total;
  /// Receives a u32, 4-byte aligned: 1 if the total is above `max_output`, else 0.
  BufferRange status;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  Count count;
  /// Upper bound on the total: values `output` has room for.
  uint64_t max_output = 0;
};

/// Fills consecutive intervals of the output, each with its value.
///
///     output = values[0] × counts[0], values[1] × counts[1], … values[count-1] × counts[count-1]
///
/// - Output beyond the first min(total, max_output) values is not written.
/// - Work is split evenly for any counts.
/// - Results are bit-identical on every run and device.
/// - Cost: reads each count twice and each value once, writes each output once. If the intervals of a tile have more
///   outputs than a workgroup writes, their counts and values are read again, from cache. Values of more than 4 bytes
///   are read from cache for each output. 16 bytes of scratch per tile of intervals and a few KiB.
/// - Dispatches: as LoadBalanceSearch.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: RunLengthDecode, the same by counts with values of 1, 2, 4, 8 and 16 bytes.
class WEFT_API IntervalExpand {
 public:
  /// Builds the pipelines. Errors: unsupported (value size or type of counts), out_of_{host,device}_memory,
  /// device_lost, driver_error.
  static Result<IntervalExpand> create(const Context& context, const IntervalExpandConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` intervals. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one expansion. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^30 tiles).
  Status record(VkCommandBuffer commands, const IntervalExpandArgs& args) const noexcept;

  /// Intervals of a tile. Counts around its multiples are edge cases.
  uint32_t tile_intervals() const noexcept;
  /// Most outputs a workgroup writes. Totals around its multiples are edge cases.
  uint32_t segment_outputs() const noexcept;

 private:
  struct Plan;
  explicit IntervalExpand(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
