// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gstd/coding.hpp"
#include "gstd/format.hpp"

namespace weft::gstd {

/// Makes words of what a decoder will do, told in the order it does it.
class LaneWriter {
 public:
  void clear() { events_.clear(); }

  void uniform(uint32_t word) { add(word, 0, kUniform, 0); }
  /// The lane refills unless it has `bits`.
  void need(uint32_t lane, uint32_t bits) { add(0, lane, kNeed, bits); }
  /// The lane takes `count` bits; `value` has no others.
  void bits(uint32_t lane, uint32_t value, uint32_t count) { add(value, lane, kBits, count); }
  void symbol(uint32_t lane, const RansTable& table, uint32_t symbol) {
    add(table.frequency[symbol] | uint32_t{table.base[symbol]} << 16, lane, kSymbol, 0);
  }
  /// All lanes take their first states.
  void states() { add(0, 0, kStates, 0); }
  /// All lanes release their states.
  void release() { add(0, 0, kRelease, 0); }

  /// Appends the words, the first of which is `header`. A writer does this once. False: a lane has no room for its released state.
  bool finish(TileHeader header, std::vector<uint32_t>& words);

 private:
  enum Kind : uint8_t { kUniform, kNeed, kBits, kSymbol, kStates, kRelease };
  struct Event {
    uint32_t value;
    uint8_t lane, kind, bits;
  };
  void add(uint32_t value, uint32_t lane, Kind kind, uint32_t bits) {
    events_.push_back({value, static_cast<uint8_t>(lane), kind, static_cast<uint8_t>(bits)});
  }

  std::vector<Event> events_;
};

}  // namespace weft::gstd
