// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GDeflate 1.0 on the CPU. 32 lanes have a queue of bits each. A round is one symbol of each lane in turn; a lane with
// fewer than 32 bits left then takes the next word of the page. The lane of a length has its distance in the next
// round. Errors are collected over a round, as the lanes of a GPU have it (shaders/decode/gdeflate_page.glsl).
#include <weft/gdeflate.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "gstd/guarded.hpp"
#include "gstd/little_endian.hpp"

namespace weft::gdeflate {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kMaxCodeBits = 15;
constexpr uint32_t kEndOfBlock = 256, kLastLength = 285, kMaxLiteralSymbols = 288;
constexpr uint32_t kNoLength = ~0u;

/// One page's words, and the bits of each lane, first bit lowest. Between steps, a lane has 32 to 63 bits.
class LaneQueues {
 public:
  explicit LaneQueues(std::span<const std::byte> page) : page_(page) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) refill(lane);
  }

  uint32_t peek(uint32_t lane) const { return static_cast<uint32_t>(bits_[lane]); }

  /// Up to 31 bits.
  uint32_t take(uint32_t lane, uint32_t count) {
    const uint32_t value = peek(lane) & ((1u << count) - 1u);
    bits_[lane] >>= count;
    counts_[lane] -= count;
    if (counts_[lane] < 32) refill(lane);
    return value;
  }

  /// Whether bits of words past the last were used. A lane takes a second such word only then.
  bool truncated() const { return truncated_; }

 private:
  void refill(uint32_t lane) {
    if (at_ < page_.size()) {
      std::array<std::byte, 4> word{};
      std::copy_n(page_.begin() + static_cast<std::ptrdiff_t>(at_), std::min<size_t>(4, page_.size() - at_),
                  word.begin());
      bits_[lane] |= uint64_t{gstd::load_u32(word.data())} << counts_[lane];
      at_ += 4;
    } else {
      truncated_ = truncated_ || (past_end_ >> lane & 1u) != 0;
      past_end_ |= 1u << lane;
    }
    counts_[lane] += 32;
  }

  std::span<const std::byte> page_;
  size_t at_ = 0;
  std::array<uint64_t, kLanes> bits_{};
  std::array<uint32_t, kLanes> counts_{};
  uint32_t past_end_ = 0;
  bool truncated_ = false;
};

uint32_t reversed(uint32_t bits, uint32_t count) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < count; ++i) result |= (bits >> i & 1u) << (count - 1 - i);
  return result;
}

struct Symbol {
  uint32_t value = 0;
  /// Of the code. 0: the bits are no code.
  uint32_t bits = 0;
};

/// A canonical Huffman code: a table by the next kTableBits bits, and a search for codes that are longer.
class Code {
 public:
  /// Returns false unless the code is complete, or has no symbols, or one, of 1 bit.
  bool build(std::span<const uint8_t> lengths) {
    std::array<uint32_t, kMaxCodeBits + 1> counts{}, next{};
    for (const uint8_t length : lengths) ++counts[length];
    uint32_t begin = 0, index = 0;
    for (uint32_t length = 1; length <= kMaxCodeBits; ++length) {
      next[length] = index;
      // Codes of 15 bits from `begin` on; a code's symbol is sorted_[its bits + delta_].
      delta_[length] = index - (begin >> (kMaxCodeBits - length));  // modulo 2^32
      begin += counts[length] << (kMaxCodeBits - length);
      limit_[length] = begin;
      index += counts[length];
      if (begin > 1u << kMaxCodeBits) return false;
    }
    if (begin != 1u << kMaxCodeBits && index != 0 && (index != 1 || counts[1] != 1)) return false;
    for (uint32_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] != 0) sorted_[next[lengths[symbol]]++] = static_cast<uint16_t>(symbol);
    fill();
    return true;
  }

  Symbol find(uint32_t bits) const {
    const uint16_t entry = table_[bits & ((1u << kTableBits) - 1)];
    if (entry != 0) return {static_cast<uint32_t>(entry >> 4), entry & 15u};
    return search(reversed(bits, kMaxCodeBits), kTableBits + 1);
  }

 private:
  static constexpr uint32_t kTableBits = 10;

  Symbol search(uint32_t code, uint32_t length) const {
    for (; length <= kMaxCodeBits; ++length)
      if (code < limit_[length]) return {sorted_[(code >> (kMaxCodeBits - length)) + delta_[length]], length};
    return {};
  }

  void fill() {
    for (uint32_t slot = 0; slot < table_.size(); ++slot) {
      const Symbol symbol = search(reversed(slot, kMaxCodeBits), 1);
      table_[slot] = static_cast<uint16_t>(symbol.bits <= kTableBits ? symbol.value << 4 | symbol.bits : 0);
    }
  }

  std::array<uint16_t, 1u << kTableBits> table_{};
  std::array<uint16_t, kMaxLiteralSymbols> sorted_{};
  std::array<uint32_t, kMaxCodeBits + 1> limit_{};
  std::array<uint32_t, kMaxCodeBits + 1> delta_{};
};

