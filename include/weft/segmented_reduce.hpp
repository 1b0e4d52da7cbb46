// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

struct SegmentedReduceConfig {
  /// Any but affine, arg_min and arg_max. Need not commute.
  Op op = Op::add;
  /// Type of the offsets: u32 or u64 (u64 does not need shaderInt64).
  Type offset = Type::u32;
  /// Any but f16 and u32x2.
  Type item = Type::u32;
  /// Type of the results: `item`, or wider: u8 or u16 to u32, u32 to u64, i32 to i64, f32 to f64.
  Type accumulator = Type::u32;
  /// A set built for "segmented_reduce". op, item and accumulator are ignored, offset is not.
  std::optional<KernelSet> own_kernels{};
};

/// Arguments of SegmentedReduce::record. No range that is written may overlap another one, or a count on the device.
struct SegmentedReduceArgs {
  /// `item_count` items, aligned to min(item size, 4).
  BufferRange items;
  /// `count` + 1 offsets, ascending, 4-byte aligned. Clamped to `item_count`.
  BufferRange offsets;
  /// Room for `count` accumulators, aligned to min(accumulator size, 4).
  BufferRange output;
  /// scratch_size(count.maximum(), item_count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// Number of segments. Tight maxima of both counts are fastest.
  Count count;
  Count item_count;
};

/// Combines the items of each segment.
///
///     output[s] = items[a] ∘ … ∘ items[b-1],    a = offsets[s], b = offsets[s+1]; the identity if a == b
///
/// - Items are converted to the accumulator's type first.
/// - Items before offsets[0] and from offsets[count] on belong to no segment and are ignored.
/// - If offsets decrease, the output is unspecified. No access is out of range.
/// - Work is split evenly for segments of any lengths (docs/decisions/segments-by-offsets.md).
/// - Results are bit-identical on every run. Floats are combined in an order fixed by device, the maxima of both
///   counts, the items' address and the offsets.
/// - Cost: reads each item and offset once from memory, some offsets again from cache. Writes each result once, those
///   of less than 4 bytes by atomics. 16 bytes of scratch per tile and a few KiB.
/// - Three dispatches: the first searches the offsets for each tile, the last is one workgroup. One dispatch if
///   item_count + 4·count is within one tile.
/// - If the maxima give 512 to 8,192 items per segment (on some devices from 16, up to 131,072 items in all): a
///   workgroup per segment in one dispatch, and a second dispatch above 32,768 items.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: ReduceByKey, for segments given by keys.
class WEFT_API SegmentedReduce {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit items), unsupported (operator, item, accumulator or offset
  /// not listed above, or not matching; own_kernels of another primitive), out_of_{host,device}_memory, device_lost,
  /// driver_error.
  static Result<SegmentedReduce> create(const Context& context, const SegmentedReduceConfig& config) noexcept;

  /// Scratch bytes that suffice for any call within both maxima. Monotonic in both, never 0.
  VkDeviceSize scratch_size(uint64_t max_count, uint64_t max_items) const noexcept;

  /// Records one reduction; nothing if count.maximum() is 0. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^31 tiles).
  Status record(VkCommandBuffer commands, const SegmentedReduceArgs& args) const noexcept;

  /// Items a workgroup processes at a time, fewer by 4 for each segment that ends among them. Counts around its
  /// multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit SegmentedReduce(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
