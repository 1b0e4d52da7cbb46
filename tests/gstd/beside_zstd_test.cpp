// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sizes beside those of libzstd at the same level: where Gstd's own parts weigh most, it loses little or nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <iterator>

#include <weft/gstd.hpp>

#include <zstd.h>

#include "made_contents.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

using Bytes = std::vector<std::byte>;

// With a checksum, as Gstd has one.
size_t zstd_size(std::span<const std::byte> bytes, int level) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  REQUIRE(context != nullptr);
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  Bytes to(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress2(context, to.data(), to.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  REQUIRE(!ZSTD_isError(size));
  return size;
}

Bytes document() {
  std::ifstream file(WEFT_GSTD_DOCUMENT, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  REQUIRE(text.size() > 1 << 16);
  Bytes bytes(text.size());
  std::ranges::transform(text, bytes.begin(), [](char letter) { return static_cast<std::byte>(letter); });
  return bytes;
}

size_t gstd_size(std::span<const std::byte> bytes, int level) {
  CompressConfig config;
  config.level = level;
  config.threads = 1;
  const auto stream = compress(bytes, config);
  REQUIRE(stream);
  return stream->size();
}

// Planes and their opposites, along axes: few short fields, of which descriptions of tables are much.
Bytes planes(size_t size) {
  Bytes bytes;
  Random random(5);
  const auto add = [&](uint32_t value) {
    for (uint32_t i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  };
  while (bytes.size() < size) {
    const uint32_t axis = random.below(3), sign = random.below(2) << 31;
    const auto distance = std::bit_cast<uint32_t>(static_cast<float>(random.below(128) * 32));
    for (const uint32_t side : {sign, sign ^ 1u << 31}) {
      for (uint32_t i = 0; i < 3; ++i) add(i == axis ? 0x3f800000 ^ side : 0);
      add(distance ^ side);
    }
  }
  return bytes;
}

// Literals and matches from 200 bytes before: a table of offsets with one symbol.
Bytes one_offset(uint64_t seed, size_t size) {
  Bytes bytes;
  Random random(seed);
  while (bytes.size() < size) {
    for (uint32_t i = bytes.size() < 200 ? 200 : 3 + random.below(6); i != 0; --i)
      bytes.push_back(static_cast<std::byte>(random.below(256)));
    for (uint32_t i = 8 + random.below(20); i != 0; --i) bytes.push_back(bytes[bytes.size() - 200]);
  }
  bytes.resize(size);
  return bytes;
}

// Runs of noise of one length, each with a match of another, from one place or from anywhere in 200 bytes.
Bytes one_length(uint32_t run, uint32_t match, uint32_t offset) {
  Bytes bytes;
  Random random(1);
  while (bytes.size() < 4096) {
    for (uint32_t i = bytes.empty() ? 200 : run; i != 0; --i)
      bytes.push_back(static_cast<std::byte>(random.below(256)));
    const uint32_t from = offset != 0 ? offset : 1 + random.below(200);
    for (uint32_t i = match; i != 0; --i) bytes.push_back(bytes[bytes.size() - from]);
  }
  bytes.resize(4096);
  return bytes;
}

}  // namespace

TEST_SUITE("gstd beside zstd") {
  TEST_CASE("contents of at most 4 KiB take at most 20 bytes more") {
    std::vector<Sample> samples = samples_of(4096);
    samples.push_back({"planes", planes(4096)});
    const Bytes text = document();
    for (const size_t begin : {size_t{0}, text.size() / 3, text.size() / 2, text.size() - 4096})
      samples.push_back({"the document at " + std::to_string(begin), {&text[begin], &text[begin] + 4096}});
    for (const Sample& sample : samples)
      for (const size_t size : {0, 1, 16, 64, 256, 700, 1024, 2048, 4096})
        for (const int level : {-5, -1, 1, 3, 12, 19}) {
          CAPTURE(sample.name);
          CAPTURE(size);
          CAPTURE(level);
          const std::span content = std::span(sample.bytes).first(size);
          CHECK(gstd_size(content, level) <= zstd_size(content, level) + 20);
        }
  }

  TEST_CASE("made contents of at most 4 KiB take at most 20 bytes more") {
    struct Made {
      int level;
      uint64_t contents;
    };
    Bytes stream(2 * 4096);
    for (const Made& made : {Made{-5, 1500}, Made{1, 1500}, Made{3, 1500}, Made{12, 200}, Made{19, 100}}) {
      CompressConfig config;
      config.level = made.level;
      config.threads = 1;
      auto compressor = Compressor::create(config);
      for (uint64_t seed = 0; seed < made.contents / (kSanitized ? 10 : 1); ++seed)
        for (const size_t size : {256, 1024, 4096}) {
          CAPTURE(made.level);
          CAPTURE(seed);
          CAPTURE(size);
          const Bytes content = made_content(seed, size);
          const auto bytes = compressor->compress_to(content, stream);
          REQUIRE(bytes);
          CHECK(*bytes <= zstd_size(content, made.level) + 20);
        }
    }
  }

  TEST_CASE("contents of matches whose offsets come back among new ones take at most 20 bytes more") {
    for (const auto& [level, contents] : {std::pair{1, 300}, {3, 300}, {12, 100}, {19, 30}})
      for (int seed = 0; seed < contents / (kSanitized ? 10 : 1); ++seed)
        for (const size_t size : {1024, 4096}) {
          CAPTURE(level);
          CAPTURE(seed);
          CAPTURE(size);
          const Bytes content = made_content(static_cast<uint64_t>(seed), size, "recurring");
          CHECK(gstd_size(content, level) <= zstd_size(content, level) + 20);
        }
  }

  TEST_CASE("64 bytes with a match that a fast search skips take at most 20 bytes more") {
    const Bytes content = made_content(7832, 64);
    CHECK(gstd_size(content, -5) <= zstd_size(content, -5) + 20);
  }

  // A table of bytes of which neighbours' lengths have nothing in common.
  TEST_CASE("4 KiB of noise of two kinds take at most 20 bytes more") {
    Bytes content = made_content(5005496, 1024);
    const Bytes other = made_content(5005497, 3072);
    content.insert(content.end(), other.begin(), other.end());
    for (const int level : {1, 3, 12, 19}) {
      CAPTURE(level);
      CHECK(gstd_size(content, level) <= zstd_size(content, level) + 20);
    }
  }

  TEST_CASE("2 KiB of matches from one offset take at most 12 bytes more") {
    for (uint64_t seed = 1; seed <= 5; ++seed)
      for (const int level : {1, 3, 12, 19}) {
        CAPTURE(seed);
        CAPTURE(level);
        const Bytes content = one_offset(seed, 2048);
        CHECK(gstd_size(content, level) <= zstd_size(content, level) + 12);
      }
  }

  TEST_CASE("4 KiB of runs and matches of one length each take at most 20 bytes more") {
    for (const uint32_t run : {16, 21, 40})
      for (const uint32_t match : {35, 60, 90})
        for (const uint32_t offset : {0, 115})
          for (const int level : {1, 12}) {
            CAPTURE(run);
            CAPTURE(match);
            CAPTURE(offset);
            CAPTURE(level);
            const Bytes content = one_length(run, match, offset);
            CHECK(gstd_size(content, level) <= zstd_size(content, level) + 20);
          }
  }

  TEST_CASE("text in tiles of 64 KiB takes no more at level 19") {
    const Bytes text = document();
    for (const size_t begin : {size_t{0}, text.size() - (1u << 16)}) {
      CAPTURE(begin);
      const std::span content = std::span(text).subspan(begin, 1u << 16);
      CHECK(gstd_size(content, 19) <= zstd_size(content, 19));
    }
  }
}

}  // namespace weft::gstd::test
