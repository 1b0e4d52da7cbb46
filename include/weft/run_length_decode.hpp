// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a RunLengthDecode are built for.
struct RunLengthDecodeConfig {
  uint32_t symbol_bytes = 4;  ///< 1, 2, 4, 8 or 16
  Type length = Type::u32;    ///< u32 or u64, which needs no shaderInt64 here
};

/// What one call works on. No range that is written may overlap another, or `count` on the device.
struct RunLengthDecodeArgs {
  BufferRange symbols;  ///< `count` symbols
  BufferRange lengths;  ///< `count` lengths, aligned to 4 (16 goes fastest); 0 is a length as any other
  BufferRange output;   ///< `max_output` symbols, aligned to a symbol's size, or to 4 where that is more
  BufferRange
      total;  ///< 1 u64, aligned to 4: the sum of all lengths, also where it is above `max_output`; 2^64 - 1 where
              ///< it is more than that
  BufferRange status;  ///< 1 u32, aligned to 4: 0, or 1 where the total is above `max_output`
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< runs: a value, or a device address and a maximum
  uint64_t max_output = 0;  ///< symbols the output has room for: an upper bound on the total
};

/// Repeats each symbol as often as its length says.
///
///     output = symbols[0] × lengths[0], symbols[1] × lengths[1], … symbols[count-1] × lengths[count-1]
///
/// Of a total above max_output, the first max_output symbols are written and the status says so; nothing is written past them
/// or, where the total is less, past it. Lengths may be distributed in any way, most of them zero or all of the output one
/// run: the work is cut evenly. Results have the same bits on every run and every device.
///
/// Cost: reads each length twice and each symbol once from memory, writes each output once; lengths and symbols of a tile of runs
/// with more outputs than one workgroup writes are read again from the device's cache. 3 dispatches; the last has a workgroup for
/// each tile of runs in count.maximum() and for each segment_outputs() in max_output, and those without work return at once. Scratch:
/// 16 bytes for each tile of runs and a few KiB.
/// Barriers, threads, lifetime: docs/integration.md.
class RunLengthDecode {
 public:
  /// Builds the pipelines. Errors: unsupported (another size of symbols or type of lengths), out_of_host_memory,
  /// out_of_device_memory, device_lost.
  static Result<RunLengthDecode> create(const Context& context, const RunLengthDecodeConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` runs. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one decoding into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, more
  /// runs or outputs than 2^30 tiles hold).
  Status record(VkCommandBuffer commands, const RunLengthDecodeArgs& args) const noexcept;

  uint32_t tile_runs() const noexcept;  ///< runs of a tile: counts around its multiples are edges
  uint32_t segment_outputs()
      const noexcept;  ///< outputs one workgroup writes at most: totals around its multiples are edges

 private:
  struct Plan;
  explicit RunLengthDecode(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
