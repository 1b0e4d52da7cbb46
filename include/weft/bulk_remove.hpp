// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

struct BulkRemoveConfig {
  /// Size of an item in bytes: 1, 2, or a multiple of 4 up to 256. Fastest: 4, 8, multiples of 16.
  uint32_t item_bytes = 4;
  /// Type of the indices: u32 or u64 (u64 does not need shaderInt64).
  Type index = Type::u32;
};

/// Arguments of BulkRemove::record. No range that is written may overlap another one, or a count on the device.
struct BulkRemoveArgs {
  /// `count` items, aligned to min(item_bytes, 4); 16 is fastest.
  BufferRange items;
  /// `index_count` indices, strictly ascending, 4-byte aligned; 16 is fastest. Indices >= count are ignored.
  BufferRange indices;
  /// Room for `count` items, whatever the indices are. Aligned as `items`.
  BufferRange output;
  /// Receives the number of items that remain, as a u64, 4-byte aligned.
  BufferRange kept;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  Count count;
  Count index_count;
};

/// Removes the items at the given indices. The remaining items keep their order.
///
///     output = items without items[indices[0]], items[indices[1]], ...
///     kept   = count - |{ i in indices : i < count }|
///
/// - Output beyond the first `kept` items is not written.
/// - If an index is repeated, each repetition lowers `kept` by one, and output from that item on is unspecified.
/// - If indices are not ascending, `kept` and `output` are unspecified. kept <= count holds, and no access is out of
///   range.
/// - Work is split evenly for any indices: every workgroup reads tile_items() items.
/// - Results are bit-identical on every run and device.
/// - Cost: reads each item and index once, writes each remaining item once. Two dispatches; the first reads about
///   2.5·log2(index_count) indices per tile of count.maximum(). 8 bytes of scratch per tile.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: Select, which removes by predicate or flags.
class WEFT_API BulkRemove {
 public:
  /// Builds the pipelines. Errors: unsupported (item size or index type), out_of_{host,device}_memory, device_lost,
  /// driver_error.
  static Result<BulkRemove> create(const Context& context, const BulkRemoveConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` items. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one removal. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^30 tiles).
  Status record(VkCommandBuffer commands, const BulkRemoveArgs& args) const noexcept;

  /// Items a workgroup reads. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit BulkRemove(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
