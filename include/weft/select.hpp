// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

namespace primitives {
struct SelectPlan;  // src/primitives/select/select_plan.hpp
}  // namespace primitives

/// Predicate on an item x. `a` and `b` are constants of the call (SelectArgs).
enum class Criterion : uint8_t {
  less,           ///< x < a. By value; floats as in IEEE 754: comparisons with NaN are false, -0 equals +0
  less_equal,     ///< x <= a
  greater,        ///< x > a
  greater_equal,  ///< x >= a
  equal,          ///< x == a
  not_equal,      ///< not x == a
  inside,         ///< a <= x and x <= b
  outside,        ///< not inside
  any_bit,        ///< (x & a) != 0
  no_bit,         ///< (x & a) == 0
  all_bits,       ///< (x & a) == a
  nonzero,        ///< not x == 0
  zero,           ///< x == 0
  flagged,        ///< bit i % 32 of word i / 32 of the input, for item i
  not_flagged,    ///< not flagged
  run_head,       ///< i is 0 or item i has other bits than item i - 1: the first of each run of equal items
};

WEFT_API const char* name_of(Criterion criterion) noexcept;

/// Position of the tested member in a struct.
struct Member {
  /// Size of the struct in bytes: a multiple of 4, at most 1024. 0: items are not structs.
  uint32_t stride = 0;
  /// Offset of the member in bytes: a multiple of min(its size, 4).
  uint32_t offset = 0;
  /// run_head: size in bytes of what is compared: 1, 2 or a multiple of 4. 0: the item type's size.
  uint32_t bytes = 0;
};

struct WEFT_API SelectConfig {
  Criterion criterion = Criterion::nonzero;
  /// Type of the tested items. flagged and not_flagged: ignored. u32x2: with run_head, or with bit flags.
  Type item = Type::u32;
  /// With a stride: `item` is the type of a struct's member, and whole structs are moved.
  Member member{};
  /// Whether the tested items (structs) are moved to `output`. Must be false with flagged and not_flagged.
  bool items = true;
  /// Size in bytes of the items of a second range, SelectArgs::moved, which are moved to `moved_output` too or instead:
  /// 1, 2 or a multiple of 4, at most 1024. 0: none. Not together with structs moved.
  uint32_t moved_bytes = 0;
  /// Whether the indices of kept items are written to SelectArgs::indices.
  bool indices = false;
  /// u32, or u64 for more than 2^32 items. Neither needs a device feature.
  Type index = Type::u32;
  Strategy strategy = Strategy::automatic;
  /// A set built for "select" keeps items for which its keep() holds; one for "unique" the first of each run of items
  /// that are same() as the one before. Tested items are the snippet's: criterion, item and member are ignored.
  std::optional<KernelSet> own_kernels{};

  /// Keeps items for which the criterion holds.
  static SelectConfig select_if(Type item, Criterion criterion) noexcept;
  /// Keeps items of `item_bytes` bytes whose flag is set: a u8 or u32 that is not 0, or by default a bit.
  static SelectConfig select_flagged(uint32_t item_bytes, std::optional<Type> flags = std::nullopt) noexcept;
  /// Keeps the first item of each run of equal items.
  static SelectConfig unique(Type item) noexcept;
  /// Keeps the first key of each run of equal keys, and its value.
  static SelectConfig unique_by_key(Type key, uint32_t value_bytes) noexcept;
};

/// Arguments of Select::record. No range that is written may overlap another one, or a count on the device.
///
/// - Items are aligned to min(their size, 4), structs to 4; 16 is fastest.
/// - Ranges that the config does not ask for are ignored.
struct SelectArgs {
  /// `count` items or structs. flagged: ⌈count / 32⌉ words.
  BufferRange input;
  /// `count` items of moved_bytes.
  BufferRange moved;
  /// Room for `count` items or structs.
  BufferRange output;
  /// Room for `count` items of moved_bytes.
  BufferRange moved_output;
  /// Room for `count` indices, 4-byte aligned.
  BufferRange indices;
  /// Receives the number of kept items: a u32 (range.size 4) or a u64 (8), 4-byte aligned.
  BufferRange kept;
  /// scratch_size(count.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  Count count;
  /// The criterion's constants, of the item's type. With own_kernels, returned by call_a() and call_b().
  Value a{};
  Value b{};
  /// Optional. Receives one VkDispatchIndirectCommand (12 bytes) for `kept` items, 4-byte aligned, as DispatchArguments
  /// writes it. The buffer needs INDIRECT_BUFFER usage.
  BufferRange dispatch{};
  /// Items a workgroup of the dispatched shader processes. Not 0 with `dispatch`.
  uint32_t items_per_workgroup = 1;
};

