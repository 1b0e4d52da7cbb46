// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gstd/block_plan.hpp"
#include "gstd/filters.hpp"
#include "gstd/lane_writer.hpp"
#include "gstd/models.hpp"
#include "gstd/table_choice.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {

/// What literals of a block are coded by.
struct LiteralTables {
  uint32_t map = 0, set = 0;  // as in a block's header
  std::vector<CodeLengths> lengths;
};

/// Makes one stream no encoder would write, every choice of the format by chance, beside the output it has to come to.
class StreamMaker {
 public:
  /// Of blocks that are as large as they may be, `excess` is what they have above that.
  StreamMaker(uint64_t seed, std::map<std::string, int>& reached, uint32_t excess = 0)
      : random_(seed), reached_(reached), excess_(excess) {}

  std::vector<uint32_t> words;  ///< none: the choices cannot be written
  std::vector<std::byte> output;

  void make() {
    TileHeader header;
    header.lanes_log = random_.below(6);
    header.states_released = !random_.one_in(3);
    header.blocks = 1 + random_.below(5);
    lanes_log_ = header.lanes_log;
    is_large_ = random_.one_in(2);
    header.fine_lengths = fine_lengths_ = !is_large_ && random_.one_in(2);
    header.moves_repeats = header.lanes_log == 0 && random_.one_in(2);
    history_ = History(header.moves_repeats);
    do {
      header.filter = random_.below(static_cast<uint32_t>(Filter::count));
      header.stride = random_.one_in(2) ? 1 : 1 + random_.below(random_.one_in(2) ? 4 : kMaxStride);
    } while (!is_filter(header.filter, header.stride));
    if (is_filter(header.filter, header.stride, true) && random_.one_in(2))
      header.row_words = 1 + random_.below(random_.one_in(2) ? 8 : 1000);
    reach("filter " + std::to_string(header.filter));
    reach("lanes " + std::to_string(header.lanes_log));
    reach(header.moves_repeats ? "repeats that move" : "repeats that stay");
    reach(fine_lengths_ ? "fine lengths" : "coarse lengths");
    writer_.states();
    for (uint32_t b = 0; b < header.blocks; ++b) block(b + 1 == header.blocks, header);
    if (!TileHeader::is_row(header.row_words, output.size())) header.row_words = 0;
    if (header.row_words != 0) reach("rows of filter " + std::to_string(header.filter));
    if (!writer_.finish(header, words)) {
      reach("no room for a state");
      words.clear();
      return;
    }
    std::vector<std::byte> scratch(output.size());
    invert_filter({static_cast<Filter>(header.filter), header.stride, header.row_words}, output, scratch);
  }

 private:
  void reach(const std::string& what) { ++reached_[what]; }
  // Mostly small, at times as large as it may be.
  uint32_t skewed(uint32_t end) {
    return random_.below(1 + random_.below(random_.one_in(20) ? end : std::min(end, 40u)));
  }

  struct Block {
    BlockHeader header;
    std::vector<Match> matches;
    uint32_t trailing = 0;             // literals after the last match
    std::optional<LiteralTables> own;  // literal tables
    std::vector<std::array<Coded, kLowBits>> sequences;
    std::array<FieldChoice, kFields> choices;

    bool uses_low() const { return header.fields[kLowBits] != TableMode::given; }
  };

  void block(bool is_last, TileHeader& header) {
    Block block;
    draw_matches(block);
    draw_literal_tables(block);
    draw_fields(block);
    header.is_short = header.blocks == 1 && block.header.fits_short() && !random_.one_in(4);
    if (header.is_short) reach("short header");
    writer_.uniform(header.is_short ? block.header.pack_short() : block.header.pack_first());
    if (!header.is_short) writer_.uniform(block.header.pack_second());
    if (block.own) write_tables(*block.own);
    write_sequences(block, write_field_tables(block));
    if (is_last && header.states_released) writer_.release();
    write_output(block, is_last);
  }

