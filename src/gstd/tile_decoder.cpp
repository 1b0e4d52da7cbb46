// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The fast decoder. tile_decoder_reference.cpp gives the reason for a tile that is refused here.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#endif

#include "gstd/coding.hpp"
#include "gstd/filters.hpp"
#include "gstd/format.hpp"
#include "gstd/lanes.hpp"
#include "gstd/little_endian.hpp"
#include "gstd/models.hpp"
#include "gstd/tile.hpp"

namespace weft::gstd {

namespace {

constexpr uint32_t kCopySlack = 64;  // bytes that copies may write past their end, inside the tile

constexpr uint32_t value_of(uint32_t field, uint32_t symbol, bool fine_lengths) {
  const LengthSymbols literals = literal_length_symbols(fine_lengths), match = match_length_symbols(fine_lengths);
  switch (field) {
    case kLiteralLength: return literals.base(symbol) | literals.extra_bits(symbol) << 24;
    case kMatchLength: return (match.base(symbol) + kMinMatch) | match.extra_bits(symbol) << 24;
    case kOffset:
      if (symbol < kRepeats) return symbol | kRepeatFlag;
      return offset_base(symbol) | offset_extra_bits(symbol) << 24;
    default: return symbol;
  }
}

// By field and symbol.
using Values = std::array<std::array<uint32_t, kMaxFieldSymbols>, kFields>;
template <bool fine_lengths>
constexpr Values kValues = [] {
  Values values{};
  for (uint32_t field = 0; field < kFields; ++field)
    for (uint32_t symbol = 0; symbol < kFieldSymbols[field]; ++symbol)
      values[field][symbol] = value_of(field, symbol, fine_lengths);
  return values;
}();

void expand(uint32_t field, const Values& values, std::span<const uint16_t> frequencies, SlotTable& table) {
  Slot* slot = table.data();
  for (uint32_t symbol = 0; symbol < kFieldSymbols[field]; ++symbol) {
    const uint32_t frequency = frequencies[symbol];
    if (frequency == 0) continue;
    // Several at a time, since most symbols have few: slots past the last are rewritten or slack.
    uint64_t packed = Slot::of(frequency, 0, values[field][symbol]).packed;
    for (uint32_t first = 0; first < frequency; first += kSlotSlack, packed += kSlotSlack * Slot::kOneOffset)
      for (uint32_t i = 0; i < kSlotSlack; ++i) slot[first + i] = {packed + i * Slot::kOneOffset};
    slot += frequency;
  }
}

// Of all models.
using BasesOfModels = std::array<std::array<uint16_t, kWeightModels>, kWeightClasses>;
const BasesOfModels& weight_bases() {
  static const BasesOfModels bases = [] {
    BasesOfModels of{};
    for (uint32_t symbol = 0; symbol < kWeightModels; ++symbol)
      for (uint32_t c = 1; c < kWeightClasses; ++c)
        of[c][symbol] = static_cast<uint16_t>(of[c - 1][symbol] + kWeightFrequencies[symbol][c - 1]);
    return of;
  }();
  return bases;
}

const std::array<LengthSlots, kLengthModels>& length_slots() {
  static const auto slots = [] {
    std::array<LengthSlots, kLengthModels> of;
    for (uint32_t model = 0; model < kLengthModels; ++model)
      for (uint32_t slot = 0; slot < kRansSlots; ++slot) {
        const RansTable& table = length_table(model);
        const uint32_t length = table.symbol[slot];
        of[model][slot] = LengthSlot::pack(table.frequency[length], slot - table.base[length], length);
      }
    return of;
  }();
  return slots;
}

// All memory of a thread, enough for any tile.
struct Workspace {
  std::vector<uint32_t> words;
  std::vector<std::byte> scratch;
  Sequences sequences;
  std::array<uint32_t, kMaxBlockSequences + kRepeats> offsets;  // of a block that are not repeated, and before these
  std::array<uint8_t, kMaxBlockBytes + kLiteralSlack> literals;
  std::array<LiteralTable, kMaxLiteralTables> literal_tables;
  std::array<SlotTable, kFields> fields;
  WeightBases weight_bases;
};

using Entry = LiteralTable::Entry;

// Queues of lanes, and their next literals.
template <LiteralSource source>
class LiteralLanes {
 public:
  // `first`: chooses the table of the first literal in a round.
  LiteralLanes(const Lanes& lanes, const LiteralTable* tables, uint16_t first) : tables_(tables), first_(first) {
    for (uint32_t l = 0; l < kMaxLanes; ++l) {
      fifo_[l] = lanes.fifo(l);
      bits_[l] = static_cast<uint8_t>(lanes.bits[l]);
    }
  }
  void store(Lanes& lanes) const {
    for (uint32_t l = 0; l < kMaxLanes; ++l) {
      lanes.set_fifo(l, fifo_[l]);
      lanes.bits[l] = bits_[l];
    }
  }
  void begin_round() { previous_.fill({first_}); }

