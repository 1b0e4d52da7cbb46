// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Numbers of the tile format, for encoder and decoders. docs/gstd-format.md defines them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace weft::gstd {

constexpr uint32_t kMaxLanes = 32, kMaxLanesLog = 5;
constexpr uint32_t kMaxBlockLog = 17, kMaxBlockBytes = 1u << kMaxBlockLog;
constexpr uint32_t kMaxStride = 128;

// rANS: a symbol takes from 0 to kRansLog bits.
constexpr uint32_t kRansLog = 9, kRansSlots = 1u << kRansLog;
constexpr uint32_t kStateLog = 12, kStateLow = 1u << kStateLog;

constexpr uint32_t kMaxCodeLength = 10, kLengthSymbols = kMaxCodeLength + 1;
constexpr uint32_t kMaxLiteralTables = 4, kLiteralContexts = 8;
/// Sets of models that describe a literal table's lengths. In the first ones the length before matters.
constexpr uint32_t kLengthSets = 16, kSetsByLength = 8;

constexpr uint32_t kMinMatch = 3;

/// What a decoder keeps of a block until it copies matches: kSequenceWork for each sequence. It may keep literals where
/// the block's output will be if matches have at least kInPlaceMatches bytes of that. Else they are work too.
constexpr uint32_t kMaxBlockSequences = 3584, kSequenceWork = 8, kMaxBlockWork = kMaxBlockSequences * kSequenceWork;
constexpr uint32_t kInPlaceMatches = 8;
/// Whether a block of `size` bytes, at most kMaxBlockSequences sequences among them, may have so many literals.
constexpr bool has_room_for(uint32_t literals, uint32_t sequences, uint32_t size) {
  return literals + kInPlaceMatches <= size || literals + kSequenceWork * sequences <= kMaxBlockWork;
}

/// Tables of a sequence's fields.
enum Field : uint32_t { kLiteralLength, kOffset, kMatchLength, kLowBits, kFields };
constexpr std::array<uint32_t, kFields> kFieldSymbols = {42, 78, 56, 8};
constexpr uint32_t kAllFieldSymbols = 42 + 78 + 56 + 8;
constexpr uint32_t kMaxFieldSymbols = 78;
constexpr uint32_t kRepeats = 3;
constexpr std::array<uint32_t, kRepeats> kFirstRepeats = {1, 4, 8};
/// Where repeats move, the first comes last in a sequence without literals, since its match would have been a part of
/// the one before: the symbol of the repeat at a position, and the position of a symbol's.
constexpr uint32_t moved_symbol(uint32_t position, bool has_literals) {
  return has_literals ? position : (position + kRepeats - 1) % kRepeats;
}
constexpr uint32_t moved_position(uint32_t symbol, bool has_literals) {
  return has_literals ? symbol : (symbol + 1) % kRepeats;
}

/// The source of a table. Own ones of fields are described by one of three sets of models; own_sparse and own_rare are
/// of fields only. A header has `previous` for own_rare, which is what it means where no table is in force.
enum class TableMode : uint32_t { given, own, previous, own_sparse, own_rare = previous | 4 };
constexpr bool is_own(TableMode mode) { return mode != TableMode::given && mode != TableMode::previous; }
constexpr uint32_t set_of(TableMode own) { return own == TableMode::own ? 0 : own == TableMode::own_sparse ? 1 : 2; }

/// A value as a symbol and extra bits.
struct Coded {
  uint32_t symbol = 0, extra_bits = 0, extra = 0;
};

/// The symbols of lengths. A value below 2^direct is its own symbol. From there on an octave of values has two, but
/// with fine lengths the first octave has eight and the second four: a symbol has the highest bit and some below.
struct LengthSymbols {
  uint32_t direct;
  bool fine = false;

  constexpr Coded code(uint32_t value) const {
    if (value < 1u << direct) return {value, 0, 0};
    const uint32_t top = static_cast<uint32_t>(std::bit_width(value)) - 1, octave = top - direct;
    const uint32_t bits = top - bits_of(octave);
    return {first_of(octave) + (value >> bits) - (1u << bits_of(octave)), bits, value & ((1u << bits) - 1)};
  }
  constexpr uint32_t extra_bits(uint32_t symbol) const {
    return symbol < 1u << direct ? 0 : direct + octave_of(symbol) - bits_of(octave_of(symbol));
  }
  /// The lowest value of a symbol.
  constexpr uint32_t base(uint32_t symbol) const {
    if (symbol < 1u << direct) return symbol;
    const uint32_t octave = octave_of(symbol);
    return ((1u << bits_of(octave)) + symbol - first_of(octave)) << extra_bits(symbol);
  }

