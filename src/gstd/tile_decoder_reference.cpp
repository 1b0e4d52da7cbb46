// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The format's document as code, without regard to speed.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "gstd/coding.hpp"
#include "gstd/filters.hpp"
#include "gstd/format.hpp"
#include "gstd/models.hpp"
#include "gstd/tile.hpp"

namespace weft::gstd {

const char* name_of(Reason reason) {
  switch (reason) {
    case Reason::none: return "none";
    case Reason::truncated: return "truncated";
    case Reason::bad_header: return "bad header";
    case Reason::bad_table: return "bad table";
    case Reason::bad_sequence: return "bad sequence";
    case Reason::bad_offset: return "bad offset";
    case Reason::bad_length: return "bad length";
    case Reason::bad_final_state: return "bad final state";
    case Reason::bad_padding: return "bad padding";
  }
  return "?";
}

namespace {

struct Sequence {
  uint32_t literals = 0, match = 0, offset = 0;
  uint32_t symbols[kFields]{};
};

class ReferenceDecoder {
 public:
  ReferenceDecoder(std::span<const uint32_t> words, std::span<std::byte> output) : words_(words), output_(output) {}

  TileVerdict run() {
    const Reason reason = tile();
    const size_t at = reason == Reason::none ? 0 : reason == Reason::truncated ? words_.size() : position_;
    return {reason, static_cast<uint32_t>(at)};
  }

 private:
  // The word stream. Words past its end read as 0; each step ends with a check of `truncated_`.

  uint32_t uniform() {
    if (position_ == words_.size()) {
      truncated_ = true;
      return 0;
    }
    return words_[position_++];
  }

  void refill(uint32_t lane, uint32_t need) {
    if (bits_[lane] >= need) return;
    fifos_[lane] = fifos_[lane] << 32 | uniform();
    bits_[lane] += 32;
  }

  void refill_by_byte(uint32_t lane, uint32_t need) {
    if (bits_[lane] >= need) return;
    const size_t at = 4 * position_ + bytes_++;
    truncated_ = at >= 4 * words_.size();
    fifos_[lane] = fifos_[lane] << 8 | (truncated_ ? 0 : byte_of_words(words_.data(), at));
    bits_[lane] += 8;
  }

  // Moves the read position past the bytes' last word.
  void end_bytes() {
    for (; bytes_ % 4 != 0; ++bytes_) has_padding_ |= byte_of_words(words_.data(), 4 * position_ + bytes_) != 0;
    position_ += bytes_ / 4;
  }

  uint32_t take(uint32_t lane, uint32_t count) {
    // A full queue has 64 bits, and a shift by 64 is undefined.
    if (count == 0) return 0;
    bits_[lane] -= count;
    const uint64_t value = fifos_[lane] >> bits_[lane];
    fifos_[lane] &= (uint64_t{1} << bits_[lane]) - 1;
    return static_cast<uint32_t>(value);
  }

  uint32_t rans(uint32_t lane, const RansTable& table) {
    uint32_t& state = states_[lane];
    const uint32_t slot = state % kRansSlots, symbol = table.symbol[slot];
    state = table.frequency[symbol] * (state >> kRansLog) + slot - table.base[symbol];
    const uint32_t shift = kStateLog + 1 - static_cast<uint32_t>(std::bit_width(state));
    state = state << shift | take(lane, shift);
    return symbol;
  }

