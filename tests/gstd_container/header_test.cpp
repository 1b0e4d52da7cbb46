// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <functional>
#include <optional>

#include "content.hpp"

namespace weft::test {

using gstd::Fault;
using gstd::HeaderAt;
using gstd::Verdict;

// Every refusal is checked of all readers, which have to say the same.
TEST_SUITE("gstd headers and tables") {
  constexpr uint32_t kTile = gstd::kDefaultTileBytes;

  // Three tiles, one of each type, in one segment.
  Bytes short_stream() { return stream_of(mixed_bytes(3 * kTile - 5)); }

  // Two segments of 16 tiles and one of two, the last of which is not whole.
  Bytes long_stream(std::optional<uint64_t> declared) {
    const Bytes content = mixed_bytes(34 * kTile - 1);
    gstd::CompressConfig config;
    config.segment_bytes = 16 * kTile;
    auto compressor = gstd::Compressor::create(config, declared);
    REQUIRE(compressor);
    Bytes stream;
    const gstd::Sink sink = [&](Span bytes) -> Status {
      stream.insert(stream.end(), bytes.begin(), bytes.end());
      return {};
    };
    REQUIRE(compressor->write(content, sink));
    REQUIRE(compressor->finish(sink));
    return stream;
  }

  std::vector<size_t> segments_of(Span stream) {
    std::vector<size_t> begins;
    for (size_t at = 0; at < stream.size(); at += gstd::load_u32(&stream[at + HeaderAt::segment_bytes]))
      begins.push_back(at);
    return begins;
  }

  TEST_CASE("a header has its fields where the document has them") {
    const Bytes stream = short_stream();
    CHECK(gstd::load_u32(&stream[0]) == 0x44545347);
    CHECK(stream[4] == std::byte{2});
    CHECK(stream[5] == std::byte{7});
    CHECK(stream[6] == std::byte{16});
    CHECK(stream[7] == std::byte{0});
    CHECK(gstd::load_u64(&stream[8]) == 0);
    CHECK(gstd::load_u64(&stream[16]) == 3 * kTile - 5);
    CHECK(gstd::load_u32(&stream[24]) == 3 * kTile - 5);
    CHECK(gstd::load_u32(&stream[28]) == stream.size());
    CHECK(gstd::load_u32(&stream[32]) == 0);
    CHECK(gstd::load_u32(&stream[36]) == 0);
    CHECK(gstd::load_u32(&stream[44]) == gstd::checksum(Span(stream).subspan(56, 4 * 4 + 4 * 3)));
    CHECK(gstd::load_u32(&stream[48]) == 0);
    CHECK(gstd::load_u32(&stream[52]) == gstd::checksum(Span(stream).first(52)));
    CHECK((gstd::load_u32(&stream[56]) & 3) == 2);
    CHECK((gstd::load_u32(&stream[60]) & 3) == 0);
    CHECK((gstd::load_u32(&stream[64]) & 3) == 1);
    CHECK(gstd::load_u32(&stream[68]) == (stream.size() - 84) / 4 << 2);
    const uint32_t sum = gstd::checksum(Span(mixed_bytes(3 * kTile - 5)).subspan(kTile, kTile));
    CHECK(gstd::load_u32(&stream[76]) == sum + 0x9e3779b9u);
  }

  TEST_CASE("fields out of their ranges are refused where they are") {
    struct Case {
      size_t at;
      uint64_t value;
      int bytes;
      Fault fault;
    };
    const Bytes good = short_stream();
    const uint32_t size = gstd::load_u32(&good[HeaderAt::segment_bytes]);
    const Case cases[] = {
        {HeaderAt::flags, 16 | 7, 1, Fault::unknown_feature},
        {HeaderAt::flags, 128 | 7, 1, Fault::unknown_feature},
        {HeaderAt::tile_log, 13, 1, Fault::bad_header},
        {HeaderAt::tile_log, 21, 1, Fault::bad_header},
        {HeaderAt::tile_log, 255, 1, Fault::bad_header},
        {HeaderAt::reserved, 1, 1, Fault::unknown_feature},
        {HeaderAt::content_offset, 1, 8, Fault::bad_header},
        {HeaderAt::content_offset, UINT64_MAX - 0xffff, 8, Fault::bad_header},
        {HeaderAt::content_offset, kTile, 8, Fault::bad_header},  // the stream's size does not fit then
        {HeaderAt::stream_size, 3 * kTile, 8, Fault::bad_header},
        {HeaderAt::stream_size, 0, 8, Fault::bad_header},
        {HeaderAt::content_bytes, (1u << 31) + 1, 4, Fault::bad_header},
        {HeaderAt::content_bytes, UINT32_MAX, 4, Fault::bad_header},
        {HeaderAt::content_bytes, 3 * kTile - 4, 4, Fault::bad_header},
        {HeaderAt::segment_bytes, 0, 4, Fault::bad_header},
        {HeaderAt::segment_bytes, 92, 4, Fault::bad_header},  // a word less than tables and a word a tile
        {HeaderAt::segment_bytes, size + 2, 4, Fault::bad_header},
        {HeaderAt::segment_bytes, 84 + 3 * kTile, 4, Fault::bad_header},
        {HeaderAt::segment_bytes, UINT32_MAX - 3, 4, Fault::bad_header},
        {HeaderAt::shared_bytes, 4, 4, Fault::unknown_feature},
        {HeaderAt::dictionary, 1, 4, Fault::unknown_feature},
        {HeaderAt::reserved_word, 1, 1, Fault::unknown_feature},
        {HeaderAt::reserved_word + 3, 1, 1, Fault::unknown_feature},
    };
    for (const Case& one : cases) {
      CAPTURE(one.at);
      CAPTURE(one.value);
      Bytes stream = good;
      for (int i = 0; i < one.bytes; ++i)
        stream[one.at + static_cast<size_t>(i)] = static_cast<std::byte>(one.value >> 8 * i);
      seal_header(stream);
      // Two of them do not show in their own place.
      const bool by_size = one.at == HeaderAt::content_offset && one.value == kTile;
      const bool by_end = one.at == HeaderAt::content_bytes && one.value == 3 * kTile - 4;
      check_refused(stream, {one.fault, by_size || by_end ? HeaderAt::stream_size : one.at});
    }
  }

  TEST_CASE("the magic number and the version come first") {
    for (size_t i = 0; i < 4; ++i) {
      Bytes stream = short_stream();
      stream[i] ^= std::byte{32};
      check_refused(stream, {Fault::not_gstd, i});
      check_refused(Span(stream).first(i + 1), {Fault::not_gstd, i});
    }
    Bytes stream = short_stream();
    stream[4] = std::byte{3};
    check_refused(stream, {Fault::unknown_version, 4});
    stream.resize(5);
    check_refused(stream, {Fault::unknown_version, 4});
    const auto refused = gstd::decompress(stream);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(refused.error().message == "byte 4: version 3 of the format is not known");
  }

  TEST_CASE("a stream of version 1 is refused by every call that reads a header, which names the weft that reads it") {
    Bytes stream = short_stream();
    stream[4] = std::byte{1};
    seal_header(stream);
    check_refused(stream, {Fault::unknown_version, 4});
    const auto is_named = [](const Error& error) {
      CHECK(error.code == ErrorCode::unsupported);
      CHECK(error.message == "byte 4: version 1 of the format is not known; weft 0.1 reads it");
    };
    is_named(gstd::decompress(stream).error());
    is_named(gstd::decompressed_size(stream).error());
    Bytes part(1);
    is_named(gstd::decompress_range(stream, 0, part).error());
  }

  TEST_CASE("entries of the tile table that do not fit are refused where they are") {
    struct Case {
      const char* what;
      std::function<void(Bytes&)> change;
      uint64_t tile;
    };
    const auto entry = [](Bytes& stream, size_t tile) { return gstd::load_u32(&stream[56 + 4 * tile]); };
    const auto set = [](Bytes& stream, size_t tile, uint32_t value) { gstd::store_u32(&stream[56 + 4 * tile], value); };
    const Case cases[] = {
        {"type 3", [&](Bytes& s) { set(s, 0, entry(s, 0) | 3); }, 0},
        {"the first does not begin at 0", [&](Bytes& s) { set(s, 0, entry(s, 0) + 4); }, 0},
        {"an end before its beginning", [&](Bytes& s) { set(s, 2, 1); }, 1},
        {"stored in a word less", [&](Bytes& s) { set(s, 1, entry(s, 1) + 4); }, 1},
        {"stored in a word more", [&](Bytes& s) { set(s, 1, entry(s, 1) - 4); }, 1},
        {"compressed to as many words", [&](Bytes& s) { set(s, 1, entry(s, 1) | 2); }, 1},
        {"compressed to none", [&](Bytes& s) { set(s, 1, 0); }, 0},
        {"a fill of several words", [&](Bytes& s) { set(s, 1, entry(s, 1) | 1); }, 1},
        {"a fill of two words", [&](Bytes& s) { set(s, 3, entry(s, 3) + 4); }, 2},
        {"an end entry with a type", [&](Bytes& s) { set(s, 3, entry(s, 3) | 2); }, 3},
        {"an end beyond the segment", [&](Bytes& s) { set(s, 2, (entry(s, 2) & ~3u) | 2), set(s, 3, entry(s, 3) + 4); },
         3},
        {"the largest offset", [&](Bytes& s) { set(s, 1, UINT32_MAX); }, 0},
    };
    for (const Case& one : cases) {
      CAPTURE(one.what);
      Bytes stream = short_stream();
      one.change(stream);
      seal_tables(stream);
      check_refused(stream, {Fault::bad_table, 56 + 4 * one.tile});
    }
  }

  TEST_CASE("a fill of at most a word is refused, as is padding that is not zero") {
    for (uint32_t size = 1; size <= 4; ++size) {
      CAPTURE(size);
      Bytes stream = stored_stream(Bytes(size, std::byte{7}));
      REQUIRE(verdict_of(Exact(stream)) == Verdict{});
      if (size < 4) {
        Bytes padded = stream;
        padded.back() = std::byte{1};
        CHECK(verdict_of(Exact(padded)) == Verdict{Fault::bad_padding, padded.size() - 1});
        CHECK(streamed_verdict_of(Exact(padded), 5) == Verdict{Fault::bad_padding, padded.size() - 1});
      }
      gstd::store_u32(&stream[56], 1);
      seal_tables(stream);
      check_refused(stream, {Fault::bad_table, 56});
    }
  }

  TEST_CASE("segments that do not follow each other are refused") {
    for (const bool declared : {false, true}) {
      if (kSanitized && declared) continue;
      CAPTURE(declared);
      const Bytes good = long_stream(declared ? std::optional<uint64_t>(34 * kTile - 1) : std::nullopt);
      REQUIRE(verdict_of(good) == Verdict{});
      const std::vector<size_t> at = segments_of(good);
      REQUIRE(at.size() == 3);
      const auto begin = good.begin();
      const auto place = [&](size_t segment) { return begin + static_cast<std::ptrdiff_t>(at[segment]); };

      Bytes without_first(place(1), good.end());
      check_refused(without_first, {Fault::bad_sequence, HeaderAt::content_offset});
      Bytes without_second(begin, place(1));
      without_second.insert(without_second.end(), place(2), good.end());
      check_refused(without_second, {Fault::bad_sequence, at[1] + HeaderAt::content_offset});
      Bytes without_last(begin, place(2));
      check_refused(without_last, {Fault::truncated, at[2]});
      Bytes twice(begin, place(1));
      twice.insert(twice.end(), begin, good.end());
      check_refused(twice, {Fault::bad_sequence, at[1] + HeaderAt::content_offset});

      Bytes other_flags = good;
      other_flags[at[1] + HeaderAt::flags] = std::byte{gstd::kTileChecksums};
      seal_header(other_flags, at[1]);
      check_refused(other_flags, {Fault::bad_sequence, at[1] + HeaderAt::flags});
      Bytes other_size = good;
      gstd::store_u64(&other_size[at[1] + HeaderAt::stream_size], declared ? gstd::kUnknownSize : 34 * kTile - 1);
      seal_header(other_size, at[1]);
      check_refused(other_size, {Fault::bad_sequence, at[1] + HeaderAt::stream_size});
      Bytes early_last = good;
      early_last[at[1] + HeaderAt::flags] |= std::byte{gstd::kLastSegment};
      seal_header(early_last, at[1]);
      if (declared) {
        check_refused(early_last, {Fault::bad_header, at[1] + HeaderAt::stream_size});
      } else {
        // What has all bytes looks at all headers first.
        CHECK(verdict_of(Exact(early_last)) == Verdict{Fault::bad_sequence, at[2] + HeaderAt::content_offset});
        CHECK(streamed_verdict_of(Exact(early_last), 1000) ==
              Verdict{Fault::stream_checksum, at[1] + HeaderAt::stream_checksum});
      }
      Bytes early_sum = good;
      gstd::store_u32(&early_sum[at[1] + HeaderAt::stream_checksum], 1);
      seal_header(early_sum, at[1]);
      check_refused(early_sum, {Fault::bad_header, at[1] + HeaderAt::stream_checksum});
      Bytes never_last = good;
      never_last[at[2] + HeaderAt::flags] &= ~std::byte{gstd::kLastSegment};
      seal_header(never_last, at[2]);
      check_refused(never_last, {Fault::bad_header, at[2] + HeaderAt::content_bytes});

      Bytes trailing = good;
      trailing.push_back(std::byte{0});
      check_refused(trailing, {Fault::not_gstd, good.size()});
    }
  }

  TEST_CASE("a segment without content is a stream's only one") {
    Bytes empty = stored_stream({});
    CHECK(empty.size() == 60);
    CHECK(verdict_of(Exact(empty)) == Verdict{});
    CHECK(streamed_verdict_of(Exact(empty), 60) == Verdict{});
    empty[HeaderAt::flags] &= ~std::byte{gstd::kLastSegment};
    seal_header(empty);
    check_refused(empty, {Fault::bad_header, HeaderAt::content_bytes});
    check_refused({}, {Fault::truncated, 0});
  }
}

}  // namespace weft::test
