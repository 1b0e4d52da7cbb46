// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/match_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "check_matches.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

// Every literal, and every symbol of a sequence, at one price each.
BlockPrices even_prices(uint16_t literal, uint16_t symbol) {
  BlockPrices prices;
  for (auto& of_context : prices.literals) of_context.fill(literal);
  for (auto& of_field : prices.fields) of_field.fill(symbol);
  return prices;
}

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

std::vector<Match> choose(const std::vector<std::byte>& bytes, const std::vector<BlockPrices>& prices,
                          bool skips = false) {
  MatchFinder finder;
  finder.find(bytes, kMinMatch, 1000);
  std::vector<Match> matches;
  MatchChooser().choose(bytes, finder, prices, skips, matches);
  check_matches(bytes, matches);
  return matches;
}

void check_one(const std::vector<Match>& matches, uint32_t literals, uint32_t length, uint32_t offset) {
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].literals == literals);
  CHECK(matches[0].length == length);
  CHECK(matches[0].offset == offset);
}

}  // namespace

TEST_SUITE("gstd match choice") {
  TEST_CASE("a match is taken where it costs less than its literals, and left where it does not") {
    const std::vector<std::byte> bytes = bytes_of("abcdefghijklabcdefxyz");
    check_one(choose(bytes, {even_prices(800, 400)}), 12, 6, 12);
    CHECK(choose(bytes, {even_prices(200, 800)}).empty());
  }

  TEST_CASE("a match with an offset below 64 costs the price of near ones") {
    BlockPrices prices = even_prices(800, 400);
    prices.of_near = 30000;
    std::vector<std::byte> bytes;
    for (int i = 0; i < 72; ++i) bytes.push_back(static_cast<std::byte>(i % 64));
    check_one(choose(bytes, {prices}), 64, 8, 64);
    bytes.erase(bytes.begin());
    bytes.erase(bytes.begin() + 63, bytes.end());
    for (int i = 1; i < 9; ++i) bytes.push_back(static_cast<std::byte>(i));
    CHECK(choose(bytes, {prices}).empty());
    prices.of_near = 0;
    check_one(choose(bytes, {prices}), 63, 8, 63);
  }

  TEST_CASE("repeated offsets are found without a search, the first of all too") {
    // A search needs four bytes after a position, and each position is its own.
    check_one(choose(bytes_of("aaaaaaaaaaaaaaaa"), {even_prices(800, 400)}), 1, 15, 1);
    check_one(choose(bytes_of("abcdabcdabcd"), {even_prices(800, 400)}), 4, 8, 4);
    check_one(choose(bytes_of("abcdefghabcdefgh"), {even_prices(800, 400)}), 8, 8, 8);
    check_one(choose(bytes_of("abcXabc"), {even_prices(800, 400)}), 4, 3, 4);
    const std::vector<Match> with_gap = choose(bytes_of("abcdefabcdXfabcdXf"), {even_prices(800, 400)});
    REQUIRE(with_gap.size() == 2);
    CHECK(with_gap[1].offset == 6);
    CHECK(with_gap[1].length == 7);
  }

  TEST_CASE("repeated offsets are given by their positions, which only new offsets change") {
    for (const bool cheap : {false, true}) {
      BlockPrices prices = even_prices(800, 400);
      prices.fields[kOffset][1] = cheap ? 3000 : 10;
      prices.fields[kOffset][2] = cheap ? 10 : 3000;
      // Offset 4 is the second of all, and behind a new one the third.
      const std::vector<Match> matches = choose(bytes_of("pqrstpqrspqrs"), {prices});
      REQUIRE(!matches.empty());
      CHECK((matches.back().offset == 4) == cheap);
    }
    // The third stays where it is when it is used, and so does the first.
    BlockPrices prices = even_prices(800, 400);
    prices.fields[kOffset][1] = 3000;
    prices.fields[kOffset][2] = 10;
    const std::vector<Match> three = choose(bytes_of("ABCDEFghiABCDEFCDEFzCDEF"), {prices});
    REQUIRE(three.size() == 3);
    CHECK(three[0].offset == 9);
    CHECK(three[1].offset == 4);
    CHECK(three[2].offset == 9);
  }

  TEST_CASE("a match begins where the run of literals before it costs least, and goes on to its end however long") {
    BlockPrices prices = even_prices(800, 400);
    prices.fields[kLiteralLength][9] = 5000;
    check_one(choose(bytes_of("abcdefgh:abcdefgh"), {prices}), 10, 7, 9);
    check_one(choose(bytes_of("abcdefghiabcdXY"), {prices}), 10, 3, 9);
    for (const size_t period : {150u, 700u, 70000u}) {
      Random random(period);
      std::vector<std::byte> bytes(2 * period);
      for (size_t i = 0; i < period; ++i) bytes[i] = bytes[period + i] = static_cast<std::byte>(random.below(256));
      // Chance finds no match of four bytes or more; of three it may.
      BlockPrices dear = even_prices(800, 1000);
      dear.fields[kMatchLength][0] = 5000;
      dear.sequence = 3000;
      const std::vector<Match> matches = choose(bytes, {dear});
      REQUIRE(!matches.empty());
      CHECK(matches.back().offset == period);
      size_t matched = 0;
      for (const Match& match : matches) matched += match.offset == period ? match.length : 0;
      CHECK(matched >= period - 8);
    }
  }

  TEST_CASE("low bits of offsets cost what their table says, where a block has one") {
    const std::vector<std::byte> bytes = bytes_of("ababcdefghijklmnopqrstababXY");
    for (const bool cheap : {false, true}) {
      BlockPrices prices = even_prices(700, 400);
      prices.low_bits = 2;
      prices.low_bits_prices.fill(3000);
      if (cheap) prices.low_bits_prices[22 & 3] = 10;
      CHECK(choose(bytes, {prices}).size() == (cheap ? 1u : 0u));
    }
    // Without a table they are bits, and with one they need not be.
    BlockPrices prices = even_prices(200, 100);
    CHECK(choose(bytes, {prices}).empty());
    prices.low_bits = 2;
    check_one(choose(bytes, {prices}), 22, 4, 22);
  }

  TEST_CASE("prices are those of the block that a position is in, and of the literal's context there") {
    const std::vector<std::byte> bytes = bytes_of("abcdefghabcXefghabcYefgh0123");
    std::vector<BlockPrices> prices = {even_prices(800, 300), even_prices(100, 800)};
    prices[1].begin = 20;
    // In the second block the last match costs more than its literals.
    const std::vector<Match> two = choose(bytes, prices);
    REQUIRE(two.size() == 2);
    CHECK(two[0].literals == 8);
    CHECK(two[1].length == 7);
    prices.resize(1);
    CHECK(choose(bytes, prices).size() == 3);
    // By the byte before: after large ones literals cost much.
    BlockPrices by_previous = even_prices(0, 400);
    by_previous.literals[literal_context('a')].fill(2000);
    const std::vector<Match> behind = choose(bytes_of("aaaa\1\1\1\1aaaa\1\1\1\1"), {by_previous});
    REQUIRE(behind.size() >= 1);
    CHECK(behind.back().offset == 8);
  }

  TEST_CASE("a sequence has a price beside its symbols") {
    BlockPrices prices = even_prices(800, 400);
    CHECK(choose(bytes_of("abcXabc"), {prices}).size() == 1);
    prices.sequence = 3 * 800;
    CHECK(choose(bytes_of("abcXabc"), {prices}).empty());
  }

  TEST_CASE("it is the cheapest way of all where nothing depends on what came before") {
    Random random(11);
    for (uint32_t round = 0; round < 400; ++round) {
      // The search looks at no position with fewer bytes after it: all matches end before these.
      constexpr uint32_t kEnd = 4;
      const uint32_t size = 1 + random.below(10);
      std::vector<std::byte> bytes(size + kEnd);
      for (uint32_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(random.below(2));
      for (uint32_t i = 0; i < kEnd; ++i) bytes[size + i] = static_cast<std::byte>(10 + i);
      BlockPrices prices = even_prices(0, 0);
      for (uint16_t& price : prices.literals[0]) price = static_cast<uint16_t>(random.below(1000));
      for (auto& of_context : prices.literals) of_context = prices.literals[0];
      for (uint16_t& price : prices.fields[kMatchLength]) price = static_cast<uint16_t>(random.below(1500));
      prices.fields[kOffset].fill(static_cast<uint16_t>(random.below(1500)));
      // Offsets below 8 have no further bits.
      std::vector<uint32_t> best(bytes.size() + 1, ~0u);
      best[0] = 0;
      for (uint32_t at = 0; at < bytes.size(); ++at) {
        best[at + 1] = std::min(best[at + 1], best[at] + prices.literals[0][static_cast<uint8_t>(bytes[at])]);
        for (uint32_t offset = 1; offset <= std::min(at, 7u); ++offset)
          for (uint32_t length = 1; at + length <= bytes.size(); ++length) {
            if (bytes[at + length - 1] != bytes[at + length - 1 - offset]) break;
            if (length < kMinMatch) continue;
            best[at + length] = std::min(best[at + length], best[at] + prices.fields[kOffset][0] +
                                                                prices.fields[kMatchLength][length - kMinMatch]);
          }
      }
      const std::vector<Match> matches = choose(bytes, {prices});
      uint32_t price = 0, at = 0;
      bool is_near = true;
      const auto literals_to = [&](uint32_t end) {
        for (; at < end; ++at) price += prices.literals[0][static_cast<uint8_t>(bytes[at])];
      };
      for (const Match& match : matches) {
        literals_to(at + match.literals);
        price += prices.fields[kOffset][0] + prices.fields[kMatchLength][match.length - kMinMatch];
        at += match.length;
        is_near = is_near && match.offset < 8;
      }
      literals_to(static_cast<uint32_t>(bytes.size()));
      CHECK((price == best.back() || !is_near));
    }
  }

  TEST_CASE("of tiles of every kind and size matches are matches, and all searched ones too") {
    for (const size_t size : {1u, 2u, 3u, 4u, 17u, 300u, 65536u, 262144u})
      for (const Sample& sample : samples_of(size)) {
        if (kSanitized && size > 65536 && sample.name != "text") continue;
        CAPTURE(size);
        CAPTURE(sample.name);
        MatchFinder finder;
        finder.find(sample.bytes, kMinMatch, 12);
        bool are_matches = true;
        for (uint32_t at = 0; at < size; ++at) {
          uint32_t before = kMinMatch - 1;
          for (const FoundMatch& match : finder.at(at)) {
            const std::byte* const from = sample.bytes.data() + at;
            are_matches = are_matches && match.length > before && match.offset >= 1 && match.offset <= at &&
                          match.length <= size - at &&
                          (match.length > 1000 || std::equal(from, from + match.length, from - match.offset));
            before = match.length;
          }
        }
        CHECK(are_matches);
        const BlockPrices prices = even_prices(8 << kPriceLog, 5 << kPriceLog);
        for (const bool skips : {false, true}) {
          std::vector<Match> matches;
          MatchChooser().choose(sample.bytes, finder, std::span(&prices, 1), skips, matches);
          const size_t matched = check_matches(sample.bytes, matches);
          if (sample.name == "zeros") CHECK(matched + kMinMatch >= size);
        }
      }
  }

  TEST_CASE("of the largest tile, of bytes that cost more than 32 bits have, matches at its end are chosen too") {
    Random random(3);
    std::vector<std::byte> bytes(kMaxTileBytes);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    std::copy_n(bytes.end() - 400, 100, bytes.end() - 100);
    std::vector<BlockPrices> prices = {even_prices(kRarePrice + 2048, 400)};
    prices[0].sequence = 60000;
    check_one(choose(bytes, prices), kMaxTileBytes - 100, 100, 300);
  }

  TEST_CASE("a search that may compare all positions finds the longest match of each, if it is long enough") {
    Random random(5);
    for (uint32_t round = 0; round < 100; ++round) {
      const uint32_t least = kMinMatch + round % 2;
      std::vector<std::byte> bytes(300);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(2 + round / 2 % 4));
      MatchFinder finder;
      finder.find(bytes, least, 1000);
      bool all = true;
      for (uint32_t at = 0; at + 4 <= bytes.size(); ++at) {
        uint32_t longest = 0;
        for (uint32_t from = 0; from < at; ++from) {
          uint32_t length = 0;
          while (at + length < bytes.size() && bytes[from + length] == bytes[at + length]) ++length;
          longest = std::max(longest, length);
        }
        const auto found = finder.at(at);
        const uint32_t length = found.empty() ? 0 : found.back().length;
        all = all && (length == longest || std::max(length, longest) < least);
      }
      CHECK(all);
    }
  }
}

}  // namespace weft::gstd::test