  Reason tile() {
    const uint32_t word = uniform();
    if (truncated_) return Reason::truncated;
    const bool has_rows = (word & TileHeader::kHasRows) != 0;
    header_ = TileHeader::unpack(word, 0);
    if ((word & TileHeader::kUnused) != 0 || header_.lanes_log > kMaxLanesLog ||
        !is_filter(header_.filter, header_.stride, has_rows) || !header_.has_valid_counts() || output_.empty() ||
        output_.size() > kMaxTileBytes)
      return Reason::bad_header;
    if (has_rows) {
      header_.row_words = uniform();
      if (truncated_) return Reason::truncated;
      if (!TileHeader::is_row(header_.row_words, output_.size())) return Reason::bad_header;
    }
    lanes_ = 1u << header_.lanes_log;

    for (uint32_t lane = 0; lane < lanes_; ++lane) refill(lane, kStateLog);
    if (truncated_) return Reason::truncated;
    for (uint32_t lane = 0; lane < lanes_; ++lane) states_[lane] = kStateLow | take(lane, kStateLog);

    for (uint32_t b = 0; b < header_.blocks; ++b)
      if (const Reason reason = block(b + 1 == header_.blocks); reason != Reason::none) return reason;

    if (!header_.states_released)
      for (uint32_t lane = 0; lane < lanes_; ++lane)
        if (states_[lane] != kStateLow) return Reason::bad_final_state;
    for (uint32_t lane = 0; lane < lanes_; ++lane)
      if (fifos_[lane] != 0) return Reason::bad_padding;
    if (has_padding_ || position_ != words_.size()) return Reason::bad_padding;

    const auto scratch = std::make_unique<std::byte[]>(output_.size());
    invert_filter({static_cast<Filter>(header_.filter), header_.stride, header_.row_words}, output_,
                  {scratch.get(), output_.size()}, Vectors::none);
    return Reason::none;
  }

  Reason block(bool last) {
    const uint32_t first = uniform(), second = header_.is_short ? 0 : uniform();
    if (truncated_) return Reason::truncated;
    BlockHeader block =
        header_.is_short ? BlockHeader::unpack_short(first, output_.size()) : BlockHeader::unpack(first, second);
    const size_t left = output_.size() - done_;
    if (last ? block.size != left : block.size >= left) return Reason::bad_header;
    if (block.sequences > std::min(block.size / kMinMatch, kMaxBlockSequences)) return Reason::bad_sequence;
    end_ = done_ + block.size;
    block.complete(has_field_);
    if (const Reason reason = tables(block); reason != Reason::none) return reason;

    // Sequences, in batches.
    sequences_.clear();
    size_t position = done_, literals = block.size;
    while (sequences_.size() < block.sequences) {
      const size_t done = sequences_.size();
      sequences_.resize(std::min<size_t>(done + lanes_, block.sequences));
      const std::span<Sequence> batch = std::span(sequences_).subspan(done);
      if (const Reason reason = read_sequences(block, batch); reason != Reason::none) return reason;
      size_t produced = 0;
      for (const Sequence& sequence : batch) produced += sequence.literals + sequence.match;
      if (produced > end_ - position) return Reason::bad_length;
      for (const Sequence& sequence : batch) {
        position += sequence.literals;
        if (sequence.offset > position) return Reason::bad_offset;
        position += sequence.match;
        literals -= sequence.match;
      }
    }
    if (!has_room_for(static_cast<uint32_t>(literals), block.sequences, block.size)) return Reason::bad_length;
    if (last && header_.states_released)
      if (const Reason reason = release(); reason != Reason::none) return reason;
    if (const Reason reason = read_literals(block, literals, last); reason != Reason::none) return reason;

    // Matches, in order: each byte is written before it is read.
    position = done_;
    for (const Sequence& sequence : sequences_) {
      position += sequence.literals;
      for (uint32_t i = 0; i < sequence.match; ++i, ++position) output_[position] = output_[position - sequence.offset];
    }
    done_ = end_;
    return Reason::none;
  }

  // Table descriptions

  Reason tables(const BlockHeader& block) {
    if (!block.has_valid_tables()) return Reason::bad_header;
    if (block.literals == TableMode::previous && !has_tables_) return Reason::bad_table;
    if (block.low_bits != 2 && block.fields[kLowBits] == TableMode::given) return Reason::bad_header;
    for (const TableMode mode : block.fields)
      if (block.sequences == 0 && mode != TableMode::given) return Reason::bad_header;
    uses_low_bits_ = block.fields[kLowBits] != TableMode::given;

    if (block.literals == TableMode::own)
      if (const Reason reason = literal_tables(block); reason != Reason::none) return reason;
    return field_tables(block);
  }

