// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a SegmentedSort are built for.
struct SegmentedSortConfig {
  Type key = Type::u32;      ///< u32, i32, f32, u64, i64 or f64; those of 64 bits need no feature of the device here
  uint32_t value_bytes = 0;  ///< of the value that moves with each key: 4 or 8; 0: keys alone
  SortOrder order = SortOrder::ascending;
  Type offset = Type::u32;  ///< of offsets: u32 or u64, which needs no shaderInt64 here
};

/// What one call works on. No range that is written may overlap another, or a count on the device.
struct SegmentedSortArgs {
  BufferRange keys;        ///< `key_count` keys, aligned to 4
  BufferRange values;      ///< `key_count` values, aligned to 4; not looked at where there are none
  BufferRange offsets;     ///< `count` + 1 offsets, ascending, aligned to 4
  BufferRange keys_out;    ///< `key_count` keys, aligned to 4
  BufferRange values_out;  ///< `key_count` values, aligned to 4; not looked at where there are none
  BufferRange scratch;     ///< `scratch_size(key_count.maximum())` bytes, aligned to 16; contents irrelevant before,
                           ///< undefined after
  Count count;             ///< segments: a value, or a device address and a maximum; fewer than 2^40
  Count key_count;         ///< keys: likewise; at most 2^32 - 1
};

/// Sorts the keys of each segment by themselves, and with each key its value. Segment s has the keys from offsets[s] up to and without
/// offsets[s + 1], and they stay in it. Stable: equal keys of a segment keep their order. keys and values are left as they are.
///
/// Keys in front of offsets[0] and from offsets[count] on belong to no segment: they are not looked at, and their places in the outputs
/// not written to. Offsets above key_count are taken as that. Where offsets decrease, contents of the outputs are unspecified, but no other
/// memory is touched. Segments may have any lengths, most of them none or one all keys (docs/decisions/segmented-sort.md).
///
/// Floats are in a total order of their bits, as in RadixSort. Every key comes out with the bits it went in with. Results are the same on
/// every run and every device.
///
/// Cost: short segments, of up to short_keys() keys, are sorted in one dispatch that reads and writes each key and value once. Long ones
/// take the passes of RadixSort, all together, of 3 dispatches for every 8 bits of a key, whose workgroups find nothing to do where there
/// are none; these are not recorded where key_count.maximum() is not above short_keys(). Before both, offsets are read once, and a bit
/// for each key is cleared and set. Scratch: as much as keys and values, a bit a key, and a table of 1 KiB for each short_keys() keys
/// (or third of tile_keys(), where that is less);
/// the bits and some words alone where no segment can be long. Keys and values of 8 bytes move faster if they are aligned to 8.
/// Barriers, threads, lifetime: docs/integration.md.
class SegmentedSort {
 public:
  /// Builds the pipelines. Errors: unsupported (another type of keys or offsets or size of values), out_of_host_memory,
  /// out_of_device_memory, device_lost.
  static Result<SegmentedSort> create(const Context& context, const SegmentedSortConfig& config) noexcept;

  /// Bytes of scratch for any call on at most so many keys, in any number of segments. Never decreases with `max_keys`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_keys) const noexcept;

  /// Records one sort into `commands`; nothing where there can be no keys or no segments. Does not allocate, submit or
  /// wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, 2^32 or more
  /// keys, 2^40 or more segments).
  Status record(VkCommandBuffer commands, const SegmentedSortArgs& args) const noexcept;

  /// Segments of up to so many keys are short. A workgroup takes those that begin in as many keys: sizes around multiples are edges.
  uint32_t short_keys() const noexcept;
  uint32_t tile_keys() const noexcept;  ///< keys of a long segment that a workgroup takes at a time: likewise

 private:
  struct Plan;
  explicit SegmentedSort(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
