// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/match_choice.hpp"

#include <algorithm>
#include <tuple>

namespace weft::gstd {

namespace {

constexpr uint32_t kLengthsTried = 24;      // of a match, from the shortest up and from the longest down
constexpr uint32_t kFirstPrice = 1u << 24;  // so that no difference is negative
constexpr uint32_t kLongestChosen = kMaxBlockBytes / 2;

uint32_t field_price(const BlockPrices& prices, Field field, const Coded& coded) {
  return prices.fields[field][coded.symbol] + (coded.extra_bits << kPriceLog);
}

uint32_t literals_price(const BlockPrices& prices, uint32_t literals) {
  return field_price(prices, kLiteralLength, code_length(std::min(literals, kLongestChosen), kLiteralLengthDirect));
}

uint32_t length_price(const BlockPrices& prices, uint32_t length) {
  return field_price(prices, kMatchLength, code_length(length - kMinMatch, kMatchLengthDirect));
}

uint32_t offset_price(const BlockPrices& prices, uint32_t offset, const std::array<uint32_t, kRepeats>& repeats) {
  for (uint32_t place = 0; place < kRepeats; ++place)
    if (repeats[place] == offset) return prices.fields[kOffset][place];
  const Coded coded = code_offset(offset);
  const uint32_t price = field_price(prices, kOffset, coded);
  if (prices.low_bits == 0 || coded.extra_bits < prices.low_bits) return price;
  const uint32_t low = coded.extra & ((1u << prices.low_bits) - 1);
  return price - (prices.low_bits << kPriceLog) + prices.low_bits_prices[low];
}

}  // namespace

// Extends matches that the parser cut short or began after their first byte.
void MatchChooser::add(std::span<const std::byte> bytes, std::span<const Match> matches) {
  uint32_t position = 0;
  for (const Match& match : matches) {
    position += match.literals;
    uint32_t begin = position, end = position + match.length;
    while (end < bytes.size() && bytes[end] == bytes[end - match.offset]) ++end;
    while (begin > match.offset && bytes[begin - 1] == bytes[begin - 1 - match.offset]) --begin;
    candidates_.push_back({begin, end, match.offset});
    position += match.length;
  }
}

// Relaxes the positions that a match from `at` reaches.
void MatchChooser::take_match(uint32_t at, const Candidate& match, const BlockPrices& prices) {
  const Node& from = nodes_[at];
  const uint32_t offset = match.offset;
  std::array<uint32_t, kRepeats> repeats = from.repeats;
  if (std::find(repeats.begin(), repeats.end(), offset) == repeats.end()) repeats = {offset, repeats[0], repeats[1]};
  const uint32_t price =
      from.price + offset_price(prices, offset, from.repeats) + literals_price(prices, 0) + prices.sequence;
  const auto take = [&](uint32_t length) {
    const uint32_t all = price + length_price(prices, length);
    if (Node& to = nodes_[at + length]; all < to.price) to = {all, 0, length, offset, repeats};
  };
  const uint32_t longest = std::min(match.end - at, kLongestChosen);
  const uint32_t last_short = std::min(longest, kMinMatch + kLengthsTried - 1);
  for (uint32_t length = kMinMatch; length <= last_short; ++length) take(length);
  const uint32_t first_long = std::max(last_short, longest - std::min(longest, kLengthsTried)) + 1;
  for (uint32_t length = first_long; length <= longest; ++length) take(length);
}

// Relaxes all positions that `at` leads to.
void MatchChooser::leave(uint32_t at, const BlockPrices& prices, std::span<const std::byte> bytes) {
  const Node from = nodes_[at];
  const uint32_t context = at == 0 ? 0 : literal_context(static_cast<uint32_t>(bytes[at - 1]));
  const uint32_t with_literal = from.price + prices.literals[context][static_cast<uint8_t>(bytes[at])] +
                                literals_price(prices, from.literals + 1) - literals_price(prices, from.literals);
  if (Node& to = nodes_[at + 1]; with_literal < to.price) to = {with_literal, from.literals + 1, 0, 0, from.repeats};

  for (const Candidate& match : open_) take_match(at, match, prices);
  if (bytes.size() - at < kMinMatch) return;
  for (const uint32_t offset : from.repeats) {
    if (offset > at || std::any_of(open_.begin(), open_.end(), [&](const auto& c) { return c.offset == offset; }))
      continue;
    uint32_t end = at;
    while (end < bytes.size() && bytes[end] == bytes[end - offset]) ++end;
    if (end - at < kMinMatch) continue;
    open_.push_back({at, end, offset});
    take_match(at, open_.back(), prices);
  }
}

void MatchChooser::choose(std::span<const std::byte> bytes, std::span<const BlockPrices> prices,
                          std::vector<Match>& matches) {
  const uint32_t size = static_cast<uint32_t>(bytes.size());
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.begin, a.offset, a.end) < std::tie(b.begin, b.offset, b.end);
  });
  nodes_.assign(size_t{size} + 1, {});
  nodes_[0].price = kFirstPrice;
  nodes_[0].repeats = kFirstRepeats;
  open_.clear();
  size_t block = 0;
  auto next = candidates_.begin();
  for (uint32_t at = 0; at < size; ++at) {
    while (block + 1 < prices.size() && prices[block + 1].begin <= at) ++block;
    std::erase_if(open_, [&](const Candidate& match) { return match.end < at + kMinMatch; });
    for (; next != candidates_.end() && next->begin == at; ++next)
      if (std::none_of(open_.begin(), open_.end(), [&](const auto& match) { return match.offset == next->offset; }))
        open_.push_back(*next);
    leave(at, prices[block], bytes);
  }
  // Backtracks from the end.
  matches.clear();
  for (uint32_t at = size; at != 0;) {
    const Node& node = nodes_[at];
    at -= std::max(node.length, 1u);
    if (node.length != 0) matches.push_back({nodes_[at].literals, node.length, node.offset});
  }
  std::reverse(matches.begin(), matches.end());
}

}  // namespace weft::gstd
