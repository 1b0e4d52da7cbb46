// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

namespace primitives {
struct SelectPlan;       // src/primitives/select/select_plan.hpp
struct SelectWithFault;  // src/primitives/core/look_back_faults.hpp, for tests
}  // namespace primitives

/// What is asked of an item. `a` and `b` are the constants of the call (SelectArgs).
enum class Criterion : uint8_t {
  less,           ///< x < a. Numbers compare by value, floats as IEEE 754 says: NaN is in no relation, -0 equals +0
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
  not_flagged,
  run_head,  ///< item i has other bits than item i - 1, or i is 0: the first of each run of equal items
};

const char* name_of(Criterion criterion) noexcept;

/// Where what is tested lies in a struct.
struct Member {
  uint32_t stride = 0;  ///< bytes from one struct to the next, a multiple of 4, at most 1024; 0: items are no structs
  uint32_t offset =
      0;  ///< bytes from a struct's beginning to the member, a multiple of its size (of 4 where that is more)
  uint32_t bytes = 0;  ///< run_head: of what is compared, 1, 2 or a multiple of 4; 0: the item type's size
};

/// What the pipelines of a Select are built for.
struct SelectConfig {
  Criterion criterion = Criterion::nonzero;
  Type item = Type::u32;  ///< of what is tested; with flagged irrelevant. u32x2 goes with run_head, and bits
  Member member{};        ///< with a stride: the item type is a member's, and whole structs are moved
  bool items = true;      ///< the tested items (structs) are moved to `output`
  /// Besides or instead, the items of another range, `moved`, go to `moved_output`: 1, 2 or a multiple of 4 bytes each, at most
  /// 1024. 0: none. Not together with structs moved.
  uint32_t moved_bytes = 0;
  bool indices = false;    ///< the indices of what is kept go to `indices`
  Type index = Type::u32;  ///< u32, or u64 for more than 2^32 items (no device feature is needed)
  Strategy strategy = Strategy::automatic;
  /// A set made for "select" or "unique": what is tested is the snippet's item. Kept are those for which keep() holds, or the first
  /// of each run of items that are same() as the one before. criterion, item and member are not looked at.
  std::optional<KernelSet> own_kernels{};

  /// Items for which the criterion holds.
  static SelectConfig select_if(Type item, Criterion criterion);
  /// Items of `item_bytes` bytes whose flag is set: Type::u8 or u32 (any value but 0), or bits where `flags` is none.
  static SelectConfig select_flagged(uint32_t item_bytes, std::optional<Type> flags = std::nullopt);
  /// The first item of each run of equal ones.
  static SelectConfig unique(Type item);
  /// The first key of each run of equal ones, and the value beside it.
  static SelectConfig unique_by_key(Type key, uint32_t value_bytes);
};

/// What one call works on. Ranges that the config does not ask for are ignored. No range that is written may overlap
/// another one.
struct SelectArgs {
  BufferRange input;         ///< `count` items or structs; flagged: ceil(count / 32) words
  BufferRange moved;         ///< `count` items of moved_bytes
  BufferRange output;        ///< room for `count` items or structs
  BufferRange moved_output;  ///< room for `count` items of moved_bytes
  BufferRange indices;       ///< room for `count` indices
  BufferRange kept;          ///< how many were kept: a u32 (size 4) or a u64 (size 8), aligned to 4
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< a value, or a device address and a maximum
  Value a{};    ///< the criterion's constants, of the item's type; with own_kernels, what call_a() and call_b() give
  Value b{};
};

/// Stable compaction: keeps, in their order, the items for which a criterion holds.
///
///     output[k] = input[i],  moved_output[k] = moved[i],  indices[k] = i      for the k-th i for which it holds
///     kept      = how many there are
///
/// Nothing is written behind the last kept item. The same bits on every run. Not in place.
///
/// Cost: look_back reads what is tested once from memory (and once more from the device's cache), 3 dispatches (1 where one tile
/// holds all); reduce_then_scan reads it twice, 2 dispatches. Kept items are written once; moved ones are read only where kept.
/// More than 2^31 items take as many dispatches again for each 2^31. Ranges aligned to 16 bytes go fastest; any multiple of the
/// item's size (structs: 4) works.
/// Barriers, threads, lifetime: docs/integration.md.
class Select {
 public:
  /// Builds the pipelines. Errors: unsupported (a criterion, or a movement, that does not go with the item; own_kernels made for
  /// something else), out_of_host_memory,
  /// out_of_device_memory, device_lost.
  static Result<Select> create(const Context& context, const SelectConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` items. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one selection into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping,
  /// more items than 2^31 tiles hold, or than 2^32 with u32 indices).
  Status record(VkCommandBuffer commands, const SelectArgs& args) const noexcept;

  Strategy strategy() const noexcept;    ///< the one in use: never automatic (small counts may take reduce_then_scan)
  uint32_t tile_items() const noexcept;  ///< items one workgroup takes at a time: sizes around its multiples are edges

 private:
  friend struct primitives::SelectWithFault;
  explicit Select(std::shared_ptr<const primitives::SelectPlan> plan);
  std::shared_ptr<const primitives::SelectPlan> plan_;
};

/// What the pipelines of a Partition are built for.
struct PartitionConfig {
  uint32_t sides =
      2;  ///< 2: items for which the criterion holds, and the others. 3: with `inside` only: x < a, inside, x > b
  Criterion criterion = Criterion::nonzero;  ///< any but run_head
  Type item = Type::u32;                     ///< as in SelectConfig. With 3 sides floats order by IEEE totalOrder
  Member member{};
  bool items = true;         ///< the tested items (structs) go to `outputs`
  uint32_t moved_bytes = 0;  ///< instead, the items of another range do; as in SelectConfig
  bool indices = false;      ///< the indices of each side's items go to `indices`
  Type index = Type::u32;
  Strategy strategy = Strategy::automatic;
  /// With 2 sides a set made for "select", as in SelectConfig; with 3 one made for "partition", whose side() says where an item
  /// goes. criterion, item and member are not looked at.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on. Ranges that the config does not ask for are ignored. No range that is written may overlap
/// another one.
struct PartitionArgs {
  BufferRange input;                   ///< as in SelectArgs
  BufferRange moved;                   ///< `count` items of moved_bytes
  std::array<BufferRange, 3> outputs;  ///< one for each side, with room for `count` items
  std::array<BufferRange, 3> indices;  ///< one for each side, with room for `count` indices
  BufferRange counts;                  ///< items of each side: `sides` u32, or as many u64, aligned to 4
  BufferRange scratch;
  Count count;
  Value a{};
  Value b{};
};

/// Splits a range in two or three, each side in the order of the input.
///
/// What Select says of cost, order and aliasing holds here too; every item is written once.
/// Barriers, threads, lifetime: docs/integration.md.
class Partition {
 public:
  /// Errors: as Select::create.
  static Result<Partition> create(const Context& context, const PartitionConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` items. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one partition into `commands`. Errors: as Select::record.
  Status record(VkCommandBuffer commands, const PartitionArgs& args) const noexcept;

  Strategy strategy() const noexcept;
  uint32_t tile_items() const noexcept;

 private:
  friend struct primitives::SelectWithFault;
  explicit Partition(std::shared_ptr<const primitives::SelectPlan> plan);
  std::shared_ptr<const primitives::SelectPlan> plan_;
};

}  // namespace weft
