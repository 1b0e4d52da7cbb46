// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/scan.hpp>
#include <weft/types.hpp>

namespace weft {

namespace primitives {
struct ByKeyWithFault;  // src/primitives/core/look_back_faults.hpp, for tests
}

/// What tells where a segment begins. The first item always begins one.
enum class SegmentsBy : uint8_t {
  keys,        ///< a key per item: at keys whose bits differ from those of the key before
  head_bits,   ///< a bit per item, 1 at a segment's first: bit i % 32 of u32 word i / 32
  head_bytes,  ///< a byte per item, not 0 at a segment's first
  head_words,  ///< a u32 per item, not 0 at a segment's first
};

const char* name_of(SegmentsBy segments) noexcept;

/// What the pipelines of a ScanByKey are built for.
struct ScanByKeyConfig {
  ScanKind kind = ScanKind::exclusive;
  Op op = Op::add;  ///< any but affine, arg_min and arg_max
  SegmentsBy segments = SegmentsBy::keys;
  Type key = Type::u32;          ///< of keys; only its size counts, so no device feature is needed
  Type item = Type::u32;         ///< of values: any but f16 and u32x2
  Type accumulator = Type::u32;  ///< type of the outputs: `item`, or a wider one (u8 and u16 to u32, u32 to u64, i32 to
                                 ///< i64, f32 to f64)
  Strategy strategy = Strategy::automatic;
  /// A set made for "scan_by_key": values are the snippet's items and outputs its accumulators. op, item and accumulator are not
  /// looked at; segments and key are.
  std::optional<KernelSet> own_kernels{};
};

/// What one call works on.
struct ScanByKeyArgs {
  BufferRange keys;    ///< `count` keys, or flags of `count` items; bits: whole words, at a multiple of 4
  BufferRange values;  ///< `count` items
  BufferRange output;  ///< `count` accumulators. The same bytes as `values` (in place, where both types have the same
                       ///< size) or no overlap with it; no overlap with `keys`
  BufferRange
      scratch;  ///< `scratch_size(count.maximum())` bytes, aligned to 16; contents irrelevant before, undefined after
  Count count;  ///< a value, or a device address and a maximum
  std::optional<Value>
      initial;  ///< an accumulator combined in front of each segment's first item; none: the operator's identity. Refused
                ///< with own_kernels
};

/// Prefix combination of each segment of a range by itself. With h the last head at or before i:
///
///     exclusive:  output[i] = initial ∘ values[h] ∘ … ∘ values[i-1]
///     inclusive:  output[i] = initial ∘ values[h] ∘ … ∘ values[i]
///
/// Segments are runs of equal neighbouring keys, so keys need not be sorted, or begin where flags say so (a segmented scan).
/// Items are converted to the accumulator's type first. Floats are combined in an order fixed by device, strategy,
/// count.maximum(), the ranges' addresses and where segments begin, so results have the same bits on every run, under look_back
/// too.
///
/// Cost: look_back reads each key and value once from memory (and once more from the device's cache) and writes each output
/// once, 3 dispatches (1 where one tile holds all); reduce_then_scan reads keys and values twice, 2 dispatches. Ranges go fastest whose
/// addresses are multiples of 16 bytes, or have moved on from one by the same number of items, modulo 4; with head_bits, values that
/// begin at a multiple. Any multiple of the item's size works.
/// Barriers, threads, lifetime: docs/integration.md.
class ScanByKey {
 public:
  /// Builds the pipelines. Errors: missing_feature (64-bit items the device lacks), unsupported (an operator, item or
  /// accumulator that is not for scans by key, or that do not go together; own_kernels made for something else),
  /// out_of_host_memory, out_of_device_memory, device_lost.
  static Result<ScanByKey> create(const Context& context, const ScanByKeyConfig& config) noexcept;

  /// Bytes of scratch for any call on at most `max_count` items. Never decreases with `max_count`. Never 0.
  VkDeviceSize scratch_size(uint64_t max_count) const noexcept;

  /// Records one scan into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping,
  /// more items than 2^31 tiles hold).
  Status record(VkCommandBuffer commands, const ScanByKeyArgs& args) const noexcept;

  /// The one in use: never automatic. Where automatic chose look_back, small counts may take reduce_then_scan all the same.
  Strategy strategy() const noexcept;
  uint32_t tile_items() const noexcept;  ///< items one workgroup takes at a time: sizes around its multiples are edges

 private:
  friend struct primitives::ByKeyWithFault;
  static Result<ScanByKey> create(const Context& context, const ScanByKeyConfig& config, uint32_t fault);

  struct Plan;
  explicit ScanByKey(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
