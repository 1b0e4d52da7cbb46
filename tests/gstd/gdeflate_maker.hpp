// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Pages of GDeflate for tests: any blocks of any symbols, with codes and forms that are random.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "gstd/sample_tiles.hpp"

namespace weft::gdeflate::test {

using gstd::test::Random;

/// A literal, or a match of `length` bytes.
struct Token {
  uint32_t literal = 0, length = 0, distance = 0;
};

/// Greedy matches by a hash of three bytes. Distances are up to `reach`, lengths up to 65,538.
inline std::vector<Token> tokens_of(std::span<const std::byte> content, size_t reach = 65536) {
  std::vector<Token> tokens;
  std::vector<size_t> last(1u << 12, ~size_t{0});
  const auto byte = [&](size_t at) { return static_cast<uint32_t>(content[at]); };
  for (size_t at = 0; at < content.size();) {
    size_t length = 0, source = 0;
    if (at + 3 <= content.size()) {
      size_t& slot = last[((byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16) * 0x9e3779b1u) >> 20];
      if (slot != ~size_t{0} && at - slot <= reach)
        while (at + length < content.size() && length < 65538 && content[slot + length] == content[at + length])
          ++length;
      source = std::exchange(slot, at);
    }
    if (length < 3) {
      tokens.push_back({byte(at++), 0, 0});
    } else {
      tokens.push_back({0, static_cast<uint32_t>(length), static_cast<uint32_t>(at - source)});
      at += length;
    }
  }
  return tokens;
}

/// Lengths of a Huffman code, at most `limit`: weights are halved until it holds.
inline std::vector<uint8_t> huffman_lengths(std::vector<uint64_t> weights, uint32_t limit) {
  std::vector<uint8_t> lengths(weights.size());
  for (;;) {
    using Node = std::pair<uint64_t, size_t>;
    std::priority_queue<Node, std::vector<Node>, std::greater<>> queue;
    for (size_t symbol = 0; symbol < weights.size(); ++symbol)
      if (weights[symbol] != 0) queue.push({weights[symbol], symbol});
    if (queue.empty()) return lengths;
    if (queue.size() == 1) {
      lengths[queue.top().second] = 1;
      return lengths;
    }
    std::vector<size_t> parents(2 * weights.size());
    size_t next = weights.size();
    while (queue.size() > 1) {
      const Node one = queue.top();
      queue.pop();
      const Node two = queue.top();
      queue.pop();
      parents[one.second] = parents[two.second] = next;
      queue.push({one.first + two.first, next++});
    }
    uint32_t longest = 0;
    for (size_t symbol = 0; symbol < weights.size(); ++symbol) {
      if (weights[symbol] == 0) continue;
      uint32_t length = 0;
      for (size_t node = symbol; node + 1 != next; node = parents[node]) ++length;
      longest = std::max(longest, length);
      lengths[symbol] = static_cast<uint8_t>(std::min(length, 255u));
    }
    if (longest <= limit) return lengths;
    for (uint64_t& weight : weights) weight = (weight + 1) / 2;
  }
}

class PageMaker {
 public:
  explicit PageMaker(Random& random) : random_(random) {}

  void stored(std::span<const std::byte> bytes, bool last) {
    put(0, last ? 1 : 0, 3);
    put(0, static_cast<uint32_t>(bytes.size()), 16);
    for (size_t i = 0; i < bytes.size(); ++i) put(i % 32, static_cast<uint32_t>(bytes[i]), 8);
  }

  /// A block of the fixed codes.
  void fixed(std::span<const Token> tokens, bool last) {
    put(0, (last ? 1u : 0u) | 1u << 1, 3);
    std::vector<uint8_t> literals(288), distances(32, 5);
    for (uint32_t s = 0; s < 288; ++s) literals[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    symbols(tokens, literals, distances);
  }

  /// A block of codes of its own. `skewed`: weights that make codes long.
  void dynamic(std::span<const Token> tokens, bool last, bool skewed = false) {
    put(0, (last ? 1u : 0u) | 2u << 1, 3);
    std::vector<uint64_t> literals(286), distances(32);
    literals[256] = 1;
    for (const Token& token : tokens) {
      ++literals[token.length == 0 ? token.literal : length_symbol(token.length).symbol];
      if (token.length != 0) ++distances[distance_symbol(token.distance).symbol];
    }
    if (skewed)
      for (auto* weights : {&literals, &distances})
        for (uint64_t& weight : *weights)
          if (weight != 0 || random_.one_in(2)) weight = uint64_t{1} << random_.below(30);
    std::vector<uint8_t> literal_lengths = huffman_lengths(literals, 15);
    std::vector<uint8_t> distance_lengths = huffman_lengths(distances, 15);
    put_codes(literal_lengths, distance_lengths);
    symbols(tokens, literal_lengths, distance_lengths);
  }

  /// Any bits, for headers that no encoder writes.
  void put(size_t lane, uint32_t bits, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) bits_[lane].push_back((bits >> i & 1u) != 0);
    takes_.push_back({static_cast<uint8_t>(lane), static_cast<uint8_t>(count)});
  }

