// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/parser.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "check_matches.hpp"
#include "gstd/equal_bytes.hpp"
#include "gstd/filter_choice.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
TEST_SUITE("gstd parser") {
  TEST_CASE("what it says are matches is one after the other, at every level and size") {
    for (const int level : {1, 2, 3, 9, 19}) {
      Parser plain(level), long_ones(level, kMinOfFast);
      // Back and forth between sizes: each has parameters of its own.
      for (const size_t size : {0u, 1u, 7u, 8u, 15u, 16u, 17u, 40u, 300u, 4096u, 65535u, 65536u, 8192u, 262144u})
        for (const uint32_t least : {0u, kMinOfFast})
          for (const Sample& sample : samples_of(size)) {
            if (kSanitized && size > 65536 && level != 3) continue;
            Parser& parser = least == 0 ? plain : long_ones;
            CAPTURE(level);
            CAPTURE(sample.name);
            CAPTURE(size);
            CAPTURE(least);
            std::vector<Match> matches, again;
            parser.parse(sample.bytes, matches);
            const size_t matched = check_matches(sample.bytes, matches);
            if (sample.name == "zeros" && size >= 300) CHECK(matched + 64 > size);
            if (sample.name == "period of 7" && size >= 300) CHECK(matched + 64 > size);
            if (sample.name == "text" && size >= 4096) CHECK(matched > size / 2);
            if (sample.name == "random") CHECK(matched * 8 <= size);
            parser.parse(sample.bytes, again);
            CHECK(std::ranges::equal(again, matches, [](const Match& a, const Match& b) {
              return a.literals == b.literals && a.length == b.length && a.offset == b.offset;
            }));
          }
    }
  }

  TEST_CASE("a least length keeps a search from shorter matches") {
    const auto fewest = [](uint32_t least) {
      std::vector<Match> matches;
      for (const Sample& sample : samples_of(65536)) {
        if (sample.name != "text") continue;
        Parser(3, least).parse(sample.bytes, matches);
        check_matches(sample.bytes, matches);
      }
      return matches.size();
    };
    const size_t all = fewest(0), long_ones = fewest(kMinOfFast);
    CHECK(long_ones > 0);
    CHECK(long_ones < all);
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
