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
  /// All lanes take their first states.
  void states() { record() = {0, 0, kStates, 0, 0}; }
  /// All lanes release their states.
  void release() { record() = {0, 0, kRelease, 0, 0}; }

  /// Appends the words, the first of which is `header`. Once after each clear(). False: a lane has no room for its released state.
  bool finish(TileHeader header, std::vector<uint32_t>& words);

 private:
  enum Kind : uint8_t { kUniform, kBits, kSymbols, kStates, kRelease };
  struct Record {
    uint32_t value;
    uint8_t lane, kind, need, bits;
  };

  // A vector whose elements begin undefined.
  template <class T>
  struct Buffer {
    std::unique_ptr<T[]> items;
    size_t size = 0, capacity = 0;

    void clear() { size = 0; }
    T* more(size_t count) {
      if (capacity - size < count) grow();
      size += count;
      return &items[size - count];
    }
    void grow() {
      capacity = 2 * capacity + 4096;
      std::unique_ptr<T[]> larger(new T[capacity]);
      std::copy_n(items.get(), size, larger.get());
      items = std::move(larger);
    }
  };
  Record& record() { return *records_.more(1); }

  Buffer<Record> records_;
  Buffer<uint32_t> symbols_;
};

}  // namespace weft::gstd
