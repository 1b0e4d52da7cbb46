// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a SortedSearch are built for.
struct SortedSearchConfig {
  Type key = Type::u32;  ///< u32, i32, f32, u64, i64 or f64; those of 64 bits need no feature of the device here
  Bound bound = Bound::lower;
};

/// What one call works on. No range that is written may overlap another, or a count on the device.
struct SortedSearchArgs {
  BufferRange needles;   ///< `needle_count` keys, ascending, aligned to 4
  BufferRange haystack;  ///< `haystack_count` keys, ascending, aligned to 4
  BufferRange output;    ///< a u32 for each needle, aligned to 4
  BufferRange scratch;   ///< `scratch_size(needle_count.maximum(), haystack_count.maximum())` bytes, aligned to 16;
                         ///< contents irrelevant before, undefined after
  Count needle_count;    ///< a value, or a device address and a maximum
  Count haystack_count;  ///< likewise; the values or maxima of both together are at most 2^32 - 1
};

/// Finds each of many needles, which are sorted, in a sorted haystack.
///
///     lower:  output[i] = number of keys of the haystack that are < needles[i]
///     upper:  output[i] = number of keys of the haystack that are ≤ needles[i]
///
/// Either is the place at which the needle could be inserted. Floats are in the order of numbers, and -0 is 0; NaN is in front of all
/// numbers where its sign bit is set, else behind them, so that a range that ends with such as NaN usually is counts as sorted.
/// Where needles or haystack are not sorted, the output's contents are unspecified, but no other memory is touched. Keys may be
/// distributed in any way, all of them equal, or one range many times as long as the other: the work is cut evenly by merge
/// path (docs/decisions/merge-path-search.md). Results have the same bits on every run and every device.
///
/// Cost: reads each needle and each key of the haystack that lies between needles once, and writes each output once; 2 dispatches,
/// of which the first reads about 2·log2(haystack_count) keys for each tile. Scratch: 4 bytes for each tile. For needles in any order
/// there is BinarySearch, which may also be faster for a few needles in a large haystack.
/// Barriers, threads, lifetime: docs/integration.md.
class SortedSearch {
 public:
  /// Builds the pipelines. Errors: unsupported (another type of keys), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<SortedSearch> create(const Context& context, const SortedSearchConfig& config) noexcept;

  /// Bytes of scratch for any call on at most so many needles and keys. Never decreases with either. Never 0.
  VkDeviceSize scratch_size(uint64_t max_needles, uint64_t max_haystack) const noexcept;

  /// Records one search into `commands`; nothing where there can be no needles. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, 2^32 or
  /// more needles and keys together).
  Status record(VkCommandBuffer commands, const SortedSearchArgs& args) const noexcept;

  uint32_t tile_keys() const noexcept;  ///< needles and keys of a tile together: totals around its multiples are edges

 private:
  struct Plan;
  explicit SortedSearch(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