/// Stable compaction: keeps the items for which a criterion holds, in their order.
///
///     output[k] = input[i],  moved_output[k] = moved[i],  indices[k] = i      for the k-th i for which it holds
///     kept      = number of such i
///     dispatch  = workgroups for `kept` items
///
/// - Outputs beyond the first `kept` items are not written.
/// - Results are bit-identical on every run.
/// - look_back: reads tested items once, in three dispatches.
/// - reduce_then_scan: reads tested items twice, in two dispatches.
/// - Both write each kept item once, read `moved` only where kept, and take one dispatch if one tile holds all items.
/// - Every further 2^31 items take as many dispatches again.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: Partition, which keeps the others too; BulkRemove, which removes by index; RunLengthEncode.
class WEFT_API Select {
 public:
  /// Builds the pipelines. Errors: missing_feature (look_back), unsupported (criterion or moved items do not match the
  /// item; own_kernels of another primitive), out_of_{host,device}_memory, device_lost, driver_error.
  static Result<Select> create(const Context& context, const SelectConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` items. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one selection. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^31 tiles,
  /// more than 2^32 items with u32 indices; with `dispatch`, what DispatchArguments refuses).
  Status record(VkCommandBuffer commands, const SelectArgs& args) const noexcept;

  /// The strategy in use, never automatic. If automatic chose look_back, small counts may use reduce_then_scan.
  Strategy strategy() const noexcept;
  /// Items a workgroup processes at a time. Counts around its multiples are edge cases.
  uint32_t tile_items() const noexcept;

 private:
  explicit Select(std::shared_ptr<const primitives::SelectPlan> plan);
  std::shared_ptr<const primitives::SelectPlan> plan_;
};

/// Members without a comment: as in SelectConfig.
struct PartitionConfig {
  /// 2: items for which the criterion holds, and the others. 3: x < a, a <= x <= b, x > b (Criterion::inside), or by
  /// own_kernels.
  uint32_t partitions = 2;
  /// Any but run_head.
  Criterion criterion = Criterion::nonzero;
  /// With 3 partitions, floats are ordered by IEEE 754's totalOrder.
  Type item = Type::u32;
  Member member{};
  /// Whether the tested items (structs) are moved to PartitionArgs::outputs.
  bool items = true;
  /// If not 0, PartitionArgs::moved is moved instead of the tested items.
  uint32_t moved_bytes = 0;
  /// Whether the indices of each partition's items are written to PartitionArgs::indices.
  bool indices = false;
  Type index = Type::u32;
  Strategy strategy = Strategy::automatic;
  /// With 2 partitions a set built for "select"; with 3 one built for "partition", whose partition_index() returns an
  /// item's partition. criterion, item and member are ignored.
  std::optional<KernelSet> own_kernels{};
};

/// Arguments of Partition::record. Aliasing, alignment, ignored ranges, members without a comment: as in SelectArgs.
struct PartitionArgs {
  BufferRange input;
  BufferRange moved;
  /// For each partition, room for `count` items, and for `count` indices, 4-byte aligned.
  std::array<BufferRange, 3> outputs;
  std::array<BufferRange, 3> indices;
  /// Receives the number of items of each partition: `partitions` u32 or u64 (by range.size), 4-byte aligned.
  BufferRange counts;
  BufferRange scratch;
  Count count;
  Value a{};
  Value b{};
};

/// Splits a range into two or three partitions, each in the order of the input.
///
/// - Every item is written once.
/// - Cost, determinism, errors: as Select.
/// - Barriers, lifetime, threads: docs/integration.md.
class WEFT_API Partition {
 public:
  /// Builds the pipelines. Errors: as Select::create.
  static Result<Partition> create(const Context& context, const PartitionConfig& config) noexcept;

  /// Scratch bytes that suffice for any call with at most `max_count` items. Monotonic, never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one partition. Does not allocate, submit or wait. Errors: as Select::record.
  Status record(VkCommandBuffer commands, const PartitionArgs& args) const noexcept;

  /// As Select::strategy.
  Strategy strategy() const noexcept;
  /// As Select::tile_items.
  uint32_t tile_items() const noexcept;

 private:
  explicit Partition(std::shared_ptr<const primitives::SelectPlan> plan);
  std::shared_ptr<const primitives::SelectPlan> plan_;
};

}  // namespace weft
