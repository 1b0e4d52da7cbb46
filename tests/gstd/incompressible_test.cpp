// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What cannot be compressed costs headers and tables, and no more.
#include <doctest/doctest.h>

#include <weft/gstd.hpp>

#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

std::vector<std::byte> random_bytes(size_t size) {
  Random random(size + 1);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next() >> 11);
  return bytes;
}

}  // namespace

TEST_SUITE("gstd incompressible data") {
  TEST_CASE("random bytes get larger by a thousandth at most") {
    for (const size_t size : {200000u, 1u << 20u, (1u << 20u) + 1u, 3000001u})
      for (const int level : {1, 3, 5})
        for (const uint32_t tile_bytes : {1u << 14u, 1u << 16u, 1u << 20u}) {
          if (level == 5 && (tile_bytes != 1u << 16 || size > 1u << 20)) continue;
          CAPTURE(size);
          CAPTURE(level);
          CAPTURE(tile_bytes);
          const std::vector<std::byte> content = random_bytes(size);
          CompressConfig config;
          config.level = level;
          config.tile_bytes = tile_bytes;
          const auto stream = compress(content, config);
          REQUIRE(stream);
          CHECK(stream->size() > size);
          CHECK(stream->size() - size <= size / 1000);
          std::vector<std::byte> output(size);
          REQUIRE(decompress_to(*stream, output));
          CHECK(output == content);
        }
  }

  TEST_CASE("no size gets larger than the bound says") {
    for (const size_t size : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 63u, 1000u, 16383u, 16384u, 16385u, 65536u, 65537u}) {
      CAPTURE(size);
      const std::vector<std::byte> content = random_bytes(size);
      CompressConfig config;
      config.tile_bytes = 1u << 14;
      const auto bound = compress_bound(size, config);
      const auto stream = compress(content, config);
      REQUIRE(bound);
      REQUIRE(stream);
      CHECK(stream->size() <= *bound);
      CHECK(stream->size() <= size + 63 + 8 * ((size + 16383) / 16384));
    }
  }
}

}  // namespace weft::gstd::test