  // Two literals of each lane below `count`, at `apart` bytes.
  const uint32_t* decode_two(const uint32_t* next, uint32_t count, uint8_t* to, size_t apart) {
    uint32_t takes = 0;
    for (uint32_t first = 0; first < kMaxLanes; first += 8) takes |= lanes_below(first, 2 * kLongest) << first;
    if (count < kMaxLanes) takes &= (1u << count) - 1;
    for (; takes != 0; takes &= takes - 1) append(static_cast<uint32_t>(std::countr_zero(takes)), *next++);
    uint32_t l = 0;
    for (; l + 8 <= count; l += 8, to += 8 * apart) take_twos<8>(l, to, apart);
    for (; l < count; ++l, to += apart) take_twos<1>(l, to, apart);
    return next;
  }
  const uint32_t* decode_one(const uint32_t* next, uint32_t lane, uint8_t* to) {
    if (bits_[lane] < kLongest) append(lane, *next++);
    Entry entry = Entry::of(static_cast<uint32_t>(fifo_[lane] >> 56), 8, 0);
    if constexpr (source != LiteralSource::plain) entry = next_entry(tables_, fifo_[lane], previous_[lane]);
    fifo_[lane] <<= entry.length();
    bits_[lane] = static_cast<uint8_t>(bits_[lane] - entry.length());
    previous_[lane] = entry;
    *to = static_cast<uint8_t>(entry.symbol());
    return next;
  }

 private:
  static constexpr uint32_t kLongest = source == LiteralSource::plain ? 8 : kMaxCodeLength;

  // Which of 8 lanes have fewer bits than `need`.
  uint32_t lanes_below(uint32_t first, uint64_t need) const {
    constexpr uint64_t kOnes = 0x0101010101010101;
    const uint64_t bits = load_u64(reinterpret_cast<const std::byte*>(&bits_[first]));
    const uint64_t below = (~((bits | kOnes << 7) - need * kOnes) >> 7) & kOnes;
    return static_cast<uint32_t>(below * 0x0102040810204080 >> 56);
  }
  void append(uint32_t lane, uint32_t word) {
    fifo_[lane] |= uint64_t{word} << (32 - bits_[lane]);
    bits_[lane] = static_cast<uint8_t>(bits_[lane] + 32);
  }
  static Entry next_entry(const LiteralTable* tables, uint64_t fifo, [[maybe_unused]] Entry previous) {
    const LiteralTable& table = source == LiteralSource::by_context ? tables[previous.next()] : *tables;
    return table.entries[fifo >> (64 - kMaxCodeLength)];
  }
  // Two literals of each of 8 lanes, or of one. What `to` writes may alias members: they are read before.
  // Apart from the loops around it, whose variables would take its registers.
  template <uint32_t count>
#if defined(__GNUC__)
  [[gnu::noinline]]
#endif
  void
  take_twos(uint32_t first, uint8_t* to, size_t apart) {
    const LiteralTable* const tables = tables_;
    uint64_t* const fifos = &fifo_[first];
    Entry* const previous = &previous_[first];
    uint64_t used = 0;
    for (uint32_t i = 0; i < count; ++i, to += apart) {
      const uint64_t fifo = fifos[i];
      uint32_t both;
      if constexpr (source == LiteralSource::plain) {
        fifos[i] = fifo << 16;
        to[0] = static_cast<uint8_t>(fifo >> 56);
        to[1] = static_cast<uint8_t>(fifo >> 48);
        both = 16;
      } else {
        const Entry one = next_entry(tables, fifo, previous[i]);
        const uint64_t after = fifo << (one.packed & 63);
        const Entry two = next_entry(tables, after, one);
        fifos[i] = after << (two.packed & 63);
        if constexpr (source == LiteralSource::by_context) previous[i] = two;
        to[0] = static_cast<uint8_t>(one.symbol());
        to[1] = static_cast<uint8_t>(two.symbol());
        both = one.length() + two.length();
      }
      used |= uint64_t{both} << 8 * i;
    }
    if constexpr (count == 1) {
      bits_[first] = static_cast<uint8_t>(bits_[first] - used);
    } else {
      static_assert(count == 8);
      std::byte* const bits = reinterpret_cast<std::byte*>(&bits_[first]);
      store_u64(bits, load_u64(bits) - used);
    }
  }

