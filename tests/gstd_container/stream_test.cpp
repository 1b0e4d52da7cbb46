// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include "content.hpp"

namespace weft::test {

using gstd::CompressConfig;
using gstd::DecompressConfig;
using gstd::Fault;
using gstd::Verdict;

TEST_SUITE("gstd streams") {
  Bytes pieced_stream_of(Span content, size_t piece, const CompressConfig& config, std::optional<uint64_t> declared) {
    auto compressor = gstd::Compressor::create(config, declared);
    REQUIRE(compressor);
    Bytes stream;
    const gstd::Sink sink = [&](Span bytes) -> Status {
      stream.insert(stream.end(), bytes.begin(), bytes.end());
      return {};
    };
    for (size_t at = 0; at < content.size(); at += piece)
      REQUIRE(compressor->write(content.subspan(at, std::min(piece, content.size() - at)), sink));
    REQUIRE(compressor->finish(sink));
    return stream;
  }

  void check_round_trip(const Bytes& content, const CompressConfig& config) {
    const auto bound = gstd::compress_bound(content.size(), config);
    REQUIRE(bound);
    const auto stream = gstd::compress(content, config);
    REQUIRE(stream);
    CHECK(stream->size() <= *bound);
    const Exact exact(*stream);
    const auto size = gstd::decompressed_size(exact);
    REQUIRE(size);
    CHECK(*size == content.size());
    const auto back = gstd::decompress(exact);
    REQUIRE(back);
    CHECK(*back == content);
    Bytes streamed;
    CHECK(streamed_verdict_of(exact, 70001, &streamed) == Verdict{});
    CHECK(streamed == content);
    DecompressConfig reference;
    reference.reference = true;
    const auto by_reference = gstd::decompress(exact, reference);
    REQUIRE(by_reference);
    CHECK(*by_reference == content);
  }

  TEST_CASE("a flush passes on all tiles but the last, of any pieces, threads and knowledge of the size") {
    const Bytes content = mixed_bytes(5 * 65536 + 77);
    for (const uint32_t threads : {1u, 3u})
      for (const bool is_known : {false, true})
        for (const size_t piece : {size_t{1000}, size_t{65536}, size_t{65537}, size_t{131072}, content.size()}) {
          CAPTURE(threads);
          CAPTURE(is_known);
          CAPTURE(piece);
          CompressConfig config;
          config.threads = threads;
          auto compressor = gstd::Compressor::create(config, is_known ? std::optional(content.size()) : std::nullopt);
          REQUIRE(compressor);
          Bytes stream;
          const gstd::Sink sink = [&](Span bytes) -> Status {
            stream.insert(stream.end(), bytes.begin(), bytes.end());
            return {};
          };
          auto decompressor = gstd::Decompressor::create();
          REQUIRE(decompressor);
          Bytes back;
          size_t given = 0;
          REQUIRE(compressor->flush(sink));  // of nothing
          CHECK(stream.empty());
          for (size_t at = 0; at < content.size(); at += piece) {
            const size_t now = std::min(piece, content.size() - at);
            REQUIRE(compressor->write(Span(content).subspan(at, now), sink));
            REQUIRE(compressor->flush(sink));
            REQUIRE(decompressor->write(Span(stream).subspan(given), [&](Span bytes) -> Status {
              back.insert(back.end(), bytes.begin(), bytes.end());
              return {};
            }));
            given = stream.size();
            CHECK(back.size() + 65536 >= at + now);
            const size_t flushed = stream.size();
            REQUIRE(compressor->flush(sink));
            CHECK(stream.size() == flushed);
          }
          REQUIRE(compressor->finish(sink));
          CHECK(!compressor->flush(sink));
          const auto whole = gstd::decompress(stream);
          REQUIRE(whole);
          CHECK(*whole == content);
        }
  }

  TEST_CASE("sizes around the edges of tiles, words and segments come back") {
    for (const uint32_t tile : {1u << 14, 1u << 16}) {
      CompressConfig config;
      config.tile_bytes = tile;
      for (const size_t edge : {size_t{0}, size_t{tile}, 2 * size_t{tile}})
        for (const int off : {-5, -4, -1, 0, 1, 2, 3, 4, 5, 8}) {
          if (off < 0 && edge == 0) continue;
          const size_t size = edge + static_cast<size_t>(static_cast<std::ptrdiff_t>(off));
          CAPTURE(tile);
          CAPTURE(size);
          check_round_trip(mixed_bytes(size, tile), config);
        }
    }
    // Segments of 2^20, and the largest tiles.
    for (const uint32_t tile : {1u << 16, 1u << 20})
      for (const size_t size : {(1u << 20) - 1, 1u << 20, (1u << 20) + 1, 2u << 20, (2u << 20) + 3}) {
        CompressConfig config;
        config.level = 1;
        config.tile_bytes = tile;
        config.segment_bytes = 1u << 20;
        CAPTURE(tile);
        CAPTURE(size);
        check_round_trip(mixed_bytes(size, tile), config);
      }
  }

  TEST_CASE("all byte values, random bytes and records come back at some levels") {
    Bytes values;
    for (int i = 0; i < 70000; ++i) values.push_back(static_cast<std::byte>(i * (i >> 8)));
    for (const int level : {-5, -1, 1, 3, 12, 22}) {
      CAPTURE(level);
      CompressConfig config;
      config.level = level;
      check_round_trip(values, config);
      check_round_trip(random_bytes(70000), config);
      check_round_trip(record_bytes(70000), config);
      check_round_trip(Bytes(150001, std::byte{9}), config);
    }
  }

  TEST_CASE("with and without checksums, contexts and filters") {
    const Bytes content = mixed_bytes(400000);
    for (int bits = 0; bits < 16; ++bits) {
      CompressConfig config;
      config.tile_checksums = (bits & 1) != 0;
      config.stream_checksum = (bits & 2) != 0;
      config.contexts = (bits & 4) != 0;
      config.filter = (bits & 8) != 0 ? gstd::TileFilter::automatic : gstd::TileFilter::none;
      CAPTURE(bits);
      check_round_trip(content, config);
    }
  }

  TEST_CASE("a weight of decoding makes other streams from level 13 on, the same for any number of threads") {
    const Bytes content = record_bytes(100'000);
    CompressConfig config;
    config.tile_bytes = 1u << 14;
    for (const int level : {12, 13}) {
      config.level = level;
      config.decode_weight = 1;
      const Bytes usual = stream_of(content, config);
      for (const uint32_t weight : {0u, 4u, gstd::kMaxDecodeWeight}) {
        CAPTURE(level);
        CAPTURE(weight);
        config.decode_weight = weight;
        config.threads = 1;
        check_round_trip(content, config);
        const Bytes weighed = stream_of(content, config);
        CHECK((weighed == usual) == (level == 12));
        config.threads = 3;
        CHECK(stream_of(content, config) == weighed);
      }
    }
  }

  TEST_CASE("every filter comes back, with its strides") {
    const Bytes content = record_bytes(150003);
    for (int filter = 0; filter <= static_cast<int>(gstd::TileFilter::bc7); ++filter) {
      CompressConfig config;
      config.filter = static_cast<gstd::TileFilter>(filter);
      CAPTURE(gstd::name_of(config.filter));
      check_round_trip(content, config);
      if (config.filter < gstd::TileFilter::delta || config.filter > gstd::TileFilter::zigzag3_planes) continue;
      for (const uint32_t stride : {2u, 4u, 6u, 16u, 128u}) {
        config.stride = stride;
        CAPTURE(stride);
        check_round_trip(content, config);
      }
    }
  }

  TEST_CASE("random content is at most a thousandth larger") {
    const Bytes content = random_bytes(3000000);
    for (const uint32_t tile : {1u << 14, 1u << 16, 1u << 20}) {
      CompressConfig config;
      config.tile_bytes = tile;
      CHECK(stream_of(content, config).size() <= content.size() + content.size() / 1000);
    }
  }

  TEST_CASE("threads and pieces make no difference to the stream") {
    const Bytes content = mixed_bytes(2 * (1u << 20) + 12345);
    CompressConfig config;
    config.level = 1;
    config.segment_bytes = 1u << 20;
    const Bytes declared = stream_of(content, config);
    const Bytes undeclared = pieced_stream_of(content, content.size(), config, std::nullopt);
    CHECK(declared.size() == undeclared.size());
    for (const uint32_t threads : {1u, 2u, 5u, 0u}) {
      CAPTURE(threads);
      config.threads = threads;
      CHECK(stream_of(content, config) == declared);
      for (const size_t piece : {size_t{1000}, size_t{65536}, size_t{65537}, size_t{2} << 20}) {
        if (kSanitized && (piece == 65536 || threads == 1)) continue;
        CAPTURE(piece);
        CHECK(pieced_stream_of(content, piece, config, content.size()) == declared);
        CHECK(pieced_stream_of(content, piece, config, std::nullopt) == undeclared);
      }
    }
    CHECK(pieced_stream_of(Span(content).first(3000), 1, config, 3000) == stream_of(Span(content).first(3000), config));
  }

  TEST_CASE("threads and pieces make no difference to the content or the verdict") {
    const Bytes content = mixed_bytes(2 * (1u << 20) + 12345);
    CompressConfig config;
    config.segment_bytes = 1u << 20;
    const Bytes good = stream_of(content, config);
    Bytes bad = good;
    // Two tiles that are stored are damaged: the first one is reported.
    const auto place_of = [&](size_t tile) {
      return 56 + 4 * 17 + 4 * 16 + 4 * size_t{gstd::load_u32(&good[56 + 4 * tile]) >> 2};
    };
    const size_t first_data = place_of(1);
    bad[first_data + 5] ^= std::byte{1};
    bad[place_of(4) + 5] ^= std::byte{1};
    for (const uint32_t threads : {1u, 3u, 0u}) {
      if (kSanitized && threads == 1) continue;
      DecompressConfig config_back;
      config_back.threads = threads;
      const auto back = gstd::decompress(good, config_back);
      REQUIRE(back);
      CHECK(*back == content);
      CHECK(verdict_of(bad, config_back) == Verdict{Fault::tile_checksum, first_data});
      for (const size_t piece : {size_t{1}, size_t{777}, size_t{100000}, good.size()}) {
        Bytes streamed;
        CHECK(streamed_verdict_of(good, piece, &streamed, config_back) == Verdict{});
        CHECK(streamed == content);
        streamed.clear();
        CHECK(streamed_verdict_of(bad, piece, &streamed, config_back) == Verdict{Fault::tile_checksum, first_data});
        CHECK(streamed.size() < content.size());
        CHECK(std::equal(streamed.begin(), streamed.end(), content.begin()));
      }
    }
  }

  TEST_CASE("streams one after the other make one content") {
    CompressConfig other;
    other.tile_bytes = 1u << 14;
    other.tile_checksums = other.stream_checksum = false;
    Bytes stream = stream_of(mixed_bytes(100001));
    const Bytes empty = stream_of({}), second = stream_of(record_bytes(50000), other);
    stream.insert(stream.end(), empty.begin(), empty.end());
    stream.insert(stream.end(), second.begin(), second.end());
    Bytes content = mixed_bytes(100001);
    const Bytes more = record_bytes(50000);
    content.insert(content.end(), more.begin(), more.end());

    const auto back = gstd::decompress(stream);
    REQUIRE(back);
    CHECK(*back == content);
    Bytes streamed;
    CHECK(streamed_verdict_of(stream, 33, &streamed) == Verdict{});
    CHECK(streamed == content);
    const auto info = gstd::inspect(stream);
    REQUIRE(info);
    CHECK(info->streams == 3);
    CHECK(info->segments == 3);
    CHECK(info->content_bytes == content.size());
    CHECK(info->stream_bytes == stream.size());
    CHECK(info->least_tile_bytes == 1u << 14);
    CHECK(info->most_tile_bytes == 1u << 16);
    CHECK(info->tiles() == 2 + 4);
    CHECK(!info->tile_checksums);
    CHECK(!info->stream_checksum);
    Bytes part(60000);
    REQUIRE(gstd::decompress_range(stream, 80000, part));
    CHECK(std::equal(part.begin(), part.end(), content.begin() + 80000));
  }

  TEST_CASE("checksums are compared, unless that is not wanted") {
    const Bytes content = random_bytes(200000);
    for (int bits = 1; bits < 4; ++bits) {
      CompressConfig config;
      config.tile_checksums = (bits & 1) != 0;
      config.stream_checksum = (bits & 2) != 0;
      Bytes stream = stream_of(content, config);
      stream[stream.size() - 9] ^= std::byte{4};
      const Fault expected = config.tile_checksums ? Fault::tile_checksum : Fault::stream_checksum;
      CHECK(verdict_of(stream).fault == expected);
      Bytes given;
      CHECK(streamed_verdict_of(stream, 4096, &given).fault == expected);
      CHECK(given.size() < content.size());
      DecompressConfig lax;
      lax.verify = false;
      const auto back = gstd::decompress(stream, lax);
      REQUIRE(back);
      CHECK(back->size() == content.size());
      CHECK(*back != content);
    }
  }

  TEST_CASE("tiles that are exchanged have other checksums, in any segment") {
    constexpr uint32_t kTile = gstd::kMinTileBytes;
    CompressConfig config;
    config.tile_bytes = kTile;
    config.segment_bytes = gstd::kMinSegmentBytes;
    config.stream_checksum = false;
    // Of random bytes, so that tiles are stored and have as many words.
    const Bytes content = random_bytes(gstd::kMinSegmentBytes + 4 * kTile);
    const Bytes good = stream_of(content, config);
    const size_t second_at = gstd::load_u32(&good[gstd::HeaderAt::segment_bytes]);
    for (const size_t segment_at : {size_t{0}, second_at}) {
      Bytes stream = good;
      exchange_tiles(stream, 1, 3, segment_at);
      gstd::SegmentHeader header;
      REQUIRE(!load_header(Span(stream).subspan(segment_at), segment_at, header));
      const Verdict expected = {Fault::tile_checksum, segment_at + header.data_at() + kTile};
      CHECK(verdict_of(stream) == expected);
      CHECK(streamed_verdict_of(stream, 4096) == expected);
      Bytes part(kTile);
      CHECK(!gstd::decompress_range(stream, header.content_offset + 3 * kTile, part));
      REQUIRE(gstd::decompress_range(stream, header.content_offset + 2 * kTile, part));
      DecompressConfig lax;
      lax.verify = false;
      const auto back = gstd::decompress(stream, lax);
      REQUIRE(back);
      const auto at = static_cast<std::ptrdiff_t>(header.content_offset);
      CHECK(std::equal(back->begin() + at + 3 * kTile, back->begin() + at + 4 * kTile, content.begin() + at + kTile));
    }
    // Between segments, too.
    Bytes stream = good;
    gstd::SegmentHeader first, second;
    REQUIRE(!load_header(stream, 0, first));
    REQUIRE(!load_header(Span(stream).subspan(second_at), second_at, second));
    const auto exchange = [&](size_t one, size_t other, size_t bytes) {
      std::swap_ranges(&stream[one], &stream[one] + bytes, &stream[other]);
    };
    const auto sums_at = [](const gstd::SegmentHeader& of) {
      return gstd::kHeaderBytes + 4 * (size_t{of.tiles()} + 1);
    };
    exchange(sums_at(first), second_at + sums_at(second), 4);
    exchange(first.data_at(), second_at + second.data_at(), kTile);
    seal_tables(stream);
    seal_tables(stream, second_at);
    CHECK(verdict_of(stream) == Verdict{Fault::tile_checksum, first.data_at()});
  }

  TEST_CASE("what goes beyond a limit is refused before it is decoded") {
    // 64 MiB of zeros are a few hundred bytes.
    CompressConfig config;
    config.tile_bytes = 1u << 20;
    const Bytes content(64u << 20);
    const Bytes declared = stream_of(content, config);
    const Bytes undeclared = pieced_stream_of(content, content.size(), config, std::nullopt);
    CHECK(declared.size() < 1000);
    DecompressConfig limited;
    limited.max_content = content.size() - 1;
    for (const Bytes& stream : {declared, undeclared}) {
      CHECK(verdict_of(stream, limited) == Verdict{Fault::over_limit, gstd::HeaderAt::stream_size});
      Bytes given;
      CHECK(streamed_verdict_of(stream, 100, &given, limited) ==
            Verdict{Fault::over_limit, gstd::HeaderAt::stream_size});
      CHECK(given.empty());
    }
    // Segments count together, and so do streams.
    config.tile_bytes = 1u << 16;
    config.segment_bytes = 1u << 20;
    const Bytes pair = pieced_stream_of(Span(content).first(2u << 20), 1u << 20, config, std::nullopt);
    limited.max_content = (2u << 20) - 1;
    CHECK(verdict_of(pair, limited).fault == Fault::over_limit);
    CHECK(verdict_of(pair, limited).position > gstd::kHeaderBytes);
    limited.max_content = 2u << 20;
    CHECK(verdict_of(pair, limited) == Verdict{});
    Bytes twice = pair;
    twice.insert(twice.end(), pair.begin(), pair.end());
    CHECK(verdict_of(twice, limited) == Verdict{Fault::over_limit, pair.size() + gstd::HeaderAt::stream_size});

    Bytes small((2u << 20) - 1);
    Verdict verdict;
    DecompressConfig with_verdict;
    with_verdict.verdict = &verdict;
    CHECK(!gstd::decompress_to(pair, small, with_verdict));
    CHECK(verdict.fault == Fault::over_limit);
    small.resize(3u << 20);
    const auto done = gstd::decompress_to(pair, small, with_verdict);
    REQUIRE(done);
    CHECK(*done == 2u << 20);
  }

  TEST_CASE("configurations out of their ranges are refused") {
    std::vector<CompressConfig> bad(13);
    bad[0].level = 0;
    bad[12].level = gstd::kMinLevel - 1;
    bad[1].level = 23;
    bad[2].tile_bytes = 1u << 13;
    bad[3].tile_bytes = 1u << 21;
    bad[4].tile_bytes = 65537;
    bad[5].segment_bytes = (1u << 20) - 65536;
    bad[6].segment_bytes = (1u << 30) + 65536;
    bad[7].segment_bytes = (1u << 20) + 1;
    bad[8].filter = static_cast<gstd::TileFilter>(static_cast<int>(gstd::TileFilter::bc7) + 1);
    bad[9].stride = 4;
    bad[10].filter = gstd::TileFilter::delta;
    bad[10].stride = 129;
    bad[11].filter = gstd::TileFilter::zigzag_planes;
    bad[11].stride = 3;
    for (size_t i = 0; i < bad.size(); ++i) {
      CAPTURE(i);
      CHECK(!gstd::compress({}, bad[i]));
      CHECK(!gstd::Compressor::create(bad[i]));
      CHECK(!gstd::compress_bound(1, bad[i]));
    }
  }

  TEST_CASE("the bound holds, and does not wrap") {
    CHECK(*gstd::compress_bound(0) == 63);
    CHECK(*gstd::compress_bound(UINT64_MAX - 1) == UINT64_MAX);
    CHECK(*gstd::compress_bound(uint64_t{1} << 40) < (uint64_t{1} << 40) + (uint64_t{1} << 30));
    CHECK(!gstd::compress_bound(UINT64_MAX));
  }

  TEST_CASE("a compressor holds to what was declared, and ends once") {
    const gstd::Sink sink = [](Span) -> Status { return {}; };
    auto short_one = gstd::Compressor::create({}, 10);
    REQUIRE(short_one);
    CHECK(short_one->write(Bytes(9), sink).ok());
    CHECK(short_one->write(Bytes(2), sink).error().code == ErrorCode::invalid_argument);
    CHECK(!short_one->write(Bytes(1), sink));  // the error stays
    CHECK(!short_one->finish(sink));
    CHECK(short_one->reset(10).ok());
    CHECK(short_one->write(Bytes(9), sink).ok());
    CHECK(short_one->finish(sink).error().code == ErrorCode::invalid_argument);
    CHECK(short_one->reset(10).ok());
    CHECK(short_one->write(Bytes(10), sink).ok());
    CHECK(short_one->finish(sink).ok());
    CHECK(!short_one->write(Bytes(0), sink));
    CHECK(!short_one->finish(sink));
    CHECK(short_one->reset(UINT64_MAX).error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("a sink's error ends the work") {
    const Bytes content = random_bytes(3u << 20);
    CompressConfig config;
    config.segment_bytes = 1u << 20;
    const Bytes stream = stream_of(content, config);
    int calls = 0;
    const gstd::Sink full = [&](Span) -> Status {
      if (++calls < 3) return {};
      return Error{ErrorCode::driver_error, "no room"};
    };
    auto compressor = gstd::Compressor::create(config);
    REQUIRE(compressor);
    Status status = compressor->write(content, full);
    REQUIRE(!status);
    CHECK(status.error().message == "no room");
    CHECK(calls == 3);
    CHECK(compressor->write(content, full).error().message == "no room");
    CHECK(compressor->finish(full).error().message == "no room");
    CHECK(calls == 3);

    calls = 0;
    auto decompressor = gstd::Decompressor::create();
    REQUIRE(decompressor);
    status = decompressor->write(stream, full);
    REQUIRE(!status);
    CHECK(status.error().message == "no room");
    CHECK(!decompressor->write(stream, full));
    CHECK(!decompressor->finish(full));
    CHECK(calls == 3);
  }
}

}  // namespace weft::test
