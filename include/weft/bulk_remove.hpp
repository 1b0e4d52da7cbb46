// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a BulkRemove are built for.
struct BulkRemoveConfig {
  uint32_t item_bytes = 4;  ///< 1, 2, or a multiple of 4 up to 256; fastest where it is 4, 8 or a multiple of 16
  Type index = Type::u32;   ///< u32 or u64, which needs no shaderInt64 here
};

/// What one call works on. No range that is written may overlap another, or a count on the device.
struct BulkRemoveArgs {
  BufferRange items;    ///< `count` items, aligned to an item's size, or to 4 where that is more (16 goes fastest)
  BufferRange indices;  ///< `index_count` indices of items, ascending and distinct, aligned to 4 (16 goes fastest)
  BufferRange output;   ///< room for `count` items, whatever the indices are; aligned as `items`
  BufferRange kept;     ///< 1 u64, aligned to 4: the number of items left
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< items: a value, or a device address and a maximum
  Count index_count;  ///< indices: likewise
};

/// Removes the items with the given indices; the others close up, in order:
///
///     output = items[0], … items[count-1] without items[indices[0]], … items[indices[index_count-1]]
///     kept   = count - number of indices that are < count
///
/// Indices from `count` on remove nothing. Each index is to be there once: where one is repeated, `kept` is less by each time, and
/// what the output holds from that item on is unspecified, as both are where indices do not ascend; but kept is at most `count`, and
/// nothing outside of the ranges is read or written. If indices are as they should be, nothing behind the first `kept` items of the
/// output is written. Indices may be distributed in any way: every workgroup has tile_items() items. Results have the same bits on
/// every run and every device.
///
/// Cost: reads each item and each index once, writes each item that stays once; 2 dispatches, of which the first reads about
/// 2.5·log2(index_count) indices for each tile of count.maximum(). Scratch: 8 bytes for each tile. Select removes by a criterion or by flags.
/// Barriers, threads, lifetime: docs/integration.md.
class BulkRemove {
 public:
  /// Builds the pipelines. Errors: unsupported (another size of items or type of indices), out_of_host_memory,
  /// out_of_device_memory, device_lost.
  static Result<BulkRemove> create(const Context& context, const BulkRemoveConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` items. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one removal into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, more items
  /// than 2^30 tiles hold).
  Status record(VkCommandBuffer commands, const BulkRemoveArgs& args) const noexcept;

  uint32_t tile_items() const noexcept;  ///< items a workgroup reads: counts around its multiples are edges

 private:
  struct Plan;
  explicit BulkRemove(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
