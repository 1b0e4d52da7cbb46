// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a Reduce are built for.
struct ReduceConfig {
  Op op = Op::add;
  Type item = Type::u32;
  Type accumulator =
      Type::u32;  ///< the result's type: `item`, or a wider one as for Scan. Op::arg_min, arg_max: `item`
  /// A set made for "reduce": item, accumulator and operator are the snippet's, and those above are not looked at.
  std::optional<KernelSet> own_kernels{};
};

/// What Op::arg_min and Op::arg_max write, 16 bytes.
struct ArgResult {
  uint64_t index;  ///< of the first such item; ~0 where there are no items
  Value value;     ///< the item's bits, zero above; 0 where there are no items
};
static_assert(sizeof(ArgResult) == 16);

/// What one call works on.
struct ReduceArgs {
  BufferRange input;   ///< `count` items
  BufferRange output;  ///< 1 accumulator, or 1 ArgResult aligned to 4; may not overlap `input` or `scratch`
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< a value, or a device address and a maximum; with arg_min, arg_max at most 2^41
  std::optional<Value> initial;  ///< an accumulator combined in front of the first item (not with arg_min, arg_max or
                                 ///< own_kernels)
};

/// Combines all items of a range into one.
///
///     output[0] = initial ∘ input[0] ∘ input[1] ∘ … ∘ input[count-1]        (initial: the identity where not given)
///
/// Operators need only be associative: the order of items is kept. Floats are combined in a fixed tree, so the result has
/// the same bits on every run on one device; another device may round differently. arg_min and arg_max order floats by
/// IEEE totalOrder: -NaN < -inf < … < -0 < +0 < … < +inf < +NaN.
///
/// Cost: reads each item once, 2 dispatches (1 for small counts). Scratch: a few KiB, whatever the count.
/// Barriers, threads, lifetime: docs/integration.md.
class Reduce {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit types the device lacks), unsupported (an accumulator, or an
  /// operator, that does not go with the item; own_kernels made for something else), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<Reduce> create(const Context& context, const ReduceConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` items. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one reduction into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping,
  /// more items than 2^31 tiles hold).
  Status record(VkCommandBuffer commands, const ReduceArgs& args) const noexcept;

  uint32_t tile_items() const noexcept;  ///< items one workgroup takes at a time: sizes around its multiples are edges

 private:
  struct Plan;
  explicit Reduce(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