/// What a symbol stands for: `base`, and as much more as its extra bits say.
struct Value {
  uint32_t base, extra;
};

// DEFLATE's, but for the last symbol: lengths of 3 and 16 bits more, as in Deflate64.
Value length_of(uint32_t symbol) {
  const uint32_t index = symbol - 257;
  if (symbol == kLastLength) return {3, 16};
  if (index < 8) return {index + 3, 0};
  const uint32_t extra = index / 4 - 1;
  return {((4 + index % 4) << extra) + 3, extra};
}

// DEFLATE's, with two more symbols of 14 bits.
Value distance_of(uint32_t symbol) {
  if (symbol < 4) return {symbol + 1, 0};
  const uint32_t extra = symbol / 2 - 1;
  return {((2 + symbol % 2) << extra) + 1, extra};
}

/// A match whose distance comes in the lane's next round.
struct Match {
  size_t begin = 0, length = 0;
};

class PageDecoder {
 public:
  PageDecoder(std::span<const std::byte> page, std::span<std::byte> output) : queues_(page), output_(output) {}

  Refusal decode() {
    for (uint32_t block = 0;; ++block) {
      const uint32_t header = queues_.take(0, 3);
      if (queues_.truncated()) return Refusal::truncated;
      if (block == kMaxBlocks || header >> 1 == 3) return Refusal::bad_block;
      const Refusal refusal = header >> 1 == 0 ? stored_block() : coded_block(header >> 1 == 1);
      if (refusal != Refusal::none) return refusal;
      if ((header & 1) != 0) return done_ == output_.size() ? Refusal::none : Refusal::bad_length;
    }
  }

 private:
  Refusal stored_block() {
    const uint32_t size = queues_.take(0, 16);
    if (queues_.truncated()) return Refusal::truncated;
    if (size > output_.size() - done_) return Refusal::bad_length;
    for (uint32_t i = 0; i < size && !queues_.truncated(); ++i)
      output_[done_++] = static_cast<std::byte>(queues_.take(i % kLanes, 8));
    return queues_.truncated() ? Refusal::truncated : Refusal::none;
  }

  Refusal coded_block(bool fixed) {
    if (fixed) {
      if (!fixed_built_) build_fixed();
      fixed_built_ = true;
    } else {
      fixed_built_ = false;
      const Refusal refusal = read_codes();
      if (refusal != Refusal::none) return refusal;
    }
    for (bool ends = false; !ends;) {
      const Refusal refusal = round(ends);
      if (refusal != Refusal::none) return refusal;
    }
    // Distances of the block's last lengths.
    bool ended = true;
    return matches_ == 0 ? Refusal::none : round(ended);
  }

  void build_fixed() {
    std::array<uint8_t, kMaxLiteralSymbols> lengths{};
    for (uint32_t symbol = 0; symbol < lengths.size(); ++symbol)
      lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
    literals_.build(lengths);
    lengths.fill(5);
    distances_.build(std::span(lengths).first(32));
  }