  alignas(64) std::array<uint64_t, kMaxLanes> fifo_;
  alignas(8) std::array<uint8_t, kMaxLanes> bits_;
  std::array<Entry, kMaxLanes> previous_;
  const LiteralTable* tables_;
  uint16_t first_;
};

class Decoder {
 public:
  Decoder(Workspace& work, std::span<const uint32_t> words, std::span<std::byte> output, Vectors most)
      : work_(work),
        output_(reinterpret_cast<uint8_t*>(output.data())),
        size_(output.size()),
        count_(words.size()),
        most_(most),
        vectors_(vector_lanes(most)) {
    for (uint32_t i = 0; i < kRepeats; ++i) work.offsets[i] = kFirstRepeats[kRepeats - 1 - i];
    work.words.resize(std::max(work.words.size(), words.size() + kWordSlack));
    std::copy(words.begin(), words.end(), work.words.begin());
    std::fill_n(work.words.begin() + static_cast<std::ptrdiff_t>(words.size()), kWordSlack, 0u);
    next_ = work.words.data();
    end_words_ = next_ + words.size();
  }

  bool run() {
    const TileHeader header = TileHeader::unpack(next_[0], next_[1]);
    const bool has_rows = (*next_ & TileHeader::kHasRows) != 0;
    if (count_ == 0 || (*next_ & TileHeader::kUnused) != 0 || header.lanes_log > kMaxLanesLog ||
        !is_filter(header.filter, header.stride, has_rows) || !header.has_valid_counts() ||
        (has_rows && !TileHeader::is_row(header.row_words, size_)))
      return false;
    next_ += has_rows ? 2 : 1;
    lanes_log_ = header.lanes_log;
    values_ = header.fine_lengths ? &kValues<true> : &kValues<false>;
    moves_repeats_ = header.moves_repeats;
    lane_count_ = 1u << lanes_log_;
    if (lanes_log_ < 3) vectors_ = nullptr;
    lanes_ = {};
    for (uint32_t l = 0; l < lane_count_; ++l) {
      Lane lane = {uint64_t{*next_++} << 32, 32, 0};
      lane.state = kStateLow | take(lane, kStateLog);
      put(l, lane);
    }
    if (is_past_end()) return false;
    for (uint32_t b = 0; b < header.blocks; ++b)
      if (!block(header, b + 1 == header.blocks)) return false;
    for (uint32_t l = 0; l < lane_count_; ++l)
      if (get(l).fifo != 0 || (!header.states_released && lanes_.state[l] != kStateLow)) return false;
    if (next_ != end_words_) return false;
    if (header.filter != 0 || has_rows) {
      work_.scratch.resize(std::max(work_.scratch.size(), size_));
      invert_filter({static_cast<Filter>(header.filter), header.stride, header.row_words},
                    {reinterpret_cast<std::byte*>(output_), size_}, std::span(work_.scratch).first(size_), most_);
    }
    return true;
  }

 private:
  bool is_past_end() const { return next_ > end_words_; }

  struct Lane {
    uint64_t fifo;
    uint32_t bits, state;
  };
  Lane get(uint32_t lane) const { return {lanes_.fifo(lane), lanes_.bits[lane], lanes_.state[lane]}; }
  void put(uint32_t at, const Lane& lane) {
    lanes_.set_fifo(at, lane.fifo);
    lanes_.bits[at] = lane.bits;
    lanes_.state[at] = lane.state;
  }

