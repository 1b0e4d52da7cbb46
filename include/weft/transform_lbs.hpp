// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/load_balance_search.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a TransformLbs are built for.
struct TransformLbsConfig {
  IntervalsBy by = IntervalsBy::counts;
  Type count = Type::u32;  ///< of a count or an offset: u32 or u64, which needs no shaderInt64 here
  /// The body: a set made by weft_add_kernel() or weft::jit for the primitive "transform_lbs" (docs/own-kernels.md). There is no other.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on. No range that is written may overlap another, or `count` on the device; nor may anything that the body
/// writes overlap `counts`, `scratch` or `count`, which weft cannot check.
struct TransformLbsArgs {
  BufferRange counts;  ///< `count` counts, or `count` + 1 offsets, aligned to 4 (16 goes fastest)
  BufferRange
      total;  ///< 1 u64, aligned to 4: the sum of all counts, also where it is above `max_output`; 2^64 - 1 where
              ///< it is more than that
  BufferRange status;  ///< 1 u32, aligned to 4: 0, or 1 where the total is above `max_output`
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< sources: a value, or a device address and a maximum
  uint64_t max_output = 0;  ///< outputs there are at most: an upper bound on the total
  /// The body's own: their addresses are its call_buffer_0() to call_buffer_3(), 0 of those without a buffer. Aligned to 4. What is read
  /// and written there is the body's to bound.
  std::array<BufferRange, 4> buffers{};
  uint64_t a = 0, b = 0;  ///< the body's call_a() and call_b()
};

/// Calls a body of the caller's own, in GLSL, once for each output of a load-balancing search, in the same dispatch: what would
/// otherwise be a LoadBalanceSearch, whose sources and ranks travel through memory, and a kernel that reads them. With o the exclusive
/// sums of the counts, for every output i < min(total, max_output):
///
///     transform(LbsOutput(i, s, i - o[s]))         o[s] <= i < o[s] + counts[s]
///
/// Each output is given once, with a source below `count` and a rank below its count, on any lane, in any order, neighbouring lanes
/// of a workgroup having neighbouring outputs. Counts may be distributed in any way: the work is cut evenly, every body taken to be
/// of equal cost. The body may read and write buffers and use atomics; it has no barriers or subgroup operations.
///
/// Cost: reads each count twice from memory, and what the body does. 3 dispatches; the last has a workgroup for each tile of sources
/// in count.maximum() and for each segment_outputs() in max_output, and those without work return at once. Scratch: 16 bytes for each
/// tile of sources and a few KiB.
/// Known elsewhere as transform_lbs (moderngpu).
/// Barriers, for the body's buffers too, threads, lifetime: docs/integration.md.
class TransformLbs {
 public:
  /// Builds the pipelines. Errors: unsupported (no own_kernels, or made for something else; another type of counts),
  /// out_of_host_memory, out_of_device_memory, device_lost.
  static Result<TransformLbs> create(const Context& context, const TransformLbsConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` sources. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one transform into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, more
  /// sources or outputs than 2^30 tiles hold).
  Status record(VkCommandBuffer commands, const TransformLbsArgs& args) const noexcept;

  uint32_t tile_sources() const noexcept;  ///< sources of a tile: counts around its multiples are edges
  uint32_t segment_outputs()
      const noexcept;  ///< outputs of one workgroup at most: totals around its multiples are edges

 private:
  struct Plan;
  explicit TransformLbs(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
