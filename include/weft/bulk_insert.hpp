// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

struct BulkInsertConfig {
  /// Size of an item in bytes: 1, 2, or a multiple of 4 up to 256. Fastest: 4, 8, multiples of 16.
  uint32_t item_bytes = 4;
  /// Type of the positions: u32 or u64 (u64 does not need shaderInt64).
  Type position = Type::u32;
};

/// Arguments of BulkInsert::record. No range that is written may overlap another one, or a count on the device.
struct BulkInsertArgs {
  /// `count` items, aligned to min(item_bytes, 4); 16 is fastest.
  BufferRange items;
  /// `inserted_count` items to insert, aligned as `items`.
  BufferRange inserted;
  /// `inserted_count` positions in `items`, ascending, 4-byte aligned; 16 is fastest. Clamped to `count`.
  BufferRange positions;
  /// Room for `count` + `inserted_count` items, aligned as `items`.
  BufferRange output;
  /// Receives `count` + `inserted_count` as a u64, 4-byte aligned.
  BufferRange total;
  /// scratch_size(count.maximum(), inserted_count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  Count count;
  Count inserted_count;
};

/// Inserts items at the given positions.
///
///     output = items, with inserted[i] at output[min(positions[i], count) + i]
///     total  = count + inserted_count
///
/// - inserted[i] goes before items[positions[i]], or after all items if its position is `count`.
/// - Stable: all items keep their order, inserted items of one position too.
/// - If positions are not ascending, the output's `total` items are unspecified. No access is out of range.
/// - Work is split evenly for any positions: every workgroup writes tile_items() items.
/// - Results are bit-identical on every run and device.
/// - Cost: reads each item and position once, writes each output once. Two dispatches; the first reads about
///   2.5·log2(inserted_count) positions per tile of both maxima together. 8 bytes of scratch per tile.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: BulkRemove.
class WEFT_API BulkInsert {
 public:
  /// Builds the pipelines. Errors: unsupported (item size or position type), out_of_{host,device}_memory, device_lost,
  /// driver_error.
  static Result<BulkInsert> create(const Context& context, const BulkInsertConfig& config) noexcept;

  /// Scratch bytes that suffice for any call within both maxima. Monotonic in both, never 0.
  VkDeviceSize scratch_size(uint64_t max_count, uint64_t max_inserted) const noexcept;

  /// Records one insertion. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^30 tiles).
  Status record(VkCommandBuffer commands, const BulkInsertArgs& args) const noexcept;

  /// Items a workgroup writes. Totals around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  struct Plan;
  explicit BulkInsert(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