  Refusal read_codes() {
    constexpr std::array<uint8_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const uint32_t sizes = queues_.take(0, 14);
    const uint32_t literals = (sizes & 31u) + 257, distances = (sizes >> 5 & 31u) + 1;
    std::array<uint8_t, kOrder.size()> code_lengths{};
    for (uint32_t lane = 0; lane < (sizes >> 10) + 4; ++lane)
      code_lengths[kOrder[lane]] = static_cast<uint8_t>(queues_.take(lane, 3));
    if (queues_.truncated()) return Refusal::truncated;
    if (!distances_.build(code_lengths)) return Refusal::bad_table;
    const Refusal refusal = read_lengths(literals + distances);
    if (refusal != Refusal::none) return refusal;
    const bool built = literals_.build(std::span(lengths_).first(literals)) &&
                       distances_.build(std::span(lengths_).subspan(literals, distances));
    return built ? Refusal::none : Refusal::bad_table;
  }

  /// Reads the lengths of both codes, by a code that is in distances_.
  Refusal read_lengths(uint32_t count) {
    uint32_t last = kNoLength;
    for (uint32_t at = 0; at < count;) {
      bool bad = false;
      for (uint32_t lane = 0; lane < kLanes && at < count; ++lane) {
        const Symbol symbol = distances_.find(queues_.peek(lane));
        queues_.take(lane, symbol.bits);
        uint32_t repeats = 1;
        if (symbol.bits == 0) {
          bad = true;
        } else if (symbol.value < 16) {
          last = symbol.value;
        } else if (symbol.value == 16) {
          repeats = 3 + queues_.take(lane, 2);
          bad = bad || last == kNoLength;
        } else {
          repeats = symbol.value == 17 ? 3 + queues_.take(lane, 3) : 11 + queues_.take(lane, 7);
          last = 0;
        }
        bad = bad || repeats > count - at;
        std::fill_n(lengths_.begin() + at, std::min(repeats, count - at), static_cast<uint8_t>(last));
        at += repeats;
      }
      if (queues_.truncated()) return Refusal::truncated;
      if (bad) return Refusal::bad_table;
    }
    return Refusal::none;
  }

  /// One round of all lanes. `ends`: whether the block's last literal or length was read.
  Refusal round(bool& ends) {
    bad_symbol_ = bad_offset_ = bad_length_ = false;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((matches_ >> lane & 1u) != 0)
        read_distance(lane);
      else if (!ends)
        ends = !read_literal_or_length(lane);
    }
    return queues_.truncated() ? Refusal::truncated
           : bad_symbol_       ? Refusal::bad_symbol
           : bad_offset_       ? Refusal::bad_offset
           : bad_length_       ? Refusal::bad_length
                               : Refusal::none;
  }

  /// Returns false at the end of the block.
  bool read_literal_or_length(uint32_t lane) {
    const Symbol symbol = literals_.find(queues_.peek(lane));
    if (symbol.bits == 0 || symbol.value > kLastLength) {
      bad_symbol_ = true;
      return true;
    }
    const uint32_t bits = queues_.peek(lane) >> symbol.bits;
    if (symbol.value <= kEndOfBlock) {
      queues_.take(lane, symbol.bits);
      if (symbol.value == kEndOfBlock) return false;
      if (done_ < output_.size())
        output_[done_++] = static_cast<std::byte>(symbol.value);
      else
        bad_length_ = true;
      return true;
    }
    const Value value = length_of(symbol.value);
    queues_.take(lane, symbol.bits + value.extra);
    size_t length = value.base + (bits & ((1u << value.extra) - 1u));
    if (length > output_.size() - done_) {
      bad_length_ = true;
      length = output_.size() - done_;
    }
    pending_[lane] = {done_, length};
    matches_ |= 1u << lane;
    done_ += length;
    return true;
  }

  void read_distance(uint32_t lane) {
    matches_ &= ~(1u << lane);
    const Symbol symbol = distances_.find(queues_.peek(lane));
    if (symbol.bits == 0) {
      bad_symbol_ = true;
      return;
    }
    const Value value = distance_of(symbol.value);
    const uint32_t bits = queues_.take(lane, symbol.bits + value.extra) >> symbol.bits;
    const size_t offset = value.base + bits;
    const Match match = pending_[lane];
    if (offset > match.begin) {
      bad_offset_ = true;
      return;
    }
    std::byte* const to = output_.data() + match.begin;
    if (offset >= match.length) {
      std::copy_n(to - offset, match.length, to);
    } else {
      for (size_t i = 0; i < match.length; ++i)
        to[i] = to[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(offset)];
    }
  }

  LaneQueues queues_;
  std::span<std::byte> output_;
  size_t done_ = 0;
  Code literals_, distances_;
  bool fixed_built_ = false;
  std::array<uint8_t, kMaxLiteralSymbols + 32> lengths_{};
  std::array<Match, kLanes> pending_{};
  uint32_t matches_ = 0;  // lanes with a pending match
  bool bad_symbol_ = false, bad_offset_ = false, bad_length_ = false;
};

