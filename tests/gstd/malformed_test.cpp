// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Words that no encoder wrote: refused, or decoded to something, with the same verdict of both decoders. Every run has
// words and output in allocations of their exact sizes, so that a sanitizer sees each access outside.
#include <doctest/doctest.h>

#include <set>

#include "gstd/filters.hpp"
#include "gstd/format.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

std::vector<std::vector<uint32_t>> encoded(size_t size, int level) {
  std::vector<std::vector<uint32_t>> tiles;
  for (const Sample& sample : samples_of(size)) {
    TileEncoderConfig config;
    config.level = level;
    std::vector<uint32_t> words;
    if (TileEncoder(config).encode(sample.bytes, words)) tiles.push_back(words);
    if (sample.name != "pixels") continue;
    config.forced_filter = static_cast<int>(Filter::colour_planes);
    config.forced_stride = 3;
    config.forced_row_words = 48;
    words.clear();
    if (TileEncoder(config).encode(sample.bytes, words)) tiles.push_back(words);
  }
  return tiles;
}

// Both verdicts, and where there is no reason the same bytes.
TileVerdict check_agrees(std::span<const uint32_t> words, size_t size) {
  std::vector<std::byte> expected(size), output(size);
  const TileVerdict verdict = decode(decode_tile_reference, words, expected);
  CHECK(verdict.word <= words.size());
  for (const TileDecoder decoder : kFastDecoders) {
    const TileVerdict fast = decode(decoder, words, output);
    CHECK(name_of(fast.reason) == std::string(name_of(verdict.reason)));
    CHECK(fast.word == verdict.word);
    if (verdict) CHECK(output == expected);
  }
  return verdict;
}

}  // namespace

