// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/lane_writer.hpp"

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

}  // namespace

bool LaneWriter::finish(TileHeader header, std::vector<uint32_t>& words) {
  const uint32_t lanes = 1u << header.lanes_log;

  // From the end: each symbol turns the state after it into the state before it and the bits between.
  std::array<uint32_t, kMaxLanes> states, ahead{};  // ahead: the bits that follow in the lane, as many as a state holds
  states.fill(kStateLow);
  for (size_t i = events_.size(); i-- != 0;) {
    Event& event = events_[i];
    if (event.kind == kSymbol) {
      uint32_t& state = states[event.lane];
      const uint32_t frequency = event.value & 0xffff, base = event.value >> 16;
      const uint32_t limit = frequency << (kStateLog + 1 - kRansLog);
      uint32_t shift = 0;
      while (state >> shift >= limit) ++shift;
      const uint32_t kept = state >> shift;
      event.value = state & ((1u << shift) - 1);
      event.bits = static_cast<uint8_t>(shift);
      event.kind = kBits;
      state = kept / frequency << kRansLog | (base + kept % frequency);
    } else if (event.kind == kBits && event.bits != 0) {
      uint32_t& next = ahead[event.lane];
      next = event.bits >= kStateLog ? event.value >> (event.bits - kStateLog)
                                     : event.value << (kStateLog - event.bits) | next >> event.bits;
    } else if (event.kind == kRelease) {
      for (uint32_t lane = 0; lane < lanes; ++lane) states[lane] = kStateLow | ahead[lane];
    }
  }

  std::array<LaneStream, kMaxLanes> streams;
  const auto need = [&](LaneStream& stream, uint32_t bits) {
    if (stream.available >= bits) return;
    stream.places[stream.end_place++ % 4] = static_cast<uint32_t>(words.size());
    words.push_back(0);
    stream.available += 32;
  };
  const auto put = [&](LaneStream& stream, uint32_t value, uint32_t bits) {
    stream.available -= bits;
    if (stream.dropped != 0) {
      const uint32_t dropped = bits < stream.dropped ? bits : stream.dropped;
      stream.dropped -= dropped;
      bits -= dropped;
      value &= (uint32_t{1} << bits) - 1;
    }
    stream.pending = stream.pending << bits | value;
    stream.pending_bits += bits;
    if (stream.pending_bits >= 32) {
      stream.pending_bits -= 32;
      words[stream.places[stream.first_place++ % 4]] = static_cast<uint32_t>(stream.pending >> stream.pending_bits);
    }
  };

  words.push_back(header.pack());
  for (const Event& event : events_) {
    switch (event.kind) {
      case kUniform: words.push_back(event.value); break;
      case kNeed: need(streams[event.lane], event.bits); break;
      case kBits: put(streams[event.lane], event.value, event.bits); break;
      case kStates:
        for (uint32_t lane = 0; lane < lanes; ++lane) {
          need(streams[lane], kStateLog);
          put(streams[lane], states[lane] - kStateLow, kStateLog);
        }
        break;
      default:
        for (uint32_t lane = 0; lane < lanes; ++lane) {
          if (streams[lane].available + kStateLog > 64) return false;
          streams[lane].available += kStateLog;
          streams[lane].dropped = kStateLog;
        }
    }
  }
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    LaneStream& stream = streams[lane];
    if (stream.pending_bits != 0)
      words[stream.places[stream.first_place % 4]] =
          static_cast<uint32_t>(stream.pending << (32 - stream.pending_bits));
  }
  return true;
}

}  // namespace weft::gstd