Error corrupt(const std::string& what) { return {ErrorCode::corrupt_stream, "gdeflate: " + what}; }

}  // namespace

const char* name_of(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::none: return "none";
    case Refusal::truncated: return "truncated";
    case Refusal::bad_block: return "bad block";
    case Refusal::bad_table: return "bad table";
    case Refusal::bad_symbol: return "bad symbol";
    case Refusal::bad_offset: return "bad offset";
    case Refusal::bad_length: return "bad length";
    case Refusal::bad_entry: return "bad entry";
  }
  return "?";
}

Refusal decode_page(std::span<const std::byte> page, std::span<std::byte> output) noexcept {
  if (output.empty() || output.size() > kPageBytes || page.size() > 4 * uint64_t{kMaxPageWords})
    return Refusal::bad_entry;
  return PageDecoder(page, output).decode();
}

Result<std::vector<Page>> pages(std::span<const std::byte> stream) noexcept {
  return gstd::guarded([&]() -> Result<std::vector<Page>> {
    if (stream.size() < 8) return corrupt("the header is cut off");
    const uint32_t first = gstd::load_u32(stream.data()), second = gstd::load_u32(stream.data() + 4);
    if ((first & 0xffffu) != 0xfb04u) return corrupt("no tile stream of GDeflate");
    if ((second & 3u) != 1u) return corrupt("pages are not of 64 KiB");
    const uint32_t count = first >> 16, last_bytes = second >> 2 & 0x3ffffu;
    const uint64_t table = 8 + 4 * uint64_t{count};
    if (table > stream.size()) return corrupt("the table of pages is cut off");
    if (last_bytes > kPageBytes) return corrupt("the last page has more than 64 KiB");
    const auto word = [&](uint32_t page) { return gstd::load_u32(stream.data() + 8 + 4 * uint64_t{page}); };
    std::vector<Page> result(count);
    for (uint32_t page = 0; page < count; ++page) {
      const bool is_last = page + 1 == count;
      const uint64_t begin = page == 0 ? 0 : word(page);
      const uint64_t end = is_last ? begin + word(0) : word(page + 1);
      if (end < begin || end > stream.size() - table)
        return corrupt("page " + std::to_string(page) + " is not in the stream");
      result[page].first = table + begin;
      result[page].size = static_cast<uint32_t>(end - begin);
      result[page].bytes = is_last && last_bytes != 0 ? last_bytes : kPageBytes;
    }
    return result;
  });
}

Status decompress(std::span<const std::byte> stream, std::span<std::byte> output) noexcept {
  return gstd::guarded([&]() -> Status {
    const Result<std::vector<Page>> table = pages(stream);
    if (!table) return table.error();
    uint64_t content = 0;
    for (const Page& page : *table) content += page.bytes;
    if (content != output.size())
      return Error{ErrorCode::invalid_argument, "gdeflate: there are " + std::to_string(content) +
                                                    " bytes of content, not " + std::to_string(output.size())};
    for (size_t page = 0, at = 0; page < table->size(); at += (*table)[page++].bytes) {
      const Page& one = (*table)[page];
      const Refusal refusal = decode_page(stream.subspan(one.first, one.size), output.subspan(at, one.bytes));
      if (refusal != Refusal::none) return corrupt("page " + std::to_string(page) + ": " + name_of(refusal));
    }
    return {};
  });
}

}  // namespace weft::gdeflate
