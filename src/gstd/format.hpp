// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Numbers of the tile format, for encoder and decoders. docs/gstd-format.md defines them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace weft::gstd {

constexpr uint32_t kMaxLanes = 32, kMaxLanesLog = 5;
constexpr uint32_t kMaxBlockLog = 17, kMaxBlockBytes = 1u << kMaxBlockLog;
constexpr uint32_t kMaxStride = 128;

// rANS: a symbol takes from 0 to kRansLog bits.
constexpr uint32_t kRansLog = 9, kRansSlots = 1u << kRansLog;
constexpr uint32_t kStateLog = 12, kStateLow = 1u << kStateLog;

constexpr uint32_t kMaxCodeLength = 11, kLengthSymbols = kMaxCodeLength + 1;
constexpr uint32_t kMaxLiteralTables = 8, kMaxLiteralContexts = 16;

constexpr uint32_t kMinMatch = 3;

/// What a decoder keeps of a block: a byte for each literal, and kSequenceWork for each sequence.
constexpr uint32_t kMaxBlockWork = 1u << 16, kSequenceWork = 8;
/// The most that a block of a tile of `bytes` bytes may have.
constexpr uint32_t max_block_work(size_t bytes) {
  return bytes > kMaxBlockWork / 2 ? kMaxBlockWork : kMaxBlockWork / 2;
}
constexpr uint32_t kMaxBlockSequences = kMaxBlockWork / kSequenceWork;

/// Tables of a sequence's fields.
enum Field : uint32_t { kLiteralLength, kOffset, kMatchLength, kLowBits, kFields };
constexpr std::array<uint32_t, kFields> kFieldSymbols = {42, 78, 56, 8};
constexpr uint32_t kAllFieldSymbols = 42 + 78 + 56 + 8;
constexpr uint32_t kMaxFieldSymbols = 78;
constexpr uint32_t kRepeats = 3;
constexpr std::array<uint32_t, kRepeats> kFirstRepeats = {1, 4, 8};

/// The source of a table.
enum class TableMode : uint32_t { given, own, previous, shared };

/// A value as a symbol and extra bits.
struct Coded {
  uint32_t symbol = 0, extra_bits = 0, extra = 0;
};

/// A value below 2^direct is its own symbol; another has one for its highest bit's position and the bit below.
constexpr Coded code_length(uint32_t value, uint32_t direct) {
  if (value < 1u << direct) return {value, 0, 0};
  const uint32_t top = static_cast<uint32_t>(std::bit_width(value)) - 1;
  return {(1u << direct) + 2 * (top - direct) + (value >> (top - 1) & 1), top - 1, value & ((1u << (top - 1)) - 1)};
}
constexpr uint32_t length_extra_bits(uint32_t symbol, uint32_t direct) {
  return symbol < 1u << direct ? 0 : (symbol - (1u << direct)) / 2 + direct - 1;
}
constexpr uint32_t length_base(uint32_t symbol, uint32_t direct) {
  if (symbol < 1u << direct) return symbol;
  return (2 + (symbol & 1)) << length_extra_bits(symbol, direct);
}
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
constexpr uint32_t kLiteralLengthDirect = 4, kMatchLengthDirect = 5;
static_assert(code_offset((1u << 20) - 1).symbol + 1 == kFieldSymbols[kOffset]);
static_assert(offset_base(kFieldSymbols[kOffset] - 1) == 7u << 17 && offset_extra_bits(kRepeats + 7) == 1);
static_assert(code_length(kMaxBlockBytes - 1, kLiteralLengthDirect).symbol + 1 == kFieldSymbols[kLiteralLength]);
static_assert(code_length(kMaxBlockBytes - 1, kMatchLengthDirect).symbol + 1 == kFieldSymbols[kMatchLength]);

// Classes of the weights that describe frequencies: absent, 0, then octaves with up to kWeightBits extra bits.
constexpr uint32_t kWeightClasses = 11, kWeightBits = 3;
constexpr uint32_t weight_extra_bits(uint32_t weight_class) {
  return weight_class < 3 ? 0 : std::min(weight_class - 2, kWeightBits);
}

/// Literal contexts.
enum class ContextMode : uint32_t { none, position, previous, count };

