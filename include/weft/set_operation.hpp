// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

/// What becomes of two sorted sequences, A and B, as in the standard library's algorithms. Of a key that A has m times and B n times:
enum class SetOperator : uint8_t {
  set_union,                 ///< max(m, n) copies: all of A's, then the last n - m of B's
  set_intersection,          ///< min(m, n) copies: the first of A's
  set_difference,            ///< max(m - n, 0) copies: the last of A's
  set_symmetric_difference,  ///< |m - n| copies: the last of whichever has more
};

const char* name_of(SetOperator operation) noexcept;

/// What the pipelines of a SetOperation are built for. Of its three outputs at least one is wanted.
struct SetOperationConfig {
  SetOperator operation = SetOperator::set_union;
  /// u8, u16, u32, u64, i32, i64, f16, f32 or f64; those of 64 bits need no feature of the device here
  Type key = Type::u32;
  SortOrder order = SortOrder::ascending;  ///< of both inputs and the output
  bool keys = true;                        ///< whether the result's keys are written
  /// Of the value that goes with each key: 1, 2 or a multiple of 4 up to 256; 0: there are none.
  uint32_t value_bytes = 0;
  bool indices = false;  ///< whether it is written from where each output comes
  /// A set made for "set_operation": keys are the snippet's items, aligned to 4, in the order of its less(). key and order are not
  /// looked at.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on. No range that is written may overlap another, or a count on the device. Keys and values are aligned to their
/// size, or to 4 where that is more; those of 8 bytes, and values of 16, go fastest where they are aligned to as much. Ranges that the
/// config does not ask for are not looked at.
///
/// Outputs have room for max_output items, or for as many as there can be, if that is less: count_a of the difference, the lesser count
/// of the intersection, else both together; maxima where counts are on the device.
struct SetOperationArgs {
  BufferRange keys_a;         ///< `count_a` keys in order
  BufferRange keys_b;         ///< `count_b` keys in order
  BufferRange keys_out{};     ///< room for the outputs
  BufferRange values_a{};     ///< `count_a` values
  BufferRange values_b{};     ///< `count_b` values; of the intersection and the difference not looked at
  BufferRange values_out{};   ///< room for the outputs
  BufferRange indices_out{};  ///< room for a u32 for each output, aligned to 4
  BufferRange
      total;  ///< how many outputs there are, also of more than `max_output`: a u32 (size 4) or a u64 (size 8), aligned to 4
  BufferRange status;  ///< 1 u32, aligned to 4: 0, or 1 where the total is above `max_output`
  /// `scratch_size(count_a.maximum(), count_b.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  BufferRange scratch;
  Count count_a;                       ///< a value, or a device address and a maximum
  Count count_b;                       ///< likewise; the values or maxima of both together are at most 2^32 - 1
  uint64_t max_output = ~uint64_t{0};  ///< outputs there is room for
};

/// The union, intersection, difference or symmetric difference of two sorted sequences, in which keys may be repeated: what std::set_union
/// and its like make of them. An output is a key of one sequence, with its value, and of index i for A[i], count_a + j for B[j]. Where
/// both have a key, the copies of A are taken, but for those that only B has (SetOperator).
///
/// Of a total above max_output, the first max_output outputs are written and the status says so; nothing is written past them or, where
/// the total is less, past it. Indices count with the count_a that the call obeys, which on the device may be less than its maximum.
///
/// The order of keys is that of Merge (weft/merge.hpp), total: keys are equal where their bits are, -0 is in front of 0, and NaN lies
/// outside of all numbers. With a less() of the caller's own, keys of which neither is less are equal.
///
/// Of sequences that are not sorted, or not in this order, contents and total are unspecified, but no other memory is touched. Keys may
/// be distributed in any way: the work is cut evenly by balanced path (docs/decisions/balanced-path.md). Results have the same bits on
/// every run and every device.
///
/// Cost: reads each key twice, and those of 8 bytes, and of the caller's own, once more where they are kept, mostly from the device's
/// cache; reads the values that are kept, and writes each output, once. 3 dispatches, of which the first reads about
/// 2·log2(min(count_a, count_b)) keys for each tile. Scratch: 8 bytes for each tile and a few KiB.
/// Barriers, threads, lifetime: docs/integration.md.
class SetOperation {
 public:
  /// Builds the pipelines. Errors: unsupported (another type of keys or size of values, no output wanted, or own_kernels made
  /// for something else), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<SetOperation> create(const Context& context, const SetOperationConfig& config) noexcept;

  /// Bytes of scratch for any call on at most so many keys. Never decreases with either. Never 0.
  VkDeviceSize scratch_size(uint64_t max_a, uint64_t max_b) const noexcept;

  /// Records one operation into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, 2^32 or
  /// more keys together).
  Status record(VkCommandBuffer commands, const SetOperationArgs& args) const noexcept;

  uint32_t tile_keys() const noexcept;  ///< from one tile to the next: totals around its multiples are edges
  uint32_t lane_keys() const noexcept;  ///< of the part of one that a lane has

 private:
  struct Plan;
  explicit SetOperation(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
