// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/scan.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a SegmentedScan are built for.
struct SegmentedScanConfig {
  ScanKind kind = ScanKind::exclusive;
  Op op = Op::add;               ///< any but affine, arg_min and arg_max
  Type offset = Type::u32;       ///< of offsets: u32 or u64, which needs no shaderInt64 here
  Type item = Type::u32;         ///< any but f16 and u32x2
  Type accumulator = Type::u32;  ///< type of the outputs: `item`, or a wider one (u8 and u16 to u32, u32 to u64, i32 to
                                 ///< i64, f32 to f64)
  Strategy strategy = Strategy::automatic;
  /// A set made for "scan_by_key". op, item and accumulator are not looked at; offset is.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on.
struct SegmentedScanArgs {
  BufferRange items;    ///< `item_count` items
  BufferRange offsets;  ///< `count` + 1 offsets, ascending, aligned to 4
  BufferRange
      output;  ///< `item_count` accumulators. The same bytes as `items` (in place, where both types have the same
               ///< size) or no overlap with it; no overlap with `offsets`
  BufferRange scratch;  ///< `scratch_size(item_count.maximum())` bytes, aligned to 16; contents irrelevant before,
                        ///< undefined after
  Count count;          ///< segments: a value, or a device address and a maximum
  Count item_count;     ///< items: likewise
  std::optional<Value>
      initial;  ///< an accumulator combined in front of each segment's first item; none: the operator's identity. Refused
                ///< with own_kernels
};

/// Prefix combination of each segment of a range by itself. With a = offsets[s] <= i < offsets[s+1]:
///
///     exclusive:  output[i] = initial ∘ items[a] ∘ … ∘ items[i-1]
///     inclusive:  output[i] = initial ∘ items[a] ∘ … ∘ items[i]
///
/// Items are converted to the accumulator's type first. Every item has an output: those in front of offsets[0], and those from
/// offsets[count] on, are scanned as segments of their own. Offsets of item_count and above begin no segment. Where offsets decrease,
/// each of them begins a segment all the same. Segments may have any lengths, most of them none or one all items. Floats are
/// combined in an order fixed by device, strategy, item_count.maximum(), the ranges' addresses and where segments begin, so results
/// have the same bits on every run, under look_back too.
///
/// Cost: reads each offset once, writes, changes and reads a bit for each item, and then is a ScanByKey by head bits
/// (weft/scan_by_key.hpp): look_back reads each item once from memory and writes each output once, 5 dispatches (3 where one tile holds
/// all); reduce_then_scan reads items twice, 4 dispatches. Fastest where items begin at a multiple of 16 bytes. Scratch: a bit for each item,
/// and that of ScanByKey.
/// Barriers, threads, lifetime: docs/integration.md.
class SegmentedScan {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit items the device lacks), unsupported (an operator, item or
  /// accumulator that is not for segmented scans, or that do not go together; another type of offsets; own_kernels made for
  /// something else), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<SegmentedScan> create(const Context& context, const SegmentedScanConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_items` items. Never decreases with `max_items`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_items) const noexcept;

  /// Records one scan into `commands`; nothing where there can be no items. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping,
  /// 2^39 items or 2^40 segments or more).
  Status record(VkCommandBuffer commands, const SegmentedScanArgs& args) const noexcept;

  /// The one in use: never automatic. Where automatic chose look_back, small counts may take reduce_then_scan all the same.
  Strategy strategy() const noexcept;
  uint32_t tile_items() const noexcept;  ///< items one workgroup takes at a time: sizes around its multiples are edges

 private:
  struct Plan;
  explicit SegmentedScan(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
