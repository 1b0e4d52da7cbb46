// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The encoder's lanes, and its inner loops by vector instructions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gstd/format.hpp"
#include "gstd/tile.hpp"

namespace weft::gstd {

/// A vector with uninitialized elements.
template <class T>
struct Buffer {
  std::unique_ptr<T[]> items;
  size_t size = 0, capacity = 0;

  void clear() { size = 0; }
  T* more(size_t count) {
    if (capacity - size < count) grow(count);
    size += count;
    return items.get() + (size - count);
  }
  void grow(size_t count) {
    capacity = 2 * capacity + std::max<size_t>(count, 4096);
    std::unique_ptr<T[]> larger(new T[capacity]);
    std::copy_n(items.get(), size, larger.get());
    items = std::move(larger);
  }
};

/// Coded sequences, an array for each field; those of a batch are contiguous. The extra bits
/// of both lengths are adjacent.
struct CodedSequences {
  std::array<Buffer<uint8_t>, kLowBits> symbols;
  Buffer<uint8_t> offset_bits, length_bits;
  Buffer<uint32_t> offset_extra, length_extra;

  static constexpr size_t kSlack = 16;  ///< that may be read past the last

  /// Leaves the contents undefined.
  void resize(size_t count) {
    const auto set = [&](auto& buffer) {
      buffer.clear();
      buffer.more(count + kSlack);
    };
    for (Buffer<uint8_t>& buffer : symbols) set(buffer);
    set(offset_bits);
    set(length_bits);
    set(offset_extra);
    set(length_extra);
  }
};

/// Frequency | base << 16 of a block's symbols, by field.
struct FieldCodes {
  alignas(64) std::array<std::array<uint32_t, kMaxFieldSymbols>, kFields> packed;
  uint32_t low_bits = kNone;  ///< of offsets, in a table

  static constexpr uint32_t kNone = 32;
};

/// A batch's sequences, at most one a lane.
struct SequenceBatch {
  const CodedSequences* sequences;
  const FieldCodes* codes;
  uint32_t first, count;

  bool has_low_bits() const { return codes->low_bits != FieldCodes::kNone; }
};

/// A block's literals, at least one. Code | bits << 16 of each, by its byte or, without bytes, by its number.
struct BlockLiterals {
  const uint8_t* bytes;  ///< kLiteralReadSlack bytes past them may be read
  const uint32_t* codes;
  uint32_t count, longest;  ///< longest: upper bound of a code's bits
  bool last;                ///< of the tile's last block

  uint32_t code(size_t literal) const { return codes[bytes == nullptr ? literal : bytes[literal]]; }
  /// Steps of a round of `literals` from number `first` on that are not exact.
  uint32_t steps(uint32_t first, uint32_t literals, uint32_t lanes_log) const {
    const uint32_t per_lane = literals_per_lane(literals, lanes_log);
    return per_lane - (last && first + literals == count ? exact_steps_of(per_lane) : 0);
  }
};
constexpr uint32_t kLiteralReadSlack = 16;

/// A state's step for a symbol: the bits that bring it below 16 times the frequency, then a quotient.
struct RansStep {
  // Exact for dividends below 16 times the frequency.
  static constexpr uint32_t kReciprocalLog = 22, kScaleAt = 24;

  /// 2^kReciprocalLog / frequency, rounded up; above it, the shift that brings the frequency to kStateLow or more.
  static constexpr std::array<uint32_t, kRansSlots + 1> kDivisors = [] {
    std::array<uint32_t, kRansSlots + 1> table{};
    for (uint32_t f = 1; f <= kRansSlots; ++f)
      table[f] = (((1u << kReciprocalLog) + f - 1) / f) | (kStateLog + 1 - static_cast<uint32_t>(std::bit_width(f)))
                                                              << kScaleAt;
    return table;
  }();
};

/// Lanes' bits before they are words. A word's position is determined by when the decoder takes it;
/// it is written when it is full.
struct LaneQueues {
  alignas(
      64) std::array<uint32_t, kMaxLanes> pending{};  ///< bits that fill no word yet, the first highest, zeros after
  alignas(64)
      std::array<uint32_t, kMaxLanes> available{};  ///< bits of words that the decoder has, and that are not here yet
  alignas(64) std::array<uint32_t, kMaxLanes> slot{};  ///< of the word that is being filled; 0: there is none
  alignas(64) std::array<uint32_t, kMaxLanes> next{};  ///< and of the one after it
  uint32_t* words = nullptr;                           ///< words[0] is none: what has no position goes there
  uint32_t read = 1;                                   ///< the decoder's read position

  /// The lane takes a word if `takes` is 1, then appends `bits` bits, at most 32. Without branches, which could not be
  /// predicted. The caller has the read position, so that loops over lanes keep it in a register.
  void put(uint32_t& now, uint32_t lane, uint32_t takes, uint32_t value, uint32_t bits) {
    const uint32_t before = available[lane], fresh = now & (0 - takes);
    const uint32_t is_empty = 0 - ((before - 1) >> 31);
    const uint32_t at = slot[lane] | (fresh & is_empty), behind = next[lane] | (fresh & ~is_empty);
    const uint32_t filled = (0 - before) & 31;
    const uint64_t all = uint64_t{pending[lane]} << 32 | uint64_t{value} << 1 << (63 - filled - bits);
    const uint32_t is_full = 0 - ((filled + bits) >> 5);
    words[at] = static_cast<uint32_t>(all >> 32);
    pending[lane] = static_cast<uint32_t>(all << (is_full & 32) >> 32);
    slot[lane] = at ^ ((at ^ behind) & is_full);
    next[lane] = behind & ~is_full;
    available[lane] = before + 32 * takes - bits;
    now += takes;
  }
};

/// A batch's rANS output: value | bits << kRowBitsAt of each lane, for the three fields
/// together; then for low bits, if any.
using SymbolRow = std::array<uint32_t, kMaxLanes>;
constexpr uint32_t kRowBitsAt = 27;

/// Inner loops for 32 lanes.
struct VectorSteps {
  /// Turns the states after a batch into those before it.
  void (*encode_symbols)(const SequenceBatch& batch, uint32_t* states, SymbolRow* rows);
  void (*put_sequences)(LaneQueues& queues, const SequenceBatch& batch, const SymbolRow* rows);
  /// Puts a block's literals from `first` on, but for exact steps.
  void (*put_literals)(LaneQueues& queues, const BlockLiterals& block, uint32_t first, uint32_t lanes_log);
};

/// By the widest that the processor has, up to `most`. Null if there are none.
const VectorSteps* vector_steps(Vectors most);

}  // namespace weft::gstd
