// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Lanes of the fast decoder, and its inner loops for processors that do 8 or 16 lanes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gstd/coding.hpp"
#include "gstd/format.hpp"
#include "gstd/tile.hpp"

namespace weft::gstd {

/// Queues of bits, the next bit highest and zeros behind the last, and rANS states.
struct Lanes {
  alignas(64) std::array<uint64_t, kMaxLanes> fifo;
  alignas(64) std::array<uint32_t, kMaxLanes> bits;
  alignas(64) std::array<uint32_t, kMaxLanes> state;
};

constexpr uint32_t kRepeatFlag = 1u << 23;

/// What a slot of a field's table leads to.
struct Slot {
  uint16_t frequency, offset;  ///< offset: of the slot in the symbol's
  uint32_t value;              ///< base, kRepeatFlag with a repeat's symbol, and extra bits in the highest byte
};
constexpr uint32_t kSlotSlack = 8;  ///< slots behind a table that may be written
using SlotTable = std::array<Slot, kRansSlots + kSlotSlack>;

/// A batch's sequences.
struct Sequences {
  alignas(64) std::array<uint32_t, kMaxLanes> literals, match, offset;
};

/// What contexts a block's literals have, and so what chooses their tables.
enum class LiteralSource { plain, one_table, by_position, by_previous };

constexpr uint32_t kWordSlack = 64;      ///< words behind the end that may be read
constexpr uint32_t kLiteralSlack = 256;  ///< bytes behind the literals that may be written, and read of tables' numbers

/// The offsets used last, and room for one more.
using Repeats = std::array<uint32_t, kRepeats + 1>;

/// What a batch's sequences come to.
struct BatchSizes {
  uint32_t literals = 0, bytes = 0;  ///< of all sequences; bytes with their matches
  bool sound = true;                 ///< no offset is from before the tile
};

/// Inner loops for tiles of 8 lanes at least. Those that read return the read position behind; at most kWordSlack past
/// `end`, and nothing more is read once it is past it.
struct VectorLanes {
  /// Steps 1 to 4 of a batch's sequences; offsets that repeat are kRepeatFlag and the symbol.
  /// `low_bits`: 32 where there are none.
  const uint32_t* (*read_sequences)(Lanes& lanes, const uint32_t* next, const uint32_t* end,
                                    const std::array<SlotTable, kFields>& fields, uint32_t low_bits, uint32_t count,
                                    Sequences& sequences);
  /// Puts offsets in place of repeats, where `done` bytes of the tile are made.
  BatchSizes (*resolve_sequences)(Sequences& sequences, uint32_t count, uint32_t done, Repeats& repeats);
  /// The literals of a batch. `map`: table by context; `numbers`: table by literal, where it
  /// is their position that decides.
  const uint32_t* (*read_literals)(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                                   LiteralSource source, const LiteralTable* tables, const uint8_t* map,
                                   const uint8_t* numbers, size_t count, uint8_t* to);
};

/// By AVX-512 and by AVX2. Null: this processor has them not.
const VectorLanes* vector_lanes_512();
const VectorLanes* vector_lanes_256();

/// The history behind each place an offset may come from, as a shuffle; the highest of four, a
/// new offset, is empty afterwards.
alignas(64) inline constexpr std::array<std::array<uint8_t, 16>, kRepeats + 1> kHistoryShuffles = [] {
  constexpr uint8_t kFrom[kRepeats + 1][kRepeats] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {3, 0, 1}};
  std::array<std::array<uint8_t, 16>, kRepeats + 1> table{};
  for (uint32_t place = 0; place <= kRepeats; ++place)
    for (uint32_t byte = 0; byte < 16; ++byte)
      table[place][byte] = byte / 4 < kRepeats ? static_cast<uint8_t>(4 * kFrom[place][byte / 4] + byte % 4) : 0x80;
  return table;
}();

/// Tables as one array of entries: each begins so many behind the one before.
constexpr uint32_t kTableStride = sizeof(LiteralTable) / sizeof(LiteralTable::Entry);
static_assert(sizeof(LiteralTable) % sizeof(LiteralTable::Entry) == 0);

/// decode_tile with AVX2 or less, whatever the processor has.
TileVerdict decode_tile_256(std::span<const uint32_t> words, std::span<std::byte> output);

/// decode_tile without vectors, whatever the processor has.
TileVerdict decode_tile_scalar(std::span<const uint32_t> words, std::span<std::byte> output);

}  // namespace weft::gstd
