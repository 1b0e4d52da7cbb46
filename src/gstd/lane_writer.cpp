// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/lane_writer.hpp"

#include <algorithm>
#include <array>

namespace weft::gstd {

namespace {

uint32_t code_of(uint32_t literal) { return literal & 0xffff; }
uint32_t bits_of(uint32_t literal) { return literal >> 16; }

// Bits of symbols; those decoded first are the highest.
struct SymbolBits {
  uint32_t value = 0, bits = 0;

  // Turns the state after a symbol into the one before it.
  void encode(uint32_t packed, uint32_t& state) {
    const uint32_t frequency = packed & 0xffff, base = packed >> 16;
    const uint32_t divisor = RansStep::kDivisors[frequency], scale = divisor >> RansStep::kScaleAt;
    const uint32_t shift = scale - (kStateLog - kRansLog) - (state < frequency << scale ? 1 : 0);
    const uint32_t kept = state >> shift;
    value |= (state & ((1u << shift) - 1)) << bits;
    bits += shift;
    const uint32_t quotient = kept * (divisor & ((1u << RansStep::kScaleAt) - 1)) >> RansStep::kReciprocalLog;
    state = quotient << kRansLog | (base + kept - quotient * frequency);
  }
  uint32_t row() const { return value | bits << kRowBitsAt; }
};

void encode_batch(const SequenceBatch& batch, uint32_t* states, SymbolRow* rows) {
  const CodedSequences& from = *batch.sequences;
  const auto& packed = batch.codes->packed;
  for (uint32_t lane = 0; lane < batch.count; ++lane) {
    const size_t at = batch.first + lane;
    uint32_t state = states[lane];
    if (batch.has_low_bits()) {
      SymbolBits low;
      if (from.offset_bits.items[at] >= batch.codes->low_bits)
        low.encode(packed[kLowBits][from.offset_extra.items[at] & ((1u << batch.codes->low_bits) - 1)], state);
      rows[1][lane] = low.row();
    }
    SymbolBits symbols;
    for (uint32_t field = kLowBits; field-- != 0;) symbols.encode(packed[field][from.symbols[field].items[at]], state);
    rows[0][lane] = symbols.row();
    states[lane] = state;
  }
}

// Output words, lane by lane.
struct Streams : LaneQueues {
  std::array<uint32_t, kMaxLanes> dropped{};  // coming bits that a released state holds

  void put_needed(uint32_t& now, uint32_t lane, uint32_t need, uint32_t value, uint32_t bits) {
    // The sign of a difference in place of a comparison, which compilers make a branch of.
    put(now, lane, (available[lane] - need) >> 31, value, bits);
  }
  void put_behind_release(uint32_t lane, uint32_t need, uint32_t value, uint32_t bits) {
    const uint32_t takes = available[lane] + dropped[lane] < need ? 1 : 0;
    const uint32_t done = std::min(bits, dropped[lane]), left = bits - done;
    dropped[lane] -= done;
    put(read, lane, takes, static_cast<uint32_t>(value & ((uint64_t{1} << left) - 1)), left);
  }
  bool has_dropped() const {
    return std::any_of(dropped.begin(), dropped.end(), [](uint32_t bits) { return bits != 0; });
  }
  void uniform(uint32_t word) { words[read++] = word; }

  void sequences(const SequenceBatch& batch, const SymbolRow* rows) {
    const CodedSequences& from = *batch.sequences;
    constexpr uint32_t kValues = (1u << kRowBitsAt) - 1;
    uint32_t now = read;
    for (uint32_t lane = 0; lane < batch.count; ++lane)
      put_needed(now, lane, kLowBits * kRansLog, rows[0][lane] & kValues, rows[0][lane] >> kRowBitsAt);
    const uint32_t low_bits = batch.codes->low_bits;
    const uint8_t* const offset_bits = from.offset_bits.items.get() + batch.first;
    const auto has_low = [&](uint32_t lane) { return batch.has_low_bits() && offset_bits[lane] >= low_bits; };
    if (batch.has_low_bits())
      for (uint32_t lane = 0; lane < batch.count; ++lane)
        put_needed(now, lane, has_low(lane) ? kRansLog : 0, rows[1][lane] & kValues, rows[1][lane] >> kRowBitsAt);
    for (uint32_t lane = 0; lane < batch.count; ++lane) {
      const uint32_t low = has_low(lane) ? low_bits : 0, bits = offset_bits[lane] - low;
      put_needed(now, lane, bits, from.offset_extra.items[batch.first + lane] >> low, bits);
    }
    for (uint32_t lane = 0; lane < batch.count; ++lane) {
      const uint32_t bits = from.length_bits.items[batch.first + lane];
      put_needed(now, lane, bits, from.length_extra.items[batch.first + lane], bits);
    }
    read = now;
  }

