// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include "content.hpp"

namespace weft::test {

using gstd::Fault;
using gstd::Verdict;

// Every stream here lies in memory of just its size: a build with the address sanitizer sees what is read beyond.
TEST_SUITE("gstd malformed") {
  constexpr uint32_t kTile = 1u << 14;

  // Tiles of all types; few bytes, as every bit of them is tried.
  Bytes subject(bool sums) {
    gstd::CompressConfig config;
    config.tile_bytes = kTile;
    config.tile_checksums = config.stream_checksum = sums;
    Bytes content(kTile);
    const Bytes records = record_bytes(kTile, 1, 64), noise = random_bytes(37);
    content.insert(content.end(), records.begin(), records.end());
    content.insert(content.end(), noise.begin(), noise.end());
    return stream_of(content, config);
  }

  TEST_CASE("every truncation is refused at its end") {
    for (const bool sums : {true, false}) {
      const Bytes stream = subject(sums);
      for (size_t size = 0; size < stream.size(); ++size) {
        CAPTURE(size);
        const Exact exact(Span(stream).first(size));
        REQUIRE(verdict_of(exact) == Verdict{Fault::truncated, size});
        REQUIRE(!gstd::decompressed_size(exact));
        REQUIRE(!gstd::inspect(exact));
        REQUIRE(streamed_verdict_of(exact, 999) == Verdict{Fault::truncated, size});
      }
    }
  }

  TEST_CASE("every bit that is not as it was is refused, or makes no difference") {
    const Bytes good = subject(true);
    const auto content = gstd::decompress(good);
    REQUIRE(content);
    size_t refused = 0;
    for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
      CAPTURE(bit);
      Bytes stream = good;
      stream[bit / 8] ^= std::byte{1} << bit % 8;
      const Exact exact(stream);
      Verdict verdict;
      gstd::DecompressConfig config;
      config.verdict = &verdict;
      const auto back = gstd::decompress(exact, config);
      REQUIRE(back.ok() == (verdict.fault == Fault::none));
      REQUIRE(verdict.position <= good.size());
      if (back) REQUIRE(*back == *content);
      if (!back) ++refused;
      REQUIRE(streamed_verdict_of(exact, 4096) == verdict);
    }
    // What a tile's own words may have without meaning is little.
    CHECK(refused >= 8 * good.size() * 99 / 100);
  }

  TEST_CASE("without checksums any bit is refused or gives as much content") {
    const Bytes good = subject(false);
    for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
      CAPTURE(bit);
      Bytes stream = good;
      stream[bit / 8] ^= std::byte{1} << bit % 8;
      const Exact exact(stream);
      const auto back = gstd::decompress(exact);
      if (back) REQUIRE(back->size() == 2 * kTile + 37);
      gstd::DecompressConfig reference;
      reference.reference = true;
      const auto by_reference = gstd::decompress(exact, reference);
      REQUIRE(by_reference.ok() == back.ok());
      if (back) REQUIRE(*by_reference == *back);
    }
  }

  TEST_CASE("headers of random fields with good checksums neither read nor write out of bounds") {
    Random random(7);
    const Bytes good = subject(true);
    for (int round = 0; round < 20000; ++round) {
      CAPTURE(round);
      Bytes stream = good;
      stream.resize(gstd::kHeaderBytes + random.below(static_cast<uint32_t>(good.size() - gstd::kHeaderBytes)));
      for (uint32_t changes = 1 + random.below(3); changes != 0; --changes) {
        const size_t at = 4 + random.below(44);
        stream[at] = static_cast<std::byte>(random.below(2) != 0 ? random.below(256) : random.below(2) * 255);
      }
      seal_header(stream);
      seal_tables(stream);
      const Exact exact(stream);
      gstd::DecompressConfig config;
      config.max_content = 4u << 20;
      Verdict verdict;
      config.verdict = &verdict;
      const auto back = gstd::decompress(exact, config);
      REQUIRE(back.ok() == (verdict.fault == Fault::none));
      REQUIRE((streamed_verdict_of(exact, 5000, nullptr, config).fault == Fault::none) == back.ok());
      Bytes part(100);
      (void)gstd::decompress_range(exact, random.below(2 * kTile), part, config);
    }
  }

  TEST_CASE("tables of random entries with good checksums likewise") {
    Random random(8);
    const Bytes good = subject(true);
    for (int round = 0; round < 20000; ++round) {
      CAPTURE(round);
      Bytes stream = good;
      for (uint32_t changes = 1 + random.below(3); changes != 0; --changes) {
        const size_t at = gstd::kHeaderBytes + 4 * random.below(4);
        const uint32_t before = gstd::load_u32(&stream[at]);
        const uint32_t values[] = {random.next(), before + 4, before - 4, before ^ 1, before ^ 2, before ^ 3};
        gstd::store_u32(&stream[at], values[random.below(6)]);
      }
      seal_tables(stream);
      const Exact exact(stream);
      const Verdict verdict = verdict_of(exact);
      REQUIRE(verdict.position <= good.size());
      REQUIRE(streamed_verdict_of(exact, 5000).fault == verdict.fault);
      Bytes part(100);
      (void)gstd::decompress_range(exact, random.below(2 * kTile), part);
    }
  }
}

}  // namespace weft::test
