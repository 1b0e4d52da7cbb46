// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/match_choice.hpp"

#include <algorithm>

#include "gstd/equal_bytes.hpp"

namespace weft::gstd {

namespace {

constexpr uint32_t kFirstPrice = 1u << 24;  // so that no difference is negative
constexpr uint32_t kNoPrice = ~0u >> 1;     // more than any: differences have signs
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

// Of an offset that repeats none.
uint32_t offset_price(const BlockPrices& prices, uint32_t offset) {
  const Coded coded = code_offset(offset);
  const uint32_t price = field_price(prices, kOffset, coded);
  if (prices.low_bits == 0 || coded.extra_bits < prices.low_bits) return price;
  const uint32_t low = coded.extra & ((1u << prices.low_bits) - 1);
  return price - (prices.low_bits << kPriceLog) + prices.low_bits_prices[low];
}

}  // namespace

void MatchChooser::set_block(const BlockPrices& prices) {
  for (uint32_t literals = 0; literals < kKnownLengths; ++literals)
    run_prices_[literals] = literals_price(prices, literals);
  for (uint32_t length = kMinMatch; length < kKnownLengths; ++length)
    length_prices_[length] = length_price(prices, length);
}

// Completes the node of a position, to which no other way can lead any more.
void MatchChooser::settle(uint32_t at) {
  Node& node = nodes_.items[at];
  if (node.length == 0) {
    node.literals = nodes_.items[at - 1].literals + 1;
    node.repeats = nodes_.items[at - 1].repeats;
    return;
  }
  node.literals = 0;
  node.repeats = nodes_.items[at - node.length].repeats;
  const auto& [first, second, third] = node.repeats;
  if (node.offset != first && node.offset != second && node.offset != third)
    node.repeats = {node.offset, first, second};
}

// Relaxes the positions that a match reaches by `least` bytes or more.
void MatchChooser::take(uint32_t at, uint32_t offset, uint32_t least, const Taken& match, const BlockPrices& prices) {
  uint32_t* const to = &prices_[at];
  const auto reach = [&](uint32_t length, uint32_t of_length) {
    if (match.price + of_length >= to[length]) return;
    to[length] = match.price + of_length;
    nodes_.items[at + length].length = length;
    nodes_.items[at + length].offset = offset;
  };
  const uint32_t end = std::min(match.length + 1, kKnownLengths);
  uint32_t length = least;
  // Few are cheaper than what is there: a vector of them is compared at once.
  constexpr uint32_t kStep = 8;
  for (; length + kStep <= end; length += kStep) {
    uint32_t differences = 0;
    for (uint32_t i = length; i < length + kStep; ++i) differences |= match.price + length_prices_[i] - to[i];
    if (differences >> 31 == 0) continue;
    for (uint32_t i = length; i < length + kStep; ++i) reach(i, length_prices_[i]);
  }
  for (; length < end; ++length) reach(length, length_prices_[length]);
  if (match.length >= kKnownLengths) reach(match.length, length_price(prices, match.length));
}

// Relaxes all positions that `at` leads to. Returns the length of a long match, which is taken as a whole, or 0.
uint32_t MatchChooser::leave(uint32_t at, const BlockPrices& prices, std::span<const std::byte> bytes, bool skips,
                             std::span<const FoundMatch> found) {
  const Node& from = nodes_.items[at];
  const uint32_t before = prices_[at];
  const uint32_t context = at == 0 ? 0 : kContextOfNext[static_cast<uint8_t>(bytes[at - 1])];
  const auto run_price = [&](uint32_t literals) {
    return literals < kKnownLengths ? run_prices_[literals] : literals_price(prices, literals);
  };
  const uint32_t with_literal = before + prices.literals[context][static_cast<uint8_t>(bytes[at])] +
                                run_price(from.literals + 1) - run_price(from.literals);
  if (with_literal < prices_[at + 1]) {
    prices_[at + 1] = with_literal;
    nodes_.items[at + 1].length = 0;
  }
  if (skips && prices_[at + 1] <= before) return 0;
  const uint32_t left = std::min(static_cast<uint32_t>(bytes.size()) - at, kLongestChosen);
  if (left < kMinMatch) return 0;
  // A match reaches nothing for less where one that is no dearer was taken before.
  std::array<Taken, kRepeats> repeated{};
  uint32_t longest = 0;
  const auto take_from = [&](uint32_t offset, uint32_t of_offset, uint32_t least, uint32_t length) {
    const Taken match = {
        length, before + of_offset + run_prices_[0] + prices.sequence + (offset < kNearOffset ? prices.of_near : 0)};
    for (const Taken& other : repeated)
      if (other.price <= match.price) least = std::max(least, other.length + 1);
    if (least <= length) take(at, offset, least, match, prices);
    longest = std::max(longest, length);
    return match;
  };
  for (uint32_t slot = 0; slot < kRepeats; ++slot) {
    const uint32_t offset = from.repeats[slot];
    if (offset > at) continue;
    const uint32_t length = equal_length(&bytes[at - offset], &bytes[at], 0, left);
    if (length >= kMinMatch) repeated[slot] = take_from(offset, prices.fields[kOffset][slot], kMinMatch, length);
  }
  uint32_t least = kMinMatch;
  for (const FoundMatch& match : found) {
    const uint32_t length = std::min(match.length, left);
    if (length < least) break;
    if (std::find(from.repeats.begin(), from.repeats.end(), match.offset) == from.repeats.end())
      take_from(match.offset, offset_price(prices, match.offset), least, length);
    least = length + 1;
  }
  return longest < kLongMatch ? 0 : longest;
}

void MatchChooser::choose(std::span<const std::byte> bytes, const MatchFinder& found,
                          std::span<const BlockPrices> prices, bool skips, std::vector<Match>& matches) {
  const uint32_t size = static_cast<uint32_t>(bytes.size());
  prices_.assign(size_t{size} + 1, kNoPrice);
  prices_[0] = kFirstPrice;
  nodes_.clear();
  nodes_.more(size_t{size} + 1);
  nodes_.items[0] = {0, 0, 0, kFirstRepeats};
  size_t block = 0;
  set_block(prices[0]);
  for (uint32_t at = 0; at < size;) {
    if (at != 0) settle(at);
    const size_t block_before = block;
    while (block + 1 < prices.size() && prices[block + 1].begin <= at) ++block;
    if (block != block_before) set_block(prices[block]);
    const uint32_t whole = leave(at, prices[block], bytes, skips, found.at(at));
    at += std::max(whole, 1u);
  }
  if (size != 0) settle(size);
  // Backtracks from the end.
  matches.clear();
  for (uint32_t at = size; at != 0;) {
    const Node& node = nodes_.items[at];
    at -= std::max(node.length, 1u);
    if (node.length != 0) matches.push_back({nodes_.items[at].literals, node.length, node.offset});
  }
  std::reverse(matches.begin(), matches.end());
}

}  // namespace weft::gstd
