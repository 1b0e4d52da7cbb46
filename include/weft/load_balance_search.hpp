// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// What tells how many outputs each interval has.
enum class IntervalsBy : uint8_t {
  counts,  ///< a count per interval
  offsets,  ///< the exclusive sums of the counts, and their total behind them: one more than there are intervals. Where they
  ///< decrease, which no sums of counts do, all that is written has unspecified contents, but no other memory is touched
};

const char* name_of(IntervalsBy by) noexcept;

/// What the pipelines of a LoadBalanceSearch are built for.
struct LoadBalanceSearchConfig {
  IntervalsBy by = IntervalsBy::counts;
  Type count = Type::u32;  ///< of a count or an offset: u32 or u64, which needs no shaderInt64 here
  Type index = Type::u32;  ///< of a source and a rank: u32 or u64, likewise
  bool sources = true;     ///< written to LoadBalanceSearchArgs::sources
  bool ranks = false;      ///< written to LoadBalanceSearchArgs::ranks
};

/// What one call works on. No range that is written may overlap another, or `count` on the device.
struct LoadBalanceSearchArgs {
  BufferRange counts;   ///< `count` counts, or `count` + 1 offsets, aligned to 4 (16 goes fastest)
  BufferRange sources;  ///< `max_output` indices, aligned to 4 (16 goes fastest); not looked at without config.sources
  BufferRange
      ranks;  ///< likewise, with config.ranks; fastest where it begins as far from a multiple of 16 as `sources`
  BufferRange
      total;  ///< 1 u64, aligned to 4: the sum of all counts, also where it is above `max_output`; 2^64 - 1 where
              ///< it is more than that
  BufferRange status;  ///< 1 u32, aligned to 4: 0, or 1 where the total is above `max_output`
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< sources: a value, or a device address and a maximum
  uint64_t max_output = 0;  ///< outputs there is room for: an upper bound on the total
};

/// Tells each output which source it belongs to. With o the exclusive sums of the counts, output i being one of source s:
///
///     sources[i] = s         o[s] <= i < o[s] + counts[s]
///     ranks[i]   = i - o[s]
///
/// This is how work of uneven size is spread evenly: a lane an output, whatever the counts. Of a total above max_output, the first
/// max_output outputs are written and the status says so; nothing is written past them or, where the total is less, past it. Counts
/// may be distributed in any way, most of them zero or all outputs of one source: every workgroup has at most tile_sources() sources and
/// segment_outputs() outputs. Results have the same bits on every run and every device.
///
/// Cost: reads each count twice from memory and writes each index once; counts of a tile of sources with more outputs than one
/// workgroup writes are read again from the device's cache. 3 dispatches, 2 where count.maximum() is a few tiles; the last has a
/// workgroup for each tile of sources in count.maximum() and for each segment_outputs() in max_output, and those without work
/// return at once. Of few sources told by offsets (how many is the device's tuning) 1 dispatch does it all: each workgroup
/// searches in the offsets for its own. Scratch: 16 bytes for each tile of sources and a few KiB.
/// Barriers, threads, lifetime: docs/integration.md.
class LoadBalanceSearch {
 public:
  /// Builds the pipelines. Errors: unsupported (another type of counts or indices, neither sources nor ranks wanted),
  /// out_of_host_memory, out_of_device_memory, device_lost.
  static Result<LoadBalanceSearch> create(const Context& context, const LoadBalanceSearchConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` sources. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one search into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, more
  /// sources or outputs than 2^30 tiles hold, or than indices of 32 bits tell apart).
  Status record(VkCommandBuffer commands, const LoadBalanceSearchArgs& args) const noexcept;

  uint32_t tile_sources() const noexcept;  ///< sources of a tile: counts around its multiples are edges
  uint32_t segment_outputs()
      const noexcept;  ///< outputs one workgroup writes at most: totals around its multiples are edges

 private:
  struct Plan;
  explicit LoadBalanceSearch(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
