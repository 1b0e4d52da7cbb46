// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

struct ReduceByKeyConfig {
  /// Any but affine, arg_min and arg_max.
  Op op = Op::add;
  /// Type of the keys. Only its size matters, so no device feature is needed.
  Type key = Type::u32;
  /// Type of the values: any but f16 and u32x2.
  Type item = Type::u32;
  /// Type of the results: `item`, or wider: u8 or u16 to u32, u32 to u64, i32 to i64, f32 to f64.
  Type accumulator = Type::u32;
  Strategy strategy = Strategy::automatic;
  /// A set built for "reduce_by_key". Its snippet defines values, results and operator: op, item and accumulator are
  /// ignored, key is not.
  std::optional<KernelSet> own_kernels{};
};

/// Arguments of ReduceByKey::record. No range that is written may overlap another one, or a count on the device.
struct ReduceByKeyArgs {
  /// `count` keys, aligned to min(key size, 4).
  BufferRange keys;
  /// `count` items, aligned to min(item size, 4).
  BufferRange values;
  /// Room for `count` keys, aligned as `keys`. One key per run is written.
  BufferRange keys_out;
  /// Room for `count` accumulators, aligned to min(accumulator size, 4). One result per run is written.
  BufferRange values_out;
  /// Receives the number of runs: a u32 (range.size 4) or a u64 (8), 4-byte aligned.
  BufferRange count_out;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// Number of items, at most 2^32 - 1.
  Count count;
};

/// Combines the values of each run of equal neighbouring keys.
///
///     keys_out[j]   = the key of run j
///     values_out[j] = values[a] ∘ … ∘ values[b],  a and b: the run's first and last item
///     count_out     = number of runs
///
/// - Keys are equal if their bits are equal. They need not be sorted; if they are, each key is written once.
/// - Items are converted to the accumulator's type first.
/// - Results are bit-identical on every run, under look_back too. Floats are combined in an order fixed by device,
///   strategy, count.maximum(), the ranges' addresses and the runs' positions.
/// - If there are no items, only `count_out` is written.
/// - look_back: reads each key and value once from memory, in three dispatches.
/// - reduce_then_scan: reads each key and value twice, in two dispatches.
/// - Both write each run's key and value once, and take one dispatch if one tile holds all items.
/// - Fastest if keys and values are 16-byte aligned, or offset from that by the same number of items, modulo 4.
/// - Keys and results of less than 4 bytes are written by atomics.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: SegmentedReduce, for segments given by offsets.
class WEFT_API ReduceByKey {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit items, look_back), unsupported (operator, item or
  /// accumulator not listed above, or not matching; own_kernels of another primitive), out_of_{host,device}_memory,
  /// device_lost, driver_error.
  static Result<ReduceByKey> create(const Context& context, const ReduceByKeyConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` items. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one reduction. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 items or more).
  Status record(VkCommandBuffer commands, const ReduceByKeyArgs& args) const noexcept;

  /// The strategy in use, never automatic. If automatic chose look_back, small counts may use reduce_then_scan.
  Strategy strategy() const noexcept;
  /// Items a workgroup processes at a time. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit ReduceByKey(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
