// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

struct BinarySearchConfig {
  /// u32, i32, f32, u64, i64 or f64. 64-bit keys need no device feature.
  Type key = Type::u32;
  /// Position among equal keys.
  Bound bound = Bound::lower;
};

/// Arguments of BinarySearch::record. `output` must not overlap another range, or a count on the device.
struct BinarySearchArgs {
  /// `needle_count` keys in any order, 4-byte aligned.
  BufferRange needles;
  /// `haystack_count` keys, ascending, 4-byte aligned.
  BufferRange haystack;
  /// A u32 for each needle, 4-byte aligned.
  BufferRange output;
  /// At most 2^32 - 1.
  Count needle_count;
  /// At most 2^32 - 1.
  Count haystack_count;
};

/// Finds needles, in any order, in a sorted haystack.
///
///     lower:  output[i] = number of keys of the haystack that are < needles[i]
///     upper:  output[i] = number of keys of the haystack that are ≤ needles[i]
///
/// - Floats are ordered as by SortedSearch.
/// - If the haystack is not sorted, the output is unspecified. No access is out of range.
/// - Results are bit-identical on every run and device.
/// - Cost: reads each needle once, writes each output once. One dispatch, no scratch.
///   Reads up to ⌈log2(haystack_count)⌉ + 1 keys per needle, as dependent loads; a lane runs 4 needles at a time.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: SortedSearch, which is faster for many sorted needles.
class WEFT_API BinarySearch {
 public:
  /// Builds the pipeline. Errors: unsupported (key type), out_of_{host,device}_memory, device_lost, driver_error.
  static Result<BinarySearch> create(const Context& context, const BinarySearchConfig& config) noexcept;

  /// Records one search; nothing if needle_count.maximum() is 0. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 or more keys).
  Status record(VkCommandBuffer commands, const BinarySearchArgs& args) const noexcept;

  /// Needles per workgroup. Counts around its multiples are edge cases.
  uint32_t tile_needles() const noexcept;

 private:
  struct Plan;
  explicit BinarySearch(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
