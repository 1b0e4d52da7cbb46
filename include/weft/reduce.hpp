// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

struct ReduceConfig {
  Op op = Op::add;
  Type item = Type::u32;
  /// Type of the result: `item`, or wider as for Scan. For arg_min and arg_max: `item`.
  Type accumulator = Type::u32;
  /// A set built for "reduce". Its snippet defines item, accumulator and operator; those above are ignored.
  std::optional<KernelSet> own_kernels{};
};

/// Result of Op::arg_min and Op::arg_max.
struct ArgResult {
  /// Index of the first such item; ~0 if there are no items.
  uint64_t index;
  /// The item's bits, zero-extended; 0 if there are no items.
  Value value;
};
static_assert(sizeof(ArgResult) == 16);

/// Arguments of Reduce::record. No range that is written may overlap another one, or `count` on the device.
struct ReduceArgs {
  /// `count` items, aligned to min(item size, 4).
  BufferRange input;
  /// Room for 1 accumulator, aligned to min(its size, 4), or for 1 ArgResult, 4-byte aligned.
  BufferRange output;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// With arg_min and arg_max at most 2^41.
  Count count;
  /// Optional accumulator before the first item. Must not be set with arg_min, arg_max or own_kernels.
  std::optional<Value> initial;
};

/// Combines all items into one.
///
///     output[0] = initial ∘ input[0] ∘ input[1] ∘ … ∘ input[count-1]      (initial: default the identity)
///
/// - Operators need to be associative only: the order of items is kept.
/// - Results are bit-identical on every run.
/// - Floats are combined in a fixed tree; another device may round differently.
/// - arg_min and arg_max order floats by IEEE 754's totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
/// - Cost: reads each item once. Two dispatches, one for small counts. A few KiB of scratch, whatever the count.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: ReduceByKey, SegmentedReduce.
class WEFT_API Reduce {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit types), unsupported (operator, item and accumulator do not
  /// match; own_kernels of another primitive), out_of_{host,device}_memory, device_lost, driver_error.
  static Result<Reduce> create(const Context& context, const ReduceConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` items. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one reduction. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^31 tiles).
  Status record(VkCommandBuffer commands, const ReduceArgs& args) const noexcept;

  /// Items a workgroup processes at a time. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit Reduce(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
