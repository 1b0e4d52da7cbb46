// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tiles come back as they were, whatever they hold and however they are encoded.
#include <doctest/doctest.h>

#include <array>

#include "gstd/filters.hpp"
#include "gstd/format.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

void check_decodes(std::span<const uint32_t> words, const std::vector<std::byte>& bytes) {
  std::vector<std::byte> output(bytes.size());
  for (const TileDecoder decoder : kDecoders) {
    const TileVerdict verdict = decode(decoder, words, output);
    CHECK(name_of(verdict.reason) == std::string("none"));
    CHECK(verdict.word == 0);
    CHECK(output == bytes);
  }
}

// Of a tile of one block, whose header follows the lanes' states.
uint32_t sequences_of(std::span<const uint32_t> words) {
  const TileHeader header = TileHeader::unpack(words[0], words[1]);
  REQUIRE(header.blocks == 1);
  const size_t at = (header.row_words != 0 ? 2 : 1) + (size_t{1} << header.lanes_log);
  return (header.is_short ? BlockHeader::unpack_short(words[at], 1) : BlockHeader::unpack(words[at], words[at + 1]))
      .sequences;
}

}  // namespace

TEST_SUITE("gstd tiles") {
  TEST_CASE("every kind of data comes back at every level") {
    for (const size_t size : {1u, 2u, 3u, 7u, 64u, 1000u, 4096u, 16384u, 65535u, 65536u})
      for (const Sample& sample : samples_of(size))
        for (const int level : {1, 3, 5, 12, 19, 22}) {
          if (level > 5 && size > 20000 && level != 12) continue;
          if (kSanitized && size > 4096 && level != 12) continue;
          CAPTURE(sample.name);
          CAPTURE(size);
          CAPTURE(level);
          TileEncoderConfig config;
          config.level = level;
          TileEncoder encoder(config);
          std::vector<uint32_t> words = {123};
          if (!encoder.encode(sample.bytes, words)) {
            CHECK(words.size() == 1);
            // Only what has little to gain is refused.
            CHECK((size <= 64 || sample.name == "random" || (sample.name == "pixels" && level < 8)));
            continue;
          }
          CHECK(words[0] == 123);
          CHECK((words.size() - 1) * 4 < size);
          check_decodes(std::span(words).subspan(1), sample.bytes);
        }
  }

  TEST_CASE("the largest tile comes back") {
    for (const Sample& sample : samples_of(kMaxTileBytes)) {
      CAPTURE(sample.name);
      TileEncoderConfig config;
      config.level = 4;
      config.filters = false;
      TileEncoder encoder(config);
      std::vector<uint32_t> words;
      if (encoder.encode(sample.bytes, words))
        check_decodes(words, sample.bytes);
      else
        CHECK(sample.name == "random");
    }
  }

  TEST_CASE("every filter comes back, with rows too, and its numbers are in the tile") {
    for (const size_t size : {777u, 16384u})
      for (const Sample& sample : samples_of(size))
        for (uint32_t filter = 0; filter < 16; ++filter)
          for (const uint32_t stride : {1u, 2u, 3u, 4u, 5u, 12u, 127u, 128u}) {
            CAPTURE(sample.name);
            CAPTURE(filter);
            CAPTURE(stride);
            for (const uint32_t row_words : {0u, 1u, 48u, 195u}) {
              if (!is_filter(filter, stride, row_words != 0)) continue;
              CAPTURE(row_words);
              TileEncoderConfig config;
              config.level = 3;
              config.forced_filter = static_cast<int>(filter);
              config.forced_stride = stride;
              config.forced_row_words = row_words;
              TileEncoder encoder(config);
              std::vector<uint32_t> words;
              if (!encoder.encode(sample.bytes, words)) continue;
              const TileHeader header = TileHeader::unpack(words[0], words[1]);
              CHECK(header.filter == filter);
              CHECK(header.stride == stride);
              CHECK(header.row_words == (4 * row_words < size ? row_words : 0));
              check_decodes(words, sample.bytes);
            }
          }
  }

  TEST_CASE("an encoder finds rows, and takes them where they gain") {
    Random random(5);
    for (const size_t size : {size_t{9999}, size_t{65536}, size_t{kMaxTileBytes}})
      for (const uint32_t row : {132u, 1236u, 3216u}) {
        if (kSanitized && size == kMaxTileBytes) continue;
        // Numbers, each near its own of the row before; and bytes that have no rows.
        std::vector<std::byte> rows(size), no_rows(size);
        for (std::byte& byte : no_rows) byte = static_cast<std::byte>(random.below(100));
        std::vector<uint32_t> numbers(row / 2);
        for (uint32_t& number : numbers) number = random.next();
        for (size_t i = 0; i < size; ++i) {
          uint32_t& number = numbers[i % row / 2];
          if (i % 2 == 0) number += random.below(16);
          rows[i] = static_cast<std::byte>(number >> (8 * (i % 2)));
        }
        for (const int level : {3, 8, 12, 19}) {
          if (level == 19 && size == kMaxTileBytes) continue;
          CAPTURE(size);
          CAPTURE(row);
          CAPTURE(level);
          TileEncoderConfig config;
          config.level = level;
          std::vector<uint32_t> words;
          if (level >= 8) {
            REQUIRE(TileEncoder(config).encode(rows, words));
            CHECK(TileHeader::unpack(words[0], words[1]).row_words == row / 4);
            check_decodes(words, rows);
          }
          words.clear();
          REQUIRE(TileEncoder(config).encode(no_rows, words));
          CHECK(TileHeader::unpack(words[0], words[1]).row_words == 0);
        }
      }
  }

  TEST_CASE("an encoder gives the same words again, whatever was in between") {
    const std::vector<Sample> samples = samples_of(16384);
    TileEncoderConfig config;
    config.level = 6;
    TileEncoder encoder(config);
    std::vector<std::vector<uint32_t>> first;
    for (const Sample& sample : samples) {
      first.emplace_back();
      encoder.encode(sample.bytes, first.back());
    }
    for (size_t i = samples.size(); i-- != 0;) {
      std::vector<uint32_t> again;
      encoder.encode(samples[i].bytes, again);
      CHECK(again == first[i]);
    }
  }

  TEST_CASE("an encoder gives the same words with fewer vectors") {
    for (const size_t size : {1u, 9u, 64u, 333u, 1000u, 2500u, 4096u, 9999u, 16384u, 65535u, 65536u, 131072u})
      for (const Sample& sample : samples_of(size))
        for (const int level : {1, 3, 6}) {
          if (kSanitized && size > 16384 && level != 3) continue;
          CAPTURE(sample.name);
          CAPTURE(size);
          CAPTURE(level);
          TileEncoderConfig config;
          config.level = level;
          std::vector<uint32_t> words;
          const bool is_smaller = TileEncoder(config).encode(sample.bytes, words);
          for (const Vectors vectors : {Vectors::none, Vectors::up_to_128, Vectors::up_to_256}) {
            config.vectors = vectors;
            std::vector<uint32_t> with_fewer;
            CHECK(TileEncoder(config).encode(sample.bytes, with_fewer) == is_smaller);
            CHECK(with_fewer == words);
          }
        }
  }

  TEST_CASE("levels are a ladder: nothing is a tenth larger than at a lower one, and all together no hundredth") {
    if (kSanitized) return;  // sizes are the same, and take 9 s
    std::vector<size_t> of_level;
    for (const Sample& sample : samples_of(65536)) {
      if (sample.name == "random") continue;
      CAPTURE(sample.name);
      size_t least = SIZE_MAX;
      of_level.resize(kMaxLevel + 1);
      for (int level = kMinLevel; level <= kMaxLevel; level += level == -1 ? 2 : 1) {
        CAPTURE(level);
        TileEncoderConfig config;
        config.level = level;
        std::vector<uint32_t> words;
        TileEncoder(config).encode(sample.bytes, words);
        const size_t size = words.empty() ? sample.bytes.size() : 4 * words.size();
        CHECK(size <= least + least / (level < 1 ? 5 : 10) + 32);
        least = std::min(least, size);
        if (level > 0) of_level[static_cast<size_t>(level)] += size;
      }
    }
    for (size_t level = 2; level <= kMaxLevel; ++level) {
      CAPTURE(level);
      CHECK(of_level[level] <= of_level[level - 1] + of_level[level - 1] / 100);
    }
    CHECK(of_level[kMaxLevel] < of_level[12] - of_level[12] / 20);
  }

  TEST_CASE("small tiles have the same words at all levels that choose matches by cost") {
    for (const Sample& sample : samples_of(4096)) {
      CAPTURE(sample.name);
      std::vector<uint32_t> least;
      for (const int level : {13, 19, 20, kMaxLevel}) {
        CAPTURE(level);
        TileEncoderConfig config;
        config.level = level;
        std::vector<uint32_t> words;
        TileEncoder(config).encode(sample.bytes, words);
        if (level == 13) least = words;
        CHECK(words == least);
      }
    }
  }

  TEST_CASE("tiles have fewer sequences by a greater weight of decoding, and the same words with fewer vectors") {
    const std::vector<Sample> samples = samples_of(8000);
    TileEncoderConfig config;
    config.level = 19;
    uint32_t before = UINT32_MAX;
    for (const uint32_t weight : {0u, 1u, 2u, 4u, kMaxDecodeWeight}) {
      CAPTURE(weight);
      config.decode_weight = weight;
      uint32_t sequences = 0;
      for (const Sample& sample : samples) {
        if (sample.name != "text" && sample.name != "vertices" && sample.name != "few values") continue;
        CAPTURE(sample.name);
        config.vectors = Vectors::all;
        std::vector<uint32_t> words, with_fewer;
        REQUIRE(TileEncoder(config).encode(sample.bytes, words));
        check_decodes(words, sample.bytes);
        sequences += sequences_of(words);
        config.vectors = Vectors::none;
        REQUIRE(TileEncoder(config).encode(sample.bytes, with_fewer));
        CHECK(with_fewer == words);
      }
      CHECK(sequences < before);
      before = sequences;
    }
  }

  TEST_CASE("sizes that are no tile's are refused") {
    TileEncoder encoder(TileEncoderConfig{});
    std::vector<uint32_t> words;
    CHECK_FALSE(encoder.encode({}, words));
    CHECK_FALSE(encoder.encode(std::vector<std::byte>(kMaxTileBytes + 1), words));
    CHECK(words.empty());
    for (const TileDecoder decoder : kDecoders) {
      CHECK(decoder({}, {}).reason == Reason::truncated);
      const std::vector<uint32_t> zeros(100);
      CHECK(decoder(zeros, {}).reason == Reason::bad_header);
      std::vector<std::byte> output(kMaxTileBytes + 1);
      CHECK(decoder(zeros, output).reason == Reason::bad_header);
    }
  }

  TEST_CASE("bytes of many short matches take more words, for fewer sequences, unless others thin them out") {
    // Words of three bytes, of which every second has a byte after it.
    constexpr uint32_t kWords = 256, kLength = 3, kBytes = 32;
    Random random(1);
    std::array<std::byte, kWords * kLength> dictionary;
    for (std::byte& byte : dictionary) byte = static_cast<std::byte>(3 * random.below(kBytes));
    std::vector<std::byte> dense;
    while (dense.size() < kMinTileBytes) {
      const std::byte* const word = &dictionary[kLength * random.below(kWords)];
      dense.insert(dense.end(), word, word + kLength);
      if (random.one_in(2)) dense.push_back(static_cast<std::byte>(3 * random.below(kBytes)));
    }
    std::vector<std::byte> thin = dense;
    thin.resize(4 * thin.size());
    TileEncoderConfig config;
    config.filters = false;
    for (const int level : {12, 20}) {
      config.level = level;
      TileEncoder encoder(config);
      std::vector<uint32_t> of_dense, of_thin;
      REQUIRE(encoder.encode(dense, of_dense));
      REQUIRE(encoder.encode(thin, of_thin));
      CHECK((of_dense.size() > of_thin.size() + of_thin.size() / 50) == (level == 20));
    }
  }
}

}  // namespace weft::gstd::test
