// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

namespace primitives {
struct ByKeyWithFault;  // src/primitives/core/look_back_faults.hpp, for tests
}

/// What the pipelines of a ReduceByKey are built for.
struct ReduceByKeyConfig {
  Op op = Op::add;               ///< any but affine, arg_min and arg_max
  Type key = Type::u32;          ///< of keys; only its size counts, so no device feature is needed
  Type item = Type::u32;         ///< of values: any but f16 and u32x2
  Type accumulator = Type::u32;  ///< type of the results: `item`, or a wider one (u8 and u16 to u32, u32 to u64, i32 to
                                 ///< i64, f32 to f64)
  Strategy strategy = Strategy::automatic;
  /// A set made for "reduce_by_key": values are the snippet's items and results its accumulators. op, item and accumulator are not
  /// looked at; key is.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on. None of the outputs may overlap anything else.
struct ReduceByKeyArgs {
  BufferRange keys;        ///< `count` keys
  BufferRange values;      ///< `count` items
  BufferRange keys_out;    ///< room for `count` keys; as many as there are runs are written
  BufferRange values_out;  ///< room for `count` accumulators, likewise
  BufferRange count_out;   ///< how many runs there are: a u32 (range.size 4) or a u64 (8), aligned to 4
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< a value, or a device address and a maximum
};

/// The key of each run of equal neighbouring keys, and the combination of its values:
///
///     keys_out[j]   = the key of run j
///     values_out[j] = values[a] ∘ … ∘ values[b],  a and b being the run's first and last item
///
/// Keys are equal where their bits are. They need not be sorted; where they are, each key comes once. Items are converted to the
/// accumulator's type first. Floats are combined in an order fixed by device, strategy, count.maximum(), the ranges' addresses and
/// where runs begin, so results have the same bits on every run, under look_back too.
///
/// Cost: look_back reads each key and value once from memory (and once more from the device's cache) and writes each run's key and
/// value once, 3 dispatches (1 where one tile holds all); reduce_then_scan reads keys and values twice, 2 dispatches. Ranges go
/// fastest where keys and values begin at multiples of 16 bytes, or have moved on from one by the same number of items, modulo 4;
/// any multiple of the item's size works. Keys and results of less than 4 bytes are written by atomics.
/// Barriers, threads, lifetime: docs/integration.md.
class ReduceByKey {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit items the device lacks), unsupported (an operator, item or
  /// accumulator that is not for reductions by key, or that do not go together; own_kernels of another primitive), out_of_host_memory, out_of_device_memory,
  /// device_lost.
  static Result<ReduceByKey> create(const Context& context, const ReduceByKeyConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` items. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one reduction into `commands`. Does not allocate, submit or wait. Of no items there are no runs: only
  /// `count_out` is written.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping,
  /// 2^32 items or more).
  Status record(VkCommandBuffer commands, const ReduceByKeyArgs& args) const noexcept;

  /// The one in use: never automatic. Where automatic chose look_back, small counts may take reduce_then_scan all the same.
  Strategy strategy() const noexcept;
  uint32_t tile_items() const noexcept;  ///< items one workgroup takes at a time: sizes around its multiples are edges

 private:
  friend struct primitives::ByKeyWithFault;
  static Result<ReduceByKey> create(const Context& context, const ReduceByKeyConfig& config, uint32_t fault);

  struct Plan;
  explicit ReduceByKey(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
