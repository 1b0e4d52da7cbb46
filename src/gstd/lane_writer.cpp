// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/lane_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace weft::gstd {

namespace {

constexpr uint32_t kUniformLane = kMaxLanes;  // whose words are those read uniformly
constexpr uint32_t kEndWords = 3;             // that a lane may have taken for bits that never come, and its last one

// What division by a frequency and the number of bits that leave a state go by.
struct Divisor {
  uint32_t reciprocal;  // 2^32 / frequency, rounded up: exact for what is divided here, below 2^13
  uint32_t shift;       // (state + shift) >> 16 bits leave: as many as bring the state below 16 times the frequency
};
constexpr std::array<Divisor, kRansSlots + 1> kDivisors = [] {
  std::array<Divisor, kRansSlots + 1> table{};
  for (uint32_t f = 1; f <= kRansSlots; ++f) {
    const uint32_t least = kRansLog - std::min(kRansLog, static_cast<uint32_t>(std::bit_width(f)));
    const uint32_t bound = f << (kStateLog + 1 - kRansLog) << least;  // states from here on lose one bit more
    table[f] = {f == 1 ? 0 : static_cast<uint32_t>(((uint64_t{1} << 32) + f - 1) / f), ((least + 1) << 16) - bound};
  }
  return table;
}();

uint32_t code_of(uint32_t literal) { return literal & 0xffff; }
uint32_t bits_of(uint32_t literal) { return literal >> 16; }

}  // namespace

// The words of each lane by themselves, and whose words the decoder takes in which order. What a lane does to its words and what to the
// order touch each other nowhere, so that neither waits.
struct LaneWriter::Streams {
  std::array<uint64_t, kMaxLanes + 1>
      pending{};  // bits that fill no word yet, the last lowest, below others that are of no account
  std::array<uint32_t, kMaxLanes + 1> filled{};     // how many: below 32
  std::array<uint32_t, kMaxLanes + 1> available{};  // to the decoder
  std::array<uint32_t, kMaxLanes> dropped{};        // bits still to come that are in a released state
  std::array<uint32_t*, kMaxLanes + 1> to{};
  uint16_t* order = nullptr;

  // Without branches: whether a word is full or taken cannot be foretold.
  void append(uint32_t lane, uint32_t value, uint32_t bits) {
    const uint64_t all = pending[lane] << bits | value;
    const uint32_t sum = filled[lane] + bits;
    *to[lane] = static_cast<uint32_t>(all >> (sum & 31));
    to[lane] += sum >> 5;
    pending[lane] = all;
    filled[lane] = sum & 31;
  }
  void take(uint32_t lane, uint32_t need, uint32_t bits) {
    const uint32_t takes = available[lane] < need ? 1 : 0;
    *order = static_cast<uint16_t>(lane);
    order += takes;
    available[lane] += 32 * takes - bits;
  }
  void put(uint32_t lane, uint32_t need, uint32_t value, uint32_t bits) {
    append(lane, value, bits);
    take(lane, need, bits);
  }
  void put_behind_release(uint32_t lane, uint32_t need, uint32_t value, uint32_t bits) {
    const uint32_t now = std::min(bits, dropped[lane]), left = bits - now;
    dropped[lane] -= now;
    append(lane, static_cast<uint32_t>(value & ((uint64_t{1} << left) - 1)), left);
    take(lane, need, bits);
  }
  void uniform(uint32_t word) {
    *to[kUniformLane]++ = word;
    *order++ = static_cast<uint16_t>(kUniformLane);
  }

  using PairBits = std::array<std::array<uint16_t, kMaxLanes>, kMaxLiteralsOfLane / 2>;

