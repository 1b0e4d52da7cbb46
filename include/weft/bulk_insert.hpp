// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipelines of a BulkInsert are built for.
struct BulkInsertConfig {
  uint32_t item_bytes = 4;    ///< 1, 2, or a multiple of 4 up to 256; fastest where it is 4, 8 or a multiple of 16
  Type position = Type::u32;  ///< u32 or u64, which needs no shaderInt64 here
};

/// What one call works on. No range that is written may overlap another, or a count on the device.
struct BulkInsertArgs {
  BufferRange items;      ///< `count` items, aligned to an item's size, or to 4 where that is more (16 goes fastest)
  BufferRange inserted;   ///< `inserted_count` items that come in, aligned as `items`
  BufferRange positions;  ///< `inserted_count` places among `items`, ascending, aligned to 4 (16 goes fastest)
  BufferRange output;     ///< room for `count` + `inserted_count` items; aligned as `items`
  BufferRange total;      ///< 1 u64, aligned to 4: `count` + `inserted_count`
  BufferRange scratch;    ///< `scratch_size(count.maximum(), inserted_count.maximum())` bytes, aligned to 16; contents
                          ///< irrelevant before, undefined after
  Count count;            ///< items: a value, or a device address and a maximum
  Count inserted_count;   ///< items that come in, and their positions: likewise
};

/// Inserts items at the given places: inserted[i] comes in front of items[positions[i]], or behind all items where its position is
/// `count`. Those of one position keep their order:
///
///     output = items[0], … with inserted[i] at output[min(positions[i], count) + i]
///
/// Positions above `count` count as `count`. Where positions do not ascend, the contents of the output's `count` + `inserted_count`
/// items are unspecified; but nothing outside of the ranges is read or written. Positions may be distributed in any way, all of
/// them equal: every workgroup has tile_items() items of the output. Results have the same bits on every run and every device.
///
/// Cost: reads each item and each position once, writes each output once; 2 dispatches, of which the first reads about
/// 2.5·log2(inserted_count) positions for each tile of the maxima of both counts together. Scratch: 8 bytes for each tile.
/// Barriers, threads, lifetime: docs/integration.md.
class BulkInsert {
 public:
  /// Builds the pipelines. Errors: unsupported (another size of items or type of positions), out_of_host_memory,
  /// out_of_device_memory, device_lost.
  static Result<BulkInsert> create(const Context& context, const BulkInsertConfig& config) noexcept;

  /// Bytes of scratch for any call on at most so many items, and so many that come in. Never decreases with either. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count, uint64_t max_inserted) const noexcept;

  /// Records one insertion into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, more items
  /// in the output than 2^30 tiles hold).
  Status record(VkCommandBuffer commands, const BulkInsertArgs& args) const noexcept;

  uint32_t tile_items() const noexcept;  ///< items a workgroup writes: totals around its multiples are edges

 private:
  struct Plan;
  explicit BulkInsert(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
