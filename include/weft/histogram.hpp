// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// How bins are defined.
enum class HistogramKind : uint8_t {
  even,    ///< bins of equal width between two bounds
  levels,  ///< bins between neighbours of an ascending list
};

WEFT_API const char* name_of(HistogramKind kind) noexcept;

struct HistogramConfig {
  HistogramKind kind = HistogramKind::even;
  /// u8, u16, u32, i32 or f32.
  Type item = Type::u32;
  /// 1 to 65,536.
  uint32_t bins = 256;
};

/// Arguments of Histogram::record. `output` must not overlap `input`, `levels`, or a count on the device.
struct HistogramArgs {
  /// `count` items, at any offset that is a multiple of the item size.
  BufferRange input;
  /// Receives `bins` u32 counters, 4-byte aligned.
  BufferRange output;
  Count count;
  /// even: the first bin's lower bound, inclusive. For integer items, a value of the item type.
  double lower = 0;
  /// even: the last bin's upper bound, exclusive. For integer items, an integer, at most the type's maximum plus 1.
  double upper = 0;
  /// levels: `bins` + 1 ascending values, 4-byte aligned: u32 for u8, u16 and u32 items, else of the item type.
  BufferRange levels;
};

/// Counts items by bins.
///
///     even:    output[b] = |{ x : lower ≤ x < upper and b = ⌊(x - lower) · bins / (upper - lower)⌋ }|
///     levels:  output[b] = |{ x : levels[b] ≤ x < levels[b + 1] }|
///
/// - Items outside all bins are not counted. NaN is never counted.
/// - -0 equals +0.
/// - Counters are exact modulo 2^32.
/// - The output is overwritten, not added to.
/// - Even bins of integers are exact, without rounding.
/// - Even bins of f32: b = min(⌊(x - lower) · scale⌋, bins - 1), scale = bins / (upper - lower).
///   Bounds, scale, difference and product are rounded to f32 each: the same on every device, and on a CPU.
/// - Equal levels make an empty bin.
/// - If levels descend, counters are unspecified. No access is out of range.
/// - Results are bit-identical on every run.
/// - Cost: reads each item once. Two dispatches, no scratch.
///   Up to some thousands of bins are counted in shared memory, more of them by atomic additions to the output, which
///   is slowest if many items are equal but seldom neighbours. u8 has the same speed for any number of bins.
/// - Barriers, lifetime, threads: docs/integration.md.
class WEFT_API Histogram {
 public:
  /// Builds the pipelines. Errors: unsupported (item type or number of bins), out_of_{host,device}_memory, device_lost,
  /// driver_error.
  static Result<Histogram> create(const Context& context, const HistogramConfig& config) noexcept;

  /// Records one histogram. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^31 tiles;
  /// bounds out of order or not representable for integer items; f32 bins narrower than 2^-100 or wider than 2^100).
  Status record(VkCommandBuffer commands, const HistogramArgs& args) const noexcept;

  /// Items a workgroup processes at a time. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit Histogram(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
