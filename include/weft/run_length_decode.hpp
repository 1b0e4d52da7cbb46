// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

struct RunLengthDecodeConfig {
  /// Size of a symbol in bytes: 1, 2, 4, 8 or 16.
  uint32_t symbol_bytes = 4;
  /// Type of the lengths: u32 or u64 (u64 does not need shaderInt64).
  Type length = Type::u32;
};

/// Arguments of RunLengthDecode::record. No range that is written may overlap another one, or `count` on the device.
struct RunLengthDecodeArgs {
  /// `count` symbols, aligned to min(symbol_bytes, 4).
  BufferRange symbols;
  /// `count` lengths, 0 included, 4-byte aligned; 16 is fastest.
  BufferRange lengths;
  /// Room for `max_output` symbols, aligned to min(symbol_bytes, 4).
  BufferRange output;
  /// Receives the sum of all lengths as a u64, 4-byte aligned: also above `max_output`; 2^64 - 1 if it is more.
  BufferRange total;
  /// Receives a u32, 4-byte aligned: 1 if the total is above `max_output`, else 0.
  BufferRange status;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  Count count;
  /// Upper bound on the total: symbols `output` has room for.
  uint64_t max_output = 0;
};

/// Repeats each symbol by its length: the inverse of RunLengthEncode.
///
///     output = symbols[0] × lengths[0], symbols[1] × lengths[1], … symbols[count-1] × lengths[count-1]
///
/// - Output beyond the first min(total, max_output) symbols is not written.
/// - Work is split evenly for any lengths.
/// - Results are bit-identical on every run and device.
/// - Cost: reads each length twice and each symbol once, writes each output once. If the runs of a tile have more
///   outputs than a workgroup writes, their lengths and symbols are read again, from cache.
///   16 bytes of scratch per tile of runs and a few KiB.
/// - Dispatches: as LoadBalanceSearch by counts.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: IntervalExpand, for other value sizes and for offsets.
class WEFT_API RunLengthDecode {
 public:
  /// Builds the pipelines. Errors: unsupported (symbol size or type of lengths), out_of_{host,device}_memory,
  /// device_lost, driver_error.
  static Result<RunLengthDecode> create(const Context& context, const RunLengthDecodeConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` runs. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one decoding. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^30 tiles).
  Status record(VkCommandBuffer commands, const RunLengthDecodeArgs& args) const noexcept;

  /// Runs of a tile. Counts around its multiples are edge cases.
  uint32_t tile_runs() const noexcept;
  /// Most outputs a workgroup writes. Totals around its multiples are edge cases.
  uint32_t segment_outputs() const noexcept;

 private:
  struct Plan;
  explicit RunLengthDecode(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
