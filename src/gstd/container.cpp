// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/container.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "gstd/checksum.hpp"

namespace weft::gstd {
namespace {

constexpr uint8_t kKnownFlags = kLastSegment | kTileChecksums | kStreamChecksum;
constexpr uint8_t kMinTileLog = 14, kMaxTileLog = 20;
constexpr uint32_t kNoTile = 3;  // type in a small stream's header

uint8_t byte_at(std::span<const std::byte> bytes, size_t at) { return std::to_integer<uint8_t>(bytes[at]); }

// What a magic number's last byte, its only one of its own, says of the header.
void set_form(std::byte last, SegmentHeader& header) {
  header.is_small = last != std::byte{kMagic >> 24};
  if (header.is_small)
    header.flags = last == std::byte{kCheckedMagic >> 24} ? kLastSegment | kTileChecksums : kLastSegment;
}

ErrorCode code_of(Fault fault) {
  switch (fault) {
    case Fault::unknown_version:
    case Fault::unknown_feature: return ErrorCode::unsupported;
    case Fault::over_limit: return ErrorCode::over_limit;
    default: return ErrorCode::corrupt_stream;
  }
}

}  // namespace

const char* name_of(Fault fault) noexcept {
  switch (fault) {
    case Fault::none: return "none";
    case Fault::truncated: return "truncated";
    case Fault::not_gstd: return "not_gstd";
    case Fault::unknown_version: return "unknown_version";
    case Fault::unknown_feature: return "unknown_feature";
    case Fault::bad_header: return "bad_header";
    case Fault::header_checksum: return "header_checksum";
    case Fault::bad_sequence: return "bad_sequence";
    case Fault::bad_table: return "bad_table";
    case Fault::table_checksum: return "table_checksum";
    case Fault::bad_tile: return "bad_tile";
    case Fault::bad_padding: return "bad_padding";
    case Fault::tile_checksum: return "tile_checksum";
    case Fault::stream_checksum: return "stream_checksum";
    case Fault::over_limit: return "over_limit";
  }
  return "unknown";
}

Error error_of(const Refusal& refusal, Verdict* verdict) {
  if (verdict != nullptr) *verdict = {refusal.fault, refusal.position};
  return {code_of(refusal.fault), "byte " + std::to_string(refusal.position) + ": " + refusal.what};
}

uint32_t SegmentHeader::bytes_of(uint32_t tile) const noexcept {
  const uint64_t begin = uint64_t{tile} << tile_log;
  return static_cast<uint32_t>(std::min<uint64_t>(content_bytes - begin, tile_bytes()));
}

void SegmentHeader::store_small(std::span<std::byte> to) const noexcept {
  store_u32(&to[HeaderAt::magic], has(kTileChecksums) ? kCheckedMagic : kSmallMagic);
  // The words of other types are known.
  const uint32_t words = tile_type == TileType::compressed ? data_words() : 0;
  store_u32(&to[SmallHeaderAt::content],
            content_bytes == 0 ? kNoTile : (content_bytes - 1) << 16 | words << 2 | static_cast<uint32_t>(tile_type));
  if (has(kTileChecksums)) store_u32(&to[SmallHeaderAt::checksum], tile_checksum);
}

void SegmentHeader::store(std::span<std::byte> to) const noexcept {
  if (is_small) return store_small(to);
  std::fill_n(to.begin(), kHeaderBytes, std::byte{0});
  store_u32(&to[HeaderAt::magic], kMagic);
  to[HeaderAt::version] = static_cast<std::byte>(kFormatVersion);
  to[HeaderAt::flags] = static_cast<std::byte>(flags);
  to[HeaderAt::tile_log] = static_cast<std::byte>(tile_log);
  store_u64(&to[HeaderAt::content_offset], content_offset);
  store_u64(&to[HeaderAt::stream_size], stream_size);
  store_u32(&to[HeaderAt::content_bytes], content_bytes);
  store_u32(&to[HeaderAt::segment_bytes], segment_bytes);
  store_u32(&to[HeaderAt::stream_checksum], stream_checksum);
  store_u32(&to[HeaderAt::tables_checksum], tables_checksum);
  store_u32(&to[HeaderAt::header_checksum], checksum(to.first(HeaderAt::header_checksum)));
}

size_t header_bytes(std::span<const std::byte> beginning) noexcept {
  if (begins_frame(beginning)) return kBeginningBytes;
  SegmentHeader header;
  set_form(beginning[HeaderAt::magic + 3], header);
  return header.header_bytes();
}

bool begins_frame(std::span<const std::byte> bytes) noexcept {
  return (byte_at(bytes, 0) & 0xf0) == (kFrameMagic & 0xff);
}

std::optional<Refusal> load_frame(std::span<const std::byte> bytes, uint64_t position, uint64_t& frame_bytes) {
  std::array<std::byte, 4> magic;
  store_u32(magic.data(), kFrameMagic);
  for (size_t i = 1; i < bytes.size() && i < magic.size(); ++i)
    if (bytes[i] != magic[i]) return Refusal{Fault::not_gstd, position + i, "neither a stream nor a skippable frame"};
  if (bytes.size() < kBeginningBytes)
    return Refusal{Fault::truncated, position + bytes.size(), "the stream ends within a skippable frame"};
  const uint32_t data = load_u32(&bytes[FrameAt::bytes]);
  if (data % 4 != 0)
    return Refusal{Fault::bad_header, position + FrameAt::bytes, "a skippable frame's size is no multiple of 4"};
  frame_bytes = kBeginningBytes + uint64_t{data};
  return std::nullopt;
}

namespace {

// The fields of a small stream's header, of which there are all bytes.
std::optional<Refusal> load_small(std::span<const std::byte> bytes, uint64_t position, SegmentHeader& header) {
  const auto refuse = [&](Fault fault, size_t at, const char* what) { return Refusal{fault, position + at, what}; };
  const uint32_t content = load_u32(&bytes[SmallHeaderAt::content]);
  const uint32_t type = content & 3, words = content >> 2 & 0x3fff, most = raw_words((content >> 16) + 1);
  if (header.has(kTileChecksums)) header.tile_checksum = load_u32(&bytes[SmallHeaderAt::checksum]);
  header.tile_type = TileType{type};
  header.content_bytes = type == kNoTile ? 0 : (content >> 16) + 1;
  header.stream_size = header.content_bytes;
  header.tile_log =
      static_cast<uint8_t>(std::max<uint32_t>(kMinTileLog, static_cast<uint32_t>(std::bit_width(content >> 16))));
  uint32_t used = 0;
  bool is_good = content == kNoTile;
  switch (type) {
    case static_cast<uint32_t>(TileType::raw):
      used = most;
      is_good = words == 0;
      break;
    case static_cast<uint32_t>(TileType::fill):
      used = 1;
      is_good = words == 0 && most > 1;
      break;
    case static_cast<uint32_t>(TileType::compressed):
      used = words;
      is_good = words != 0 && words < most;
      break;
    default: break;
  }
  header.segment_bytes = header.header_bytes() + 4 * used;
  if (!is_good) return refuse(Fault::bad_header, SmallHeaderAt::content, "a small stream's tile does not fit its type");
  if (type == kNoTile && header.tile_checksum != 0)
    return refuse(Fault::bad_header, SmallHeaderAt::checksum, "the checksum of no content is not zero");
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> load_header(std::span<const std::byte> bytes, uint64_t position, SegmentHeader& header) {
  const auto refuse = [&](Fault fault, size_t at, std::string what) {
    return Refusal{fault, position + at, std::move(what)};
  };
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 4); ++i)
    if (std::ranges::none_of(std::array{kMagic, kSmallMagic, kCheckedMagic},
                             [&](uint32_t magic) { return byte_at(bytes, i) == (magic >> 8 * i & 0xff); }))
      return refuse(Fault::not_gstd, i, position == 0 ? "not a gstd stream" : "no segment where one should begin");
  header = {};
  if (bytes.size() > HeaderAt::magic + 3) set_form(bytes[HeaderAt::magic + 3], header);
  if (!header.is_small && bytes.size() > HeaderAt::version && byte_at(bytes, HeaderAt::version) != kFormatVersion) {
    const uint32_t version = byte_at(bytes, HeaderAt::version);
    return refuse(Fault::unknown_version, HeaderAt::version,
                  "version " + std::to_string(version) + " of the format is not known" +
                      (version == 1 ? "; weft 0.1 reads it" : ""));
  }
  if (bytes.size() < header.header_bytes())
    return refuse(Fault::truncated, bytes.size(), "the stream ends within a header");
  if (header.is_small) return load_small(bytes, position, header);
  if (load_u32(&bytes[HeaderAt::header_checksum]) != checksum(bytes.first(HeaderAt::header_checksum)))
    return refuse(Fault::header_checksum, HeaderAt::header_checksum, "a segment's header is damaged");

