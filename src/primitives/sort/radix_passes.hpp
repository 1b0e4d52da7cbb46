// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What RadixSort and SegmentedSort settle in the same way: the sizes of a pass over a digit, and what makes keys
// ordered.
#pragma once

#include <cstdint>

#include <weft/types.hpp>

#include "primitives/core/arguments.hpp"
#include "primitives/sort/sort_tuning.hpp"
#include "runtime/context_state.hpp"

namespace weft::primitives {

/// Refuses keys and values that these primitives do not move.
Status check_radix_config(const char* primitive, Type key, uint32_t value_bytes);

/// Of the dispatch that moves keys, but for passes.
struct RadixSizes {
  uint32_t workgroup = 0;
  uint32_t digit_bits = 0;
  uint32_t rows = 0;
  uint32_t part_rows = 0;
  uint32_t tile_keys = 0;
  uint32_t passes = 0;  ///< over all bits
};

RadixSizes radix_sizes(const runtime::ContextState& state, const RadixSortTuning& tuning, uint32_t key_bytes,
                       uint32_t value_bytes, uint32_t bits);

/// Bits to flip so that keys are unsigned numbers in their order.
struct KeyFlips {
  uint32_t high, low;
  uint32_t negative_high, negative_low;  ///< more such bits of keys whose sign is set

  bool any() const { return (high | low | negative_high | negative_low) != 0; }
};

KeyFlips key_flips(Type key, SortOrder order);

template <class Push>
void push_flips(Push& push, Type key, SortOrder order) {
  const KeyFlips flips = key_flips(key, order);
  push.flip_high = flips.high;
  push.flip_low = flips.low;
  push.flip_negative_high = flips.negative_high;
  push.flip_negative_low = flips.negative_low;
}

/// What the passes of a call move: all bits of a key from `begin_bit` to `end_bit`, in digits of about equal size.
struct RadixMoves {
  struct Ranges {
    VkDeviceAddress keys = 0, values = 0;
  };
  Ranges input{}, output{};
  Ranges between{};  ///< in scratch
  uint32_t begin_bit = 0, end_bit = 0;

  template <class Push>
  void push_pass(Push& push, uint32_t pass, uint32_t passes) const {
    const uint32_t bits = end_bit - begin_bit, first = bits * pass / passes, end = bits * (pass + 1) / passes;
    push.shift = begin_bit + first;
    push.digit_mask = (1u << (end - first)) - 1;
    const auto ranges_after = [&](uint32_t p) { return (passes - 1 - p) % 2 == 0 ? output : between; };
    const Ranges from = pass == 0 ? input : ranges_after(pass - 1), to = ranges_after(pass);
    push.keys = from.keys;
    push.values = from.values;
    push.keys_out = to.keys;
    push.values_out = to.values;
  }
};

}  // namespace weft::primitives