  // Writes one round. Returns the number of its literals.
  uint32_t round_behind_release(const BlockLiterals& block, uint32_t first, uint32_t lanes_log) {
    const uint32_t count = literals_of_round(block.count - first, lanes_log);
    const uint32_t per_lane = literals_per_lane(count, lanes_log), steps = block.steps(first, count, lanes_log);
    for (uint32_t step = 0; step < steps; step += 2)
      for (uint32_t lane = 0, at = step; at < count; ++lane, at += per_lane) {
        const bool has_two = at + 1 < count;
        const uint32_t one = block.code(first + at), two = has_two ? block.code(first + at + 1) : 0;
        put_behind_release(lane, has_two ? 2 * block.longest : block.longest,
                           code_of(one) << bits_of(two) | code_of(two), bits_of(one) + bits_of(two));
      }
    return count;
  }
  template <bool has_bytes>
  uint32_t round(const BlockLiterals& block, uint32_t first, uint32_t lanes_log) {
    const uint32_t count = literals_of_round(block.count - first, lanes_log);
    const uint32_t per_lane = literals_per_lane(count, lanes_log), longest = block.longest;
    const uint32_t steps = block.steps(first, count, lanes_log);
    const auto code_at = [&](uint32_t literal) { return block.codes[has_bytes ? block.bytes[literal] : literal]; };
    uint32_t now = read;
    for (uint32_t step = 0; step < steps; step += 2) {
      // Lanes with two literals, then at most one lane with one.
      uint32_t lane = 0, at = step;
      for (; at + 1 < count; ++lane, at += per_lane) {
        const uint32_t one = code_at(first + at), two = code_at(first + at + 1);
        put_needed(now, lane, 2 * longest, code_of(one) << bits_of(two) | code_of(two), bits_of(one) + bits_of(two));
      }
      for (; at < count; ++lane, at += per_lane) {
        const uint32_t one = code_at(first + at);
        put_needed(now, lane, longest, code_of(one), bits_of(one));
      }
    }
    read = now;
    return count;
  }
  // The last steps of the tile's last round. Bits that lanes' words have no room for go to their bytes.
  void exact_steps(const BlockLiterals& block, uint32_t lanes_log) {
    const uint32_t count = literals_of_last_round(block.count, lanes_log), first = block.count - count;
    const uint32_t per_lane = literals_per_lane(count, lanes_log);
    struct Bytes {
      std::array<uint32_t, 4> at;  // of those that are not full, by their number
      uint32_t taken = 0, full = 0;
      uint32_t value = 0, bits = 0;  // of the byte that is being filled
    };
    std::array<Bytes, kMaxLanes> lanes;
    std::fill_n(words + read, kByteTurns * kExactSteps * kMaxLanes / 4, 0u);
    uint32_t bytes = 0;
    const auto write = [&](const Bytes& of, uint32_t byte) {
      const uint32_t at = of.at[of.full % 4];
      words[read + at / 4] |= (byte & 255) << (8 * (at % 4));
    };
    for (uint32_t step = per_lane - exact_steps_of(per_lane); step < per_lane; ++step) {
      for (uint32_t turn = 0; turn < kByteTurns; ++turn)
        for (uint32_t lane = 0, at = step; at < count; ++lane, at += per_lane) {
          Bytes& of = lanes[lane];
          const uint32_t has = dropped[lane] + available[lane] + 8 * (of.taken - of.full) - of.bits;
          if (has < bits_of(block.code(first + at))) of.at[of.taken++ % 4] = bytes++;
        }
      for (uint32_t lane = 0, at = step; at < count; ++lane, at += per_lane) {
        Bytes& of = lanes[lane];
        const uint32_t code = block.code(first + at);
        const uint32_t to_state = std::min(bits_of(code), dropped[lane]);
        const uint32_t to_word = std::min(bits_of(code) - to_state, available[lane]);
        const uint32_t to_bytes = bits_of(code) - to_state - to_word;
        dropped[lane] -= to_state;
        put(read, lane, 0, code_of(code) >> to_bytes & ((1u << to_word) - 1), to_word);
        of.value = of.value << to_bytes | (code_of(code) & ((1u << to_bytes) - 1));
        for (of.bits += to_bytes; of.bits >= 8; ++of.full) write(of, of.value >> (of.bits -= 8));
      }
    }
    for (const Bytes& of : lanes)
      if (of.bits != 0) write(of, of.value << (8 - of.bits));
    read += (bytes + 3) / 4;
  }
  void literals(const BlockLiterals& block, uint32_t lanes_log, const VectorSteps* steps) {
    uint32_t first = 0;
    while (first < block.count && has_dropped()) first += round_behind_release(block, first, lanes_log);
    if (steps != nullptr)
      steps->put_literals(*this, block, first, lanes_log);
    else
      while (first < block.count)
        first += block.bytes != nullptr ? round<true>(block, first, lanes_log) : round<false>(block, first, lanes_log);
    if (block.last) exact_steps(block, lanes_log);
  }
};

}  // namespace

void LaneWriter::look_ahead(const Record* record, uint32_t lanes_log, uint32_t* ahead) const {
  const uint32_t lanes = 1u << lanes_log;
  std::array<uint32_t, kMaxLanes> missing{};
  std::fill_n(missing.begin(), lanes, kStateLog);
  std::fill_n(ahead, lanes, 0u);
  const auto add = [&](uint32_t lane, uint32_t value, uint32_t bits) {
    const uint32_t room = missing[lane];
    ahead[lane] |= bits <= room ? value << (room - bits) : value >> (bits - room);
    missing[lane] -= std::min(bits, room);
  };
  for (const Record* const end = records_.items.get() + records_.size; record != end; ++record) {
    if (record->kind() == kBits) add(record->lane(), record->value, record->bits());
    if (record->kind() != kLiterals) continue;
    const BlockLiterals& block = literals_.items[record->value];
    for (uint32_t done = 0; done < block.count;) {
      const uint32_t count = literals_of_round(block.count - done, lanes_log);
      const uint32_t per_lane = literals_per_lane(count, lanes_log);
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t code = block.code(done + i);
        add(i / per_lane, code_of(code), bits_of(code));
      }
      done += count;
      if (std::all_of(missing.begin(), missing.end(), [](uint32_t bits) { return bits == 0; })) return;
    }
  }
}