  header.flags = byte_at(bytes, HeaderAt::flags);
  header.tile_log = byte_at(bytes, HeaderAt::tile_log);
  header.content_offset = load_u64(&bytes[HeaderAt::content_offset]);
  header.stream_size = load_u64(&bytes[HeaderAt::stream_size]);
  header.content_bytes = load_u32(&bytes[HeaderAt::content_bytes]);
  header.segment_bytes = load_u32(&bytes[HeaderAt::segment_bytes]);
  header.stream_checksum = load_u32(&bytes[HeaderAt::stream_checksum]);
  header.tables_checksum = load_u32(&bytes[HeaderAt::tables_checksum]);

  if ((header.flags & ~kKnownFlags) != 0) return refuse(Fault::unknown_feature, HeaderAt::flags, "a flag is not known");
  if (load_u32(&bytes[HeaderAt::shared_bytes]) != 0)
    return refuse(Fault::unknown_feature, HeaderAt::shared_bytes, "shared tables are not known");
  if (load_u32(&bytes[HeaderAt::dictionary]) != 0)
    return refuse(Fault::unknown_feature, HeaderAt::dictionary, "dictionaries are not known");
  for (const size_t at : {HeaderAt::reserved, HeaderAt::reserved_word, HeaderAt::reserved_word + 1,
                          HeaderAt::reserved_word + 2, HeaderAt::reserved_word + 3})
    if (byte_at(bytes, at) != 0) return refuse(Fault::unknown_feature, at, "a reserved byte is not zero");
  if (header.tile_log < kMinTileLog || header.tile_log > kMaxTileLog)
    return refuse(Fault::bad_header, HeaderAt::tile_log,
                  "tiles of 2^" + std::to_string(header.tile_log) + " bytes are out of range");
  if (header.content_bytes > kMaxSegmentContent)
    return refuse(Fault::bad_header, HeaderAt::content_bytes, "a segment has too much content");
  if (header.content_bytes == 0 && (!header.last() || header.content_offset != 0))
    return refuse(Fault::bad_header, HeaderAt::content_bytes, "a segment has no content");
  if (!header.last() && header.content_bytes % header.tile_bytes() != 0)
    return refuse(Fault::bad_header, HeaderAt::content_bytes, "a segment before others ends within a tile");
  if (header.content_offset % header.tile_bytes() != 0)
    return refuse(Fault::bad_header, HeaderAt::content_offset, "a segment begins within a tile");
  // The largest number means an unknown size, so that no content can end there.
  if (header.content_offset >= kUnknownSize - header.content_bytes)
    return refuse(Fault::bad_header, HeaderAt::content_offset, "the content's end is no number of 64 bits");
  const uint64_t end = header.content_offset + header.content_bytes;
  if (header.stream_size != kUnknownSize && (header.last() ? end != header.stream_size : end >= header.stream_size))
    return refuse(Fault::bad_header, HeaderAt::stream_size, "the stream's size does not fit its segments");
  if (header.stream_checksum != 0 && !(header.last() && header.has(kStreamChecksum)))
    return refuse(Fault::bad_header, HeaderAt::stream_checksum, "a checksum where none belongs");
  // Every tile has at least one word, and at most as many as its bytes fill.
  const uint64_t least = uint64_t{header.data_at()} + 4 * uint64_t{header.tiles()};
  const uint64_t most = uint64_t{header.data_at()} + 4 * uint64_t{raw_words(header.content_bytes)};
  if (header.segment_bytes % 4 != 0 || header.segment_bytes < least || header.segment_bytes > most)
    return refuse(Fault::bad_header, HeaderAt::segment_bytes, "the segment's size does not fit its content");
  return std::nullopt;
}

std::optional<Refusal> check_order(const SegmentHeader* previous, const SegmentHeader& header, uint64_t position) {
  const auto refuse = [&](size_t at, const char* what) { return Refusal{Fault::bad_sequence, position + at, what}; };
  if (previous == nullptr) {
    if (header.content_offset != 0) return refuse(HeaderAt::content_offset, "the stream's beginning is missing");
    return std::nullopt;
  }
  if (header.is_small) return refuse(HeaderAt::magic, "a small stream within another one");
  if (header.content_offset != previous->content_offset + previous->content_bytes)
    return refuse(HeaderAt::content_offset, "segments are missing or out of order");
  if (header.stream_size != previous->stream_size)
    return refuse(HeaderAt::stream_size, "segments differ in the stream's size");
  if (header.tile_log != previous->tile_log) return refuse(HeaderAt::tile_log, "segments differ in the size of tiles");
  if (((header.flags ^ previous->flags) & ~kLastSegment) != 0)
    return refuse(HeaderAt::flags, "segments differ in their flags");
  return std::nullopt;
}

std::optional<Refusal> check_tables(const SegmentHeader& header, std::span<const std::byte> bytes, uint64_t position) {
  if (header.is_small) return std::nullopt;
  const uint64_t tables_at = position + kHeaderBytes;
  if (checksum(bytes) != header.tables_checksum)
    return Refusal{Fault::table_checksum, position + HeaderAt::tables_checksum, "a segment's tables are damaged"};

  const uint32_t tiles = header.tiles();
  uint32_t begin = load_u32(bytes.data());
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    const uint32_t end = load_u32(bytes.data() + 4 * (size_t{tile} + 1));
    const auto refuse = [&](std::string what) {
      return Refusal{Fault::bad_table, tables_at + 4 * uint64_t{tile},
                     "tile " + std::to_string(tile) + " of a segment " + std::move(what)};
    };
    if (tile == 0 && begin >> 2 != 0) return refuse("does not begin where the data does");
    if (end >> 2 < begin >> 2) return refuse("ends before its beginning");
    const uint32_t words = (end >> 2) - (begin >> 2);
    const uint32_t most = raw_words(header.bytes_of(tile));
    switch (begin & 3) {
      case static_cast<uint32_t>(TileType::raw):
        if (words != most) return refuse("is stored in another size than its own");
        break;
      case static_cast<uint32_t>(TileType::fill):
        if (words != 1 || words >= most) return refuse("is a fill of other than one word, or has no more itself");
        break;
      case static_cast<uint32_t>(TileType::compressed):
        if (words == 0 || words >= most) return refuse("is compressed to no fewer words than it has, or to none");
        break;
      default: return refuse("has a type that is none");
    }
    begin = end;
  }
  if (begin != header.data_words() << 2)
    return Refusal{Fault::bad_table, tables_at + 4 * uint64_t{tiles},
                   "the tile table's end is not that of the segment"};
  return std::nullopt;
}

}  // namespace weft::gstd
