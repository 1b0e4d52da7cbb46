// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/scan.hpp>
#include <weft/types.hpp>

namespace weft {

struct SegmentedScanConfig {
  ScanKind kind = ScanKind::exclusive;
  /// Any but affine, arg_min and arg_max.
  Op op = Op::add;
  /// Type of the offsets: u32 or u64 (u64 does not need shaderInt64).
  Type offset = Type::u32;
  /// Any but f16 and u32x2.
  Type item = Type::u32;
  /// Type of the outputs: `item`, or wider: u8 or u16 to u32, u32 to u64, i32 to i64, f32 to f64.
  Type accumulator = Type::u32;
  Strategy strategy = Strategy::automatic;
  /// A set built for "scan_by_key". op, item and accumulator are ignored, offset is not.
  std::optional<KernelSet> own_kernels{};
};

/// Arguments of SegmentedScan::record. No range that is written may overlap another one, or a count on the device,
/// except in place.
struct SegmentedScanArgs {
  /// `item_count` items, aligned to min(item size, 4); 16 is fastest.
  BufferRange items;
  /// `count` + 1 offsets, ascending, 4-byte aligned.
  BufferRange offsets;
  /// Room for `item_count` accumulators, aligned to min(accumulator size, 4).
  /// The same bytes as `items` (in place, if item and accumulator have the same size), or no overlap with it.
  BufferRange output;
  /// scratch_size(item_count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// Number of segments, less than 2^40.
  Count count;
  /// Number of items, less than 2^39.
  Count item_count;
  /// Optional accumulator before each segment's first item; default: the operator's identity.
  /// Must not be set with own_kernels.
  std::optional<Value> initial;
};

/// Prefix scan of each segment.
///
///     exclusive:  output[i] = initial ∘ items[a] ∘ … ∘ items[i-1]      a = offsets[s] <= i < offsets[s+1]
///     inclusive:  output[i] = initial ∘ items[a] ∘ … ∘ items[i]
///
/// - Items are converted to the accumulator's type first.
/// - Every item has an output: those before offsets[0], and those from offsets[count] on, are segments of their own.
/// - Offsets of item_count and above begin no segment.
/// - If offsets decrease, each begins a segment all the same.
/// - Segments may have any lengths, 0 included.
/// - Results are bit-identical on every run, under look_back too. Floats are combined in an order fixed by device,
///   strategy, item_count.maximum(), the ranges' addresses and the segments' positions.
/// - Cost: reads each offset once, writes, changes and reads a bit per item, then is a ScanByKey with head_bits.
/// - look_back reads each item once, in five dispatches; reduce_then_scan reads it twice, in four.
///   Both write each output once. Three dispatches if one tile holds all items.
/// - Scratch: a bit per item, and that of ScanByKey.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: ScanByKey, for segments given by keys or flags.
class WEFT_API SegmentedScan {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit items, look_back), unsupported (operator, item, accumulator
  /// or offset not listed above, or not matching; own_kernels of another primitive), out_of_{host,device}_memory,
  /// device_lost, driver_error.
  static Result<SegmentedScan> create(const Context& context, const SegmentedScanConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_items` items. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_items) const noexcept;

  /// Records one scan; nothing if item_count.maximum() is 0. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^39 or more items,
  /// 2^40 or more segments).
  Status record(VkCommandBuffer commands, const SegmentedScanArgs& args) const noexcept;

  /// The strategy in use, never automatic. If automatic chose look_back, small counts may use reduce_then_scan.
  Strategy strategy() const noexcept;
  /// Items a workgroup processes at a time. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit SegmentedScan(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
