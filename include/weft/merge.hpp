// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

/// How tiles of a merge are merged. Outputs are the same.
enum class MergeForm : uint8_t {
  automatic,  ///< as the tuning of the device's class has it
  registers,  ///< each subgroup its part, in registers, by a network whose steps across lanes are shuffles
  streaming,  ///< a workgroup walks through a longer tile, with a circular buffer in shared memory for each sequence; at most 10 KiB
};

const char* name_of(MergeForm form) noexcept;

/// What the pipelines of a Merge are built for. Of its three outputs at least one is wanted.
struct MergeConfig {
  /// u8, u16, u32, u64, i32, i64, f16, f32 or f64; those of 64 bits need no feature of the device here
  Type key = Type::u32;
  SortOrder order = SortOrder::ascending;  ///< of both inputs and the output
  bool keys = true;                        ///< whether merged keys are written
  /// Of the value that moves with each key: 1, 2 or a multiple of 4 up to 256; 0: there are none.
  uint32_t value_bytes = 0;
  bool indices = false;  ///< whether it is written from where each output comes
  MergeForm form = MergeForm::automatic;
  /// A set made for "merge": keys are the snippet's items, aligned to 4, in the order of its less(). key and order are not looked at.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on. No range that is written may overlap another, or a count on the device. Keys and values are aligned to their
/// size, or to 4 where that is more; those of 8 bytes, and values of 16, go fastest where they are aligned to as much. Ranges that the
/// config does not ask for are not looked at.
struct MergeArgs {
  BufferRange keys_a;         ///< `count_a` keys in order
  BufferRange keys_b;         ///< `count_b` keys in order
  BufferRange keys_out{};     ///< room for both
  BufferRange values_a{};     ///< `count_a` values
  BufferRange values_b{};     ///< `count_b` values
  BufferRange values_out{};   ///< room for both
  BufferRange indices_out{};  ///< room for a u32 for each key of both, aligned to 4
  /// `scratch_size(count_a.maximum(), count_b.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  BufferRange scratch;
  Count count_a;  ///< a value, or a device address and a maximum
  Count count_b;  ///< likewise; the values or maxima of both together are at most 2^32 - 1
};

/// Merges two sorted sequences into one. Where A has keys equal to some of B, those of A come first, and those of one sequence keep
/// their order.
///
///     output[i + j] = A[i], of index i              j: how many keys of B are less than A[i]
///     output[i + j] = B[j], of index count_a + j    i: how many keys of A are less than B[j], or equal
///
/// Indices count with the count_a that the call obeys, which on the device may be less than its maximum.
///
/// The order of keys is total. Integers are in the order of numbers. Floats are in that of IEEE 754's totalOrder: -0 is in front of
/// 0, and NaN in front of all numbers where its sign bit is set, else behind them, ordered by its bits; inputs have to be in
/// this order too, which for zeros `<` alone does not bring about. Descending, all of this is the other way round, but for equal
/// keys. Keys are moved bit by bit. With a less() of the caller's own, keys of which neither is less are equal.
///
/// Of sequences that are not sorted, or not in this order, the outputs' contents are unspecified, but for indices to be some key's, and
/// no other memory is touched. Keys may be distributed in any way, and one sequence be as much longer than the other as it may: the
/// work is cut evenly by merge path (docs/decisions/merge-in-registers.md). Results have the same bits on every run and every device.
///
/// Cost: reads each key once, but for those around cuts, and each value once, and writes each output once. 1 dispatch, in which each
/// subgroup reads some 300 keys more to find its part; where the maxima are many tiles, by the tuning of the device's class, or in the
/// streaming form, 2, of which the first reads about 2·log2(min(count_a, count_b)) keys for each tile. Scratch: 4 bytes, and where there are 2
/// dispatches as much for each tile.
/// Barriers, threads, lifetime: docs/integration.md.
class Merge {
 public:
  /// Builds the pipelines. Errors: unsupported (another type of keys or size of values, no output wanted, or own_kernels made
  /// for something else), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<Merge> create(const Context& context, const MergeConfig& config) noexcept;

  /// Bytes of scratch for any call on at most so many keys. Never decreases with either. Never 0.
  VkDeviceSize scratch_size(uint64_t max_a, uint64_t max_b) const noexcept;

  /// Records one merge into `commands`; nothing where there can be no keys. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, 2^32 or
  /// more keys together).
  Status record(VkCommandBuffer commands, const MergeArgs& args) const noexcept;

  MergeForm form() const noexcept;  ///< registers or streaming: what automatic became
  uint32_t tile_keys()
      const noexcept;  ///< keys of a tile: totals around its multiples are edges; few keys have smaller ones
  uint32_t subgroup_keys()
      const noexcept;  ///< of the part of one that a subgroup merges; streaming, that a workgroup does in a step

 private:
  struct Plan;
  explicit Merge(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
