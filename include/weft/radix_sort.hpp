// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

namespace primitives {
struct RadixSortWithFault;  // src/primitives/core/look_back_faults.hpp, for tests
}

/// What the pipelines of a RadixSort are built for.
struct RadixSortConfig {
  Type key = Type::u32;      ///< u32, i32, f32, u64, i64 or f64; those of 64 bits need no feature of the device here
  uint32_t value_bytes = 0;  ///< of the value that moves with each key: 4 or 8; 0: keys alone
  SortOrder order = SortOrder::ascending;
  /// Keys are compared by their bits [begin_bit, end_bit) alone; fewer bits take fewer passes. Of i32 and i64 the highest bit counts as
  /// flipped, of f32 and f64 the highest where it is not set, else all: bits of the unsigned number that has the key's place in the
  /// order. end_bit 0: all from begin_bit on.
  uint32_t begin_bit = 0;
  uint32_t end_bit = 0;
  Strategy strategy = Strategy::automatic;
};

/// What one call works on. No range that is written may overlap another, or the count on the device.
struct RadixSortArgs {
  BufferRange keys;        ///< `count` keys, aligned to 4
  BufferRange values;      ///< `count` values, aligned to 4; not looked at where there are none
  BufferRange keys_out;    ///< `count` keys, aligned to 4
  BufferRange values_out;  ///< `count` values, aligned to 4; likewise
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< a value, or a device address and a maximum; at most 2^32 - 1
};

/// Sorts keys, and with each its value. Stable: equal keys keep their order. keys and values are left as they are.
///
/// Floats are in a total order of their bits: numbers by `<`, -0 in front of 0, NaN in front of all numbers where the sign bit is set,
/// else behind them, by their bits. Every key comes out with the bits it went in with. Results are the same on every run and every
/// device; how keys are distributed makes no difference to the result, and little to the time.
///
/// Cost: a pass for every 8 bits of the range, more only where subgroups are very small. look_back reads keys once, in 2 dispatches, and a
/// pass reads and writes keys and values once, in a dispatch; reduce_then_scan reads keys twice in a pass, in 2 dispatches where keys are
/// few and 3 where they are many. Scratch: as much as keys and values; look_back 2 KiB more for every tile, some thousands of keys, and
/// reduce_then_scan a table of 1 KiB a workgroup, of which there are at most 65,535. Keys and values of 8 bytes move faster if they are
/// aligned to 8.
/// Barriers, threads, lifetime: docs/integration.md.
class RadixSort {
 public:
  /// Builds the pipelines. Errors: unsupported (another type of keys or size of values, no such bits), out_of_host_memory,
  /// out_of_device_memory, device_lost.
  static Result<RadixSort> create(const Context& context, const RadixSortConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` keys. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one sort into `commands`; nothing where there can be no keys. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, 2^32 or more
  /// keys).
  Status record(VkCommandBuffer commands, const RadixSortArgs& args) const noexcept;

  /// The one in use: never automatic. Where automatic chose look_back, small counts take reduce_then_scan all the same; with either, so do
  /// counts of 2^30 and more.
  Strategy strategy() const noexcept;
  uint32_t tile_keys() const noexcept;  ///< keys a workgroup takes at a time: sizes around its multiples are edges

 private:
  friend struct primitives::RadixSortWithFault;
  static Result<RadixSort> create(const Context& context, const RadixSortConfig& config, uint32_t fault);

  struct Plan;
  explicit RadixSort(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
