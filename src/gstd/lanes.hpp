// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Lanes of the fast decoder, and its inner loops for 8 or 16 lanes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gstd/coding.hpp"
#include "gstd/format.hpp"
#include "gstd/tile.hpp"

namespace weft::gstd {

/// Queues of bits, the next bit highest and zeros after the last, and rANS states.
struct Lanes {
  alignas(64) std::array<uint64_t, kMaxLanes> fifo;
  alignas(64) std::array<uint32_t, kMaxLanes> bits;
  alignas(64) std::array<uint32_t, kMaxLanes> state;
};

constexpr uint32_t kRepeatFlag = 1u << 23;

/// A slot of a field's table.
struct Slot {
  uint16_t frequency, offset;  ///< offset: of the slot in the symbol's
  uint32_t value;              ///< base, kRepeatFlag with a repeat's symbol, and extra bits in the highest byte
};
constexpr uint32_t kSlotSlack = 8;  ///< slots past a table that may be written
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

/// Inner loops for tiles of at least 8 lanes. Functions that read return the next read position, at most kWordSlack
/// past `end`; they read nothing once it is past `end`.
struct VectorLanes {
  /// Steps 1 to 4 of a batch's sequences, which become those from `first` on. Repeated offsets become kRepeatFlag and
  /// the symbol. `low_bits`: 32 for none.
  const uint32_t* (*read_sequences)(Lanes& lanes, const uint32_t* next, const uint32_t* end,
                                    const std::array<SlotTable, kFields>& fields, uint32_t low_bits, uint32_t first,
                                    uint32_t count, Sequences& sequences);
  /// Reads a block's literals. `map`: the tables of contexts, as in the block's header.
  const uint32_t* (*read_literals)(Lanes& lanes, uint32_t lanes_log, const uint32_t* next, const uint32_t* end,
                                   LiteralSource source, const LiteralTable* tables, uint32_t map, size_t count,
                                   uint8_t* to);
};

/// By AVX-512 and by AVX2. Null if the processor lacks them.
const VectorLanes* vector_lanes_512();
const VectorLanes* vector_lanes_256();

/// Entries from one table's begin to the next's, with tables as one array.
constexpr uint32_t kContextAt = 12;  ///< the bit of a LiteralTable's entry where the context is
constexpr uint32_t kTableStride = sizeof(LiteralTable) / sizeof(LiteralTable::Entry);
static_assert(sizeof(LiteralTable) % sizeof(LiteralTable::Entry) == 0);

/// decode_tile with AVX2 at most.
TileVerdict decode_tile_256(std::span<const uint32_t> words, std::span<std::byte> output);

/// decode_tile without vectors.
TileVerdict decode_tile_scalar(std::span<const uint32_t> words, std::span<std::byte> output);

}  // namespace weft::gstd