  void draw_matches(Block& block) {
    // At times a block whose literals and sequences are as much as a decoder keeps beside the output.
    const bool full = random_.one_in(20), short_ones = full && random_.one_in(2);
    const uint32_t most_work = kMaxBlockWork + excess_;
    const bool lengthens = is_large_ && output.empty();  // the tile, by its first match
    block.matches.resize(short_ones          ? most_work / kSequenceWork - std::max(random_.below(100), 1u)
                         : random_.one_in(4) ? (lengthens ? 1 : 0)
                                             : random_.below(random_.one_in(3) ? 150 : 20) + (lengthens ? 1 : 0));
    uint32_t size = 0, work = most_work - kSequenceWork * static_cast<uint32_t>(block.matches.size());
    for (Match& match : block.matches) {
      const uint32_t longer = lengthens && size == 0 ? kMaxBlockWork / 2 : 0;
      if (short_ones) {
        match.literals = output.size() + size == 0 ? 1 : std::min(random_.below(2), work);
        match.length = kMinMatch + longer;
        match.offset = 1;
        work -= match.literals;
        size += match.literals + match.length;
        continue;
      }
      match.literals = std::min(output.size() + size == 0 ? 1 + skewed(300) : skewed(300), work);
      match.length = kMinMatch + longer + skewed(2000);
      const uint32_t before = static_cast<uint32_t>(output.size()) + size + match.literals;
      match.offset = 1 + (random_.one_in(2) ? skewed(before) : random_.below(before));
      if (random_.one_in(2) && offset_at_ < before) match.offset = offset_at_ + 1;
      offset_at_ = random_.one_in(3) ? match.offset - 1 : offset_at_;
      match.offset = std::min(match.offset, before);
      work -= match.literals;
      size += match.literals + match.length;
    }
    const uint32_t most = short_ones ? work : 5000, least = size == 0 ? 1 : 0;
    block.trailing = full ? work : least != 0 || random_.one_in(2) ? 1 + skewed(most) : 0;
    if (full) reach(std::string(is_large_ ? "large " : "small ") + (short_ones ? "most sequences" : "most literals"));
    block.header.size = size + block.trailing;
    block.header.sequences = static_cast<uint32_t>(block.matches.size());
  }

  void draw_literal_tables(Block& block) {
    BlockHeader& header = block.header;
    header.literals = static_cast<TableMode>(random_.below(3));
    if (header.literals == TableMode::previous && !tables_) header.literals = TableMode::own;
    if (header.literals == TableMode::own) {
      LiteralTables& own = block.own.emplace();
      own.lengths.resize(1 + random_.below(kMaxLiteralTables));
      for (uint32_t c = 0; c < kLiteralContexts; ++c)
        own.map |= random_.below(static_cast<uint32_t>(own.lengths.size())) << (2 * c);
      for (uint32_t t = 0; t < own.lengths.size(); ++t) {
        Counts counts{};
        const uint32_t symbols = random_.one_in(5) ? 1 : 1 + random_.below(256);
        for (uint32_t s = 0; s < symbols; ++s) counts[random_.below(256)] += 1 + skewed(100000);
        choose_lengths(counts, own.lengths[t]);
      }
      header.tables = static_cast<uint32_t>(own.lengths.size());
      header.map = own.map;
      header.set = own.set = random_.below(kLengthSets);
      reach("literal tables " + std::to_string(header.tables));
      reach("set of lengths " + std::to_string(header.set));
      tables_ = own;
    }
    reach("literals " + std::to_string(static_cast<uint32_t>(header.literals)));
  }

