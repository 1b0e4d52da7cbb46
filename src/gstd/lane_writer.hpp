// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gstd/coding.hpp"
#include "gstd/format.hpp"
#include "gstd/lane_steps.hpp"

namespace weft::gstd {

/// Makes words of a decoder's operations, given in its order: by lane within a step, each with the bits it needs first.
class LaneWriter {
 public:
  explicit LaneWriter(Vectors vectors = Vectors::all) : steps_(vector_steps(vectors)) {}

  void clear() {
    records_.clear();
    symbols_.clear();
    batches_.clear();
    literals_.clear();
  }

  void uniform(uint32_t word) { add({word, head(kUniform)}); }
  /// The lane refills unless it has `need` bits, and takes `bits` bits of `value`, at most 32.
  void bits(uint32_t lane, uint32_t need, uint32_t value, uint32_t bits) {
    add({value, head(kBits, lane, need, bits)});
  }
  /// The lane refills unless it has `need` bits, and decodes the first of these symbols.
  template <class... Packed>
  void symbols(uint32_t lane, uint32_t need, Packed... packed) {
    static_assert(sizeof...(packed) <= 3);
    uint32_t* to = symbols_.more(sizeof...(packed));
    ((*to++ = packed), ...);
    add({static_cast<uint32_t>(sizeof...(packed)), head(kSymbols, lane, need)});
  }
  static uint32_t pack(uint32_t frequency, uint32_t base) { return frequency | base << 16; }
  static uint32_t pack(const RansTable& table, uint32_t symbol) {
    return pack(table.frequency[symbol], table.base[symbol]);
  }
  /// A batch's sequences, one a lane. finish() reads what it points at.
  void sequences(const SequenceBatch& batch) {
    add({static_cast<uint32_t>(batches_.size), head(kSequences)});
    *batches_.more(1) = batch;
  }
  /// A block's literals, in order: lanes take them in rounds. finish() reads what it points at.
  void literals(const BlockLiterals& block) {
    add({static_cast<uint32_t>(literals_.size), head(kLiterals)});
    *literals_.more(1) = block;
  }
  /// All lanes take their first states.
  void states() { add({0, head(kStates)}); }
  /// All lanes release their states. Only bits and literals may follow.
  void release() { add({0, head(kRelease)}); }

  /// Appends the words, the first of which is `header`. Call once after each clear(). Returns false if a lane has no
  /// room for its released state.
  bool finish(TileHeader header, std::vector<uint32_t>& words);

 private:
  enum Kind : uint32_t { kUniform, kBits, kSymbols, kSequences, kLiterals, kStates, kRelease };
  // No bytes: compilers assume that a store of a byte may alias anything.
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
  void add(Record record) { *records_.more(1) = record; }

  /// The bits that follow a release in each lane, as many as a state holds.
  void look_ahead(const Record* from, uint32_t lanes_log, uint32_t* ahead) const;
  /// Encodes symbols, the last first. Returns an upper bound of the words.
  size_t encode_symbols(const TileHeader& header, uint32_t* states);

  const VectorSteps* steps_;
  Buffer<Record> records_;
  Buffer<uint32_t> symbols_;
  Buffer<SequenceBatch> batches_;
  Buffer<SymbolRow> rows_;  // two a batch
  Buffer<BlockLiterals> literals_;
  Buffer<uint32_t> words_;
};

}  // namespace weft::gstd
