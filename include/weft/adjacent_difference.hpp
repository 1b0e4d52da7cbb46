// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// Which neighbour is subtracted.
enum class Neighbour {
  left,   ///< output[0] = input[0], output[i] = input[i] - input[i-1]
  right,  ///< output[i] = input[i] - input[i+1], the last output is the last item
};

/// The enumerator's name.
WEFT_API const char* name_of(Neighbour neighbour) noexcept;

struct AdjacentDifferenceConfig {
  Neighbour neighbour = Neighbour::left;
  /// Any but u32x2. u64 and i64 do not need shaderInt64.
  Type item = Type::u32;
};

struct AdjacentDifferenceArgs {
  /// `count` items, aligned to min(item size, 4).
  BufferRange input;
  /// Room for `count` items, aligned to min(item size, 4).
  /// No overlap with `input`: workgroups read items at the edge of each other's part, in no order.
  BufferRange output;
  /// On the device: no overlap with `output`.
  Count count;
};

/// Differences of neighbouring items.
///
/// - The item that has no such neighbour is copied, bit for bit.
/// - Integers wrap. Floats are subtracted once: results are bit-identical on every device that keeps denormals.
/// - Cost: reads each item once, and one of each row of a subgroup again; writes each output once. One dispatch, no
///   scratch.
/// - Fastest if the addresses of both ranges are equal modulo 16 bytes.
/// - Inverse of an inclusive Scan with Op::add, of integers, if left.
/// - Barriers, lifetime, threads: docs/integration.md.
class WEFT_API AdjacentDifference {
 public:
  /// Builds the pipeline. Errors: missing_feature (f64), unsupported (u32x2), out_of_{host,device}_memory, device_lost,
  /// driver_error.
  static Result<AdjacentDifference> create(const Context& context, const AdjacentDifferenceConfig& config) noexcept;

  /// Records one call. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^31 tiles).
  Status record(VkCommandBuffer commands, const AdjacentDifferenceArgs& args) const noexcept;

  /// Items of a workgroup. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit AdjacentDifference(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