  /// The words, in the order in which a decoder's lanes take them, without those that have no bits at the end.
  std::vector<uint32_t> words() const {
    std::vector<uint32_t> words;
    std::array<size_t, 32> begun{};
    std::array<uint32_t, 32> counts{};
    size_t used = 0;
    const auto take_word = [&](size_t lane) {
      uint32_t word = 0;
      for (size_t i = 0; i < 32 && begun[lane] + i < bits_[lane].size(); ++i)
        word |= static_cast<uint32_t>(bits_[lane][begun[lane] + i]) << i;
      words.push_back(word);
      if (begun[lane] < bits_[lane].size()) used = words.size();
      begun[lane] += 32;
      counts[lane] += 32;
    };
    for (size_t lane = 0; lane < 32; ++lane) take_word(lane);
    for (const auto& [lane, count] : takes_) {
      counts[lane] -= count;
      if (counts[lane] < 32) take_word(lane);
    }
    words.resize(used);
    return words;
  }

 private:
  struct Coded {
    uint32_t symbol, extra_bits, extra;
  };

  Coded length_symbol(uint32_t length) const {
    if (length > 258) return {285, 16, length - 3};
    for (uint32_t symbol = 284;; --symbol) {
      const uint32_t index = symbol - 257, bits = index < 8 ? 0 : index / 4 - 1;
      const uint32_t base = index < 8 ? index + 3 : ((4 + index % 4) << bits) + 3;
      if (length >= base) return {symbol, bits, length - base};
    }
  }
  static Coded distance_symbol(uint32_t distance) {
    for (uint32_t symbol = 31;; --symbol) {
      const uint32_t bits = symbol < 4 ? 0 : symbol / 2 - 1;
      const uint32_t base = symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << bits) + 1;
      if (distance >= base) return {symbol, bits, distance - base};
    }
  }

