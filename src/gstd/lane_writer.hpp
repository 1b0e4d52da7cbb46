// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "gstd/coding.hpp"
#include "gstd/format.hpp"

namespace weft::gstd {

/// Makes words of what a decoder will do, told in the order it does it: lanes in order within a step, each with what it needs first.
class LaneWriter {
 public:
  void clear() {
    records_.clear();
    symbols_.clear();
  }

  void uniform(uint32_t word) { records_.push_back({word, 0, kUniform, 0, 0}); }
  /// The lane refills unless it has `need` bits, and takes `bits`, at most 32; `value` has no others.
  void bits(uint32_t lane, uint32_t need, uint32_t value, uint32_t bits) {
    records_.push_back(
        {value, static_cast<uint8_t>(lane), kBits, static_cast<uint8_t>(need), static_cast<uint8_t>(bits)});
  }
  /// The lane refills unless it has `need` bits, and decodes symbols, at most 3: the first of those given here.
  void symbols(uint32_t lane, uint32_t need, std::initializer_list<uint32_t> packed) {
    symbols_.insert(symbols_.end(), packed);
    records_.push_back(
        {static_cast<uint32_t>(packed.size()), static_cast<uint8_t>(lane), kSymbols, static_cast<uint8_t>(need), 0});
  }
  static uint32_t pack(const RansTable& table, uint32_t symbol) {
    return table.frequency[symbol] | uint32_t{table.base[symbol]} << 16;
  }
  /// All lanes take their first states.
  void states() { records_.push_back({0, 0, kStates, 0, 0}); }
  /// All lanes release their states.
  void release() { records_.push_back({0, 0, kRelease, 0, 0}); }

  /// Appends the words, the first of which is `header`. Once after each clear(). False: a lane has no room for its released state.
  bool finish(TileHeader header, std::vector<uint32_t>& words);

 private:
  enum Kind : uint8_t { kUniform, kBits, kSymbols, kStates, kRelease };
  struct Record {
    uint32_t value;
    uint8_t lane, kind, need, bits;
  };

  std::vector<Record> records_;
  std::vector<uint32_t> symbols_;
};

}  // namespace weft::gstd
