// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/lane_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace weft::gstd {

namespace {

// The words of one lane: places for them are made when the decoder would take them, and filled when there are bits for them.
struct LaneStream {
  uint64_t pending = 0;  // bits that fill no word yet, the last lowest
  uint32_t pending_bits = 0;
  uint32_t available = 0;  // to the decoder
  uint32_t dropped = 0;    // bits still to come that are in a released state
  std::array<uint32_t, 4> places{};
  uint32_t first_place = 0, end_place = 0;
};

// 2^32 / frequency, rounded up: exact for what is divided here, below 2^13.
constexpr std::array<uint32_t, kRansSlots + 1> kReciprocals = [] {
  std::array<uint32_t, kRansSlots + 1> table{};
  for (uint32_t f = 2; f <= kRansSlots; ++f) table[f] = static_cast<uint32_t>(((uint64_t{1} << 32) + f - 1) / f);
  return table;
}();

}  // namespace

bool LaneWriter::finish(TileHeader header, std::vector<uint32_t>& words) {
  const uint32_t lanes = 1u << header.lanes_log;

  // From the end: each symbol turns the state after it into the state before it and the bits between.
  std::array<uint32_t, kMaxLanes> states, ahead{};  // ahead: the bits that follow in the lane, as many as a state holds
  states.fill(kStateLow);
  size_t symbol = symbols_.size, i = records_.size;
  if (header.states_released) {
    while (records_.items[--i].kind != kRelease) {
      const Record& record = records_.items[i];
      if (record.bits == 0) continue;
      uint32_t& next = ahead[record.lane];
      next = record.bits >= kStateLog ? record.value >> (record.bits - kStateLog)
                                      : record.value << (kStateLog - record.bits) | next >> record.bits;
    }
    for (uint32_t lane = 0; lane < lanes; ++lane) states[lane] = kStateLow | ahead[lane];
  }
  while (i-- != 0) {
    Record& record = records_.items[i];
    if (record.kind != kSymbols) continue;
    uint32_t state = states[record.lane], bits = 0, value = 0;
    for (uint32_t left = record.value; left != 0; --left) {
      const uint32_t packed = symbols_.items[--symbol], frequency = packed & 0xffff, base = packed >> 16;
      // As many bits leave as bring the state below 16 times the frequency: one of two numbers.
      uint32_t shift = kRansLog - std::min(kRansLog, static_cast<uint32_t>(std::bit_width(frequency)));
      shift += state >> shift >= frequency << (kStateLog + 1 - kRansLog) ? 1 : 0;
      const uint32_t kept = state >> shift;
      value |= (state & ((1u << shift) - 1)) << bits;
      bits += shift;
      const uint32_t quotient =
          frequency == 1 ? kept : static_cast<uint32_t>(uint64_t{kept} * kReciprocals[frequency] >> 32);
      state = quotient << kRansLog | (base + kept - quotient * frequency);
    }
    record.kind = kBits;
    record.value = value;
    record.bits = static_cast<uint8_t>(bits);
    states[record.lane] = state;
  }

  std::array<LaneStream, kMaxLanes> streams;
  const size_t first = words.size();
  words.resize(first + 2 + lanes + records_.size);  // each record takes a word at most
  uint32_t* const out = words.data() + first;
  uint32_t* const nowhere = &words.back();
  uint32_t next = 0;
  // Without branches: whether a word is taken or full cannot be foretold.
  const auto put = [&](LaneStream& stream, uint32_t need, uint32_t value, uint32_t bits) {
    const uint32_t takes = stream.available < need ? 1 : 0;
    stream.places[stream.end_place % 4] = next;
    stream.end_place += takes;
    next += takes;
    stream.available += 32 * takes - bits;
    stream.pending = stream.pending << bits | value;
    const uint32_t pending = stream.pending_bits + bits, full = pending >> 5;
    stream.pending_bits = pending & 31;
    uint32_t* const to = full != 0 ? out + stream.places[stream.first_place % 4] : nowhere;
    *to = static_cast<uint32_t>(stream.pending >> stream.pending_bits);
    stream.first_place += full;
  };

  out[next++] = header.pack();
  const Record* const end = records_.items.get() + records_.size;
  const Record* record = records_.items.get();
  for (; record != end && record->kind != kRelease; ++record) {
    if (record->kind == kBits) {
      put(streams[record->lane], record->need, record->value, record->bits);
    } else if (record->kind == kUniform) {
      out[next++] = record->value;
    } else {
      for (uint32_t lane = 0; lane < lanes; ++lane) put(streams[lane], kStateLog, states[lane] - kStateLow, kStateLog);
    }
  }
  if (record != end) {
    // The first bits behind a release are in the states already.
    std::array<uint32_t, kMaxLanes> dropped;
    dropped.fill(kStateLog);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (streams[lane].available + kStateLog > 64) {
        words.resize(first);
        return false;
      }
      streams[lane].available += kStateLog;
    }
    while (++record != end) {
      LaneStream& stream = streams[record->lane];
      const uint32_t now = std::min<uint32_t>(record->bits, dropped[record->lane]), left = record->bits - now;
      dropped[record->lane] -= now;
      put(stream, record->need, static_cast<uint32_t>(record->value & ((uint64_t{1} << left) - 1)), left);
      stream.available -= now;
    }
  }
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    LaneStream& stream = streams[lane];
    if (stream.pending_bits != 0)
      out[stream.places[stream.first_place % 4]] = static_cast<uint32_t>(stream.pending << (32 - stream.pending_bits));
  }
  words.resize(first + next);
  return true;
}

}  // namespace weft::gstd