  Reason literal_tables(const BlockHeader& block) {
    map_ = block.map;
    has_tables_ = true;
    const uint32_t steps = 256 / lanes_;
    for (uint32_t t = 0; t < block.tables; ++t) {
      CodeLengths lengths{};
      for (uint32_t step = 0; step < steps; ++step) {
        if (step % 3 == 0)
          for (uint32_t lane = 0; lane < lanes_; ++lane) refill(lane, kRansLog * std::min(3u, steps - step));
        if (truncated_) return Reason::truncated;
        for (uint32_t lane = 0; lane < lanes_; ++lane) {
          const uint32_t byte = lane * steps + step;
          const uint32_t before = step == 0 ? kNoLength : lengths[byte - 1];
          lengths[byte] = static_cast<uint8_t>(rans(lane, length_table(length_model(block.set, before))));
        }
      }
      if (!literal_tables_[t].set(lengths)) return Reason::bad_table;
    }
    return Reason::none;
  }

  Reason field_tables(const BlockHeader& block) {
    // All symbols of the described tables, one after the other; a lane takes every K-th.
    struct Symbol {
      uint32_t model, field, symbol;
    };
    std::array<Symbol, kAllFieldSymbols> symbols;
    std::array<Weight, kAllFieldSymbols> weights;
    uint32_t count = 0;
    for (uint32_t f = 0; f < kFields; ++f)
      if (is_own(block.fields[f]))
        for (uint32_t s = 0; s < kFieldSymbols[f]; ++s)
          symbols[count++] = {weight_model(set_of(block.fields[f]), f, s), f, s};
    for (uint32_t first = 0; first < count; first += lanes_) {
      const uint32_t end = std::min(first + lanes_, count);
      for (uint32_t i = first; i < end; ++i) refill(i - first, kRansLog + kWeightBits);
      if (truncated_) return Reason::truncated;
      for (uint32_t i = first; i < end; ++i) {
        const uint32_t weight_class = rans(i - first, weight_table(symbols[i].model));
        const uint32_t extra = take(i - first, weight_extra_bits(weight_class));
        weights[i] = {static_cast<uint8_t>(weight_class), static_cast<uint8_t>(extra)};
      }
    }
    uint32_t first = 0;
    for (uint32_t f = 0; f < kFields; ++f) {
      if (block.fields[f] == TableMode::given && f != kLowBits && block.sequences != 0) fields_[f] = given_table(f);
      if (is_own(block.fields[f])) {
        std::array<uint16_t, kMaxFieldSymbols> frequencies;
        const std::span frequencies_of_field(frequencies.data(), kFieldSymbols[f]);
        if (!frequencies_of({&weights[first], kFieldSymbols[f]}, frequencies_of_field)) return Reason::bad_table;
        if (f == kLowBits && block.low_bits == 2)
          for (uint32_t s = 4; s < 8; ++s)
            if (frequencies[s] != 0) return Reason::bad_table;
        fields_[f].set(frequencies_of_field);
        low_bits_ = f == kLowBits ? block.low_bits : low_bits_;
        first += kFieldSymbols[f];
      }
      if (block.sequences != 0) has_field_[f] |= block.fields[f] != TableMode::given || f != kLowBits;
    }
    if (uses_low_bits_ && low_bits_ != block.low_bits) return Reason::bad_table;
    return Reason::none;
  }

  // Sequences