 private:
  // Bits below the highest that an octave's symbols have.
  constexpr uint32_t bits_of(uint32_t octave) const { return fine && octave < 2 ? 3 - octave : 1; }
  constexpr uint32_t first_of(uint32_t octave) const {
    return (1u << direct) + 2 * octave + (!fine || octave == 0 ? 0 : octave == 1 ? 6 : 8);
  }
  constexpr uint32_t octave_of(uint32_t symbol) const {
    const uint32_t at = symbol - (1u << direct);
    return !fine ? at / 2 : at < 8 ? 0 : at < 12 ? 1 : (at - 8) / 2;
  }
};
constexpr LengthSymbols literal_length_symbols(bool fine) { return {4, fine}; }
constexpr LengthSymbols match_length_symbols(bool fine) { return {5, fine}; }
/// Of fine lengths, which fields have symbols for.
constexpr uint32_t kMostFineLength = (1u << 13) - 1;
/// The symbol has the position of the offset's highest bit and the two bits below, after the symbols of repeats.
constexpr Coded code_offset(uint32_t offset) {
  const uint32_t extra_bits = static_cast<uint32_t>(std::bit_width(offset | 4)) - 3;
  return {kRepeats - 1 + 4 * extra_bits + (offset >> extra_bits), extra_bits, offset & ((1u << extra_bits) - 1)};
}
constexpr uint32_t offset_extra_bits(uint32_t symbol) {
  return symbol < kRepeats + 7 ? 0 : (symbol - kRepeats - 3) / 4;
}
/// The lowest offset of a symbol that repeats none.
constexpr uint32_t offset_base(uint32_t symbol) {
  const uint32_t extra_bits = offset_extra_bits(symbol);
  return (symbol - kRepeats + 1 - 4 * extra_bits) << extra_bits;
}
static_assert(code_offset((1u << 20) - 1).symbol + 1 == kFieldSymbols[kOffset]);
static_assert(offset_base(kFieldSymbols[kOffset] - 1) == 7u << 17 && offset_extra_bits(kRepeats + 7) == 1);
static_assert(literal_length_symbols(false).code(kMaxBlockBytes - 1).symbol + 1 == kFieldSymbols[kLiteralLength]);
static_assert(match_length_symbols(false).code(kMaxBlockBytes - 1).symbol + 1 == kFieldSymbols[kMatchLength]);
static_assert(literal_length_symbols(true).code(kMostFineLength).symbol + 1 == kFieldSymbols[kLiteralLength]);
static_assert(match_length_symbols(true).code(kMostFineLength).symbol + 1 == kFieldSymbols[kMatchLength]);

// Classes of the weights that describe frequencies: absent, 0, then octaves with up to kWeightBits extra bits.
constexpr uint32_t kWeightClasses = 11, kWeightBits = 3;
constexpr uint32_t weight_extra_bits(uint32_t weight_class) {
  return weight_class < 3 ? 0 : std::min(weight_class - 2, kWeightBits);
}

/// The context of a literal, by the one before it in the lane's run, which is 0 before the first: its sign and size.
constexpr uint32_t literal_context(uint32_t previous) {
  const uint32_t size = previous < 128 ? previous : 255 - previous;
  return (size >= 2 ? 1u : 0u) + (size >= 8 ? 1u : 0u) + (size >= 32 ? 1u : 0u) + (previous >> 7) * 4;
}
/// The same of each byte, for loops.
constexpr std::array<uint8_t, 256> kContextOfNext = [] {
  std::array<uint8_t, 256> contexts{};
  for (uint32_t byte = 0; byte < 256; ++byte) contexts[byte] = static_cast<uint8_t>(literal_context(byte));
  return contexts;
}();

struct TileHeader {
  uint32_t lanes_log = 0;
  bool states_released = false;  ///< into the FIFOs, at the end
  uint32_t filter = 0, stride = 1;
  uint32_t blocks = 1;
  uint32_t row_words = 0;  ///< 0: no rows; else it is the second word
  bool is_short = false;   ///< the only block's header is a word
  bool fine_lengths = false;
  bool moves_repeats = false;  ///< to the front, where they are used; of a lane alone

  constexpr uint32_t pack() const {
    return lanes_log | uint32_t{states_released} << 3 | filter << 4 | (stride - 1) << 8 | (blocks - 1) << 15 |
           (row_words != 0 ? kHasRows : 0) | (is_short ? kShort : 0) | (fine_lengths ? kFineLengths : 0) |
           (moves_repeats ? kMovesRepeats : 0);
  }
  static constexpr TileHeader unpack(uint32_t word, uint32_t second) {
    return {word & 7,
            (word >> 3 & 1) != 0,
            word >> 4 & 15,
            (word >> 8 & 127) + 1,
            (word >> 15 & 1023) + 1,
            (word & kHasRows) != 0 ? second : 0,
            (word & kShort) != 0,
            (word & kFineLengths) != 0,
            (word & kMovesRepeats) != 0};
  }
  static constexpr uint32_t kHasRows = 1u << 25, kShort = 1u << 26, kFineLengths = 1u << 27, kMovesRepeats = 1u << 28,
                            kUnused = 0xe0000000u;
  /// Whether a short header has the one block that it may have, and a tile whose repeats move the one lane.
  constexpr bool has_valid_counts() const { return (!is_short || blocks == 1) && (!moves_repeats || lanes_log == 0); }
  /// Whether a tile of `bytes` bytes may have these rows.
  static constexpr bool is_row(uint32_t row_words, size_t bytes) {
    return row_words != 0 && row_words < (bytes + 3) / 4;
  }
};

