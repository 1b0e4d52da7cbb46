// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

struct RunLengthEncodeConfig {
  /// Type of the items. Only its size matters: items are equal if their bits are. u32x2 is valid.
  Type symbol = Type::u32;
  /// Whether each run's item is written.
  bool symbols = true;
  /// Whether each run's length is written.
  bool lengths = true;
  /// Whether the index of each run's first item is written.
  bool offsets = false;
  /// Whether only runs of two or more items are output and counted.
  bool non_trivial = false;
  /// Type of lengths and offsets: u32, or u64 if one may reach 2^32. Neither needs a device feature.
  Type length = Type::u32;
  Strategy strategy = Strategy::automatic;
  /// A set built for "run_length_encode". A run continues while items are same() as the one before; its symbol is its
  /// first item. Items are the snippet's: symbol is ignored.
  std::optional<KernelSet> own_kernels{};
};

/// Arguments of RunLengthEncode::record.
///
/// - No range that is written may overlap another one, or a count on the device.
/// - Ranges that the config does not ask for are ignored.
/// - With non_trivial, outputs need room for `count` / 2 only.
struct RunLengthEncodeArgs {
  /// `count` items, aligned to min(item size, 4).
  BufferRange input;
  /// Room for `count` items, aligned as `input`.
  BufferRange symbols;
  /// Room for `count` lengths, 4-byte aligned.
  BufferRange lengths;
  /// Room for `count` offsets, 4-byte aligned.
  BufferRange offsets;
  /// Receives the number of runs: a u32 (range.size 4) or a u64 (8), 4-byte aligned.
  BufferRange run_count;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  Count count;
  /// With own_kernels, returned by call_a() and call_b().
  Value a{};
  Value b{};
  /// Optional. Receives one VkDispatchIndirectCommand (12 bytes) for `run_count` runs, 4-byte aligned, as
  /// DispatchArguments writes it. The buffer needs INDIRECT_BUFFER usage.
  BufferRange dispatch{};
  /// Items a workgroup of the dispatched shader processes. Not 0 with `dispatch`.
  uint32_t items_per_workgroup = 1;
};

/// Encodes every maximal run of equal items as one symbol and a length.
///
///     symbols[r] = the item of run r,  lengths[r] = its number of items,  offsets[r] = index of its first item
///     run_count  = number of runs, 0 if there are no items
///     dispatch   = workgroups for `run_count` runs
///
/// - The lengths sum to `count`. RunLengthDecode restores the input.
/// - With non_trivial, r counts the runs of two or more items: run_count is 0 if all neighbours differ.
/// - A run may span any number of tiles.
/// - Lengths and offsets of type u32 are truncated to 32 bits.
/// - Outputs beyond the last run are not written.
/// - Results are bit-identical on every run.
/// - look_back: reads each item once, in three dispatches.
/// - reduce_then_scan: reads each item twice, in two dispatches.
/// - Both write each output once, and take one dispatch if one tile holds all items.
/// - Every further 2^31 items take as many dispatches again.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: RunLengthDecode, ReduceByKey.
class WEFT_API RunLengthEncode {
 public:
  /// Builds the pipelines. Errors: missing_feature (look_back), unsupported (length is not u32 or u64, own_kernels of
  /// another primitive), out_of_{host,device}_memory, device_lost, driver_error.
  static Result<RunLengthEncode> create(const Context& context, const RunLengthEncodeConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` items. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one encoding. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^31 tiles;
  /// with `dispatch`, what DispatchArguments refuses).
  Status record(VkCommandBuffer commands, const RunLengthEncodeArgs& args) const noexcept;

  /// The strategy in use, never automatic. If automatic chose look_back, small counts may use reduce_then_scan.
  Strategy strategy() const noexcept;
  /// Items a workgroup processes at a time. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit RunLengthEncode(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
