// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

namespace primitives {
struct ScanWithFault;  // src/primitives/core/look_back_faults.hpp, for tests
}

enum class ScanKind : uint8_t {
  exclusive,  ///< output i combines the items before i
  inclusive,  ///< output i combines the items up to and with i
};

const char* name_of(ScanKind kind) noexcept;

/// What the pipelines of a Scan are built for.
struct ScanConfig {
  ScanKind kind = ScanKind::exclusive;
  Op op = Op::add;
  Type item = Type::u32;
  Type accumulator =
      Type::u32;  ///< type of the outputs: `item`, or a wider one (u8 to u16 or u32, u16 to u32, u32 to u64,
                  ///< i32 to i64, f16 to f32, f32 to f64)
  Strategy strategy = Strategy::automatic;
  /// A set made for "scan": item, accumulator and operator are the snippet's, and those above are not looked at.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on.
struct ScanArgs {
  BufferRange input;   ///< `count` items
  BufferRange output;  ///< `count` accumulators. The same bytes as `input` (in place, where both types have the same
                       ///< size) or no overlap with it
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< a value, or a device address and a maximum
  std::optional<Value>
      initial;  ///< an accumulator combined in front of the first item; none: the operator's identity. Not
                ///< with own_kernels: there it goes in front as an item
};

/// Prefix combination of a range.
///
///     exclusive:  output[i] = initial ∘ input[0] ∘ … ∘ input[i-1]
///     inclusive:  output[i] = initial ∘ input[0] ∘ … ∘ input[i]
///
/// Operators need only be associative: the order of items is kept. Items are converted to the accumulator's type first.
/// Floats are combined in an order fixed by device, strategy and count.maximum(), so results have the same bits on every
/// run, under look_back too; another device or strategy may round differently.
///
/// Cost: look_back reads each item once from memory (and once more from the device's cache) and writes each output once, 3
/// dispatches (1 where one tile holds all); reduce_then_scan reads each item twice, 2 dispatches. Ranges whose addresses are equal modulo 16 bytes (scaled by item
/// size) go fastest; any multiple of the item's size works, and of 4 where it has more.
/// Barriers, threads, lifetime: docs/integration.md.
class Scan {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit types the device lacks), unsupported (an accumulator, or an
  /// operator, that does not go with the item; own_kernels made for something else), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<Scan> create(const Context& context, const ScanConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` items. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one scan into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping,
  /// more items than 2^31 tiles hold).
  Status record(VkCommandBuffer commands, const ScanArgs& args) const noexcept;

  /// The one in use: never automatic. Where automatic chose look_back, small counts may take reduce_then_scan all the same.
  Strategy strategy() const noexcept;
  uint32_t tile_items() const noexcept;  ///< items one workgroup takes at a time: sizes around its multiples are edges

 private:
  friend struct primitives::ScanWithFault;
  static Result<Scan> create(const Context& context, const ScanConfig& config, uint32_t fault);

  struct Plan;
  explicit Scan(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