struct BlockHeader {
  uint32_t size = 1;
  uint32_t sequences = 0;
  TableMode literals = TableMode::given;  ///< given: 8 bits each
  std::array<TableMode, kFields> fields{};
  uint32_t low_bits = 2;  ///< of offsets, if that table is used
  uint32_t tables = 1;    ///< of literals, with descriptions
  uint32_t map = 0;       ///< the table of each context, 2 bits each
  uint32_t set = 0;       ///< of the models that describe own literal tables

  constexpr uint32_t pack_first() const {
    uint32_t word = (size - 1) | static_cast<uint32_t>(literals) << 17;
    for (uint32_t f = 0; f < kFields; ++f) word |= (static_cast<uint32_t>(fields[f]) & 3) << (19 + 2 * f);
    return word | (low_bits - 2) << 27 | set << 28;
  }
  constexpr uint32_t pack_second() const { return sequences | (tables - 1) << 14 | map << 16; }
  /// Completes what was unpacked. `in_force`: the fields that have a table.
  constexpr void complete(const std::array<bool, kFields>& in_force) {
    for (uint32_t f = 0; f < kFields; ++f)
      if (fields[f] == TableMode::previous && !in_force[f]) fields[f] = TableMode::own_rare;
  }
  /// Both, if the size is the tile's and the second fits where the first has the size.
  constexpr bool fits_short() const { return pack_second() < kMaxBlockBytes; }
  constexpr uint32_t pack_short() const { return (pack_first() & ~(kMaxBlockBytes - 1)) | pack_second(); }
  static constexpr BlockHeader unpack(uint32_t first, uint32_t second) {
    BlockHeader header;
    header.size = (first & (kMaxBlockBytes - 1)) + 1;
    header.literals = static_cast<TableMode>(first >> 17 & 3);
    for (uint32_t f = 0; f < kFields; ++f) header.fields[f] = static_cast<TableMode>(first >> (19 + 2 * f) & 3);
    header.low_bits = (first >> 27 & 1) + 2;
    header.set = first >> 28 & (kLengthSets - 1);
    header.sequences = second & 0x3fff;
    header.tables = (second >> 14 & 3) + 1;
    header.map = second >> 16;
    return header;
  }
  /// Of a tile of `bytes` bytes, which differs from the size if that is more than a block may have.
  static constexpr BlockHeader unpack_short(uint32_t word, size_t bytes) {
    constexpr uint32_t kOfSecond = kMaxBlockBytes - 1;
    return unpack((word & ~kOfSecond) | (static_cast<uint32_t>(bytes - 1) & kOfSecond), word & kOfSecond);
  }
  /// The table of a context in a map.
  static constexpr uint32_t table_of(uint32_t map, uint32_t context) { return map >> (2 * context) & 3; }
  /// Whether the numbers of literal tables are ones that the mode of literals may have.
  constexpr bool has_valid_tables() const {
    if (literals != TableMode::own) return literals != TableMode::own_sparse && tables == 1 && map == 0 && set == 0;
    for (uint32_t context = 0; context < kLiteralContexts; ++context)
      if (table_of(map, context) >= tables) return false;
    return true;
  }
};
static_assert(kMaxBlockSequences < 1u << 14);

/// Literals of a lane in a round of `round` literals: whole words of four.
constexpr uint32_t literals_per_lane(uint32_t round, uint32_t lanes_log) {
  return 4 * ((round + (4u << lanes_log) - 1) >> (lanes_log + 2));
}
constexpr uint32_t kMaxLiteralsPerLane = 16;
/// Literals of the next round of a block that has `left` more. All rounds are full but the first, so that the last is;
/// whole words of four come before it, so that it may lack up to three.
constexpr uint32_t literals_of_round(size_t left, uint32_t lanes_log) {
  const uint32_t words = static_cast<uint32_t>((left + 3) / 4), most = kMaxLiteralsPerLane / 4 << lanes_log;
  return static_cast<uint32_t>(std::min<size_t>(left, 4 * (((words - 1) & (most - 1)) + 1)));
}
constexpr uint32_t literals_of_last_round(size_t literals, uint32_t lanes_log) {
  const size_t words = (literals + 3) / 4, most = size_t{kMaxLiteralsPerLane / 4} << lanes_log;
  return static_cast<uint32_t>(literals - 4 * (std::max(words, most) - most));
}
/// A tile's last round ends in exact steps, up to kExactSteps. Before each, lanes take bytes that their literals need,
/// in kByteTurns turns.
constexpr uint32_t kExactSteps = 8, kByteTurns = 2;
static_assert(kMaxCodeLength <= 8 * kByteTurns);
constexpr uint32_t exact_steps_of(uint32_t per_lane) { return std::min(per_lane, kExactSteps); }
/// Byte number `at` of words.
constexpr uint32_t byte_of_words(const uint32_t* words, size_t at) { return words[at / 4] >> (8 * (at % 4)) & 255; }

}  // namespace weft::gstd