TEST_SUITE("gstd malformed tiles") {
  TEST_CASE("every truncation is refused") {
    for (const int level : {3, 12})
      for (const std::vector<uint32_t>& words : encoded(1500, level))
        for (size_t size = 0; size < words.size(); ++size) {
          CAPTURE(size);
          const TileVerdict verdict = check_agrees(std::span(words).first(size), 1500);
          CHECK_FALSE(verdict);
        }
  }

  TEST_CASE("another word after the last is refused") {
    for (std::vector<uint32_t> words : encoded(1500, 3)) {
      words.push_back(0);
      CHECK(check_agrees(words, 1500).reason == Reason::bad_padding);
    }
  }

  TEST_CASE("another size of the output is refused") {
    for (const std::vector<uint32_t>& words : encoded(1500, 3))
      for (const size_t size : {1u, 1499u, 1501u, 65536u}) {
        // A short header has no size, and literals may need no bits.
        const TileVerdict verdict = check_agrees(words, size);
        CHECK((!verdict || TileHeader::unpack(words[0], words[1]).is_short));
      }
  }

  TEST_CASE("a block with one literal more than a decoder keeps is refused, though it has the words for it") {
    for (const uint32_t size : {kMaxBlockWork, kMaxBlockWork + 1}) {
      // One lane, whose final state is the first, and plain literals, all of them 0.
      std::vector<uint32_t> words(3 + (kStateLog + 8 * size + 31) / 32);
      words[2] = size - 1;
      const TileVerdict verdict = check_agrees(words, size);
      const bool fits = size == kMaxBlockWork;
      CHECK(verdict.reason == (fits ? Reason::none : Reason::bad_length));
      CHECK(verdict.word == (fits ? 0 : 4));
    }
  }

  TEST_CASE("a block of more sequences than a decoder keeps is refused") {
    for (const uint32_t sequences : {kMaxBlockSequences, kMaxBlockSequences + 1}) {
      // One lane, plain literals and given tables.
      constexpr uint32_t kSize = kMinMatch * (kMaxBlockSequences + 1);
      const std::vector<uint32_t> words = {0, 0, kSize - 1, sequences};
      CHECK((check_agrees(words, kSize).reason == Reason::bad_sequence) == (sequences > kMaxBlockSequences));
    }
  }

  TEST_CASE("a bit that must be 0 of a tile's or of a block's header is refused") {
    // One lane, and a block of plain literals, all of them 0.
    const std::vector<uint32_t> words(8);
    CHECK(check_agrees(words, 1).reason == Reason::bad_padding);
    const auto check_refused = [&](size_t word, uint32_t bit, uint32_t at) {
      CAPTURE(bit);
      std::vector<uint32_t> broken = words;
      broken[word] = 1u << bit;
      CHECK(check_agrees(broken, 1) == TileVerdict{Reason::bad_header, at});
    };
    for (uint32_t bit = 29; bit < 32; ++bit) check_refused(0, bit, 1);
    for (uint32_t bit = 28; bit < 32; ++bit) check_refused(2, bit, 4);
  }

  TEST_CASE("repeats move in a tile of one lane alone") {
    for (uint32_t log = 0; log <= kMaxLanesLog; ++log) {
      CAPTURE(log);
      std::vector<uint32_t> words(40);
      words[0] = TileHeader{.lanes_log = log, .moves_repeats = true}.pack();
      CHECK((check_agrees(words, 1) == TileVerdict{Reason::bad_header, 1}) == (log != 0));
    }
  }

  TEST_CASE("a short header is of one block, has the other's checks, and ends where the tile may") {
    // One lane, and a block of plain literals, all of them 0.
    for (const uint32_t size : {1u, 777u, kMaxBlockWork, kMaxBlockWork + 1, kMaxBlockBytes, kMaxBlockBytes + 1}) {
      CAPTURE(size);
      std::vector<uint32_t> words(2 + (kStateLog + 8 * size + 31) / 32);
      words[0] = TileHeader::kShort;
      CHECK(check_agrees(words, size) == (size <= kMaxBlockWork    ? TileVerdict{}
                                          : size <= kMaxBlockBytes ? TileVerdict{Reason::bad_length, 3}
                                                                   : TileVerdict{Reason::bad_header, 3}));
      for (uint32_t blocks = 2; blocks <= 1024; blocks *= 2) {
        words[0] = TileHeader{.blocks = blocks, .is_short = true}.pack();
        CHECK(check_agrees(words, size) == TileVerdict{Reason::bad_header, 1});
      }
      words[0] = TileHeader::kShort;
      // Two tables or more, the second table of the first context, and what is no bit of a header.
      for (const uint32_t bit : {14u, 15u, 16u, 28u, 29u, 30u, 31u}) {
        CAPTURE(bit);
        words[2] = 1u << bit;
        CHECK(check_agrees(words, size) == TileVerdict{Reason::bad_header, 3});
      }
      words.resize(2);
      CHECK(check_agrees(words, size) == TileVerdict{Reason::truncated, 2});
    }
  }

  TEST_CASE("rows are refused that are none, that a filter of fields has, or that are as long as the tile") {
    for (const uint32_t size : {1u, 4u, 5u, 8u, 777u, 778u, 779u, 780u, kMaxBlockWork}) {
      CAPTURE(size);
      // One lane, and a block of plain literals, all of them 0.
      std::vector<uint32_t> words(4 + (kStateLog + 8 * size + 31) / 32);
      words[3] = size - 1;
      for (const uint32_t row_words :
           {0u, 1u, 2u, 193u, 194u, 195u, 196u, kMaxBlockWork / 4 - 1, kMaxBlockWork / 4, 1u << 30, ~0u}) {
        CAPTURE(row_words);
        for (uint32_t filter = 0; filter < 16; ++filter) {
          CAPTURE(filter);
          const TileHeader header = {.filter = filter,
                                     .stride = filter >= 2 && filter < 7 ? 2u
                                               : filter == 7             ? 3u
                                                                         : 1u,
                                     .row_words = 1};
          words[0] = header.pack();
          words[1] = row_words;
          const TileVerdict verdict = check_agrees(words, size);
          const bool is_row = row_words != 0 && uint64_t{4} * row_words < size;
          CHECK(verdict == (filter >= 8 ? TileVerdict{Reason::bad_header, 1}
                            : is_row    ? TileVerdict{}
                                        : TileVerdict{Reason::bad_header, 2}));
        }
      }
      words.resize(1);
      words[0] = TileHeader::kHasRows;
      CHECK(check_agrees(words, size) == TileVerdict{Reason::truncated, 1});
    }
  }

  TEST_CASE("every bit turned over ends in the same verdict") {
    std::set<Reason> reasons;
    for (const int level : {3, 12})
      for (std::vector<uint32_t> words : encoded(600, level))
        for (size_t bit = 0; bit < words.size() * 32; ++bit) {
          words[bit / 32] ^= 1u << bit % 32;
          reasons.insert(check_agrees(words, 600).reason);
          words[bit / 32] ^= 1u << bit % 32;
        }
    CHECK(reasons.size() >= 8);
  }

  TEST_CASE("random words after headers that are none the less sound") {
    Random random(7);
    std::set<Reason> reasons;
    for (const std::vector<uint32_t>& words : encoded(3000, 12))
      for (uint32_t run = 0; run < 200; ++run) {
        std::vector<uint32_t> broken = words;
        for (size_t i = 1 + random.below(static_cast<uint32_t>(words.size()) - 1); i < words.size(); ++i)
          broken[i] = random.next();
        reasons.insert(check_agrees(broken, 3000).reason);
      }
    CHECK(reasons.size() >= 4);
  }
}

}  // namespace weft::gstd::test