  static uint32_t peek(const Lane& lane, uint32_t bits) { return static_cast<uint32_t>(lane.fifo >> 1 >> (63 - bits)); }
  static uint32_t take(Lane& lane, uint32_t bits) {
    const uint32_t value = peek(lane, bits);
    lane.fifo <<= bits;
    lane.bits -= bits;
    return value;
  }
  // Without a branch: whether a lane takes a word is unpredictable.
  static void refill(Lane& lane, uint32_t need, const uint32_t*& next) {
    const uint32_t takes = lane.bits < need ? 1 : 0;
    lane.fifo |= uint64_t{*next} << ((32 - lane.bits) & 63) & (uint64_t{0} - takes);
    lane.bits += takes << 5;
    next += takes;
  }
  void refill(Lane& lane, uint32_t need) { refill(lane, need, next_); }
  static uint32_t symbol(Lane& lane, const SlotTable& table) {
    const Slot& slot = table[lane.state % kRansSlots];
    const uint32_t state = slot.frequency() * (lane.state >> kRansLog) + slot.offset();
    const uint32_t shift = static_cast<uint32_t>(std::countl_zero(state)) - (31 - kStateLog);
    lane.state = state << shift | take(lane, shift);
    return slot.value();
  }
  static uint32_t symbol(Lane& lane, const RansTable& table) {
    const uint32_t slot = lane.state % kRansSlots, found = table.symbol[slot];
    const uint32_t state = table.frequency[found] * (lane.state >> kRansLog) + slot - table.base[found];
    const uint32_t shift = static_cast<uint32_t>(std::countl_zero(state)) - (31 - kStateLog);
    lane.state = state << shift | take(lane, shift);
    return found;
  }

  bool block(const TileHeader& tile, bool last) {
    const uint32_t first = next_[0], second = next_[1];
    next_ += tile.is_short ? 1 : 2;
    if (is_past_end()) return false;
    BlockHeader block = tile.is_short ? BlockHeader::unpack_short(first, size_) : BlockHeader::unpack(first, second);
    const size_t left = size_ - done_;
    if ((last ? block.size != left : block.size >= left) ||
        block.sequences > std::min(block.size / kMinMatch, kMaxBlockSequences))
      return false;
    end_ = done_ + block.size;
    block.complete(has_field_);
    if (!read_tables(block)) return false;
    for (uint32_t done = 0; done < block.sequences; done += lane_count_)
      if (!read_sequences(block, done, std::min(block.sequences - done, lane_count_))) return false;
    uint32_t literals = 0;
    if (!(moves_repeats_ ? resolve_sequences<true>(block.sequences, literals)
                         : resolve_sequences<false>(block.sequences, literals)))
      return false;
    if (!has_room_for(literals, block.sequences, block.size)) return false;
    if (last && tile.states_released && !release()) return false;
    if (!read_literals(block, literals, last, work_.literals.data())) return false;
    execute(block.sequences);
    done_ = end_;
    return true;
  }

  bool release() {
    for (uint32_t l = 0; l < lane_count_; ++l) {
      Lane lane = get(l);
      if (lane.bits + kStateLog > 64) return false;
      lane.fifo = uint64_t{lane.state - kStateLow} << (64 - kStateLog) | lane.fifo >> kStateLog;
      lane.bits += kStateLog;
      put(l, lane);
    }
    return true;
  }

  bool read_tables(const BlockHeader& block) {
    if (!block.has_valid_tables() || (block.literals == TableMode::previous && tables_ == 0)) return false;
    if (block.low_bits != 2 && block.fields[kLowBits] == TableMode::given) return false;
    for (const TableMode mode : block.fields)
      if (block.sequences == 0 && mode != TableMode::given) return false;
    uses_low_bits_ = block.fields[kLowBits] != TableMode::given;
    return (block.literals != TableMode::own || read_literal_tables(block)) && read_field_tables(block);
  }

  bool read_literal_tables(const BlockHeader& block) {
    tables_ = block.tables;
    map_ = block.map;
    for (uint32_t t = 0; t < block.tables; ++t) {
      CodeLengths lengths;
      if (vectors_ != nullptr)
        next_ = vectors_->read_lengths(lanes_, lanes_log_, next_, end_words_,
                                       &length_slots()[length_model(block.set, 0)], block.set < kSetsByLength, lengths);
      else
        read_lengths(block.set, lengths);
      if (is_past_end() || !work_.literal_tables[t].set(lengths, map_)) return false;
    }
    return true;
  }

  void read_lengths(uint32_t set, CodeLengths& lengths) {
    const uint32_t steps = 256u >> lanes_log_;
    // Lanes take words in every third step only, and are independent until the next.
    for (uint32_t step = 0; step < steps && !is_past_end(); step += 3) {
      const uint32_t now = std::min(3u, steps - step);
      for (uint32_t l = 0; l < lane_count_; ++l) {
        Lane lane = get(l);
        refill(lane, kRansLog * now);
        for (uint32_t byte = l * steps + step, end = byte + now; byte < end; ++byte) {
          const uint32_t before = byte == l * steps ? kNoLength : lengths[byte - 1];
          lengths[byte] = static_cast<uint8_t>(symbol(lane, length_table(length_model(set, before))));
        }
        put(l, lane);
      }
    }
  }

