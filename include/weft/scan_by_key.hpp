// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/scan.hpp>
#include <weft/types.hpp>

namespace weft {

/// How segments are given. The first item always begins a segment.
enum class SegmentsBy : uint8_t {
  keys,        ///< a key per item: a segment begins at each key whose bits differ from those of the key before
  head_bits,   ///< a bit per item, 1 at a segment's first: bit i % 32 of u32 word i / 32
  head_bytes,  ///< a byte per item, not 0 at a segment's first
  head_words,  ///< a u32 per item, not 0 at a segment's first
};

WEFT_API const char* name_of(SegmentsBy segments) noexcept;

struct ScanByKeyConfig {
  ScanKind kind = ScanKind::exclusive;
  /// Any but affine, arg_min and arg_max.
  Op op = Op::add;
  SegmentsBy segments = SegmentsBy::keys;
  /// Type of the keys. Only its size matters, so no device feature is needed.
  Type key = Type::u32;
  /// Type of the values: any but f16 and u32x2.
  Type item = Type::u32;
  /// Type of the outputs: `item`, or wider: u8 or u16 to u32, u32 to u64, i32 to i64, f32 to f64.
  Type accumulator = Type::u32;
  Strategy strategy = Strategy::automatic;
  /// A set built for "scan_by_key". Its snippet defines values, outputs and operator: op, item and accumulator are
  /// ignored, segments and key are not.
  std::optional<KernelSet> own_kernels{};
};

struct ScanByKeyArgs {
  /// `count` keys, or flags of `count` items, aligned to min(their size, 4). head_bits: whole words, 4-byte aligned.
  BufferRange keys;
  /// `count` items, aligned to min(item size, 4).
  BufferRange values;
  /// Room for `count` accumulators, aligned to min(accumulator size, 4). No overlap with `keys`.
  /// The same bytes as `values` (in place, if item and accumulator have the same size), or no overlap with it.
  BufferRange output;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned. No overlap with any other range.
  BufferRange scratch;
  /// On the device: no overlap with `output` or `scratch`.
  Count count;
  /// Optional accumulator before each segment's first item; default: the operator's identity.
  /// Must not be set with own_kernels.
  std::optional<Value> initial;
};

/// Prefix scan of each segment.
///
///     exclusive:  output[i] = initial ∘ values[h] ∘ … ∘ values[i-1]      h: the last head at or before i
///     inclusive:  output[i] = initial ∘ values[h] ∘ … ∘ values[i]
///
/// - Segments are runs of equal neighbouring keys, which need not be sorted, or begin at flags (a segmented scan).
/// - Items are converted to the accumulator's type first.
/// - Results are bit-identical on every run, under look_back too. Floats are combined in an order fixed by device,
///   strategy, count.maximum(), the ranges' addresses and the segments' positions.
/// - look_back: reads each key and value once, in three dispatches.
/// - reduce_then_scan: reads each key and value twice, in two dispatches.
/// - Both write each output once, and take one dispatch if one tile holds all items.
/// - Fastest if all ranges are 16-byte aligned, or offset from that by the same number of items, modulo 4.
///   With head_bits: if values are 16-byte aligned.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: SegmentedScan, for segments given by offsets.
class WEFT_API ScanByKey {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit items, look_back), unsupported (operator, item or
  /// accumulator not listed above, or not matching; own_kernels of another primitive), out_of_{host,device}_memory,
  /// device_lost, driver_error.
  static Result<ScanByKey> create(const Context& context, const ScanByKeyConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` items. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one scan. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^31 tiles).
  Status record(VkCommandBuffer commands, const ScanByKeyArgs& args) const noexcept;

  /// The strategy in use, never automatic. If automatic chose look_back, small counts may use reduce_then_scan.
  Strategy strategy() const noexcept;
  /// Items a workgroup processes at a time. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit ScanByKey(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
