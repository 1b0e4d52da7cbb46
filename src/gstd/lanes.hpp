// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Lanes of the fast decoder, and its inner loops by vector instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gstd/coding.hpp"
#include "gstd/format.hpp"
#include "gstd/models.hpp"
#include "gstd/tile.hpp"

namespace weft::gstd {

/// Queues of up to 64 bits, the next bit highest and zeros after the last, and rANS states.
struct Lanes {
  alignas(64) std::array<uint32_t, kMaxLanes> high, low;  ///< of the queue
  alignas(64) std::array<uint32_t, kMaxLanes> bits;
  alignas(64) std::array<uint32_t, kMaxLanes> state;

  uint64_t fifo(uint32_t lane) const { return uint64_t{high[lane]} << 32 | low[lane]; }
  void set_fifo(uint32_t lane, uint64_t fifo) {
    high[lane] = static_cast<uint32_t>(fifo >> 32);
    low[lane] = static_cast<uint32_t>(fifo);
  }
};

constexpr uint32_t kRepeatFlag = 1u << 23;

/// A slot of a field's table.
struct Slot {
  uint64_t packed;  ///< one number, which vectors load as such

  static constexpr uint64_t kOneOffset = 1u << 16;
  static constexpr Slot of(uint32_t frequency, uint32_t offset, uint32_t value) {
    return {frequency | offset * kOneOffset | uint64_t{value} << 32};
  }
  uint32_t frequency() const { return packed & 0xffff; }
  uint32_t offset() const { return packed >> 16 & 0xffff; }  ///< of the slot in the symbol's
  /// Base, kRepeatFlag with a repeat's symbol, and extra bits in the highest byte.
  uint32_t value() const { return static_cast<uint32_t>(packed >> 32); }
};
constexpr uint32_t kSlotSlack = 16;  ///< slots past a table that may be written
using SlotTable = std::array<Slot, kRansSlots + kSlotSlack>;

/// A block's sequences.
struct Sequences {
  static constexpr uint32_t kSlack = kMaxLanes;  ///< past the last that may be written
  std::array<uint32_t, kMaxBlockSequences + kSlack> literals, match, offset;
};

/// The contexts of a block's literals, which choose their tables.
enum class LiteralSource { plain, one_table, by_context };

constexpr uint32_t kWordSlack = 64;      ///< words past the end that may be read
constexpr uint32_t kLiteralSlack = 256;  ///< bytes past literals that may be written

/// By class of weights: where its slots begin, in the model of each symbol to be read.
using WeightBases = std::array<std::array<uint16_t, kAllFieldSymbols + kMaxLanes>, kWeightClasses>;

/// A slot of a model of code lengths: frequency, the slot's offset in the length's slots, and the length.
struct LengthSlot {
  static constexpr uint32_t kOffsetAt = 16, kLengthAt = 26;
  static constexpr uint32_t pack(uint32_t frequency, uint32_t offset, uint32_t length) {
    return frequency | offset << kOffsetAt | length << kLengthAt;
  }
};
using LengthSlots = std::array<uint32_t, kRansSlots>;  ///< of a model

/// Inner loops for tiles of at least 8 lanes. Functions that read return the next read position, at most kWordSlack
/// past `end`; they read nothing once it is past `end`.
struct VectorLanes {
  /// Reads the lengths of a literal table by a set's models: one, or one for each length before.
  const uint32_t* (*read_lengths)(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                                  const LengthSlots* models, bool by_length, CodeLengths& lengths);
  /// Reads weights of symbols, by lanes in turn: class | extra << 8 of each. Writes up to kMaxLanes past the last.
  const uint32_t* (*read_weights)(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                                  const WeightBases& bases, uint32_t count, uint32_t* weights);
  /// Steps 1 to 4 of a batch's sequences, which become those from `first` on. Repeated offsets become kRepeatFlag and
  /// the symbol. `low_bits`: 32 for none.
  const uint32_t* (*read_sequences)(Lanes& lanes, const uint32_t* next, const uint32_t* end,
                                    const std::array<SlotTable, kFields>& fields, uint32_t low_bits, uint32_t first,
                                    uint32_t count, Sequences& sequences);
  /// Reads a block's literals, by their source, but for exact steps. `first_table`: of the first in each run. `last`:
  /// of the tile's last block.
  std::array<const uint32_t* (*)(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                                 const LiteralTable* tables, uint32_t first_table, size_t count, bool last,
                                 uint8_t* to),
             3>
      read_literals;
};

/// By the widest that the processor has, up to `most`. Null if there are none.
const VectorLanes* vector_lanes(Vectors most);

}  // namespace weft::gstd