size_t LaneWriter::encode_symbols(const TileHeader& header, uint32_t* states) {
  constexpr size_t kStepsOfSequence = 4;
  Record* const records = records_.items.get();
  size_t symbol = symbols_.size, room = 0;
  rows_.clear();
  SymbolRow* const rows = rows_.more(2 * batches_.size);
  for (size_t i = records_.size; i-- != 0;) {
    Record& record = records[i];
    ++room;
    switch (record.kind()) {
      case kSymbols: {
        SymbolBits symbols;
        for (uint32_t left = record.value; left != 0; --left)
          symbols.encode(symbols_.items[--symbol], states[record.lane()]);
        record = {symbols.value, head(kBits, record.lane(), record.need(), symbols.bits)};
        break;
      }
      case kSequences: {
        const SequenceBatch& batch = batches_.items[record.value];
        (steps_ != nullptr ? steps_->encode_symbols : encode_batch)(batch, states, rows + 2 * size_t{record.value});
        room += kStepsOfSequence * batch.count;
        break;
      }
      case kLiterals: {
        // Two at a time, except in a lane with an odd number, and in exact steps.
        const uint32_t count = literals_.items[record.value].count;
        room += count / 2 + (size_t{count} / (kMaxLiteralsPerLane << header.lanes_log) + 1 + kExactSteps) * kMaxLanes;
        break;
      }
      case kStates: room += kMaxLanes; break;
      case kRelease: {
        uint32_t ahead[kMaxLanes];
        look_ahead(&record + 1, header.lanes_log, ahead);
        for (uint32_t lane = 0; lane < 1u << header.lanes_log; ++lane) states[lane] = kStateLow | ahead[lane];
        break;
      }
      default: break;
    }
  }
  return room;
}

bool LaneWriter::finish(TileHeader header, std::vector<uint32_t>& words) {
  const uint32_t lanes = 1u << header.lanes_log;
  std::array<uint32_t, kMaxLanes> states;
  states.fill(kStateLow);
  const size_t room = encode_symbols(header, states.data());
  words_.clear();
  Streams streams;
  streams.words = words_.more(room + 3);  // one that is unused, and the header

  streams.uniform(header.pack());
  if (header.row_words != 0) streams.uniform(header.row_words);
  bool released = false;
  const Record* const end = records_.items.get() + records_.size;
  for (const Record* record = records_.items.get(); record != end; ++record) {
    switch (record->kind()) {
      case kBits:
        if (released)
          streams.put_behind_release(record->lane(), record->need(), record->value, record->bits());
        else
          streams.put_needed(streams.read, record->lane(), record->need(), record->value, record->bits());
        break;
      case kSequences: {
        const SequenceBatch& batch = batches_.items[record->value];
        const SymbolRow* const rows = rows_.items.get() + 2 * size_t{record->value};
        if (steps_ != nullptr)
          steps_->put_sequences(streams, batch, rows);
        else
          streams.sequences(batch, rows);
        break;
      }
      case kLiterals: streams.literals(literals_.items[record->value], header.lanes_log, steps_); break;
      case kUniform: streams.uniform(record->value); break;
      case kRelease:
        // The states already hold the first bits after the release.
        for (uint32_t lane = 0; lane < lanes; ++lane) {
          if (streams.available[lane] + kStateLog > 64) return false;
          streams.dropped[lane] = kStateLog;
        }
        released = true;
        break;
      default:
        for (uint32_t lane = 0; lane < lanes; ++lane)
          streams.put_needed(streams.read, lane, kStateLog, states[lane] - kStateLow, kStateLog);
    }
  }
  // The rest of words that the decoder takes.
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    streams.words[streams.slot[lane]] = streams.pending[lane];
    streams.words[streams.next[lane]] = 0;
  }
  words.insert(words.end(), streams.words + 1, streams.words + streams.read);
  return true;
}

}  // namespace weft::gstd
