// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/match_finder.hpp"

#include <algorithm>
#include <bit>

#include "gstd/equal_bytes.hpp"
#include "gstd/little_endian.hpp"

namespace weft::gstd {

namespace {

constexpr uint32_t kSearched = 4;  // bytes that have to be there for a search
constexpr uint32_t kMaxHashLog = 16;

// Of the word without its last `unused` bits.
uint32_t hash_of(uint32_t word, uint32_t unused, uint32_t log) { return (word << unused) * 2654435761u >> (32 - log); }

}  // namespace

void MatchFinder::find(std::span<const std::byte> bytes, uint32_t least, uint32_t depth) {
  const bool skips = least > kMinMatch;
  const uint32_t unused = 8 * (kSearched - least);
  const uint32_t size = static_cast<uint32_t>(bytes.size());
  const uint32_t hash_log = std::clamp<uint32_t>(static_cast<uint32_t>(std::bit_width(size)), 8, kMaxHashLog);
  heads_.assign(size_t{1} << hash_log, 0);
  children_.resize(std::max(children_.size(), 2 * bytes.size()));
  first_.resize(std::max(first_.size(), bytes.size() + 1));
  found_.clear();
  long_offset_ = long_end_ = 0;
  for (uint32_t position = 0; position < size; ++position) {
    first_[position] = static_cast<uint32_t>(found_.size());
    if (size - position < kSearched) continue;
    if (skips && long_end_ >= position + kLongMatch) {
      found_.push_back({long_end_ - position, long_offset_});
      continue;
    }
    search(bytes, position, unused, depth);
    extend(bytes, position);
  }
  first_[size] = static_cast<uint32_t>(found_.size());
}

// Makes the position the root of its tree, and splits the old one into what is smaller and what is larger.
void MatchFinder::search(std::span<const std::byte> bytes, uint32_t position, uint32_t unused, uint32_t depth) {
  const std::byte* const at = bytes.data() + position;
  const uint32_t most = std::min(static_cast<uint32_t>(bytes.size()) - position, kLongMatch);
  uint32_t best = kMinMatch - 1;
  const uint32_t log = static_cast<uint32_t>(std::countr_zero(heads_.size()));
  uint32_t& head = heads_[hash_of(load_u32(at), unused, log)];
  uint32_t next = head;
  head = position + 1;
  uint32_t *smaller = &children_[2 * size_t{position}], *larger = smaller + 1;
  uint32_t equal_smaller = 0, equal_larger = 0;
  for (; next != 0 && depth != 0; --depth) {
    const uint32_t other = next - 1;
    const std::byte* const before = bytes.data() + other;
    uint32_t* const children = &children_[2 * size_t{other}];
    const uint32_t length = equal_length(before, at, std::min(equal_smaller, equal_larger), most);
    if (length > best) {
      found_.push_back({length, position - other});
      best = length;
    }
    if (length == most) {
      *smaller = children[0];
      *larger = children[1];
      return;
    }
    if (before[length] < at[length]) {
      *smaller = next;
      smaller = children + 1;
      next = *smaller;
      equal_smaller = length;
    } else {
      *larger = next;
      larger = children;
      next = *larger;
      equal_larger = length;
    }
  }
  *smaller = *larger = 0;
}

// Extends a long match. The one of the position before mostly has the same end.
void MatchFinder::extend(std::span<const std::byte> bytes, uint32_t position) {
  if (found_.size() == first_[position] || found_.back().length < kLongMatch) return;
  FoundMatch& match = found_.back();
  if (match.offset != long_offset_ || long_end_ < position + match.length) {
    const std::byte* const at = bytes.data() + position;
    const uint32_t most = static_cast<uint32_t>(bytes.size()) - position;
    long_offset_ = match.offset;
    long_end_ = position + equal_length(at - match.offset, at, match.length, most);
  }
  match.length = long_end_ - position;
}

}  // namespace weft::gstd
