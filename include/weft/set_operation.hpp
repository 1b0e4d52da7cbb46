// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

/// Operation on two sorted sequences, as in the standard library. For a key that A has m times and B n times:
enum class SetOperator : uint8_t {
  set_union,                 ///< max(m, n) copies: all of A's, then the last n - m of B's
  set_intersection,          ///< min(m, n) copies: the first of A's
  set_difference,            ///< max(m - n, 0) copies: the last of A's
  set_symmetric_difference,  ///< |m - n| copies: the last of whichever has more
};

WEFT_API const char* name_of(SetOperator operation) noexcept;

/// At least one of the three outputs must be requested.
struct SetOperationConfig {
  SetOperator operation = SetOperator::set_union;
  /// u8, u16, u32, u64, i32, i64, f16, f32 or f64. 64-bit keys need no device feature.
  Type key = Type::u32;
  /// Order of both inputs and of the output.
  SortOrder order = SortOrder::ascending;
  /// Whether the result's keys are written.
  bool keys = true;
  /// Size in bytes of the value that goes with each key: 1, 2, or a multiple of 4 up to 256; 0: no values.
  uint32_t value_bytes = 0;
  /// Whether the source index of each output is written.
  bool indices = false;
  /// A set built for "set_operation": keys are its snippet's items, 4-byte aligned, ordered by its less().
  /// key and order are ignored.
  std::optional<KernelSet> own_kernels{};
};

/// Arguments of SetOperation::record.
///
/// - No range that is written may overlap another one, or a count on the device.
/// - Keys and values are aligned to min(their size, 4). Fastest: 8-byte keys and values to 8, 16-byte values to 16.
/// - Ranges that the config does not ask for are ignored.
/// - Outputs have room for min(max_output, most) items. most is count_a for the difference, min(count_a, count_b) for
///   the intersection, else count_a + count_b, by the counts' maxima.
struct SetOperationArgs {
  /// `count_a` and `count_b` keys in order.
  BufferRange keys_a;
  BufferRange keys_b;
  /// Room for the output's keys.
  BufferRange keys_out{};
  /// `count_a` values.
  BufferRange values_a{};
  /// `count_b` values. Ignored by the intersection and the difference.
  BufferRange values_b{};
  /// Room for the output's values.
  BufferRange values_out{};
  /// Room for a u32 for each output, 4-byte aligned.
  BufferRange indices_out{};
  /// Receives the number of outputs, also above `max_output`: a u32 (range.size 4) or a u64 (8), 4-byte aligned.
  BufferRange total;
  /// Receives a u32, 4-byte aligned: 1 if the total is above `max_output`, else 0.
  BufferRange status;
  /// scratch_size(count_a.maximum(), count_b.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// The maxima of both counts together are at most 2^32 - 1.
  Count count_a;
  Count count_b;
  /// Outputs there is room for.
  uint64_t max_output = ~uint64_t{0};
};

/// Union, intersection, difference or symmetric difference of two sorted sequences with repeated keys: std::set_union
/// and the like.
///
///     output = A[i], of index i, or B[j], of index count_a + j, with its value     (which: SetOperator)
///
/// - If both sequences have a key, A's copies are taken, except those that B alone has.
/// - Outputs beyond min(total, max_output) are not written.
/// - count_a in indices is the actual count, which on the device may be less than its maximum.
/// - Key order is Merge's: total, keys are equal if their bits are, -0 before +0, NaN outside all numbers.
/// - With own_kernels, keys are equal if neither is less.
/// - If inputs are not sorted in this order, outputs and total are unspecified. No access is out of range.
/// - Work is split evenly by balanced path, for any keys (docs/decisions/balanced-path.md).
/// - Results are bit-identical on every run and device.
/// - Cost: reads each key twice. Keys of 8 bytes and of own_kernels are read once more if kept, mostly from cache.
///   Reads the values that are kept once, writes each output once.
/// - Three dispatches; the first reads about 2·log2(min(count_a, count_b)) keys per tile.
/// - Scratch: 8 bytes per tile and a few KiB.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: Merge, which keeps every key of both.
class WEFT_API SetOperation {
 public:
  /// Builds the pipelines. Errors: unsupported (key type, value size, no output requested, own_kernels of another
  /// primitive), out_of_{host,device}_memory, device_lost, driver_error.
  static Result<SetOperation> create(const Context& context, const SetOperationConfig& config) noexcept;

  /// Scratch bytes that suffice for any call within both maxima. Monotonic in both, never 0.
  VkDeviceSize scratch_size(uint64_t max_a, uint64_t max_b) const noexcept;

  /// Records one operation. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 or more keys).
  Status record(VkCommandBuffer commands, const SetOperationArgs& args) const noexcept;

  /// Keys from one tile to the next. Totals around its multiples are edge cases.
  uint32_t tile_keys() const noexcept;
  /// Keys of a tile that a lane processes.
  uint32_t lane_keys() const noexcept;

 private:
  struct Plan;
  explicit SetOperation(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