  void draw_fields(Block& block) {
    BlockHeader& header = block.header;
    std::array<std::array<uint32_t, kMaxFieldSymbols>, kFields> counts{};
    header.low_bits = 2 + random_.below(2);
    for (const Match& match : block.matches) {
      Coded offset = code_offset(match.offset);
      const uint32_t symbol = history_.push(match.offset, match.literals);
      if (symbol < kRepeats) offset = {symbol, 0, 0};
      if (symbol < kRepeats) reach("repeat " + std::to_string(symbol));
      block.sequences.push_back({literal_length_symbols(fine_lengths_).code(match.literals), offset,
                                 match_length_symbols(fine_lengths_).code(match.length - kMinMatch)});
      for (uint32_t f = 0; f < kLowBits; ++f) ++counts[f][block.sequences.back()[f].symbol];
      if (offset.extra_bits >= header.low_bits) ++counts[kLowBits][offset.extra & ((1u << header.low_bits) - 1)];
    }
    for (uint32_t f = 0; f < kFields && !block.matches.empty(); ++f) {
      FieldChoice& choice = block.choices[f];
      const std::span<const uint32_t> of(counts[f].data(), kFieldSymbols[f]);
      TableMode mode = static_cast<TableMode>(random_.below(4));
      if (f == kLowBits && before_low_bits_ != header.low_bits && mode == TableMode::previous) mode = TableMode::own;
      if (mode == TableMode::previous && (!before_[f] || field_cost(of, before_[f]->frequencies) == ~Cost{0}))
        mode = TableMode::own;
      // Without a table in force it is an own one.
      if (is_own(mode) && !before_[f] && random_.one_in(2)) mode = TableMode::own_rare;
      if (is_own(mode)) {
        // More symbols than there are, at times.
        std::vector<uint32_t> more(of.begin(), of.end());
        more[f == kLowBits ? random_.below(4) : random_.below(kFieldSymbols[f])] += 1 + skewed(1000);
        choose_frequencies(choose_slots(more), 0, choice);
      } else if (mode == TableMode::previous) {
        choice = *before_[f];
      } else {
        std::copy(kGivenFrequencies[f].begin(), kGivenFrequencies[f].end(), choice.frequencies.begin());
      }
      header.fields[f] = mode;
      reach("field " + std::to_string(f) + " " + std::to_string(static_cast<uint32_t>(mode)));
      if (f != kLowBits || mode != TableMode::given) before_[f] = choice;
    }
    if (block.uses_low())
      before_low_bits_ = header.low_bits;
    else
      header.low_bits = 2;
  }

  std::array<RansTable, kFields> write_field_tables(const Block& block) {
    const uint32_t lanes = 1u << lanes_log_;
    uint32_t described = 0;
    std::array<RansTable, kFields> rans;
    for (uint32_t f = 0; f < kFields; ++f) {
      if (!block.matches.empty() && (f != kLowBits || block.uses_low()))
        rans[f].set({block.choices[f].frequencies.data(), kFieldSymbols[f]});
      if (!is_own(block.header.fields[f])) continue;
      for (uint32_t s = 0; s < kFieldSymbols[f]; ++s, ++described) {
        const Weight weight = block.choices[f].weights[s];
        writer_.symbols(
            described % lanes, kRansLog + kWeightBits,
            LaneWriter::pack(weight_table(weight_model(set_of(block.header.fields[f]), f, s)), weight.weight_class));
        writer_.bits(described % lanes, 0, weight.extra, weight_extra_bits(weight.weight_class));
      }
    }
    return rans;
  }

  void write_sequences(const Block& block, const std::array<RansTable, kFields>& rans) {
    const uint32_t lanes = 1u << lanes_log_;
    for (size_t batch = 0; batch < block.sequences.size(); batch += lanes) {
      const size_t count = std::min<size_t>(block.sequences.size() - batch, lanes);
      const auto each = [&](const auto& step) {
        for (uint32_t l = 0; l < count; ++l) step(l, block.sequences[batch + l]);
      };
      each([&](uint32_t l, const auto& fields) {
        writer_.symbols(l, 3 * kRansLog, LaneWriter::pack(rans[kLiteralLength], fields[kLiteralLength].symbol),
                        LaneWriter::pack(rans[kOffset], fields[kOffset].symbol),
                        LaneWriter::pack(rans[kMatchLength], fields[kMatchLength].symbol));
      });
      const auto low_of = [&](const Coded& offset) {
        return block.uses_low() && offset.extra_bits >= block.header.low_bits ? block.header.low_bits : 0;
      };
      each([&](uint32_t l, const auto& fields) {
        if (const uint32_t low = low_of(fields[kOffset]); low != 0)
          writer_.symbols(l, kRansLog, LaneWriter::pack(rans[kLowBits], fields[kOffset].extra & ((1u << low) - 1)));
      });
      each([&](uint32_t l, const auto& fields) {
        const uint32_t low = low_of(fields[kOffset]), bits = fields[kOffset].extra_bits - low;
        writer_.bits(l, bits, fields[kOffset].extra >> low, bits);
      });
      each([&](uint32_t l, const auto& fields) {
        const Coded &run = fields[kLiteralLength], &match = fields[kMatchLength];
        const uint32_t bits = run.extra_bits + match.extra_bits;
        writer_.bits(l, bits, run.extra << match.extra_bits | match.extra, bits);
      });
    }
  }