  bool read_weights(const BlockHeader& block, std::array<Weight, kAllFieldSymbols>& weights) {
    uint32_t turn = 0, read = 0;
    // Lanes take turns, and a word goes to one lane: refilling in turn gives the same result.
    for (uint32_t f = 0; f < kFields; ++f) {
      if (!is_own(block.fields[f])) continue;
      for (uint32_t s = 0; s < kFieldSymbols[f]; ++s, turn = (turn + 1) & (lane_count_ - 1)) {
        if (turn == 0 && is_past_end()) return false;
        Lane lane = get(turn);
        refill(lane, kRansLog + kWeightBits);
        const uint32_t weight_class = symbol(lane, weight_table(weight_model(set_of(block.fields[f]), f, s)));
        const uint32_t extra = take(lane, weight_extra_bits(weight_class));
        put(turn, lane);
        weights[read++] = {static_cast<uint8_t>(weight_class), static_cast<uint8_t>(extra)};
      }
    }
    return !is_past_end();
  }

  bool read_weights_by_vectors(const BlockHeader& block, std::array<Weight, kAllFieldSymbols>& weights) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < kFields; ++f) {
      if (!is_own(block.fields[f])) continue;
      const uint32_t set = set_of(block.fields[f]), model = weight_model(set, f, 0);
      for (uint32_t c = 1; c < kWeightClasses; ++c) {
        const uint16_t* const from = &weight_bases()[c][model];
        uint16_t* const to = &work_.weight_bases[c][count];
        set < kSetsBySymbol ? std::copy_n(from, kFieldSymbols[f], to) : std::fill_n(to, kFieldSymbols[f], *from);
      }
      count += kFieldSymbols[f];
    }
    std::array<uint32_t, kAllFieldSymbols + kMaxLanes> packed;
    next_ = vectors_->read_weights(lanes_, lanes_log_, next_, end_words_, work_.weight_bases, count, packed.data());
    for (uint32_t i = 0; i < count; ++i)
      weights[i] = {static_cast<uint8_t>(packed[i]), static_cast<uint8_t>(packed[i] >> 8)};
    return !is_past_end();
  }

  bool read_field_tables(const BlockHeader& block) {
    std::array<Weight, kAllFieldSymbols> weights;
    if (!(vectors_ != nullptr ? read_weights_by_vectors(block, weights) : read_weights(block, weights))) return false;
    uint32_t first = 0;
    for (uint32_t f = 0; f < kFields; ++f) {
      if (block.fields[f] == TableMode::given && f != kLowBits && block.sequences != 0)
        expand(f, *values_, kGivenFrequencies[f], work_.fields[f]);
      if (is_own(block.fields[f])) {
        std::array<uint16_t, kMaxFieldSymbols> frequencies;
        const std::span of_field(frequencies.data(), kFieldSymbols[f]);
        if (!frequencies_of({&weights[first], kFieldSymbols[f]}, of_field)) return false;
        if (f == kLowBits && block.low_bits == 2)
          for (uint32_t s = 4; s < 8; ++s)
            if (frequencies[s] != 0) return false;
        expand(f, *values_, of_field, work_.fields[f]);
        low_bits_ = f == kLowBits ? block.low_bits : low_bits_;
        first += kFieldSymbols[f];
      }
      if (block.sequences != 0) has_field_[f] |= block.fields[f] != TableMode::given || f != kLowBits;
    }
    return !uses_low_bits_ || low_bits_ == block.low_bits;
  }

  bool read_sequences(const BlockHeader& block, uint32_t first, uint32_t count) {
    const uint32_t low_bits = uses_low_bits_ ? block.low_bits : 32;
    if (vectors_ != nullptr) {
      next_ = vectors_->read_sequences(lanes_, next_, end_words_, work_.fields, low_bits, first, count, sequences_);
      return !is_past_end();
    }
    return read_single_sequences(low_bits, first, count);
  }

