// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Streams of one tile, which have a header of their own, and skippable frames beside streams.
#include <doctest/doctest.h>

#include <string>

#include <zstd.h>

#include "content.hpp"
#include "gstd/golden_contents.hpp"

namespace weft::test {

using gstd::Fault;
using gstd::HeaderAt;
using gstd::SmallHeaderAt;
using gstd::Verdict;

TEST_SUITE("gstd small streams") {
  // A stream with every type, and none.
  Bytes content_of(const char* type) {
    const std::string name = type;
    if (name == "raw") return random_bytes(37);
    if (name == "fill") return Bytes(100, std::byte{9});
    if (name == "compressed") return record_bytes(3000);
    return {};
  }
  constexpr const char* kTypes[] = {"raw", "fill", "compressed", "empty"};

  // Every reader, on memory of just this size.
  void check_content(Span stream, const Bytes& content) {
    const Exact exact(stream);
    const auto whole = gstd::decompress(exact);
    REQUIRE(whole);
    CHECK(*whole == content);
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{4096}}) {
      Bytes streamed;
      CHECK(streamed_verdict_of(exact, piece, &streamed) == Verdict{});
      CHECK(streamed == content);
    }
    const auto reader = gstd::Reader::open(exact);
    REQUIRE(reader);
    CHECK(reader->info().content_bytes == content.size());
    const auto size = gstd::decompressed_size(exact);
    REQUIRE(size);
    CHECK(*size == content.size());
    Bytes part(content.size() / 2);
    REQUIRE(gstd::decompress_range(exact, content.size() / 3, part));
    CHECK(std::equal(part.begin(), part.end(), content.begin() + static_cast<std::ptrdiff_t>(content.size() / 3)));
    // Read on demand: some bytes at a time, and never none.
    const gstd::ReadAt read = [&](uint64_t position, std::span<std::byte> to) -> Status {
      CHECK(!to.empty());
      std::ranges::copy(stream.subspan(position, to.size()), to.begin());
      return {};
    };
    Bytes again(part.size());
    REQUIRE(gstd::decompress_range(read, stream.size(), content.size() / 3, again));
    CHECK(again == part);
  }

  TEST_CASE("content of one tile of at most 64 KiB has a header of 8 bytes and its checksum") {
    for (const size_t size : {0, 1, 3, 4, 5, 100, 16384, 65535, 65536}) {
      for (const uint32_t tile_log : {14u, 16u, 20u}) {
        CAPTURE(size);
        CAPTURE(tile_log);
        gstd::CompressConfig config;
        config.tile_bytes = 1u << tile_log;
        const Bytes content = random_bytes(size), stream = stream_of(content, config);
        const bool is_small = size <= config.tile_bytes;
        if (is_small) CHECK(stream.size() == 12 + (size + 3) / 4 * 4);
        CHECK(gstd::load_u32(&stream[0]) == (is_small ? gstd::kCheckedMagic : gstd::kMagic));
        check_content(stream, content);
      }
    }
    const Bytes larger = random_bytes(65537);
    gstd::CompressConfig config;
    config.tile_bytes = 1u << 17;
    CHECK(stream_of(larger, config)[HeaderAt::flags] == std::byte{7});
  }

  TEST_CASE("a small header has its fields where the document has them") {
    for (const char* type : kTypes) {
      CAPTURE(type);
      const Bytes content = content_of(type), stream = stream_of(content);
      CHECK(std::memcmp(stream.data(), "GSTc", 4) == 0);
      const uint32_t word = gstd::load_u32(&stream[4]);
      CHECK(std::string(type) == kTypes[word & 3]);
      CHECK(gstd::load_u32(&stream[8]) == gstd::checksum(content));
      if (content.empty())
        CHECK(word == 3);
      else
        CHECK((word >> 16) + 1 == content.size());
      if (std::string(type) == "compressed") CHECK((word >> 2 & 0x3fff) == (stream.size() - 12) / 4);
      check_content(stream, content);
    }
  }

  TEST_CASE("its checksum stands for both, and is left out with them") {
    const Bytes content = content_of("compressed");
    for (const bool tiles : {false, true})
      for (const bool whole : {false, true}) {
        gstd::CompressConfig config;
        config.tile_checksums = tiles;
        config.stream_checksum = whole;
        const Bytes stream = stream_of(content, config);
        CHECK(std::memcmp(stream.data(), tiles || whole ? "GSTc" : "GSTs", 4) == 0);
        CHECK(stream.size() == stream_of(content).size() - (tiles || whole ? 0 : 4));
        check_content(stream, content);
        const auto info = gstd::inspect(stream);
        REQUIRE(info);
        CHECK(info->tile_checksums == (tiles || whole));
        CHECK(info->stream_checksum == (tiles || whole));
      }
  }

  TEST_CASE("a compressor that does not know the size makes the same stream") {
    for (const char* type : kTypes) {
      CAPTURE(type);
      const Bytes content = content_of(type);
      auto compressor = gstd::Compressor::create();
      REQUIRE(compressor);
      Bytes stream;
      const gstd::Sink sink = [&](Span bytes) -> Status {
        append(stream, bytes);
        return {};
      };
      for (const std::byte byte : content) REQUIRE(compressor->write({&byte, 1}, sink));
      REQUIRE(compressor->finish(sink));
      CHECK(stream == stream_of(content));
    }
  }

  TEST_CASE("small headers with fields out of their ranges are refused where they are") {
    struct Case {
      const char* type;
      size_t at;
      uint32_t value;
      Fault fault;
      size_t position;
    };
    const auto word = [](const char* type) { return gstd::load_u32(&stream_of(content_of(type))[4]); };
    const uint32_t raw = word("raw"), fill = word("fill"), compressed = word("compressed");
    const Case cases[] = {
        {"raw", 4, raw | 1 << 2, Fault::bad_header, 4},                               // words of a raw tile
        {"raw", 4, raw | 3, Fault::bad_header, 4},                                    // no tile, and content
        {"fill", 4, fill | 1 << 2, Fault::bad_header, 4},                             // words of a fill
        {"fill", 4, 3 << 16 | 1, Fault::bad_header, 4},                               // a fill of four bytes
        {"compressed", 4, compressed & ~0xfffcu, Fault::bad_header, 4},               // no words
        {"compressed", 4, (compressed & ~0xfffcu) | 750 << 2, Fault::bad_header, 4},  // as many as its bytes take
        {"compressed", 4, (compressed & ~0xfffcu) | 0xfffc, Fault::bad_header, 4},    // the most there are
        {"empty", 4, 7, Fault::bad_header, 4},                                        // words of no tile
        {"empty", 4, 1 << 16 | 3, Fault::bad_header, 4},                              // content of no tile
        {"empty", 8, 1, Fault::bad_header, 8},                                        // a checksum of nothing
        {"raw", 0, 0x64545347, Fault::not_gstd, 3},                                   // "GSTd"
    };
    for (const Case& one : cases) {
      CAPTURE(one.type);
      CAPTURE(one.value);
      Bytes stream = stream_of(content_of(one.type));
      gstd::store_u32(&stream[one.at], one.value);
      check_refused(stream, {one.fault, one.position});
    }
    Bytes longer = stream_of(content_of("raw"));
    longer.push_back(std::byte{0});
    check_refused(longer, {Fault::not_gstd, longer.size() - 1});
  }

  TEST_CASE("every truncation of a small stream is refused at its end, and every bit that is not as it was") {
    for (const char* type : kTypes) {
      CAPTURE(type);
      const Bytes content = content_of(type), good = stream_of(content);
      for (size_t size = 0; size < good.size(); ++size) {
        CAPTURE(size);
        check_refused(Span(good).first(size), {Fault::truncated, size});
      }
      for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
        CAPTURE(bit);
        Bytes stream = good;
        stream[bit / 8] ^= std::byte{1} << bit % 8;
        const Exact exact(stream);
        const Verdict verdict = verdict_of(exact);
        // What a tile's words may have without meaning is little.
        if (verdict.fault == Fault::none) CHECK(*gstd::decompress(exact) == content);
        CHECK((verdict.fault != Fault::none || bit / 8 >= 12));
        CHECK(verdict.position <= good.size());
        // Where one fault makes others, they are found in another order.
        CHECK((streamed_verdict_of(exact, 5).fault == Fault::none) == (verdict.fault == Fault::none));
      }
    }
  }

  TEST_CASE("small headers of random fields neither read nor write out of bounds") {
    std::vector<Bytes> streams;
    for (const char* const type : kTypes) streams.push_back(stream_of(content_of(type)));
    Random random(7);
    for (int round = 0; round < 20000; ++round) {
      CAPTURE(round);
      Bytes stream = streams[random.below(4)];
      for (uint32_t changes = 1 + random.below(3); changes != 0; --changes)
        stream[4 + random.below(8)] = static_cast<std::byte>(random.below(256));
      if (random.below(4) == 0) stream[3] = std::byte{'s'};
      if (random.below(2) != 0) stream.resize(random.below(static_cast<uint32_t>(stream.size() + 1)));
      const Exact exact(stream);
      const Verdict verdict = verdict_of(exact);
      REQUIRE(verdict.position <= stream.size());
      REQUIRE((streamed_verdict_of(exact, 9).fault == Fault::none) == (verdict.fault == Fault::none));
    }
  }

  TEST_CASE("a limit on the content is reported where a small header has its size") {
    gstd::DecompressConfig limited;
    limited.max_content = 36;
    CHECK(verdict_of(stream_of(content_of("raw")), limited) == Verdict{Fault::over_limit, SmallHeaderAt::content});
    limited.max_content = 37;
    CHECK(verdict_of(stream_of(content_of("raw")), limited) == Verdict{});
  }

  // docs/decisions/gstd-small-streams.md has the figures of real files.
  TEST_CASE("small contents take few bytes more than Zstandard, with the checksum of either") {
    for (const char* name : {"words", "records", "waves", "pixels", "blocks", "noise", "zeros"}) {
      const auto content = gstd::test::GoldenContent::of(name);
      REQUIRE(content);
      for (const int level : {1, 3, 19})
        for (const size_t size : {0, 1, 16, 64, 256, 1024, 2048, 4096}) {
          CAPTURE(name);
          CAPTURE(level);
          CAPTURE(size);
          const Span piece = Span(*content).first(size);
          Bytes frame(ZSTD_compressBound(size));
          const size_t by_zstd = ZSTD_compress(frame.data(), frame.size(), piece.data(), size, level);
          REQUIRE(ZSTD_isError(by_zstd) == 0);
          gstd::CompressConfig config;
          config.level = level;
          CHECK(stream_of(piece, config).size() <= by_zstd + 4 + (level == 19 ? 32 : 48));
        }
    }
  }

  TEST_CASE("a small stream within another one is refused") {
    gstd::CompressConfig config;
    config.tile_bytes = 1u << 14;
    config.segment_bytes = 1u << 20;
    const Bytes two = stream_of(record_bytes((1u << 20) + 5), config);
    Bytes stream(two.begin(), two.begin() + gstd::load_u32(&two[HeaderAt::segment_bytes]));
    const size_t at = stream.size();
    append(stream, stream_of(content_of("raw")));
    check_refused(stream, {Fault::bad_sequence, at + HeaderAt::magic});
  }
}