  // A lane's literals of a round; `own` is where the bits of its pairs go.
  void append_literals(uint32_t lane, const uint32_t* literals, uint32_t count, PairBits& bits) {
    uint64_t all = pending[lane];
    uint32_t sum = filled[lane];
    uint32_t* at = to[lane];
    for (uint32_t i = 0; i < count; i += 2) {
      const uint32_t first = literals[i], second = i + 1 < count ? literals[i + 1] : 0;
      const uint32_t of_both = bits_of(first) + bits_of(second);
      all = all << of_both | (code_of(first) << bits_of(second) | code_of(second));
      sum = (sum & 31) + of_both;
      *at = static_cast<uint32_t>(all >> (sum & 31));
      at += sum >> 5;
      bits[i / 2][lane] = static_cast<uint16_t>(of_both);
    }
    pending[lane] = all;
    filled[lane] = sum & 31;
    to[lane] = at;
  }
  template <uint32_t of_lane>
  void append_round(const uint32_t* literals, uint32_t count, PairBits& bits) {
    const uint32_t whole = count / of_lane;
    for (uint32_t lane = 0; lane < whole; ++lane) append_literals(lane, literals + lane * of_lane, of_lane, bits);
    if (count % of_lane != 0) append_literals(whole, literals + whole * of_lane, count % of_lane, bits);
  }

  void round(const uint32_t* literals, uint32_t count, uint32_t lanes_log, uint32_t longest) {
    const uint32_t of_lane = literals_of_lane(count, lanes_log);
    PairBits bits;
    switch (of_lane) {
      case 1: append_round<1>(literals, count, bits); break;
      case 2: append_round<2>(literals, count, bits); break;
      case 4: append_round<4>(literals, count, bits); break;
      default: append_round<8>(literals, count, bits);
    }
    for (uint32_t step = 0; step < of_lane; step += 2) {
      // Lanes with two literals, then those with one.
      const uint32_t with_two = of_lane == 1 || count < step + 2 ? 0 : (count - step - 2) / of_lane + 1;
      const uint32_t with_any = count < step + 1 ? 0 : (count - step - 1) / of_lane + 1;
      uint32_t lane = 0;
      for (; lane < with_two; ++lane) take(lane, 2 * longest, bits[step / 2][lane]);
      for (; lane < with_any; ++lane) take(lane, longest, bits[step / 2][lane]);
    }
  }

  void literals(const uint32_t* from, size_t count, uint32_t lanes_log, uint32_t longest) {
    while (count != 0) {
      const uint32_t now = static_cast<uint32_t>(std::min<size_t>(count, kMaxLiteralsOfLane << lanes_log));
      const uint32_t of_lane = literals_of_lane(now, lanes_log);
      if (std::all_of(dropped.begin(), dropped.end(), [](uint32_t bits) { return bits == 0; })) {
        round(from, now, lanes_log, longest);
      } else {
        for (uint32_t step = 0; step < of_lane; step += 2)
          for (uint32_t lane = 0, at = step; at < now; ++lane, at += of_lane) {
            const bool has_two = step + 1 < of_lane && at + 1 < now;
            put_behind_release(lane, has_two ? 2 * longest : longest, code_of(from[at]), bits_of(from[at]));
            if (has_two) put_behind_release(lane, 0, code_of(from[at + 1]), bits_of(from[at + 1]));
          }
      }
      from += now;
      count -= now;
    }
  }
};

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
  // Batches of literals behind a release are one, or as many as somebody tells: their codes are the last.
  const Record* const end = records_.items.get() + records_.size;
  const uint32_t* literals = codes_.items.get() + codes_.size;
  for (const Record* r = record; r != end; ++r) literals -= r->kind() == kLiterals ? r->value : 0;
  for (; record != end; ++record) {
    if (record->kind() == kBits) add(record->lane(), record->value, record->bits());
    if (record->kind() != kLiterals) continue;
    for (size_t done = 0; done < record->value;) {
      const uint32_t count =
          static_cast<uint32_t>(std::min<size_t>(record->value - done, kMaxLiteralsOfLane << lanes_log));
      const uint32_t of_lane = literals_of_lane(count, lanes_log);
      for (uint32_t i = 0; i < count; ++i) add(i / of_lane, code_of(literals[i]), bits_of(literals[i]));
      literals += count;
      done += count;
      if (std::all_of(missing.begin(), missing.end(), [](uint32_t bits) { return bits == 0; })) return;
    }
  }
}

