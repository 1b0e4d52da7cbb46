// SPDX-License-Identifier: MIT OR Apache-2.0
#include "primitives/sort/radix_passes.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "primitives/core/search_keys.hpp"

namespace weft::primitives {

namespace {

constexpr uint32_t kMaxDigitBits = 8;
constexpr uint32_t kMinWorkgroup = 128;
constexpr uint32_t kCounterWords = 2048;  // of shared memory, if tiles do not pass through more

}  // namespace

Status check_radix_config(const char* primitive, Type key, uint32_t value_bytes) {
  if (value_bytes == 0 || value_bytes == 4 || value_bytes == 8) return check_search_key(primitive, key);
  return Error{ErrorCode::unsupported, std::string(primitive) + ": values have 4 or 8 bytes, or there are none, not " +
                                           std::to_string(value_bytes)};
}

RadixSizes radix_sizes(const runtime::ContextState& state, const RadixSortTuning& tuning, uint32_t key_bytes,
                       uint32_t value_bytes, uint32_t bits) {
  RadixSizes sizes;
  // Keys and values pass through shared memory one after the other.
  const uint32_t item_words = std::max(key_bytes, value_bytes) / 4;
  uint32_t& workgroup = sizes.workgroup;
  workgroup = std::min(tuning.workgroup, state.traits().max_workgroup_invocations);
  const uint32_t shared_bytes = shared_bytes_of(state, workgroup);
  const uint32_t part_words = std::min(tuning.part_words, shared_bytes / 4);
  // Every subgroup has a counter of its own for each digit: where subgroups are small fewer of them, then fewer bits.
  const uint32_t counter_words = std::min(shared_bytes / 4, std::max(kCounterWords, part_words));
  const auto fits = [&](uint32_t digit_bits) {
    return uint64_t{workgroup / state.subgroup_size()} << digit_bits <= counter_words;
  };
  while (workgroup > kMinWorkgroup && !fits(kMaxDigitBits)) workgroup = std::bit_floor(workgroup - 1);
  // A lane has one digit or two, and then all lanes have.
  if (workgroup < 1u << kMaxDigitBits) workgroup = std::bit_floor(workgroup);
  sizes.digit_bits = kMaxDigitBits;
  while (sizes.digit_bits > 1 && !fits(sizes.digit_bits)) --sizes.digit_bits;
  sizes.rows = std::max(1u, tuning.rows / (key_bytes / 4));
  sizes.tile_keys = workgroup * sizes.rows;
  sizes.part_rows = std::clamp(part_words / (workgroup * item_words), 1u, sizes.rows);
  while (sizes.rows % sizes.part_rows != 0) --sizes.part_rows;
  sizes.passes = static_cast<uint32_t>(divided_up(bits, sizes.digit_bits));
  return sizes;
}

KeyFlips key_flips(Type key, SortOrder order) {
  const uint32_t all_of_descending = order == SortOrder::descending ? ~0u : 0u;
  KeyFlips flips{};
  flips.high = (key_order(key) != 0 ? 0x80000000u : 0u) ^ all_of_descending;
  flips.low = all_of_descending;
  flips.negative_high = is_float(key) ? 0x7fffffffu : 0u;
  flips.negative_low = is_float(key) ? ~0u : 0u;
  return flips;
}

}  // namespace weft::primitives
