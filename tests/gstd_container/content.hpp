// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <span>
#include <vector>

#include "gstd/checksum.hpp"
#include "gstd/container.hpp"
#include "support/sanitized.hpp"

namespace weft::test {

using Bytes = std::vector<std::byte>;
using Span = std::span<const std::byte>;

/// Words that look random and are the same everywhere.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}
  uint32_t next() { return gstd::mix(state_ += 0x9e3779b9u); }
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(uint64_t{next()} * bound >> 32); }

 private:
  uint32_t state_;
};

inline Bytes random_bytes(size_t size, uint32_t seed = 1) {
  Random random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

/// Records of 16 bytes of which one byte in `rarity` changes: any codec makes them smaller.
inline Bytes record_bytes(size_t size, uint32_t seed = 1, uint32_t rarity = 8) {
  Random random(seed);
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = i < 16 || random.below(rarity) == 0 ? static_cast<std::byte>(random.below(40)) : bytes[i - 16];
  return bytes;
}

/// A tile of each type after the other: compressed, stored, repeated.
inline Bytes mixed_bytes(size_t size, uint32_t tile_bytes = gstd::kDefaultTileBytes) {
  Bytes bytes(size);
  for (size_t at = 0, tile = 0; at < size; at += tile_bytes, ++tile) {
    const size_t count = std::min<size_t>(tile_bytes, size - at);
    Bytes part = tile % 3 == 0   ? record_bytes(count, static_cast<uint32_t>(tile))
                 : tile % 3 == 1 ? random_bytes(count, static_cast<uint32_t>(tile))
                                 : Bytes(count, static_cast<std::byte>(tile));
    std::copy(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return bytes;
}

/// A copy in memory of just its size, so that a sanitizer sees what is read beyond it.
class Exact {
 public:
  explicit Exact(Span bytes) : bytes_(new std::byte[bytes.size()]), size_(bytes.size()) {
    if (!bytes.empty()) std::memcpy(bytes_.get(), bytes.data(), bytes.size());
  }
  operator Span() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  size_t size_;
};

/// compress, of a valid configuration.
inline Bytes stream_of(Span content, const gstd::CompressConfig& config = {}) {
  auto stream = gstd::compress(content, config);
  return stream ? *std::move(stream) : Bytes{};
}

/// Writes a header's checksum anew, after a field was changed.
inline void seal_header(Bytes& stream, size_t segment_at = 0) {
  const auto header = std::span(stream).subspan(segment_at, gstd::kHeaderBytes);
  gstd::store_u32(&header[gstd::HeaderAt::header_checksum],
                  gstd::checksum(header.first(gstd::HeaderAt::header_checksum)));
}

/// The same of a segment's tables.
inline void seal_tables(Bytes& stream, size_t segment_at = 0) {
  gstd::SegmentHeader header;
  if (load_header(std::span(stream).subspan(segment_at), segment_at, header)) return;
  const uint32_t sum =
      gstd::checksum(std::span(stream).subspan(segment_at + gstd::kHeaderBytes, header.tables_bytes()));
  gstd::store_u32(&stream[segment_at + gstd::HeaderAt::tables_checksum], sum);
  seal_header(stream, segment_at);
}

/// Exchanges two tiles of as many words of a segment, with their types and checksums.
inline void exchange_tiles(Bytes& stream, uint32_t one, uint32_t other, size_t segment_at = 0) {
  gstd::SegmentHeader header;
  if (load_header(std::span(stream).subspan(segment_at), segment_at, header)) return;
  std::byte* const entries = &stream[segment_at + gstd::kHeaderBytes];
  std::byte* const data = &stream[segment_at + header.data_at()];
  const auto exchange = [](std::byte* a, std::byte* b, size_t bytes) { std::swap_ranges(a, a + bytes, b); };
  const auto entry = [&](uint32_t tile) { return gstd::load_u32(entries + 4 * size_t{tile}); };
  const uint32_t at = entry(one), to = entry(other), words = (entry(one + 1) >> 2) - (at >> 2);
  exchange(data + 4 * size_t{at >> 2}, data + 4 * size_t{to >> 2}, 4 * size_t{words});
  gstd::store_u32(entries + 4 * size_t{one}, (at & ~3u) | (to & 3));
  gstd::store_u32(entries + 4 * size_t{other}, (to & ~3u) | (at & 3));
  std::byte* const sums = entries + 4 * (size_t{header.tiles()} + 1);
  exchange(sums + 4 * size_t{one}, sums + 4 * size_t{other}, 4);
  seal_tables(stream, segment_at);
}

/// A stream of one raw tile, or of none, with the header that streams of several tiles have.
inline Bytes stored_stream(Span content) {
  gstd::SegmentHeader header;
  header.flags = gstd::kLastSegment | gstd::kTileChecksums | gstd::kStreamChecksum;
  header.tile_log = 16;
  header.stream_size = header.content_bytes = static_cast<uint32_t>(content.size());
  const uint32_t words = gstd::raw_words(header.content_bytes);
  header.segment_bytes = header.data_at() + 4 * words;
  Bytes stream(header.segment_bytes);
  gstd::WordSum sum;
  gstd::store_u32(&stream[gstd::kHeaderBytes + 4 * header.tiles()], words << 2);
  if (!content.empty()) {
    sum.add(gstd::checksum(content));
    gstd::store_u32(&stream[gstd::kHeaderBytes + 8], gstd::checksum(content));
    std::memcpy(&stream[header.data_at()], content.data(), content.size());
  }
  header.stream_checksum = sum.value();
  header.store(stream);
  seal_tables(stream);
  return stream;
}

/// A skippable frame of Zstandard.
inline Bytes skippable_frame(uint32_t bytes, uint32_t number = 0) {
  Bytes frame = random_bytes(8 + size_t{bytes}, bytes + 1);
  gstd::store_u32(frame.data(), 0x184d2a50 + number);
  gstd::store_u32(&frame[4], bytes);
  return frame;
}

inline void append(Bytes& to, Span more) { to.insert(to.end(), more.begin(), more.end()); }

/// What decompress says of a stream.
inline gstd::Verdict verdict_of(Span stream, gstd::DecompressConfig config = {}) {
  gstd::Verdict verdict;
  config.verdict = &verdict;
  const auto content = gstd::decompress(stream, config);
  if (content.ok() != (verdict.fault == gstd::Fault::none))
    return {gstd::Fault::none, UINT64_MAX};  // equals no verdict
  return verdict;
}

/// What a Decompressor says of it, `piece` bytes at a time. Appends what it gives to `content`, if that is not null.
inline gstd::Verdict streamed_verdict_of(Span stream, size_t piece, Bytes* content = nullptr,
                                         gstd::DecompressConfig config = {}) {
  gstd::Verdict verdict;
  config.verdict = &verdict;
  auto decompressor = gstd::Decompressor::create(config);
  if (!decompressor) return {gstd::Fault::none, UINT64_MAX};
  const gstd::Sink sink = [&](Span bytes) -> Status {
    if (content != nullptr) content->insert(content->end(), bytes.begin(), bytes.end());
    return {};
  };
  Status status;
  for (size_t at = 0; status.ok() && at < stream.size(); at += piece)
    status = decompressor->write(stream.subspan(at, std::min(piece, stream.size() - at)), sink);
  if (status.ok()) status = decompressor->finish(sink);
  if (status.ok() != (verdict.fault == gstd::Fault::none)) return {gstd::Fault::none, UINT64_MAX};
  return verdict;
}

}  // namespace weft::test

namespace weft::gstd {

/// How doctest shows it.
inline std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  return out << name_of(verdict.fault) << " at byte " << verdict.position;
}

}  // namespace weft::gstd

namespace weft::test {

/// Refused as a whole and in pieces, by its headers and tables alone.
inline void check_refused(Span stream, gstd::Verdict expected) {
  const Exact exact(stream);
  CHECK(verdict_of(exact) == expected);
  CHECK(streamed_verdict_of(exact, 1) == expected);
  CHECK(streamed_verdict_of(exact, 1000) == expected);
  gstd::Verdict verdict;
  gstd::DecompressConfig config;
  config.verdict = &verdict;
  CHECK(!gstd::inspect(exact, config));
  CHECK(verdict == expected);
}

}  // namespace weft::test
