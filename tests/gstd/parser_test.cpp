// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/parser.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "check_matches.hpp"
#include "gstd/equal_bytes.hpp"
#include "gstd/greedy_parser.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

// Checks what `parse` makes of samples. Back and forth between sizes, which have parameters and tables of their own.
template <class Parse>
void check_parses(bool is_slow, const Parse& parse) {
  const auto is_same = [](const Match& a, const Match& b) {
    return a.literals == b.literals && a.length == b.length && a.offset == b.offset;
  };
  for (const size_t size : {0u, 1u, 7u, 8u, 9u, 15u, 16u, 17u, 40u, 300u, 4096u, 65535u, 65536u, 8192u, 262144u}) {
    if (kSanitized && size > 65536 && is_slow) continue;
    std::vector<std::vector<Match>> found;
    for (const Sample& sample : samples_of(size)) {
      CAPTURE(sample.name);
      CAPTURE(size);
      std::vector<Match>& matches = found.emplace_back();
      parse(sample.bytes, matches);
      const size_t matched = check_matches(sample.bytes, matches);
      if (sample.name == "zeros" && size >= 300) CHECK(matched + 64 > size);
      if (sample.name == "period of 7" && size >= 300) CHECK(matched + 64 > size);
      if (sample.name == "text" && size >= 4096) CHECK(matched > size / 2);
      if (sample.name == "random") CHECK(matched * 8 <= size);
    }
    // What was parsed before does not matter.
    if (kSanitized && size > 65536) continue;
    size_t number = 0;
    for (const Sample& sample : samples_of(size)) {
      std::vector<Match> again;
      parse(sample.bytes, again);
      CHECK(std::ranges::equal(again, found[number++], is_same));
    }
  }
}

}  // namespace

TEST_SUITE("gstd parser") {
  TEST_CASE("what it says are matches is one after the other, at every level and size") {
    for (const int level : {1, 3, 9, 19}) {
      CAPTURE(level);
      Parser parser(level);
      check_parses(level != 3, [&](std::span<const std::byte> bytes, std::vector<Match>& matches) {
        parser.parse(bytes, matches);
      });
    }
  }

  TEST_CASE("what a greedy search says are matches is one after the other, at every size") {
    for (const GreedySearch& search :
         {GreedySearch{true, 5, 9}, GreedySearch{false, 5, 8}, GreedySearch{false, 7, 9}, GreedySearch{false, 7, 3}}) {
      CAPTURE(search.twice);
      CAPTURE(search.least);
      CAPTURE(search.patience);
      GreedyParser parser;
      check_parses(false, [&](std::span<const std::byte> bytes, std::vector<Match>& matches) {
        parser.parse(bytes, search, matches);
      });
    }
  }

  TEST_CASE("a greedy search finds fewer matches the less it does") {
    GreedyParser parser;
    std::vector<Match> matches;
    for (const Sample& sample : samples_of(65536)) {
      if (sample.name != "text") continue;
      const auto unmatched = [&](const GreedySearch& search) {
        parser.parse(sample.bytes, search, matches);
        return sample.bytes.size() - check_matches(sample.bytes, matches);
      };
      const size_t thorough = unmatched({true, 5, 9});
      CHECK(thorough < unmatched({false, 7, 9}));
      CHECK(unmatched({false, 7, 9}) < unmatched({false, 7, 3}));
    }
  }

  TEST_CASE("bytes are equal or not, whatever the size and whichever byte differs, at the end of memory too") {
    Random random(3);
    for (uint32_t size = 0; size <= 70; ++size)
      for (const uint32_t behind : {0u, 1u, 7u, 8u, 9u, 15u, 16u, 40u}) {
        // Two copies, and other bytes after each, in an allocation of exactly so many bytes.
        std::vector<std::byte> bytes(2 * size + 1 + behind);
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
        const size_t second = size + 1;
        std::copy_n(bytes.begin(), size, bytes.begin() + static_cast<std::ptrdiff_t>(second));
        const std::byte* const end = bytes.data() + bytes.size();
        const auto equal = [&] { return equal_bytes(bytes.data(), bytes.data() + second, size, end); };
        CAPTURE(size);
        CAPTURE(behind);
        CHECK(equal());
        for (uint32_t apart = 0; apart < size; ++apart) {
          bytes[second + apart] ^= std::byte{1};
          CHECK_FALSE(equal());
          bytes[second + apart] ^= std::byte{1};
        }
      }
  }
}

}  // namespace weft::gstd::test