  /// Codes of the symbols, first bit lowest.
  static std::vector<uint32_t> codes_of(std::span<const uint8_t> lengths) {
    std::vector<uint32_t> codes(lengths.size());
    uint32_t code = 0;
    for (uint32_t length = 1; length <= 15; ++length, code <<= 1)
      for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
        if (lengths[symbol] != length) continue;
        for (uint32_t i = 0; i < length; ++i) codes[symbol] |= (code >> i & 1u) << (length - 1 - i);
        ++code;
      }
    return codes;
  }

  void put_codes(std::vector<uint8_t>& literals, std::vector<uint8_t>& distances) {
    const auto trim = [&](std::vector<uint8_t>& lengths, size_t least) {
      while (lengths.size() > least && lengths.back() == 0 && !random_.one_in(16)) lengths.pop_back();
    };
    trim(literals, 257);
    trim(distances, 1);
    std::vector<uint8_t> all = literals;
    all.insert(all.end(), distances.begin(), distances.end());
    std::vector<Coded> coded;
    std::vector<uint64_t> weights(19);
    for (size_t at = 0; at < all.size();) {
      size_t run = 1;
      while (at + run < all.size() && all[at + run] == all[at]) ++run;
      Coded one{all[at], 0, 0};
      size_t taken = 1;
      if (at != 0 && all[at] == all[at - 1] && run >= 3 && random_.below(4) != 0) {
        taken = std::min<size_t>(run, 6);
        one = {16, 2, static_cast<uint32_t>(taken - 3)};
      } else if (all[at] == 0 && run >= 3 && random_.below(8) != 0) {
        taken = std::min<size_t>(run, run >= 11 ? 138 : 10);
        one = {run >= 11 ? 18u : 17u, run >= 11 ? 7u : 3u, static_cast<uint32_t>(taken - (run >= 11 ? 11 : 3))};
      }
      ++weights[one.symbol];
      coded.push_back(one);
      at += taken;
    }
    constexpr std::array<uint8_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const std::vector<uint8_t> lengths = huffman_lengths(weights, 7);
    const std::vector<uint32_t> codes = codes_of(lengths);
    size_t described = 19;
    while (described > 4 && lengths[kOrder[described - 1]] == 0) --described;
    put(0,
        static_cast<uint32_t>(literals.size() - 257) | static_cast<uint32_t>(distances.size() - 1) << 5 |
            static_cast<uint32_t>(described - 4) << 10,
        14);
    for (size_t i = 0; i < described; ++i) put(i, lengths[kOrder[i]], 3);
    for (size_t i = 0; i < coded.size(); ++i)
      put(i % 32, codes[coded[i].symbol] | coded[i].extra << lengths[coded[i].symbol],
          lengths[coded[i].symbol] + coded[i].extra_bits);
  }

  /// Deals symbols to lanes in rounds. A length's distance comes in its lane's next round.
  void symbols(std::span<const Token> tokens, std::span<const uint8_t> literals, std::span<const uint8_t> distances) {
    const std::vector<uint32_t> literal_codes = codes_of(literals), distance_codes = codes_of(distances);
    const auto put_coded = [&](size_t lane, const Coded& coded, std::span<const uint8_t> lengths,
                               const std::vector<uint32_t>& codes) {
      const uint32_t bits = lengths[coded.symbol];
      put(lane, codes[coded.symbol] | coded.extra << bits, bits + coded.extra_bits);
    };
    std::array<uint32_t, 32> distance_due{};
    bool ended = false;
    const auto any_due = [&] { return std::ranges::any_of(distance_due, [](uint32_t due) { return due != 0; }); };
    for (size_t at = 0; !ended || any_due();)
      for (size_t lane = 0; lane < 32; ++lane) {
        if (distance_due[lane] != 0) {
          put_coded(lane, distance_symbol(std::exchange(distance_due[lane], 0)), distances, distance_codes);
        } else if (!ended && at == tokens.size()) {
          put_coded(lane, {256, 0, 0}, literals, literal_codes);
          ended = true;
        } else if (!ended) {
          const Token& token = tokens[at++];
          put_coded(lane, token.length == 0 ? Coded{token.literal, 0, 0} : length_symbol(token.length), literals,
                    literal_codes);
          distance_due[lane] = token.distance;
        }
      }
  }

  Random& random_;
  std::array<std::vector<bool>, 32> bits_;
  std::vector<std::pair<uint8_t, uint8_t>> takes_;
};

/// A page of 65,536 zeros, as libdeflate's encoder has it at level 12.
inline std::vector<uint32_t> page_of_zeros() {
  return {
      0x00000063, 0x00fffca3, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
      0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
      0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
      0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
  };
}

/// A page of `content` in blocks of random types.
inline std::vector<uint32_t> page_of(std::span<const std::byte> content, Random& random) {
  PageMaker maker(random);
  const std::vector<Token> tokens =
      tokens_of(content, random.one_in(2) ? 65536 : 1 + random.below(static_cast<uint32_t>(content.size())));
  size_t at = 0;
  for (size_t first = 0;;) {
    const size_t count =
        random.one_in(3) ? random.below(40) : random.below(static_cast<uint32_t>(tokens.size() - first) + 1);
    const size_t end = random.one_in(4) ? tokens.size() : std::min(first + count, tokens.size());
    size_t bytes = 0;
    for (size_t i = first; i < end; ++i) bytes += std::max(tokens[i].length, 1u);
    const bool last = end == tokens.size();
    const auto block = std::span(tokens).subspan(first, end - first);
    switch (random.below(4)) {
      case 0:
        if (bytes < 65536) {
          maker.stored(content.subspan(at, bytes), last);
          break;
        }
        [[fallthrough]];
      case 1: maker.fixed(block, last); break;
      case 2: maker.dynamic(block, last); break;
      default: maker.dynamic(block, last, true);
    }
    at += bytes;
    first = end;
    if (last) return maker.words();
  }
}

}  // namespace weft::gdeflate::test
