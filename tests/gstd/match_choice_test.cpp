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

std::vector<Match> choose(const std::vector<std::byte>& bytes, const std::vector<Match>& found,
                          const std::vector<BlockPrices>& prices) {
  MatchChooser chooser;
  chooser.add(bytes, found);
  std::vector<Match> matches;
  chooser.choose(bytes, prices, matches);
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
    check_one(choose(bytes, {{12, 6, 12}}, {even_prices(800, 400)}), 12, 6, 12);
    CHECK(choose(bytes, {{12, 6, 12}}, {even_prices(200, 800)}).empty());
  }

  TEST_CASE("what a parser cut short or began after its start is a match as far as it goes") {
    const std::vector<std::byte> bytes = bytes_of("abcdefghijklabcdefghxyz");
    check_one(choose(bytes, {{14, 3, 12}}, {even_prices(800, 400)}), 12, 8, 12);
  }

  TEST_CASE("repeated offsets are found without a parser, the first of all too") {
    check_one(choose(bytes_of("aaaaaaaaaaaaaaaa"), {}, {even_prices(800, 400)}), 1, 15, 1);
    check_one(choose(bytes_of("abcdabcdabcd"), {}, {even_prices(800, 400)}), 4, 8, 4);
    check_one(choose(bytes_of("abcdefghabcdefgh"), {}, {even_prices(800, 400)}), 8, 8, 8);
    check_one(choose(bytes_of("abcXabc"), {}, {even_prices(800, 400)}), 4, 3, 4);
    CHECK(choose(bytes_of("abcdefabcdef"), {}, {even_prices(800, 400)}).empty());
    // The offset of a match found, again where no parser looked.
    const std::vector<Match> again = choose(bytes_of("abcdefabcdef+-abcdef0123"), {{6, 6, 6}}, {even_prices(800, 400)});
    REQUIRE(again.size() == 1);
    const std::vector<Match> with_gap = choose(bytes_of("abcdefabcdXfabcdXf"), {{6, 4, 6}}, {even_prices(800, 400)});
    REQUIRE(with_gap.size() == 2);
    CHECK(with_gap[1].offset == 6);
    CHECK(with_gap[1].length == 7);
  }

  TEST_CASE("repeated offsets are given by their positions, which only new offsets change") {
    for (const bool cheap : {false, true}) {
      BlockPrices prices = even_prices(800, 400);
      prices.fields[kOffset][1] = cheap ? 10 : 3000;
      prices.fields[kOffset][2] = cheap ? 3000 : 10;
      // Offset 4 is the second of all. Or offset 9.
      check_one(choose(bytes_of("pqrstpqrspqrs"), {{9, 4, 9}}, {prices}), 9, 4, cheap ? 4 : 9);
      // Behind a new offset it is the third. Or offset 13.
      const std::vector<Match> two = choose(bytes_of("ABCDEFghiABCDEFCDEF"), {{9, 6, 9}, {0, 4, 13}}, {prices});
      REQUIRE(two.size() == 2);
      CHECK(two[1].literals == 0);
      CHECK(two[1].offset == (cheap ? 13 : 4));
    }
    // The third stays where it is when it is used, and so does the first.
    BlockPrices prices = even_prices(800, 400);
    prices.fields[kOffset][1] = 3000;
    const std::vector<Match> three = choose(bytes_of("ABCDEFghiABCDEFCDEFzCDEF"), {{9, 6, 9}}, {prices});
    REQUIRE(three.size() == 3);
    CHECK(three[1].offset == 4);
    CHECK(three[2].offset == 9);
  }

  TEST_CASE("a match begins where the run of literals before it costs least, and goes on to its end however long") {
    BlockPrices prices = even_prices(800, 400);
    prices.fields[kLiteralLength][9] = 5000;
    check_one(choose(bytes_of("abcdefgh:abcdefgh"), {{9, 8, 9}}, {prices}), 10, 7, 9);
    check_one(choose(bytes_of("abcdefghiabcdXY"), {{9, 4, 9}}, {prices}), 10, 3, 9);
    std::vector<std::byte> bytes(300);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 150);
    check_one(choose(bytes, {{150, 150, 150}}, {even_prices(800, 400)}), 150, 150, 150);
  }

  TEST_CASE("low bits of offsets cost what their table says, where a block has one") {
    const std::vector<std::byte> bytes = bytes_of("abababcdefghijklmnababXY");
    // Of one symbol both; the bits after it are 0 and 2.
    const std::vector<Match> first = {{18, 4, 16}}, second = {{18, 4, 18}};
    for (const uint32_t cheap : {0u, 2u}) {
      BlockPrices prices = even_prices(800, 400);
      prices.low_bits = 2;
      prices.low_bits_prices.fill(1000);
      prices.low_bits_prices[cheap] = 10;
      MatchChooser chooser;
      chooser.add(bytes, first);
      chooser.add(bytes, second);
      std::vector<Match> matches;
      chooser.choose(bytes, std::span(&prices, 1), matches);
      check_one(matches, 18, 4, 16 + cheap);
    }
    // Without a table they are bits, and with one they need not be.
    BlockPrices prices = even_prices(200, 100);
    CHECK(choose(bytes, first, {prices}).empty());
    prices.low_bits = 2;
    check_one(choose(bytes, first, {prices}), 18, 4, 16);
  }

  TEST_CASE("prices are those of the block that a position is in, and of the literal's context there") {
    const std::vector<std::byte> bytes = bytes_of("abcdefghabcXefghabcYefgh0123");
    std::vector<BlockPrices> prices = {even_prices(800, 300), even_prices(100, 800)};
    prices[1].begin = 20;
    // In the second block the last match costs more than its literals.
    const std::vector<Match> found = {{8, 3, 8}, {1, 4, 8}, {0, 3, 8}, {1, 4, 8}};
    const std::vector<Match> two = choose(bytes, found, prices);
    REQUIRE(two.size() == 2);
    CHECK(two[0].literals == 8);
    CHECK(two[1].length == 7);
    prices.resize(1);
    CHECK(choose(bytes, found, prices).size() == 3);
    // By the byte before: after large ones literals cost much.
    BlockPrices by_previous = even_prices(0, 400);
    by_previous.literals[literal_context('a')].fill(2000);
    const std::vector<Match> behind = choose(bytes_of("aaaa\1\1\1\1aaaa\1\1\1\1"), {{8, 8, 8}}, {by_previous});
    REQUIRE(behind.size() >= 1);
    CHECK(behind.back().offset == 8);
  }

  TEST_CASE("a sequence has a price beside its symbols") {
    BlockPrices prices = even_prices(800, 400);
    CHECK(choose(bytes_of("abcXabc"), {}, {prices}).size() == 1);
    prices.sequence = 3 * 800;
    CHECK(choose(bytes_of("abcXabc"), {}, {prices}).empty());
  }

  TEST_CASE("it is the cheapest way of all where nothing depends on what came before") {
    Random random(11);
    for (uint32_t round = 0; round < 400; ++round) {
      const uint32_t size = 1 + random.below(10);
      std::vector<std::byte> bytes(size);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(2));
      BlockPrices prices = even_prices(0, 0);
      for (uint16_t& price : prices.literals[0]) price = static_cast<uint16_t>(random.below(1000));
      for (uint16_t& price : prices.fields[kMatchLength]) price = static_cast<uint16_t>(random.below(1500));
      prices.fields[kOffset].fill(static_cast<uint16_t>(random.below(1500)));
      // Offsets below 8 have no further bits.
      MatchChooser chooser;
      std::vector<uint32_t> best(size + 1, ~0u);
      best[0] = 0;
      for (uint32_t at = 0; at < size; ++at) {
        best[at + 1] = std::min(best[at + 1], best[at] + prices.literals[0][static_cast<uint8_t>(bytes[at])]);
        for (uint32_t offset = 1; offset <= std::min(at, 7u); ++offset)
          for (uint32_t length = 1; at + length <= size; ++length) {
            if (bytes[at + length - 1] != bytes[at + length - 1 - offset]) break;
            if (length < kMinMatch) continue;
            const Match match{at, length, offset};
            chooser.add(bytes, std::span(&match, 1));
            best[at + length] = std::min(best[at + length], best[at] + prices.fields[kOffset][0] +
                                                                prices.fields[kMatchLength][length - kMinMatch]);
          }
      }
      std::vector<Match> matches;
      chooser.choose(bytes, std::span(&prices, 1), matches);
      check_matches(bytes, matches);
      uint32_t price = 0, at = 0;
      const auto literals_to = [&](uint32_t end) {
        for (; at < end; ++at) price += prices.literals[0][static_cast<uint8_t>(bytes[at])];
      };
      for (const Match& match : matches) {
        literals_to(at + match.literals);
        price += prices.fields[kOffset][0] + prices.fields[kMatchLength][match.length - kMinMatch];
        at += match.length;
      }
      literals_to(size);
      CHECK(price == best[size]);
    }
  }

  TEST_CASE("of tiles of every kind and size matches are matches") {
    for (const size_t size : {1u, 2u, 3u, 17u, 300u, 65536u, 262144u})
      for (const Sample& sample : samples_of(size)) {
        if (kSanitized && size > 65536 && sample.name != "text") continue;
        CAPTURE(size);
        CAPTURE(sample.name);
        MatchChooser chooser;
        std::vector<Match> matches;
        for (const int level : {1, 7}) {
          Parser(level).parse(sample.bytes, matches);
          chooser.add(sample.bytes, matches);
        }
        const BlockPrices prices = even_prices(8 << kPriceLog, 5 << kPriceLog);
        chooser.choose(sample.bytes, std::span(&prices, 1), matches);
        const size_t matched = check_matches(sample.bytes, matches);
        if (sample.name == "zeros") CHECK(matched + kMinMatch >= size);
        chooser.clear();
        chooser.choose(sample.bytes, std::span(&prices, 1), matches);
        check_matches(sample.bytes, matches);
      }
  }
}

}  // namespace weft::gstd::test
