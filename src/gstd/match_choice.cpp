// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/match_choice.hpp"

#include <algorithm>

#include "gstd/equal_bytes.hpp"
#include "gstd/little_endian.hpp"

namespace weft::gstd {

namespace {

constexpr int32_t kNoPrice = 1 << 30;  // more than any
constexpr int32_t kLowered = 1 << 28;  // prices from this on are lowered: those of large tiles do not fit
constexpr uint32_t kLongestChosen = kMaxBlockBytes / 2;

uint32_t field_price(const BlockPrices& prices, Field field, const Coded& coded) {
  return prices.fields[field][coded.symbol] + (coded.extra_bits << kPriceLog);
}

uint32_t literals_price(const BlockPrices& prices, uint32_t literals) {
  const LengthSymbols symbols = literal_length_symbols(prices.fine_lengths);
  return field_price(prices, kLiteralLength, symbols.code(std::min(literals, kLongestChosen)));
}

uint32_t length_price(const BlockPrices& prices, uint32_t length) {
  return field_price(prices, kMatchLength, match_length_symbols(prices.fine_lengths).code(length - kMinMatch));
}

// Of an offset that repeats none.
uint32_t offset_price(const BlockPrices& prices, uint32_t offset) {
  const Coded coded = code_offset(offset);
  const uint32_t price = field_price(prices, kOffset, coded);
  if (prices.low_bits == 0 || coded.extra_bits < prices.low_bits) return price;
  const uint32_t low = coded.extra & ((1u << prices.low_bits) - 1);
  return price - (prices.low_bits << kPriceLog) + prices.low_bits_prices[low];
}

// Relaxes `count` positions, `step` at a time: a loop for vector instructions.
template <uint32_t step>
void relax(int32_t before, const int32_t* __restrict of_length, uint32_t least, uint32_t count, uint32_t offset,
           int32_t* __restrict to, uint32_t* __restrict lengths, uint32_t* __restrict offsets) {
  const int32_t end = static_cast<int32_t>(count);
  const uint32_t steps = (count + step - 1) / step;
  for (uint32_t i = 0; i < steps * step; ++i) {
    const int32_t price = before + of_length[i];
    // All bits where it is less.
    const int32_t is_less = ((price - to[i]) & (static_cast<int32_t>(i) - end)) >> 31;
    const uint32_t mask = static_cast<uint32_t>(is_less);
    to[i] = (price & is_less) | (to[i] & ~is_less);
    lengths[i] = ((least + i) & mask) | (lengths[i] & ~mask);
    offsets[i] = (offset & mask) | (offsets[i] & ~mask);
  }
}

}  // namespace

void MatchChooser::add_literals(std::span<const std::byte> bytes, std::span<const BlockPrices> prices) {
  uint32_t sum = 0, previous = 0;
  size_t at = 0;
  for (size_t block = 0; block < prices.size(); ++block) {
    const size_t end =
        block + 1 < prices.size() ? std::min<size_t>(prices[block + 1].begin, bytes.size()) : bytes.size();
    for (; at < end; ++at) {
      literals_.items[at] = sum;
      const uint32_t byte = static_cast<uint8_t>(bytes[at]);
      sum += prices[block].literals[kContextOfNext[previous]][byte];
      previous = byte;
    }
  }
  literals_.items[at] = sum;
}

void MatchChooser::set_block(const BlockPrices& prices) {
  for (uint32_t literals = 0; literals <= kKnownLengths; ++literals)
    run_prices_[literals] = literals_price(prices, literals);
  for (uint32_t length = kMinMatch; length < kKnownLengths; ++length)
    length_prices_[length] = static_cast<int32_t>(length_price(prices, length));
  const auto first = length_prices_.begin();
  least_length_price_ = *std::min_element(first + kMinMatch, first + kKnownLengths);
}

// Lowers the prices of all positions that are reached, from `at` on.
void MatchChooser::lower(uint32_t at, uint32_t size) {
  const int32_t by = prices_.items[at];
  for (uint32_t i = at; i <= std::min(size, at + kLongestChosen); ++i)
    if (prices_.items[i] != kNoPrice) prices_.items[i] -= by;
}

// Completes the state of a position, to which no other way can lead any more. `state` is of the position before it.
void MatchChooser::settle(uint32_t at, State& state) {
  if (const uint32_t length = lengths_[at]; length != 0) {
    const uint32_t offset = offsets_[at];
    state = states_.items[at - length];
    state.begin = at;
    History::use(offset, moves_repeats_, state.repeats);
  }
  states_.items[at] = state;
}

// Relaxes the positions that a match reaches by `least` bytes or more. Without branches, which could not be predicted.
void MatchChooser::take(uint32_t at, uint32_t offset, uint32_t least, const Taken& match, const BlockPrices& prices) {
  if (const uint32_t end = std::min(match.length + 1, kKnownLengths); least < end)
    relax<kStep>(match.price, &length_prices_[least], least, end - least, offset, &prices_.items[at + least],
                 &lengths_[at + least], &offsets_[at + least]);
  if (match.length < kKnownLengths) return;
  const int32_t price = match.price + static_cast<int32_t>(length_price(prices, match.length));
  if (price >= prices_.items[at + match.length]) return;
  prices_.items[at + match.length] = price;
  lengths_[at + match.length] = match.length;
  offsets_[at + match.length] = offset;
}

// Relaxes all positions that `at` leads to. Returns the length of a long match, which is taken as a whole, or 0.
uint32_t MatchChooser::leave(uint32_t at, const State& from, const BlockPrices& prices,
                             std::span<const std::byte> bytes, bool skips, std::span<const FoundMatch> found) {
  const int32_t before = prices_.items[at];
  const auto run_price = [&](uint32_t literals) {
    return literals <= kKnownLengths ? run_prices_[literals] : literals_price(prices, literals);
  };
  const uint32_t* const literals = &literals_.items[at];
  // The code of a long run changes at multiples of half its highest bit.
  const uint32_t so_far = at - from.begin;
  const bool is_same_run = so_far >= kKnownLengths && (so_far + 1) % (kKnownLengths / 2) != 0;
  const uint32_t of_longer = is_same_run ? 0 : run_price(so_far + 1) - run_price(so_far);
  const int32_t with_literal = before + static_cast<int32_t>(literals[1] - literals[0] + of_longer);
  if (with_literal < prices_.items[at + 1]) {
    prices_.items[at + 1] = with_literal;
    lengths_[at + 1] = 0;
  }
  if (skips && prices_.items[at + 1] <= before) return 0;
  const uint32_t left = std::min(static_cast<uint32_t>(bytes.size()) - at, kLongestChosen);
  if (left < kMinMatch) return 0;
  // A match reaches nothing for less where one that is no dearer was taken before.
  std::array<Taken, kRepeats> repeated{};
  uint32_t longest = 0;
  const uint32_t of_all = run_prices_[0] + prices.sequence, run = std::min(so_far, kKnownLengths);
  // One that costs more than all of its bytes as literals is left out.
  const auto take_from = [&](uint32_t offset, uint32_t of_offset, uint32_t least, uint32_t length) {
    const int32_t price = static_cast<int32_t>(of_all + of_offset + (offset < kNearOffset ? prices.of_near : 0));
    const uint32_t of_literals = literals[length] - literals[0] + run_prices_[std::min(run + length, kKnownLengths)];
    if (price + least_length_price_ >= static_cast<int32_t>(of_literals - run_prices_[run])) return Taken{};
    const Taken match = {length, before + price};
    for (const Taken& other : repeated)
      if (other.price <= match.price) least = std::max(least, other.length + 1);
    if (least <= length) take(at, offset, least, match, prices);
    longest = std::max(longest, length);
    return match;
  };
  // Most are none: their first bytes say so.
  constexpr uint32_t kWord = 4;
  const uint32_t word = left < kWord ? 0 : load_u32(&bytes[at]);
  for (uint32_t slot = 0; slot < kRepeats; ++slot) {
    const uint32_t offset = from.repeats[slot];
    if (offset > at) continue;
    if (left >= kWord && (load_u32(&bytes[at - offset]) ^ word) << 8 != 0) continue;
    const uint32_t length = equal_length(&bytes[at - offset], &bytes[at], 0, left);
    const uint32_t symbol = moves_repeats_ ? moved_symbol(slot, so_far != 0) : slot;
    if (length >= kMinMatch) repeated[slot] = take_from(offset, prices.fields[kOffset][symbol], kMinMatch, length);
  }
  uint32_t least = kMinMatch;
  for (const FoundMatch& match : found) {
    const uint32_t length = std::min(match.length, left);
    if (length < least) break;
    const auto& [first, second, third] = from.repeats;
    if (match.offset != first && match.offset != second && match.offset != third)
      take_from(match.offset, offset_price(prices, match.offset), least, length);
    least = length + 1;
  }
  return longest < kLongMatch ? 0 : longest;
}

void MatchChooser::choose(std::span<const std::byte> bytes, const MatchFinder& found,
                          std::span<const BlockPrices> prices, bool skips, std::vector<Match>& matches) {
  const uint32_t size = static_cast<uint32_t>(bytes.size());
  const auto set = [&](auto& array) {
    array.clear();
    array.more(size_t{size} + kStep);
  };
  set(prices_);
  set(states_);
  set(literals_);
  std::fill_n(prices_.items.get(), prices_.size, kNoPrice);
  // What an item has from another tile is never chosen: no position is left before it was reached.
  lengths_.resize(std::max(lengths_.size(), prices_.size));
  offsets_.resize(lengths_.size());
  prices_.items[0] = 0;
  moves_repeats_ = prices[0].moves_repeats;
  State state = {0, kFirstRepeats};
  add_literals(bytes, prices);
  size_t block = 0;
  set_block(prices[0]);
  for (uint32_t at = 0; at < size;) {
    settle(at, state);
    if (prices_.items[at] >= kLowered) lower(at, size);
    const size_t block_before = block;
    while (block + 1 < prices.size() && prices[block + 1].begin <= at) ++block;
    if (block != block_before) set_block(prices[block]);
    const uint32_t whole = leave(at, state, prices[block], bytes, skips, found.at(at));
    at += std::max(whole, 1u);
  }
  settle(size, state);
  // Backtracks from the end.
  matches.clear();
  for (uint32_t at = size; at != 0;) {
    const uint32_t end = states_.items[at].begin;
    at = end - lengths_[end];
    if (end != 0) matches.push_back({at - states_.items[at].begin, lengths_[end], offsets_[end]});
  }
  std::reverse(matches.begin(), matches.end());
}

}  // namespace weft::gstd
