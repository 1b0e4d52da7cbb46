// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Streams no encoder would write: every choice of the format by chance, beside the output they have to come to.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "sample_tiles.hpp"
#include "stream_maker.hpp"

namespace weft::gstd::test {

TEST_SUITE("gstd streams") {
  TEST_CASE("streams with every choice by chance come to their output") {
    std::map<std::string, int> reached;
    for (uint64_t seed = 1; seed <= (kSanitized ? 200 : 600); ++seed) {
      CAPTURE(seed);
      StreamMaker maker(seed, reached);
      maker.make();
      if (maker.words.empty()) continue;
      std::vector<std::byte> output(maker.output.size());
      for (const TileDecoder decoder : kDecoders) {
        const TileVerdict verdict = decode(decoder, maker.words, output);
        CHECK(name_of(verdict.reason) == std::string("none"));
        CHECK(verdict.word == 0);
        CHECK(output == maker.output);
      }
    }
    for (const char* what : {"literals 0",
                             "literals 1",
                             "literals 2",
                             "literal tables 1",
                             "literal tables 2",
                             "literal tables 3",
                             "literal tables 4",
                             "field 0 0",
                             "field 0 1",
                             "field 0 2",
                             "field 0 3",
                             "field 1 0",
                             "field 1 1",
                             "field 1 2",
                             "field 1 3",
                             "field 2 0",
                             "field 2 1",
                             "field 2 2",
                             "field 2 3",
                             "field 3 0",
                             "field 3 1",
                             "field 3 2",
                             "field 3 3",
                             "field 0 6",
                             "field 1 6",
                             "field 2 6",
                             "field 3 6",
                             "repeat 0",
                             "repeat 1",
                             "repeat 2",
                             "small most sequences",
                             "small most literals",
                             "large most sequences",
                             "large most literals",
                             "single byte",
                             "literals of a lane 4",
                             "literals of a lane 8",
                             "literals of a lane 12",
                             "literals of a lane 16",
                             "coarse lengths",
                             "fine lengths",
                             "repeats that move",
                             "repeats that stay",
                             "lanes 0",
                             "lanes 1",
                             "lanes 2",
                             "lanes 3",
                             "lanes 4",
                             "lanes 5"})
      CHECK_MESSAGE(reached[what] > 0, std::string(what));
    for (uint32_t set = 0; set < kLengthSets; ++set) CHECK(reached["set of lengths " + std::to_string(set)] > 0);
    for (uint32_t filter = 0; filter < static_cast<uint32_t>(Filter::count); ++filter) {
      CHECK(reached["filter " + std::to_string(filter)] > 0);
      const int of_rows = reached["rows of filter " + std::to_string(filter)];
      CHECK((filter < static_cast<uint32_t>(Filter::bc1) ? of_rows > 0 || kSanitized : of_rows == 0));
    }
  }

  TEST_CASE("bits turned over in such streams end in the same verdict") {
    std::map<std::string, int> reached;
    Random random(3);
    for (uint64_t seed = 1000; seed < (kSanitized ? 1030 : 1100); ++seed) {
      CAPTURE(seed);
      StreamMaker maker(seed, reached);
      maker.make();
      for (uint32_t run = 0; run < 30 && !maker.words.empty(); ++run) {
        std::vector<uint32_t> broken = maker.words;
        broken[random.below(static_cast<uint32_t>(broken.size()))] ^= 1u << random.below(32);
        std::vector<std::byte> expected(maker.output.size()), output(maker.output.size());
        const TileVerdict verdict = decode(decode_tile_reference, broken, expected);
        for (const TileDecoder decoder : kFastDecoders) {
          CHECK(decode(decoder, broken, output) == verdict);
          if (verdict) CHECK(output == expected);
        }
      }
    }
  }
}

}  // namespace weft::gstd::test