  // Apart from its caller, whose variables would take its registers.
#if defined(__GNUC__)
  [[gnu::noinline]]
#endif
  bool
  read_single_sequences(uint32_t low_bits, uint32_t first, uint32_t count) {
    // In local variables, which nothing that is written may alias.
    const uint32_t* next = next_;
    uint32_t* const literals = &sequences_.literals[first];
    uint32_t* const offset = &sequences_.offset[first];
    uint32_t* const match = &sequences_.match[first];
    const std::array<SlotTable, kFields>& fields = work_.fields;
    std::array<Lane, kMaxLanes> lanes;
    for (uint32_t l = 0; l < count; ++l) {
      Lane lane = get(l);
      refill(lane, 3 * kRansLog, next);
      literals[l] = symbol(lane, fields[kLiteralLength]);
      offset[l] = symbol(lane, fields[kOffset]);
      match[l] = symbol(lane, fields[kMatchLength]);
      lanes[l] = lane;
    }
    if (next > end_words_) return false;
    std::array<uint32_t, kMaxLanes> low;
    if (uses_low_bits_) {
      for (uint32_t l = 0; l < count; ++l) {
        if (offset[l] >> 24 < low_bits) continue;
        Lane lane = lanes[l];
        refill(lane, kRansLog, next);
        low[l] = symbol(lane, fields[kLowBits]);
        lanes[l] = lane;
      }
      if (next > end_words_) return false;
    }
    for (uint32_t l = 0; l < count; ++l) {
      const uint32_t value = offset[l], extra_bits = value >> 24;
      const bool has_low = extra_bits >= low_bits;
      const uint32_t bits = has_low ? extra_bits - low_bits : extra_bits;
      Lane lane = lanes[l];
      refill(lane, bits, next);
      const uint32_t high = take(lane, bits);
      lanes[l] = lane;
      offset[l] = (value & 0xffffff) + (has_low ? high << low_bits | low[l] : high);
    }
    if (next > end_words_) return false;
    for (uint32_t l = 0; l < count; ++l) {
      const uint32_t of_literals = literals[l], of_match = match[l];
      Lane lane = lanes[l];
      refill(lane, (of_literals >> 24) + (of_match >> 24), next);
      literals[l] = (of_literals & 0xffffff) + take(lane, of_literals >> 24);
      match[l] = (of_match & 0xffffff) + take(lane, of_match >> 24);
      put(l, lane);
    }
    next_ = next;
    return !is_past_end();
  }

  // Replaces repeats by offsets and checks the room and the offsets of a block's sequences. `literals`: how many it
  // has.
  template <bool moves_repeats>
  bool resolve_sequences(uint32_t count, uint32_t& literals) {
    uint32_t* const known = work_.offsets.data();
    uint32_t next = kRepeats, too_far = 0, run_sum = 0;
    size_t position = done_;
    std::array<uint32_t, kRepeats + 1> last;  // the newest first, and a place for a new one
    std::reverse_copy(known, known + kRepeats, last.begin());
    for (uint32_t s = 0; s < count; ++s) {
      // Without branches, which could not be predicted.
      const uint32_t coded = sequences_.offset[s], run = sequences_.literals[s];
      const uint32_t repeated = 0u - (coded / kRepeatFlag);
      uint32_t offset;
      if constexpr (moves_repeats) {
        last[kRepeats] = coded;
        const uint32_t from = repeated != 0 ? moved_position(coded & 3, run != 0) : kRepeats;
        offset = last[from];
        std::copy_backward(last.begin(), last.begin() + from, last.begin() + from + 1);
        last[0] = offset;
      } else {
        known[next] = coded;
        offset = known[next - (repeated & ((coded & 3) + 1))];
        next += 1 + repeated;
      }
      sequences_.offset[s] = offset;
      run_sum += run;
      position += run;
      too_far |= offset > position ? 1 : 0;
      position += sequences_.match[s];
    }
    if constexpr (moves_repeats)
      std::reverse_copy(last.begin(), last.begin() + kRepeats, known);
    else
      std::copy_n(known + next - kRepeats, kRepeats, known);
    if (position > end_ || too_far != 0) return false;
    literals = run_sum + static_cast<uint32_t>(end_ - position);
    return true;
  }

  using Source = LiteralSource;

  bool read_literals(const BlockHeader& block, uint32_t count, bool last, uint8_t* to) {
    if (block.literals == TableMode::given) return decode_literals<Source::plain>(count, last, to);
    return tables_ == 1 ? decode_literals<Source::one_table>(count, last, to)
                        : decode_literals<Source::by_context>(count, last, to);
  }

  template <Source source>
  Entry next_literal(const Lane& lane, [[maybe_unused]] uint32_t table) const {
    const LiteralTable& now = work_.literal_tables[source == Source::by_context ? table : 0];
    return now.entries[lane.fifo >> (64 - kMaxCodeLength)];
  }

