// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include "gstd/fast_parser.hpp"
#include "gstd/format.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

// How many bytes matches make, each of which is one.
size_t check_matches(std::span<const std::byte> bytes, std::span<const Match> matches) {
  size_t position = 0, matched = 0;
  for (const Match& match : matches) {
    REQUIRE(match.literals <= bytes.size() - position);
    position += match.literals;
    REQUIRE(match.length <= bytes.size() - position);
    CHECK(match.length >= kMinMatch);
    CHECK(match.offset >= 1);
    REQUIRE(match.offset <= position);
    bool is_equal = true;
    for (size_t i = position; i < position + match.length; ++i) is_equal &= bytes[i] == bytes[i - match.offset];
    CHECK(is_equal);
    position += match.length;
    matched += match.length;
  }
  return matched;
}

}  // namespace

TEST_SUITE("gstd fast parser") {
  TEST_CASE("what it says are matches is one after the other, at every level and size") {
    for (const int level : {1, 2, 3})
      for (const bool only_long : {false, true}) {
        FastParser parser(level);
        for (const size_t size : {0u, 1u, 7u, 8u, 15u, 16u, 17u, 18u, 40u, 300u, 4096u, 8192u, 8193u, 65535u, 65536u})
          for (const Sample& sample : samples_of(size)) {
            CAPTURE(sample.name);
            CAPTURE(size);
            // In an allocation of exactly the bytes.
            std::vector<Match> matches, again;
            parser.parse(sample.bytes, only_long, matches);
            const size_t matched = check_matches(sample.bytes, matches);
            if (sample.name == "zeros" && size >= 300) CHECK(matched > size - 16);
            if (sample.name == "period of 7" && size >= 300) CHECK(matched > size - 64);
            if (sample.name == "text" && size >= 4096 && !only_long) CHECK(matched > size / 2);
            if (sample.name == "random") CHECK(matched * 8 <= size);
            parser.parse(sample.bytes, only_long, again);
            REQUIRE(again.size() == matches.size());
            for (size_t i = 0; i < matches.size(); ++i) CHECK(again[i].offset == matches[i].offset);
          }
      }
  }

  TEST_CASE("the last place of a tile is one that matches come from") {
    Random random(5);
    std::vector<std::byte> bytes(kMaxFastBytes);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    std::copy_n(bytes.begin() + 1, 30000, bytes.end() - 30000);
    std::vector<Match> matches;
    FastParser(3).parse(bytes, false, matches);
    CHECK(check_matches(bytes, matches) > 29000);
  }

  TEST_CASE("tiles that are larger than it takes have no matches") {
    std::vector<Match> matches(1);
    FastParser(3).parse(std::vector<std::byte>(kMaxFastBytes + 1), false, matches);
    CHECK(matches.empty());
  }
}

}  // namespace weft::gstd::test