bool LaneWriter::finish(TileHeader header, std::vector<uint32_t>& words) {
  const uint32_t lanes = 1u << header.lanes_log;
  Record* const records = records_.items.get();

  // From the end: each symbol turns the state after it into the state before it and the bits between.
  std::array<uint32_t, kMaxLanes> states;
  states.fill(kStateLow);
  std::array<size_t, kMaxLanes + 1> room{};  // words a lane has at most, and what all have beside that
  size_t all = kEndWords;
  const auto count_words = [&](const Record& record) {
    // States are a record without a lane of their own; a round takes a lane less than three words.
    ++room[record.lane()];
    if (record.kind() == kStates) ++all;
    if (record.kind() == kLiterals) all += 3 * (record.value / (size_t{kMaxLiteralsOfLane} << header.lanes_log) + 1);
  };
  size_t symbol = symbols_.size, i = records_.size;
  if (header.states_released) {
    while (records[--i].kind() != kRelease) count_words(records[i]);
    std::array<uint32_t, kMaxLanes> ahead;
    look_ahead(records + i + 1, header.lanes_log, ahead.data());
    for (uint32_t lane = 0; lane < lanes; ++lane) states[lane] = kStateLow | ahead[lane];
  }
  while (i-- != 0) {
    Record& record = records[i];
    if (record.kind() != kSymbols) {
      count_words(record);
      continue;
    }
    ++room[record.lane()];
    uint32_t state = states[record.lane()], bits = 0, value = 0;
    for (uint32_t left = record.value; left != 0; --left) {
      const uint32_t packed = symbols_.items[--symbol], frequency = packed & 0xffff, base = packed >> 16;
      const Divisor divisor = kDivisors[frequency];
      const uint32_t shift = (state + divisor.shift) >> 16, kept = state >> shift;
      value |= (state & ((1u << shift) - 1)) << bits;
      bits += shift;
      const uint32_t quotient =
          frequency == 1 ? kept : static_cast<uint32_t>(uint64_t{kept} * divisor.reciprocal >> 32);
      state = quotient << kRansLog | (base + kept - quotient * frequency);
    }
    record = {value, head(kBits, record.lane(), record.need(), bits)};
    states[record.lane()] = state;
  }
  size_t sum = 0;
  for (uint32_t lane = 0; lane < lanes; ++lane) sum += room[lane] += all;
  room[kUniformLane] = records_.size + 1;
  sum += room[kUniformLane];
  lane_words_.clear();
  order_.clear();
  uint32_t* const of_lanes = lane_words_.more(sum);
  uint16_t* const order = order_.more(sum);

  Streams streams;
  streams.order = order;
  std::array<uint32_t*, kMaxLanes + 1> begin{};
  uint32_t* place = of_lanes;
  for (uint32_t lane = 0; lane <= kUniformLane; ++lane) {
    if (lane >= lanes && lane != kUniformLane) continue;
    streams.to[lane] = begin[lane] = place;
    place += room[lane];
  }

  streams.uniform(header.pack());
  const uint32_t* codes = codes_.items.get();
  const Record* const end = records + records_.size;
  const Record* record = records;
  for (; record != end && record->kind() != kRelease; ++record) {
    switch (record->kind()) {
      case kBits: streams.put(record->lane(), record->need(), record->value, record->bits()); break;
      case kLiterals:
        streams.literals(codes, record->value, header.lanes_log, record->need());
        codes += record->value;
        break;
      case kUniform: streams.uniform(record->value); break;
      default:
        for (uint32_t lane = 0; lane < lanes; ++lane) streams.put(lane, kStateLog, states[lane] - kStateLow, kStateLog);
    }
  }
  if (record != end) {
    // The first bits behind a release are in the states already. Only bits and literals are there.
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (streams.available[lane] + kStateLog > 64) return false;
      streams.available[lane] += kStateLog;
      streams.dropped[lane] = kStateLog;
    }
    while (++record != end) {
      if (record->kind() == kLiterals) {
        streams.literals(codes, record->value, header.lanes_log, record->need());
        codes += record->value;
      } else {
        streams.put_behind_release(record->lane(), record->need(), record->value, record->bits());
      }
    }
  }
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    const uint32_t filled = streams.filled[lane];
    uint32_t* const last = streams.to[lane];
    last[0] = filled == 0 ? 0 : static_cast<uint32_t>(streams.pending[lane] << (32 - filled));
    last[1] = last[2] = 0;
  }
  const size_t first = words.size();
  words.resize(first + static_cast<size_t>(streams.order - order));
  uint32_t* out = words.data() + first;
  for (const uint16_t* lane = order; lane != streams.order; ++lane) *out++ = *begin[*lane]++;
  return true;
}

}  // namespace weft::gstd