TEST_SUITE("gstd skippable frames") {
  TEST_CASE("skippable frames before, between and after streams are skipped and counted") {
    const Bytes one = random_bytes(37), two = mixed_bytes(200000), three;
    Bytes stream, content;
    uint32_t frames = 0;
    const auto skip = [&](uint32_t bytes) { append(stream, skippable_frame(bytes, frames++ % 16)); };
    skip(0);
    skip(4);
    for (const Bytes* part : {&one, &two, &three, &one}) {
      append(stream, stream_of(*part));
      append(content, *part);
      for (uint32_t bytes = 0; bytes <= 5000; bytes += 1000) skip(bytes);
    }
    const Exact exact(stream);
    for (const size_t piece : {size_t{1}, size_t{999}, stream.size()}) {
      Bytes streamed;
      CHECK(streamed_verdict_of(exact, piece, &streamed) == Verdict{});
      CHECK(streamed == content);
    }
    const auto whole = gstd::decompress(exact);
    REQUIRE(whole);
    CHECK(*whole == content);
    auto reader = gstd::Reader::open(exact);
    REQUIRE(reader);
    CHECK(reader->info().streams == 4);
    CHECK(reader->info().skippable_frames == frames);
    CHECK(gstd::inspect(exact)->skippable_frames == frames);
    Bytes part(content.size() - 20);
    REQUIRE(reader->read(10, part));
    CHECK(std::equal(part.begin(), part.end(), content.begin() + 10));
  }

  TEST_CASE("frames that are none are refused where they are") {
    const auto refused = [](Span stream, Verdict expected) {
      const Exact exact(stream);
      CHECK(verdict_of(exact) == expected);
      CHECK(streamed_verdict_of(exact, 3) == expected);
    };
    const Bytes stream = stream_of(random_bytes(37)), frame = skippable_frame(8);
    // Without a stream.
    refused(frame, {Fault::truncated, frame.size()});
    for (size_t size = 0; size < frame.size(); ++size) {
      Bytes cut = stream;
      append(cut, Span(frame).first(size));
      if (size != 0) refused(cut, {Fault::truncated, cut.size()});
    }
    for (size_t at = 1; at < 4; ++at) {
      Bytes other = frame;
      other[at] ^= std::byte{1};
      append(other, stream);
      refused(other, {Fault::not_gstd, at});
    }
    for (const uint32_t bytes : {1u, 2u, 7u}) {
      Bytes odd = skippable_frame(bytes);
      append(odd, stream);
      refused(odd, {Fault::bad_header, 4});
    }
    Bytes endless = skippable_frame(8);
    gstd::store_u32(&endless[4], 0xfffffffc);
    append(endless, stream);
    refused(endless, {Fault::truncated, endless.size()});
    // Not between segments.
    gstd::CompressConfig config;
    config.tile_bytes = 1u << 14;
    config.segment_bytes = 1u << 20;
    const Bytes two = stream_of(record_bytes((1u << 20) + 5), config);
    const auto segment = static_cast<std::ptrdiff_t>(gstd::load_u32(&two[HeaderAt::segment_bytes]));
    Bytes within(two.begin(), two.begin() + segment);
    append(within, frame);
    within.insert(within.end(), two.begin() + segment, two.end());
    refused(within, {Fault::not_gstd, static_cast<uint64_t>(segment)});
  }
}

}  // namespace weft::test
