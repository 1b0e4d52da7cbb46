// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

enum class HistogramKind : uint8_t {
  even,    ///< bins of equal width between two bounds
  levels,  ///< bins between neighbours of an ascending list
};

const char* name_of(HistogramKind kind) noexcept;

/// What the pipelines of a Histogram are built for.
struct HistogramConfig {
  HistogramKind kind = HistogramKind::even;
  Type item = Type::u32;  ///< u8, u16, u32, i32 or f32
  uint32_t bins = 256;    ///< 1 to 65,536
};

/// What one call works on.
struct HistogramArgs {
  BufferRange input;  ///< `count` items
  BufferRange
      output;        ///< `bins` counters, u32, aligned to 4: overwritten. May not overlap `input`, `levels` or `count`
  Count count;       ///< a value, or a device address and a maximum
  double lower = 0;  ///< even: the first bin's lower bound, inclusive. Of integers a number of the item's type
  double upper =
      0;  ///< even: the last bin's upper bound, exclusive. Of integers at most the type's largest number plus 1
  BufferRange
      levels;  ///< levels: `bins` + 1 ascending numbers, aligned to 4: u32 for u8, u16 and u32, else of the item's type
};

/// Counts items by bins.
///
///     even:    output[b] = number of items x with lower ≤ x < upper and b = ⌊(x - lower) · bins / (upper - lower)⌋
///     levels:  output[b] = number of items x with levels[b] ≤ x < levels[b + 1]
///
/// Items outside of all bins are not counted, NaN never; -0 is 0. Counters are exact modulo 2^32. Even bins of integers are exact:
/// no rounding. Even bins of f32 are b = min(⌊(x - lower) · scale⌋, bins - 1), bounds and scale = bins / (upper - lower) rounded to f32,
/// and the difference and the product rounded to f32 each: the same on every device, and on a CPU. Equal levels make bins that stay
/// empty; of levels that descend somewhere the result is unspecified, but no other memory is touched. Results have the same bits
/// on every run.
///
/// Cost: reads each item once, 2 dispatches. Up to some thousands of bins are counted in shared memory, more of them (and most
/// slowly, where many items are equal but seldom neighbours) by atomic additions to the output. u8 is as fast with any bins. Needs
/// no scratch. Any multiple of the item's size will do for the input to begin at.
/// Barriers, threads, lifetime: docs/integration.md.
class Histogram {
 public:
  /// Builds the pipelines. Errors: unsupported (another type of items or number of bins), out_of_host_memory,
  /// out_of_device_memory, device_lost.
  static Result<Histogram> create(const Context& context, const HistogramConfig& config) noexcept;

  /// Records one count into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping; bounds
  /// that are out of order, that items of integers cannot have, or that make bins of f32 narrower than 2^-100 or wider than
  /// 2^100; more items than 2^31 tiles hold).
  Status record(VkCommandBuffer commands, const HistogramArgs& args) const noexcept;

  uint32_t tile_items() const noexcept;  ///< items one workgroup takes at a time: sizes around its multiples are edges

 private:
  struct Plan;
  explicit Histogram(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
