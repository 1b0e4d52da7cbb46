// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a SegmentedReduce are built for.
struct SegmentedReduceConfig {
  Op op = Op::add;               ///< any but affine, arg_min and arg_max
  Type offset = Type::u32;       ///< of offsets: u32 or u64, which needs no shaderInt64 here
  Type item = Type::u32;         ///< any but f16 and u32x2
  Type accumulator = Type::u32;  ///< type of the results: `item`, or a wider one (u8 and u16 to u32, u32 to u64, i32 to
                                 ///< i64, f32 to f64)
  /// A set made for "segmented_reduce". op, item and accumulator are not looked at; offset is.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on. The output and the scratch may not overlap anything else.
struct SegmentedReduceArgs {
  BufferRange items;    ///< `item_count` items
  BufferRange offsets;  ///< `count` + 1 offsets, ascending, aligned to 4
  BufferRange output;   ///< `count` accumulators
  BufferRange scratch;  ///< `scratch_size(count.maximum(), item_count.maximum())` bytes, aligned to 16; contents
                        ///< irrelevant before, undefined after
  Count count;          ///< segments: a value, or a device address and a maximum
  Count item_count;     ///< items: likewise
};

/// The combination of the items of each segment:
///
///     output[s] = items[a] ∘ … ∘ items[b-1],    a = offsets[s], b = offsets[s+1]
///
/// and the operator's identity where a segment is empty. Items are converted to the accumulator's type first. Items in front of
/// offsets[0] and from offsets[count] on belong to no segment and are not looked at. Offsets above item_count are taken as that.
/// Where offsets decrease, the output's contents are unspecified, but no other memory is touched. Segments may have any
/// lengths, most of them none or one all items: the work is cut into even parts (docs/decisions/segments-by-offsets.md).
/// Operators need not commute. Floats are combined in an order fixed by device, the values or maxima of both counts, the items'
/// address and the offsets, so results have the same bits on every run.
///
/// Cost: reads each item and each offset once from memory, some of the offsets again from the device's cache, and writes each
/// result once. Results of less than 4 bytes are written by atomics.
/// If segments have 512 to 8,192 items in the mean, by the maxima of both counts, and on some devices up to 131,072 items in all: a
/// workgroup for each segment, 1 dispatch, and a second one if there are more than 32,768 items.
/// Otherwise 3 dispatches, of which the first makes a binary search in the offsets for each tile, and the last is one workgroup; 1
/// dispatch if count + item_count are within one tile.
/// Maxima of counts should not be larger than need be.
/// Scratch: 16 bytes for each tile and a few KiB.
/// Barriers, threads, lifetime: docs/integration.md.
class SegmentedReduce {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit items the device lacks), unsupported (an operator, item or
  /// accumulator that is not for segmented reductions, or that do not go together; another type of offsets; own_kernels of another
  /// primitive), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<SegmentedReduce> create(const Context& context, const SegmentedReduceConfig& config) noexcept;

  /// Bytes of scratch for any call on at most so many segments and items. Never decreases with either. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count, uint64_t max_items) const noexcept;

  /// Records one reduction into `commands`; nothing where there can be no segments. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping,
  /// more segments and items than 2^31 tiles hold).
  Status record(VkCommandBuffer commands, const SegmentedReduceArgs& args) const noexcept;

  /// What a workgroup takes at a time: so many items, or fewer by 4 for each segment that ends among them. Sizes around its
  /// multiples are edges.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit SegmentedReduce(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