  template <Source source>
  bool decode_literals(uint32_t count, bool last, uint8_t* to) {
    if (!decode_most_literals<source>(count, last, to)) return false;
    const uint32_t round = literals_of_last_round(count, lanes_log_);
    return !last || count == 0 || decode_last_literals<source>(round, to + count - round);
  }

  // All but those of exact steps.
  template <Source source>
  bool decode_most_literals(uint32_t count, bool last, uint8_t* to) {
    if (vectors_ != nullptr) {
      next_ = vectors_->read_literals[static_cast<size_t>(source)](
          lanes_, lanes_log_, next_, end_words_, work_.literal_tables.data(), map_ & 3, count, last, to);
      return !is_past_end();
    }
    LiteralLanes<source> lanes(lanes_, work_.literal_tables.data(),
                               static_cast<uint16_t>((map_ & 3) << Entry::kNextAt));
    while (count != 0) {
      const uint32_t round = literals_of_round(count, lanes_log_);
      const uint32_t per_lane = literals_per_lane(round, lanes_log_);
      lanes.begin_round();
      const uint32_t steps = per_lane - (last && round == count ? exact_steps_of(per_lane) : 0);
      for (uint32_t step = 0; step < steps; step += 2) {
        // Lanes with a literal in this step and the next, then those with one in this step.
        const uint32_t with_two = round < step + 2 ? 0 : (round - step - 2) / per_lane + 1;
        const uint32_t with_any = round < step + 1 ? 0 : (round - step - 1) / per_lane + 1;
        next_ = lanes.decode_two(next_, with_two, to + step, per_lane);
        for (uint32_t l = with_two; l < with_any; ++l) next_ = lanes.decode_one(next_, l, to + step + l * per_lane);
        if (is_past_end()) return false;
      }
      to += round;
      count -= round;
    }
    lanes.store(lanes_);
    return true;
  }

  // Those of exact steps, in a tile's last round.
  template <Source source>
  bool decode_last_literals(uint32_t round, uint8_t* to) {
    const uint32_t per_lane = literals_per_lane(round, lanes_log_);
    uint32_t bytes = 0;
    for (uint32_t step = per_lane - exact_steps_of(per_lane); step < per_lane; ++step) {
      const auto next = [&](const Lane& lane, uint32_t at) {
        if constexpr (source == Source::plain)
          return Entry::of(static_cast<uint32_t>(lane.fifo >> 56), 8, 0);
        else
          return next_literal<source>(lane, BlockHeader::table_of(map_, literal_context(step == 0 ? 0 : to[at - 1])));
      };
      for (uint32_t turn = 0; turn < kByteTurns; ++turn)
        for (uint32_t l = 0, at = step; at < round; ++l, at += per_lane) {
          Lane lane = get(l);
          if (lane.bits >= next(lane, at).length()) continue;
          lane.fifo |= uint64_t{byte_of_words(next_, bytes++)} << (56 - lane.bits);
          lane.bits += 8;
          put(l, lane);
        }
      for (uint32_t l = 0, at = step; at < round; ++l, at += per_lane) {
        Lane lane = get(l);
        const Entry entry = next(lane, at);
        lane.fifo <<= entry.length();
        lane.bits -= entry.length();
        to[at] = static_cast<uint8_t>(entry.symbol());
        put(l, lane);
      }
      if (next_ + (bytes + 3) / 4 > end_words_) return false;
    }
    for (; bytes % 4 != 0; ++bytes)
      if (byte_of_words(next_, bytes) != 0) return false;
    next_ += bytes / 4;
    return true;
  }

  struct Sequence {
    uint32_t literals, match, offset;
  };

  void execute(uint32_t count) {
    const uint8_t* literals = work_.literals.data();
    uint8_t* to = output_ + done_;
    uint8_t* const safe_end = size_ >= kCopySlack ? output_ + (size_ - kCopySlack) : output_;
    for (uint32_t l = 0; l < count; ++l) {
      const Sequence sequence = {sequences_.literals[l], sequences_.match[l], sequences_.offset[l]};
      if (to + sequence.literals + sequence.match <= safe_end) {
        copy_by_32(to, literals, sequence.literals);
        to += sequence.literals;
        copy_match(to, sequence.offset, sequence.match);
      } else {
        std::memcpy(to, literals, sequence.literals);
        to += sequence.literals;
        // A match that ends a tile may be long: only its last bytes are copied one by one.
        const uint32_t fast = to < safe_end ? std::min(sequence.match, static_cast<uint32_t>(safe_end - to)) : 0;
        if (fast != 0) copy_match(to, sequence.offset, fast);
        for (uint32_t i = fast; i < sequence.match; ++i) to[i] = (to - sequence.offset)[i];
      }
      to += sequence.match;
      literals += sequence.literals;
    }
    std::memcpy(to, literals, static_cast<size_t>(output_ + end_ - to));
  }