  Reason read_sequences(const BlockHeader& block, std::span<Sequence> batch) {
    const uint32_t count = static_cast<uint32_t>(batch.size());
    for (uint32_t lane = 0; lane < count; ++lane) refill(lane, 3 * kRansLog);
    if (truncated_) return Reason::truncated;
    for (uint32_t lane = 0; lane < count; ++lane)
      for (const uint32_t f : {kLiteralLength, kOffset, kMatchLength}) batch[lane].symbols[f] = rans(lane, fields_[f]);

    const auto offset_bits = [&](uint32_t lane) { return offset_extra_bits(batch[lane].symbols[kOffset]); };
    const auto has_low = [&](uint32_t lane) { return uses_low_bits_ && offset_bits(lane) >= block.low_bits; };
    for (uint32_t lane = 0; lane < count; ++lane)
      if (has_low(lane)) refill(lane, kRansLog);
    if (truncated_) return Reason::truncated;
    for (uint32_t lane = 0; lane < count; ++lane)
      if (has_low(lane)) batch[lane].symbols[kLowBits] = rans(lane, fields_[kLowBits]);

    const auto high_bits = [&](uint32_t lane) { return offset_bits(lane) - (has_low(lane) ? block.low_bits : 0); };
    for (uint32_t lane = 0; lane < count; ++lane) refill(lane, high_bits(lane));
    if (truncated_) return Reason::truncated;
    for (uint32_t lane = 0; lane < count; ++lane) {
      Sequence& sequence = batch[lane];
      const uint32_t high = take(lane, high_bits(lane));
      const uint32_t extra = has_low(lane) ? high << block.low_bits | sequence.symbols[kLowBits] : high;
      if (sequence.symbols[kOffset] >= kRepeats) sequence.offset = offset_base(sequence.symbols[kOffset]) + extra;
    }

    const LengthSymbols literals = literal_length_symbols(header_.fine_lengths);
    const LengthSymbols match = match_length_symbols(header_.fine_lengths);
    const auto literal_bits = [&](uint32_t lane) { return literals.extra_bits(batch[lane].symbols[kLiteralLength]); };
    const auto match_bits = [&](uint32_t lane) { return match.extra_bits(batch[lane].symbols[kMatchLength]); };
    for (uint32_t lane = 0; lane < count; ++lane) refill(lane, literal_bits(lane) + match_bits(lane));
    if (truncated_) return Reason::truncated;
    for (uint32_t lane = 0; lane < count; ++lane) {
      Sequence& sequence = batch[lane];
      sequence.literals = literals.base(sequence.symbols[kLiteralLength]) + take(lane, literal_bits(lane));
      sequence.match = match.base(sequence.symbols[kMatchLength]) + take(lane, match_bits(lane)) + kMinMatch;
    }

    // Repeated offsets, in the order of the sequences.
    for (Sequence& sequence : batch) {
      const uint32_t symbol = sequence.symbols[kOffset];
      const bool is_shifted = symbol < kRepeats && header_.moves_repeats;
      const uint32_t position = is_shifted ? moved_position(symbol, sequence.literals != 0) : symbol;
      const uint32_t last = std::min(position, kRepeats - 1);
      if (symbol < kRepeats) sequence.offset = repeats_[position];
      if (symbol < kRepeats && !header_.moves_repeats) continue;
      std::copy_backward(repeats_.begin(), repeats_.begin() + last, repeats_.begin() + last + 1);
      repeats_[0] = sequence.offset;
    }
    return Reason::none;
  }

  // The states become the next bits of their lanes.
  Reason release() {
    for (uint32_t lane = 0; lane < lanes_; ++lane) {
      if (bits_[lane] + kStateLog > 64) return Reason::bad_final_state;
      fifos_[lane] |= uint64_t{states_[lane] - kStateLow} << bits_[lane];
      bits_[lane] += kStateLog;
    }
    return Reason::none;
  }

  // Literals

