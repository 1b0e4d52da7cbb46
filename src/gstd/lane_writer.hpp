// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
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
    codes_.clear();
  }

  void uniform(uint32_t word) { record() = {word, 0, kUniform, 0, 0}; }
  /// The lane refills unless it has `need` bits, and takes `bits`, at most 32; `value` has no others.
  void bits(uint32_t lane, uint32_t need, uint32_t value, uint32_t bits) {
    record() = {value, static_cast<uint8_t>(lane), kBits, static_cast<uint8_t>(need), static_cast<uint8_t>(bits)};
  }
  /// The lane refills unless it has `need` bits, and decodes symbols: the first of those given here.
  template <class... Packed>
  void symbols(uint32_t lane, uint32_t need, Packed... packed) {
    static_assert(sizeof...(packed) <= 3);
    uint32_t* to = symbols_.more(sizeof...(packed));
    ((*to++ = packed), ...);
    record() = {static_cast<uint32_t>(sizeof...(packed)), static_cast<uint8_t>(lane), kSymbols,
                static_cast<uint8_t>(need), 0};
  }
  static uint32_t pack(const RansTable& table, uint32_t symbol) {
    return table.frequency[symbol] | uint32_t{table.base[symbol]} << 16;
  }
  /// A batch's literals, in order: lanes take them in rounds. The caller fills what is returned with code | bits << 16 each, before the next
  /// call. `longest`: bits that a code may have.
  uint32_t* literals(size_t count, uint32_t longest) {
    record() = {static_cast<uint32_t>(count), 0, kLiterals, static_cast<uint8_t>(longest), 0};
    return codes_.more(count);
  }
  /// All lanes take their first states.
  void states() { record() = {0, 0, kStates, 0, 0}; }
  /// All lanes release their states.
  void release() { record() = {0, 0, kRelease, 0, 0}; }

  /// Appends the words, the first of which is `header`. Once after each clear(). False: a lane has no room for its released state.
  bool finish(TileHeader header, std::vector<uint32_t>& words);

 private:
  enum Kind : uint8_t { kUniform, kBits, kSymbols, kLiterals, kStates, kRelease };
  struct Record {
    uint32_t value;
    uint8_t lane, kind, need, bits;
  };
  struct Streams;

  // A vector whose elements begin undefined.
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
  Record& record() { return *records_.more(1); }

  /// The bits that follow a release in each lane, as many as a state holds.
  void look_ahead(const Record* from, uint32_t lanes_log, uint32_t* ahead) const;

  Buffer<Record> records_;
  Buffer<uint32_t> symbols_, codes_;
  Buffer<uint32_t> lane_words_;  // each lane's, one lane after the other
  Buffer<uint8_t> order_;        // whose each word is
};

}  // namespace weft::gstd
