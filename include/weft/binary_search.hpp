// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipeline of a BinarySearch is built for.
struct BinarySearchConfig {
  Type key = Type::u32;  ///< u32, i32, f32, u64, i64 or f64; those of 64 bits need no feature of the device here
  Bound bound = Bound::lower;
};

/// What one call works on. `output` may not overlap another range, or a count on the device.
struct BinarySearchArgs {
  BufferRange needles;   ///< `needle_count` keys in any order, aligned to 4
  BufferRange haystack;  ///< `haystack_count` keys, ascending, aligned to 4
  BufferRange output;    ///< a u32 for each needle, aligned to 4
  Count needle_count;    ///< a value, or a device address and a maximum; at most 2^32 - 1
  Count haystack_count;  ///< likewise
};

/// Finds each of many needles, in any order, in a sorted haystack.
///
///     lower:  output[i] = number of keys of the haystack that are < needles[i]
///     upper:  output[i] = number of keys of the haystack that are ≤ needles[i]
///
/// Floats are ordered as by SortedSearch (weft/sorted_search.hpp), which is faster for many needles that are sorted too. Where the
/// haystack is not sorted, the output's contents are unspecified, but no other memory is touched. Results have the same bits on every
/// run and every device.
///
/// Cost: reads each needle once and writes each output once; reads up to ⌈log2(haystack_count)⌉ + 1 keys of the
/// haystack for each needle, in one chain of loads; a lane has 4 such chains under way. 1 dispatch. Needs no scratch.
/// Barriers, threads, lifetime: docs/integration.md.
class BinarySearch {
 public:
  /// Builds the pipeline. Errors: unsupported (another type of keys), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<BinarySearch> create(const Context& context, const BinarySearchConfig& config) noexcept;

  /// Records one search into `commands`; nothing where there can be no needles. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, 2^32 or
  /// more needles or keys).
  Status record(VkCommandBuffer commands, const BinarySearchArgs& args) const noexcept;

  uint32_t tile_needles() const noexcept;  ///< needles of a workgroup: numbers around its multiples are edges

 private:
  struct Plan;
  explicit BinarySearch(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