  Reason read_literals(const BlockHeader& block, size_t count, bool last) {
    // Their positions: before each match, and after the last.
    size_t position = done_;
    size_t sequence = 0;
    uint32_t placed = 0;
    const auto next_position = [&] {
      while (sequence < sequences_.size() && placed == sequences_[sequence].literals) {
        position += sequences_[sequence].match;
        ++sequence;
        placed = 0;
      }
      ++placed;
      return position++;
    };
    std::array<size_t, kMaxLanes * kMaxLiteralsPerLane> positions;
    const bool coded = block.literals != TableMode::given;
    const uint32_t longest = coded ? kMaxCodeLength : 8;
    while (count != 0) {
      const uint32_t round = literals_of_round(count, header_.lanes_log);
      for (uint32_t i = 0; i < round; ++i) positions[i] = next_position();
      const uint32_t per_lane = literals_per_lane(round, header_.lanes_log);
      const auto has = [&](uint32_t lane) { return std::min(per_lane, round - std::min(round, lane * per_lane)); };
      std::array<uint32_t, kMaxLanes> previous;
      previous.fill(0);
      const auto table_of = [&](uint32_t lane) -> const LiteralTable& {
        return literal_tables_[BlockHeader::table_of(map_, literal_context(previous[lane]))];
      };
      for (uint32_t step = 0; step < per_lane; ++step) {
        const bool exact = last && round == count && step + kExactSteps >= per_lane;
        for (uint32_t turn = 0; turn < (exact ? kByteTurns : 0); ++turn)
          for (uint32_t lane = 0; lane < lanes_; ++lane)
            if (has(lane) > step) refill_by_byte(lane, coded ? next_literal(lane, table_of(lane)).length() : longest);
        for (uint32_t lane = 0; lane < lanes_; ++lane)
          if (has(lane) > step && !exact && step % 2 == 0) refill(lane, longest * std::min(2u, has(lane) - step));
        if (truncated_) return Reason::truncated;
        for (uint32_t lane = 0; lane < lanes_; ++lane) {
          if (has(lane) <= step) continue;
          const size_t at = positions[lane * per_lane + step];
          previous[lane] = coded ? literal(lane, table_of(lane)) : take(lane, 8);
          output_[at] = static_cast<std::byte>(previous[lane]);
        }
      }
      count -= round;
    }
    if (last) end_bytes();
    return Reason::none;
  }

  // Bits that the queue does not have are 0.
  LiteralTable::Entry next_literal(uint32_t lane, const LiteralTable& table) const {
    const uint32_t next = bits_[lane] >= kMaxCodeLength
                              ? static_cast<uint32_t>(fifos_[lane] >> (bits_[lane] - kMaxCodeLength))
                              : static_cast<uint32_t>(fifos_[lane] << (kMaxCodeLength - bits_[lane]));
    return table.entries[next];
  }
  uint32_t literal(uint32_t lane, const LiteralTable& table) {
    const LiteralTable::Entry entry = next_literal(lane, table);
    take(lane, entry.length());
    return entry.symbol();
  }

  std::array<LiteralTable, kMaxLiteralTables> literal_tables_;
  std::span<const uint32_t> words_;
  std::span<std::byte> output_;
  size_t position_ = 0;  // of the next word
  size_t bytes_ = 0;     // taken from it on, after all words

  TileHeader header_;
  uint32_t lanes_ = 1;
  std::array<uint64_t, kMaxLanes> fifos_{};  // unread bits, the last one lowest
  std::array<uint32_t, kMaxLanes> bits_{};   // how many
  std::array<uint32_t, kMaxLanes> states_{};

  size_t done_ = 0, end_ = 0;  // output before the block, and where it ends
  std::array<uint32_t, kRepeats> repeats_ = kFirstRepeats;
  std::vector<Sequence> sequences_;  // of the block

  uint32_t map_ = 0;
  std::array<RansTable, kFields> fields_;
  std::array<bool, kFields> has_field_{};
  uint32_t low_bits_ = 0;    // of the table of low bits
  bool has_tables_ = false;  // of literals in force
  bool truncated_ = false, has_padding_ = false;
  bool uses_low_bits_ = false;
};

}  // namespace

TileVerdict decode_tile_reference(std::span<const uint32_t> words, std::span<std::byte> output) {
  return std::make_unique<ReferenceDecoder>(words, output)->run();
}

}  // namespace weft::gstd
