// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/kernels.hpp>
#include <weft/types.hpp>

namespace weft {

/// At least one of the three outputs must be requested.
struct MergeConfig {
  /// u8, u16, u32, u64, i32, i64, f16, f32 or f64. 64-bit keys need no device feature.
  Type key = Type::u32;
  /// Order of both inputs and of the output.
  SortOrder order = SortOrder::ascending;
  /// Whether merged keys are written.
  bool keys = true;
  /// Size in bytes of the value that moves with each key: 1, 2, or a multiple of 4 up to 256; 0: no values.
  uint32_t value_bytes = 0;
  /// Whether the source index of each output is written.
  bool indices = false;
  /// A set built for "merge": keys are its snippet's items, 4-byte aligned, ordered by its less().
  /// key and order are ignored.
  std::optional<KernelSet> own_kernels{};
};

/// Arguments of Merge::record.
///
/// - No range that is written may overlap another one, or a count on the device.
/// - Keys and values are aligned to min(their size, 4). Fastest: 8-byte keys and values to 8, 16-byte values to 16.
/// - Ranges that the config does not ask for are ignored.
struct MergeArgs {
  /// `count_a` and `count_b` keys in order.
  BufferRange keys_a;
  BufferRange keys_b;
  /// Room for the keys of both.
  BufferRange keys_out{};
  /// `count_a` and `count_b` values.
  BufferRange values_a{};
  BufferRange values_b{};
  /// Room for the values of both.
  BufferRange values_out{};
  /// Room for a u32 for each key of both, 4-byte aligned.
  BufferRange indices_out{};
  /// scratch_size(count_a.maximum(), count_b.maximum()) bytes, 16-byte aligned.
  BufferRange scratch;
  /// The maxima of both counts together are at most 2^32 - 1.
  Count count_a;
  Count count_b;
};

/// Merges two sorted sequences. Stable: equal keys of A go before those of B; those of one sequence keep their order.
///
///     output[i + j] = A[i], of index i              j = |{ keys of B that are < A[i] }|
///     output[i + j] = B[j], of index count_a + j    i = |{ keys of A that are ≤ B[j] }|
///
/// - count_a in indices is the actual count, which on the device may be less than its maximum.
/// - Keys are moved bit by bit.
/// - Key order is total. Floats are ordered by IEEE 754's totalOrder: -0 before +0; NaN before all numbers if its sign
///   bit is set, else after them, ordered by its bits. Inputs must be sorted so; `<` alone does not order zeros.
/// - Descending reverses this order. Equal keys still keep their order.
/// - With own_kernels, keys are equal if neither is less.
/// - If inputs are not sorted in this order, outputs are unspecified, except that each index is some key's. No access
///   is out of range.
/// - Work is split evenly by merge path, for any keys and lengths (docs/decisions/merge-in-registers.md).
/// - Results are bit-identical on every run and device.
/// - Cost: reads each key once, except around tile boundaries, and each value once; writes each output once.
/// - One dispatch, in which each subgroup reads some 300 more keys to find its part, and 4 bytes of scratch.
/// - Two dispatches for many tiles (tuned per device class): the first reads about 2·log2(min(count_a, count_b)) keys
///   per tile. 4 more bytes of scratch per tile.
/// - Barriers, lifetime, threads: docs/integration.md.
/// - See also: SetOperation, MergeSort.
class WEFT_API Merge {
 public:
  /// Builds the pipelines. Errors: unsupported (key type, value size, no output requested, own_kernels of another
  /// primitive), out_of_{host,device}_memory, device_lost, driver_error.
  static Result<Merge> create(const Context& context, const MergeConfig& config) noexcept;

  /// Scratch bytes that suffice for any call within both maxima. Monotonic in both, never 0.
  VkDeviceSize scratch_size(uint64_t max_a, uint64_t max_b) const noexcept;

  /// Records one merge; nothing if both maxima are 0. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, 2^32 or more keys).
  Status record(VkCommandBuffer commands, const MergeArgs& args) const noexcept;

  /// Keys of a tile; calls with few keys use smaller tiles. Totals around its multiples are edge cases.
  uint32_t tile_keys() const noexcept;
  /// Keys of a tile that a subgroup merges.
  uint32_t subgroup_keys() const noexcept;

 private:
  struct Plan;
  explicit Merge(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
