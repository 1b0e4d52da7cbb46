// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

namespace primitives {
struct RunLengthEncodeWithFault;  // src/primitives/core/look_back_faults.hpp, for tests
}

/// What the pipelines of a RunLengthEncode are built for.
struct RunLengthEncodeConfig {
  Type symbol = Type::u32;   ///< items are equal where their bits are, so only the size matters; u32x2 serves
  bool symbols = true;       ///< each run's item is written
  bool lengths = true;       ///< each run's length is written
  bool offsets = false;      ///< the index of each run's first item is written
  bool non_trivial = false;  ///< only runs of two or more items are output and counted
  Type length =
      Type::u32;  ///< of lengths and offsets: u32, or u64 where one may reach 2^32 (no device feature is needed)
  Strategy strategy = Strategy::automatic;
  /// A set made for "run_length_encode": items are the snippet's, and a run goes on while they are same() as the one before. Its
  /// symbol is its first item. symbol is not looked at.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on. Ranges that the config does not ask for are ignored. No range that is written may overlap
/// another one.
struct RunLengthEncodeArgs {
  BufferRange input;      ///< `count` items
  BufferRange symbols;    ///< room for `count` items; of non-trivial runs, here and below, for count / 2
  BufferRange lengths;    ///< room for `count` lengths
  BufferRange offsets;    ///< room for `count` offsets
  BufferRange run_count;  ///< how many runs there are: a u32 (size 4) or a u64 (size 8), aligned to 4
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< a value, or a device address and a maximum
  Value a{};    ///< with own_kernels, what call_a() and call_b() give
  Value b{};
};

/// Run-length encoding: every maximal run of equal items becomes one symbol and its length.
///
///     symbols[r] = the item of run r,  lengths[r] = how many there are,  offsets[r] = index of the first
///     run_count  = how many runs there are; 0 where there are no items
///
/// The lengths sum up to the count, and RunLengthDecode gives the input back. Nothing is written behind the last run. A run may
/// span any number of tiles. Lengths and offsets of type u32 are cut to 32 bits. The same bits on every run. Not in place.
///
/// Of non-trivial runs only, r goes over the runs of two or more items, and run_count says how many these are: 0 where all
/// neighbours differ.
///
/// Cost: look_back reads each item once from memory (and once more from the device's cache), 3 dispatches (1 where one tile holds
/// all); reduce_then_scan reads it twice, 2 dispatches. Each output is written once. More than 2^31 items take as many dispatches
/// again for each 2^31.
/// Barriers, threads, lifetime: docs/integration.md.
class RunLengthEncode {
 public:
  /// Builds the pipelines. Errors: unsupported (a type of lengths that is neither u32 nor u64, own_kernels made for something
  /// else), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<RunLengthEncode> create(const Context& context, const RunLengthEncodeConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` items. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one encoding into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping,
  /// more items than 2^31 tiles hold).
  Status record(VkCommandBuffer commands, const RunLengthEncodeArgs& args) const noexcept;

  Strategy strategy() const noexcept;    ///< the one in use: never automatic (small counts may take reduce_then_scan)
  uint32_t tile_items() const noexcept;  ///< items one workgroup takes at a time: sizes around its multiples are edges

 private:
  friend struct primitives::RunLengthEncodeWithFault;
  static Result<RunLengthEncode> create(const Context& context, const RunLengthEncodeConfig& config, uint32_t fault);

  struct Plan;
  explicit RunLengthEncode(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
