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

  void uniform(uint32_t word) { add({word, head(kUniform)}); }
  /// The lane refills unless it has `need` bits, and takes `bits`, at most 32; `value` has no others.
  void bits(uint32_t lane, uint32_t need, uint32_t value, uint32_t bits) {
    add({value, head(kBits, lane, need, bits)});
  }
  /// bits(lane, bits, value, bits), of which there are often none: without a branch for that.
  void extra_bits(uint32_t lane, uint32_t value, uint32_t bits) {
    add({value, head(kBits, lane, bits, bits)});
    records_.size -= bits == 0 ? 1 : 0;
  }
  /// The lane refills unless it has `need` bits, and decodes symbols: the first of those given here.
  template <class... Packed>
  void symbols(uint32_t lane, uint32_t need, Packed... packed) {
    static_assert(sizeof...(packed) <= 3);
    uint32_t* to = symbols_.more(sizeof...(packed));
    ((*to++ = packed), ...);
    add({static_cast<uint32_t>(sizeof...(packed)), head(kSymbols, lane, need)});
  }
  /// symbols(lane, need, packed) if there is one: without a branch for that.
  void symbol_if(bool is_there, uint32_t lane, uint32_t need, uint32_t packed) {
    symbols(lane, need, packed);
    records_.size -= is_there ? 0 : 1;
    symbols_.size -= is_there ? 0 : 1;
  }
  static uint32_t pack(uint32_t frequency, uint32_t base) { return frequency | base << 16; }
  static uint32_t pack(const RansTable& table, uint32_t symbol) {
    return pack(table.frequency[symbol], table.base[symbol]);
  }
  /// A batch's literals, in order: lanes take them in rounds. The caller fills what is returned with code | bits << 16 each, before the next
  /// call. `longest`: bits that a code may have.
  uint32_t* literals(size_t count, uint32_t longest) {
    add({static_cast<uint32_t>(count), head(kLiterals, 0, longest)});
    return codes_.more(count);
  }
  /// All lanes take their first states.
  void states() { add({0, head(kStates)}); }
  /// All lanes release their states.
  void release() { add({0, head(kRelease)}); }

  /// Appends the words, the first of which is `header`. Once after each clear(). False: a lane has no room for its released state.
  bool finish(TileHeader header, std::vector<uint32_t>& words);

 private:
  enum Kind : uint32_t { kUniform, kBits, kSymbols, kLiterals, kStates, kRelease };
  // No bytes: what is written as a byte could be anything, to a compiler.
  struct Record {
    uint32_t value, head;

    uint32_t lane() const { return head & 255; }
    uint32_t kind() const { return head >> 8 & 255; }
    uint32_t need() const { return head >> 16 & 255; }
    uint32_t bits() const { return head >> 24; }
  };
  static constexpr uint32_t head(Kind kind, uint32_t lane = 0, uint32_t need = 0, uint32_t bits = 0) {
    return lane | kind << 8 | need << 16 | bits << 24;
  }
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
  void add(Record record) { *records_.more(1) = record; }

  /// The bits that follow a release in each lane, as many as a state holds.
  void look_ahead(const Record* from, uint32_t lanes_log, uint32_t* ahead) const;

  Buffer<Record> records_;
  Buffer<uint32_t> symbols_, codes_;
  Buffer<uint32_t> lane_words_;  // each lane's, one lane after the other
  Buffer<uint16_t> order_;       // whose each word is
};

}  // namespace weft::gstd
