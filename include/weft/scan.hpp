// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

/// Whether output i includes item i.
enum class ScanKind : uint8_t {
  exclusive,  ///< output i combines the items before item i
  inclusive,  ///< output i combines the items up to and including item i
};

WEFT_API const char* name_of(ScanKind kind) noexcept;

struct ScanConfig {
  ScanKind kind = ScanKind::exclusive;
  /// Any but arg_min and arg_max.
  Op op = Op::add;
  Type item = Type::u32;
  /// Type of the outputs: `item`, or wider: u8 to u16/u32, u16 to u32, u32 to u64, i32 to i64, f16 to f32, f32 to f64.
  Type accumulator = Type::u32;
  Strategy strategy = Strategy::automatic;
  /// A set built for "scan". Its snippet defines item, accumulator and operator; those above are ignored.
  std::optional<KernelSet> own_kernels{};
};

struct ScanArgs {
  /// `count` items, aligned to min(item size, 4).
  BufferRange input;
  /// Room for `count` accumulators, aligned to min(accumulator size, 4).
  /// The same bytes as `input` (in place, if item and accumulator have the same size), or no overlap with it.
  BufferRange output;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned. No overlap with any other range.
  BufferRange scratch;
  /// On the device: no overlap with `output` or `scratch`.
  Count count;
  /// Optional accumulator before the first item; default: the operator's identity.
  /// Must not be set with own_kernels: make it the first item instead.
  std::optional<Value> initial;
};

/// Prefix scan.
///
///     exclusive:  output[i] = initial ∘ input[0] ∘ … ∘ input[i-1]
///     inclusive:  output[i] = initial ∘ input[0] ∘ … ∘ input[i]
///
/// - Operators need to be associative only: the order of items is kept.
/// - Items are converted to the accumulator's type first.
/// - Results are bit-identical on every run, under look_back too.
/// - Floats are combined in an order fixed by device, strategy and count.maximum(): another device or strategy may
///   round differently.
/// - look_back: reads each item once, in three dispatches.
/// - reduce_then_scan: reads each item twice, in two dispatches.
/// - Both write each output once, and take one dispatch if one tile holds all items.
/// - Fastest if the addresses of both ranges are equal modulo 16 bytes, scaled by item size.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: ScanByKey, SegmentedScan.
class WEFT_API Scan {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit types, look_back), unsupported (operator, item and
  /// accumulator do not match; own_kernels of another primitive), out_of_{host,device}_memory, device_lost,
  /// driver_error.
  static Result<Scan> create(const Context& context, const ScanConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` items. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one scan. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^31 tiles).
  Status record(VkCommandBuffer commands, const ScanArgs& args) const noexcept;

  /// The strategy in use, never automatic. If automatic chose look_back, small counts may use reduce_then_scan.
  Strategy strategy() const noexcept;
  /// Items a workgroup processes at a time. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit Scan(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
