// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/load_balance_search.hpp>
#include <weft/types.hpp>

namespace weft {

struct TransformLbsConfig {
  IntervalsBy by = IntervalsBy::counts;
  /// Type of a count or an offset: u32 or u64 (u64 does not need shaderInt64).
  Type count = Type::u32;
  /// Required: a set built for "transform_lbs" by weft_add_kernel() or weft::jit (docs/own-kernels.md).
  std::optional<KernelSet> own_kernels{};
};

/// Arguments of TransformLbs::record.
///
/// - No range that is written may overlap another one, or `count` on the device.
/// - Nothing that the body writes may overlap `counts`, `scratch` or `count`. weft cannot check this.
struct TransformLbsArgs {
  /// `count` counts, or `count` + 1 offsets, 4-byte aligned; 16 is fastest.
  BufferRange counts;
  /// Receives the sum of all counts as a u64, 4-byte aligned: also above `max_output`; 2^64 - 1 if it is more.
  BufferRange total;
  /// Receives a u32, 4-byte aligned: 1 if the total is above `max_output`, else 0.
  BufferRange status;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  Count count;
  /// Upper bound on the total: the most outputs processed.
  uint64_t max_output = 0;
  /// The body's own, optional, 4-byte aligned: call_buffer_0() to call_buffer_3() return their addresses, or 0.
  /// The body must bound its accesses.
  std::array<BufferRange, 4> buffers{};
  /// Returned by the body's call_a() and call_b().
  uint64_t a = 0, b = 0;
};

/// Calls a user's GLSL body for each output of a load-balancing search, in the same dispatch: no sources and ranks in
/// memory, as with a LoadBalanceSearch and a kernel that reads them.
///
///     transform(LbsOutput(i, s, i - o[s]))     for i < min(total, max_output), o[s] <= i < o[s] + counts[s]
///                                              o: exclusive sums of the counts
///
/// - Each output is passed once, with a source below `count` and a rank below its count, on any lane, in any order.
///   Neighbouring lanes of a workgroup have neighbouring outputs.
/// - Work is split evenly for any counts; every body is taken to cost the same.
/// - The body may access buffers and use atomics. It must not use barriers or subgroup operations.
/// - Cost: reads each count twice, plus what the body does. 16 bytes of scratch per tile of sources and a few KiB.
/// - Dispatches: as LoadBalanceSearch by counts, with offsets too.
/// - Barriers (for the body's buffers too), lifetime, threads: docs/integration.md.
/// - Known elsewhere as transform_lbs (moderngpu).
class WEFT_API TransformLbs {
 public:
  /// Builds the pipelines. Errors: unsupported (own_kernels missing or of another primitive, type of counts),
  /// out_of_{host,device}_memory, device_lost, driver_error.
  static Result<TransformLbs> create(const Context& context, const TransformLbsConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` sources. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one transform. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^30 tiles).
  Status record(VkCommandBuffer commands, const TransformLbsArgs& args) const noexcept;

  /// Sources of a tile. Counts around its multiples are edge cases.
  uint32_t tile_sources() const noexcept;
  /// Most outputs of a workgroup. Totals around its multiples are edge cases.
  uint32_t segment_outputs() const noexcept;

 private:
  struct Plan;
  explicit TransformLbs(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
