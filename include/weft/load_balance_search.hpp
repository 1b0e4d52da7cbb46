// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// How the number of outputs of each interval is given.
enum class IntervalsBy : uint8_t {
  /// A count per interval.
  counts,
  /// The exclusive sums of the counts, followed by their total: one value more than there are intervals.
  /// If offsets decrease, everything written is unspecified. No access is out of range.
  offsets,
};

WEFT_API const char* name_of(IntervalsBy by) noexcept;

/// At least one of the two outputs must be requested.
struct LoadBalanceSearchConfig {
  IntervalsBy by = IntervalsBy::counts;
  /// Type of a count or an offset: u32 or u64 (u64 does not need shaderInt64).
  Type count = Type::u32;
  /// Type of sources and ranks: u32 or u64 (u64 does not need shaderInt64).
  Type index = Type::u32;
  /// Whether LoadBalanceSearchArgs::sources is written.
  bool sources = true;
  /// Whether LoadBalanceSearchArgs::ranks is written.
  bool ranks = false;
};

/// Arguments of LoadBalanceSearch::record. No range that is written may overlap another one, or `count` on the device.
struct LoadBalanceSearchArgs {
  /// `count` counts, or `count` + 1 offsets, 4-byte aligned; 16 is fastest.
  BufferRange counts;
  /// With config.sources: room for `max_output` indices, 4-byte aligned; 16 is fastest.
  BufferRange sources;
  /// With config.ranks: as `sources`; fastest if its address equals that of `sources` modulo 16.
  BufferRange ranks;
  /// Receives the sum of all counts as a u64, 4-byte aligned: also above `max_output`; 2^64 - 1 if it is more.
  BufferRange total;
  /// Receives a u32, 4-byte aligned: 1 if the total is above `max_output`, else 0.
  BufferRange status;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  Count count;
  /// Upper bound on the total: outputs there is room for.
  uint64_t max_output = 0;
};

/// Finds the source of each output, so that lanes process work items of uneven size evenly: one output a lane.
///
///     sources[i] = s         o[s] <= i < o[s] + counts[s],  o: exclusive sums of the counts
///     ranks[i]   = i - o[s]
///
/// - Outputs beyond min(total, max_output) are not written.
/// - Work is split evenly for any counts: a workgroup has at most tile_sources() sources and segment_outputs() outputs.
/// - Results are bit-identical on every run and device.
/// - Cost: reads each count twice, writes each index once. If the sources of a tile have more outputs than a workgroup
///   writes, their counts are read again, from cache. 16 bytes of scratch per tile of sources and a few KiB.
/// - Dispatches: three; two if count.maximum() is a few tiles; one for few sources (a number tuned per device), where
///   each workgroup searches the offsets for its own sources, or sums all counts if max_output is small too.
/// - The last dispatch has a workgroup for each tile of count.maximum() and for each segment_outputs() of max_output.
///   Those without work return at once.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: IntervalExpand, IntervalMove, TransformLbs.
class WEFT_API LoadBalanceSearch {
 public:
  /// Builds the pipelines. Errors: unsupported (type of counts or indices, no output requested),
  /// out_of_{host,device}_memory, device_lost, driver_error.
  static Result<LoadBalanceSearch> create(const Context& context, const LoadBalanceSearchConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` sources. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one search. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^30 tiles,
  /// more sources or outputs than u32 indices can number).
  Status record(VkCommandBuffer commands, const LoadBalanceSearchArgs& args) const noexcept;

  /// Sources of a tile. Counts around its multiples are edge cases.
  uint32_t tile_sources() const noexcept;
  /// Most outputs a workgroup writes. Totals around its multiples are edge cases.
  uint32_t segment_outputs() const noexcept;

 private:
  struct Plan;
  explicit LoadBalanceSearch(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
