// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

struct SortedSearchConfig {
  /// u32, i32, f32, u64, i64 or f64. 64-bit keys need no device feature.
  Type key = Type::u32;
  /// Position among equal keys.
  Bound bound = Bound::lower;
};

/// Arguments of SortedSearch::record. No range that is written may overlap another one, or a count on the device.
struct SortedSearchArgs {
  /// `needle_count` keys, ascending, 4-byte aligned.
  BufferRange needles;
  /// `haystack_count` keys, ascending, 4-byte aligned.
  BufferRange haystack;
  /// A u32 for each needle, 4-byte aligned.
  BufferRange output;
  /// scratch_size(needle_count.maximum(), haystack_count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// The maxima of both counts together are at most 2^32 - 1.
  Count needle_count;
  Count haystack_count;
};

/// Finds sorted needles in a sorted haystack.
///
///     lower:  output[i] = number of keys of the haystack that are < needles[i]
///     upper:  output[i] = number of keys of the haystack that are ≤ needles[i]
///
/// - Either is the position at which the needle can be inserted.
/// - Floats compare as numbers, and -0 equals +0.
/// - NaN is before all numbers if its sign bit is set, else after them.
/// - If needles or haystack are not sorted, the output is unspecified. No access is out of range.
/// - Work is split evenly by merge path, for any keys and lengths (docs/decisions/merge-path-search.md).
/// - Results are bit-identical on every run and device.
/// - Cost: reads each key once, except around tile boundaries; where one key in 32 or fewer is a needle, some of the
///   haystack alone. Writes each output once.
/// - One dispatch, in which each subgroup reads some 300 more keys to find its part, and 4 bytes of scratch.
/// - Two dispatches for many tiles (tuned per device class, as Merge's): the first reads about 2·log2 of the smaller
///   count keys per tile. 4 more bytes of scratch per tile.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: BinarySearch, for unsorted needles; it may be faster for a few needles in a large haystack.
class WEFT_API SortedSearch {
 public:
  /// Builds the pipelines. Errors: unsupported (key type), out_of_{host,device}_memory, device_lost, driver_error.
  static Result<SortedSearch> create(const Context& context, const SortedSearchConfig& config) noexcept;

  /// Scratch bytes that suffice for any call within both maxima. Monotonic in both, never 0.
  VkDeviceSize scratch_size(uint64_t max_needles, uint64_t max_haystack) const noexcept;

  /// Records one search; nothing if needle_count.maximum() is 0. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 or more keys).
  Status record(VkCommandBuffer commands, const SortedSearchArgs& args) const noexcept;

  /// Needles and keys of a tile together. Totals around its multiples are edge cases.
  uint32_t tile_keys() const noexcept;

 private:
  struct Plan;
  explicit SortedSearch(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
