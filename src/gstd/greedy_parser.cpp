// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/greedy_parser.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "gstd/equal_bytes.hpp"
#include "gstd/format.hpp"
#include "gstd/little_endian.hpp"

namespace weft::gstd {

namespace {

constexpr uint32_t kWord = 8;  // bytes that a search reads
constexpr uint32_t kShortest = 4;
constexpr uint32_t kLongLog = 15, kLeastLog = 14;  // of hashes, unless there are fewer bytes
constexpr uint32_t kMoreOfFar = 2;                 // in larger tiles

// Hashes of the first `bytes` bytes of words.
class Hash {
 public:
  Hash(uint32_t bytes, size_t heads)
      : unused_(64 - 8 * bytes), shift_(64 - static_cast<uint32_t>(std::countr_zero(heads))) {}
  size_t operator()(uint64_t word) const { return (word << unused_) * 0x9e3779b97f4a7c15u >> shift_; }

 private:
  uint32_t unused_, shift_;
};

}  // namespace

template <bool twice, class Position>
void GreedyParser::parse_by(Heads<Position>& heads, std::span<const std::byte> bytes, const GreedySearch& search,
                            std::vector<Match>& matches) {
  const std::byte* const begin = bytes.data();
  const uint32_t size = static_cast<uint32_t>(bytes.size()), end = size - kWord;
  const Hash hash_of_long(kWord, heads.of_long.size()), hash_of_least(search.least, heads.of_least.size());
  // The last position of the word, which becomes the last.
  const auto last_long = [&, of = heads.of_long.data()](uint64_t word, uint32_t now) {
    return uint32_t{std::exchange(of[hash_of_long(word)], static_cast<Position>(now))};
  };
  const auto last_least = [&, of = heads.of_least.data()](uint64_t word, uint32_t now) {
    return uint32_t{std::exchange(of[hash_of_least(word)], static_cast<Position>(now))};
  };
  // `done`: the end of the last match. `offset` was the last, `other` the one before.
  uint32_t at = 1, done = 0, offset = kFirstRepeats[0], other = kFirstRepeats[1];
  const auto take = [&](uint32_t length) {
    matches.push_back({at - done, length, offset});
    at += length;
    done = at;
  };
  while (at < end) {
    const uint64_t word = load_u64(begin + at);
    uint32_t from = last_least(word, at);
    const uint32_t from_long = twice ? last_long(word, at) : 0;
    const uint32_t first = at;
    if (load_u32(begin + at + 1 - offset) == static_cast<uint32_t>(word >> 8)) {
      ++at;
      take(equal_length(begin + at - offset, begin + at, kShortest, size - at));
    } else {
      uint32_t length = kShortest;
      if (twice && load_u64(begin + from_long) == word) {
        from = from_long;
        length = kWord;
      } else if (load_u32(begin + from) != static_cast<uint32_t>(word)) {
        at += 1 + ((at - done) >> search.patience);
        continue;
      } else if (twice) {
        // A long match from the next byte is better.
        const uint64_t next = load_u64(begin + at + 1);
        if (const uint32_t from_next = last_long(next, at + 1); load_u64(begin + from_next) == next) {
          from = from_next;
          ++at;
        }
      }
      length = equal_length(begin + from, begin + at, length, size - at);
      for (; at > done && from != 0 && begin[at - 1] == begin[from - 1]; ++length) --at, --from;
      other = std::exchange(offset, at - from);
      take(length);
    }
    if (at >= end) break;
    // Of the positions in a match these are enough.
    const auto keep = [&](uint32_t position, bool is_long, bool is_least) {
      const uint64_t there = load_u64(begin + position);
      if (twice && is_long) last_long(there, position);
      if (is_least) last_least(there, position);
    };
    keep(first + 2, true, true);
    keep(at - 2, true, !twice);
    if (twice) keep(at - 1, false, true);
    while (at < end && load_u32(begin + at - other) == load_u32(begin + at)) {
      std::swap(offset, other);
      keep(at, true, true);
      take(equal_length(begin + at - offset, begin + at, kShortest, size - at));
    }
  }
}

void GreedyParser::parse(std::span<const std::byte> bytes, const GreedySearch& search, std::vector<Match>& matches) {
  matches.clear();
  if (bytes.size() <= kWord) return;
  const auto parse_with = [&]<class Position>(Heads<Position>& heads, uint32_t more) {
    const uint32_t log = static_cast<uint32_t>(std::bit_width(bytes.size() - 1));
    heads.of_least.assign(size_t{1} << std::min(log, kLeastLog + more), 0);
    heads.of_long.assign(search.twice ? size_t{1} << std::min(log, kLongLog + more) : 0, 0);
    search.twice ? parse_by<true>(heads, bytes, search, matches) : parse_by<false>(heads, bytes, search, matches);
  };
  bytes.size() <= 1u << 16 ? parse_with(near_, 0) : parse_with(far_, kMoreOfFar);
}

}  // namespace weft::gstd