constexpr uint32_t kNoLiteral = 256;  // in place of the literal before a run's first

/// Class of a literal as a context: by its absolute value as a signed byte.
constexpr uint32_t literal_class(uint32_t literal) {
  if (literal == kNoLiteral) return 0;
  const uint32_t magnitude = literal < 128 ? literal : 256 - literal;
  return std::min<uint32_t>(1 + static_cast<uint32_t>(std::bit_width(magnitude)), 7);
}

/// The number of contexts of a mode with a parameter; 0: the parameter is invalid.
constexpr uint32_t context_count(ContextMode mode, uint32_t parameter) {
  switch (mode) {
    case ContextMode::none: return parameter == 0 ? 1 : 0;
    case ContextMode::position: return parameter >= 2 && parameter <= kMaxLiteralContexts ? parameter : 0;
    case ContextMode::previous: return parameter == 0 ? 8 : 0;
    default: return 0;
  }
}
constexpr uint32_t literal_context(ContextMode mode, uint32_t parameter, uint32_t position, uint32_t previous) {
  switch (mode) {
    case ContextMode::position: return position % parameter;
    case ContextMode::previous: return literal_class(previous);
    default: return 0;
  }
}

struct TileHeader {
  uint32_t lanes_log = 0;
  bool states_released = false;  ///< into the FIFOs, at the end
  uint32_t filter = 0, stride = 1;
  uint32_t blocks = 1;

  constexpr uint32_t pack() const {
    return lanes_log | uint32_t{states_released} << 3 | filter << 4 | (stride - 1) << 8 | (blocks - 1) << 15;
  }
  static constexpr TileHeader unpack(uint32_t word) {
    return {word & 7, (word >> 3 & 1) != 0, word >> 4 & 15, (word >> 8 & 127) + 1, (word >> 15 & 1023) + 1};
  }
  static constexpr uint32_t kUnused = 0xfe000000u;
};

struct BlockHeader {
  uint32_t size = 1;
  uint32_t sequences = 0;
  TableMode literals = TableMode::given;  ///< given: 8 bits each
  std::array<TableMode, kFields> fields{};
  uint32_t low_bits = 2;  ///< of offsets, if that table is used
  ContextMode contexts = ContextMode::none;
  uint32_t parameter = 0;
  uint32_t tables = 1;          ///< of literals, with descriptions
  bool first_relative = false;  ///< whether the first description is relative

  constexpr uint32_t pack_first() const {
    uint32_t word = (size - 1) | static_cast<uint32_t>(literals) << 17;
    for (uint32_t f = 0; f < kFields; ++f) word |= static_cast<uint32_t>(fields[f]) << (19 + 2 * f);
    return word | (low_bits - 2) << 27 | static_cast<uint32_t>(contexts) << 28;
  }
  constexpr uint32_t pack_second() const {
    return sequences | parameter << 16 | (tables - 1) << 24 | uint32_t{first_relative} << 27;
  }
  static constexpr BlockHeader unpack(uint32_t first, uint32_t second) {
    BlockHeader header;
    header.size = (first & (kMaxBlockBytes - 1)) + 1;
    header.literals = static_cast<TableMode>(first >> 17 & 3);
    for (uint32_t f = 0; f < kFields; ++f) header.fields[f] = static_cast<TableMode>(first >> (19 + 2 * f) & 3);
    header.low_bits = (first >> 27 & 1) + 2;
    header.contexts = static_cast<ContextMode>(first >> 28);
    header.sequences = second & 0xffff;
    header.parameter = second >> 16 & 255;
    header.tables = (second >> 24 & 7) + 1;
    header.first_relative = (second >> 27 & 1) != 0;
    return header;
  }
  static constexpr uint32_t kUnusedOfSecond = 0xf0000000u;
};

/// Literals of a lane in a round of `round` literals.
constexpr uint32_t literals_per_lane(uint32_t round, uint32_t lanes_log) {
  uint32_t log = 0;
  while (round > 1u << (lanes_log + log)) ++log;
  return 1u << log;
}
constexpr uint32_t kMaxLiteralsPerLane = 8;

}  // namespace weft::gstd