  // At least 32 bytes. `from` is another buffer, or at least 16 bytes before.
  static void copy_by_32(uint8_t* to, const uint8_t* from, uint32_t count) {
    for (uint32_t i = 0; i == 0 || i < count; i += 32) {
      std::memcpy(to + i, from + i, 16);
      std::memcpy(to + i + 16, from + i + 16, 16);
    }
  }

  // May write kCopySlack bytes past the match.
  static void copy_match(uint8_t* to, uint32_t offset, uint32_t count) {
    if (offset >= 16)
      copy_by_32(to, to - offset, count);
    else
      copy_near(to, offset, count);
  }

  // Offsets below 16. Reads the period once and writes it repeatedly: reading bytes that were just written takes long.
  static void copy_near(uint8_t* to, uint32_t offset, uint32_t count) {
    const uint8_t* const from = to - offset;
    if (offset >= 8) {
      uint64_t first, last;
      std::memcpy(&first, from, 8);
      std::memcpy(&last, to - 8, 8);
      for (uint32_t i = 0; i < count; i += offset) {
        std::memcpy(to + i, &first, 8);
        std::memcpy(to + i + offset - 8, &last, 8);
      }
      return;
    }
    if (offset == 1) {
      std::memset(to, *from, count);
      return;
    }
    // How often the period begins in 8 bytes, and the length of its whole repetitions.
    constexpr uint64_t kTimes[8] = {
        0, 0, 0x0001000100010001, 0x0001000001000001, 0x100000001, 0x10000000001, 0x1000000000001, 0x100000000000001};
    constexpr uint32_t kWhole[8] = {8, 8, 8, 6, 8, 5, 6, 7};
    const uint64_t once = load_u64(reinterpret_cast<const std::byte*>(from)) & ((uint64_t{1} << 8 * offset) - 1);
    std::array<std::byte, 8> repeated;
    store_u64(repeated.data(), once * kTimes[offset]);
    for (uint32_t i = 0; i < count; i += kWhole[offset]) std::memcpy(to + i, repeated.data(), 8);
  }

  // The largest alignment first.
  Lanes lanes_;
  Workspace& work_;
  Sequences& sequences_ = work_.sequences;
  uint8_t* output_;
  size_t size_, count_;
  const uint32_t* next_ = nullptr;
  const uint32_t* end_words_ = nullptr;
  size_t done_ = 0, end_ = 0;
  uint32_t lanes_log_ = 0, lane_count_ = 1;
  const Values* values_ = nullptr;
  bool moves_repeats_ = false;
  uint32_t tables_ = 0, map_ = 0;  // of literals in force; 0: none
  uint32_t low_bits_ = 0;
  std::array<bool, kFields> has_field_{};
  Vectors most_;
  const VectorLanes* vectors_;
  bool uses_low_bits_ = false;
};

// The calling thread's, freed with it.
Workspace& workspace() {
#if defined(_WIN32) && defined(__GNUC__)
  // GCC's runtime frees what is thread_local there before it destroys it.
  static const DWORD slot = FlsAlloc([](void* work) { delete static_cast<Workspace*>(work); });
  if (void* const work = FlsGetValue(slot)) return *static_cast<Workspace*>(work);
  auto work = std::make_unique<Workspace>();
  if (FlsSetValue(slot, work.get()) == 0) throw std::bad_alloc();
  return *work.release();
#else
  thread_local const std::unique_ptr<Workspace> work = std::make_unique<Workspace>();
  return *work;
#endif
}

}  // namespace

TileVerdict decode_tile(std::span<const uint32_t> words, std::span<std::byte> output, Vectors most) {
  // Many more words than any encoder writes are not worth a copy.
  if (output.empty() || output.size() > kMaxTileBytes || words.size() > 2 * output.size() + 4096)
    return decode_tile_reference(words, output);
  if (Decoder(workspace(), words, output, most).run()) return {};
  return decode_tile_reference(words, output);
}

}  // namespace weft::gstd