  // Finds the positions of literals, then writes the literals, then copies the matches.
  void write_output(const Block& block, bool is_last) {
    std::vector<uint32_t> slots;
    size_t at = output.size();
    uint32_t position = static_cast<uint32_t>(at);
    const auto run = [&](uint32_t length) {
      for (uint32_t i = 0; i < length; ++i) slots.push_back(position++);
    };
    for (const Match& match : block.matches) {
      run(match.literals);
      position += match.length;
    }
    run(block.trailing);
    output.resize(position);
    write_literals(block.header.literals != TableMode::given, is_last, slots);
    for (const Match& match : block.matches) {
      at += match.literals;
      for (uint32_t i = 0; i < match.length; ++i, ++at) output[at] = output[at - match.offset];
    }
  }

  void write_tables(const LiteralTables& tables) {
    const uint32_t lanes = 1u << lanes_log_, steps = 256 / lanes;
    for (size_t t = 0; t < tables.lengths.size(); ++t) {
      const CodeLengths& lengths = tables.lengths[t];
      if (single_symbol(lengths) != 256) reach("single byte");
      for (uint32_t step = 0; step < steps; ++step)
        for (uint32_t l = 0; l < lanes; ++l) {
          const uint32_t byte = l * steps + step;
          const uint32_t before = step == 0 ? kNoLength : lengths[byte - 1];
          writer_.symbols(l, step % 3 == 0 ? kRansLog * std::min(3u, steps - step) : 0,
                          LaneWriter::pack(length_table(length_model(tables.set, before)), lengths[byte]));
        }
    }
  }

  void write_literals(bool coded, bool is_last, const std::vector<uint32_t>& slots) {
    const uint32_t lanes = 1u << lanes_log_;
    for (size_t done = 0; done < slots.size();) {
      // The first round may have fewer words of literals, the last fewer literals.
      const uint32_t left = static_cast<uint32_t>(slots.size() - done), first = (left + 3) / 4 % (4 * lanes);
      const uint32_t round = std::min(left, first == 0 ? 16 * lanes : 4 * first);
      const uint32_t per_lane = 4 * ((round + 4 * lanes - 1) / (4 * lanes));
      reach("literals of a lane " + std::to_string(per_lane));
      std::vector<std::pair<uint32_t, uint32_t>> codes(round);
      uint32_t previous = 0;
      for (uint32_t i = 0; i < round; ++i) {
        if (i % per_lane == 0) previous = 0;
        uint32_t byte = random_.below(256);
        codes[i] = {byte, 8};
        if (coded) {
          const CodeLengths& lengths = tables_->lengths[BlockHeader::table_of(tables_->map, literal_context(previous))];
          while (lengths[byte] == 0) byte = (byte + 1) % 256;
          std::array<uint16_t, 256> canonical;
          assign_codes(lengths, canonical);
          codes[i] = single_symbol(lengths) != 256 ? std::pair(0u, 0u)
                                                   : std::pair(uint32_t{canonical[byte]}, uint32_t{lengths[byte]});
        }
        output[slots[done + i]] = static_cast<std::byte>(byte);
        previous = byte;
      }
      const uint32_t longest = coded ? kMaxCodeLength : 8;
      if (is_last && round == left) {
        for (const auto& [code, bits] : codes) last_codes_.push_back(code | bits << 16);
        writer_.literals({nullptr, last_codes_.data(), round, longest, true});
        return;
      }
      for (uint32_t step = 0; step < per_lane; step += 2)
        for (uint32_t i = step; i < round; i += per_lane) {
          const bool two = i + 1 < round;
          writer_.bits(i / per_lane, two ? 2 * longest : longest, codes[i].first, codes[i].second);
          if (two) writer_.bits(i / per_lane, 0, codes[i + 1].first, codes[i + 1].second);
        }
      done += round;
    }
  }

  Random random_;
  std::map<std::string, int>& reached_;
  uint32_t excess_;
  LaneWriter writer_;
  std::vector<uint32_t> last_codes_;  // of the tile's last round: the writer reads them in the end
  bool is_large_ = false;             // the first match is long
  uint32_t lanes_log_ = 0;
  bool fine_lengths_ = false;
  History history_{false};
  uint32_t offset_at_ = 0;
  std::optional<LiteralTables> tables_;
  std::array<std::optional<FieldChoice>, kFields> before_;
  uint32_t before_low_bits_ = 0;
};

}  // namespace weft::gstd::test
