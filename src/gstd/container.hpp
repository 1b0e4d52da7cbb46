// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/gstd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gstd/checksum.hpp"
#include "gstd/little_endian.hpp"

namespace weft::gstd {

constexpr size_t kHeaderBytes = 56;
constexpr size_t kMinHeaderBytes = 8;  // of a small stream without checksum
/// Bytes that show what begins, and how long its header is.
constexpr size_t kBeginningBytes = 8;
constexpr uint32_t kMaxSmallBytes = 1u << 16;  // content of a small stream
constexpr uint64_t kUnknownSize = UINT64_MAX;
constexpr uint32_t kMaxSegmentContent = 1u << 31;

/// Positions in a segment's header.
struct HeaderAt {
  static constexpr size_t magic = 0, version = 4, flags = 5, tile_log = 6, reserved = 7, content_offset = 8,
                          stream_size = 16, content_bytes = 24, segment_bytes = 28, shared_bytes = 32, dictionary = 36,
                          stream_checksum = 40, tables_checksum = 44, reserved_word = 48, header_checksum = 52;
};

/// Positions in the header of a small stream.
struct SmallHeaderAt {
  static constexpr size_t content = 4, checksum = 8;
};

/// Positions in a skippable frame.
struct FrameAt {
  static constexpr size_t bytes = 4;
};

constexpr uint32_t kMagic = 0x44545347;  // "GSTD"
/// Of small streams: "GSTs", and "GSTc" of those with a checksum.
constexpr uint32_t kSmallMagic = 0x73545347, kCheckedMagic = 0x63545347;
constexpr uint32_t kFrameMagic = 0x184d2a50;  // the lowest 4 bits are any
constexpr uint8_t kLastSegment = 1, kTileChecksums = 2, kStreamChecksum = 4;

/// How a tile is stored.
enum class TileType : uint32_t { raw, fill, compressed };

/// Words of a raw tile; the last is padded with zeros.
constexpr uint32_t raw_words(uint32_t tile_bytes) noexcept { return (tile_bytes + 3) / 4; }

struct SegmentHeader {
  uint8_t flags = 0;
  uint8_t tile_log = 0;
  uint64_t content_offset = 0;
  uint64_t stream_size = kUnknownSize;
  uint32_t content_bytes = 0;
  uint32_t segment_bytes = 0;
  uint32_t stream_checksum = 0;
  uint32_t tables_checksum = 0;
  // Of a small stream, whose flags are kLastSegment and, if it has a checksum, kTileChecksums.
  bool is_small = false;
  TileType tile_type = TileType::raw;
  uint32_t tile_checksum = 0;

  bool has(uint8_t flag) const noexcept { return (flags & flag) != 0; }
  bool last() const noexcept { return has(kLastSegment); }
  uint32_t tile_bytes() const noexcept { return 1u << tile_log; }
  uint32_t tiles() const noexcept { return (content_bytes >> tile_log) + ((content_bytes & (tile_bytes() - 1)) != 0); }
  WEFT_API uint32_t bytes_of(uint32_t tile) const noexcept;
  uint32_t header_bytes() const noexcept {
    return static_cast<uint32_t>(is_small ? kMinHeaderBytes + (has(kTileChecksums) ? 4 : 0) : kHeaderBytes);
  }
  /// Bytes of entries and checksums.
  uint32_t tables_bytes() const noexcept {
    return is_small ? 0 : 4 * (tiles() + 1) + (has(kTileChecksums) ? 4 * tiles() : 0);
  }
  uint32_t data_at() const noexcept { return header_bytes() + tables_bytes(); }
  uint32_t data_words() const noexcept { return (segment_bytes - data_at()) / 4; }

  /// Writes header_bytes().
  void store(std::span<std::byte> to) const noexcept;

 private:
  void store_small(std::span<std::byte> to) const noexcept;
};

/// A fault and its position in the stream.
struct Refusal {
  Fault fault;
  uint64_t position;
  std::string what;
};

/// Returns the refusal as an error; also writes the verdict if that is not null.
Error error_of(const Refusal& refusal, Verdict* verdict);

/// Bytes of the header that begins with these kBeginningBytes, whatever it is.
size_t header_bytes(std::span<const std::byte> beginning) noexcept;

/// Whether bytes, at least one, do not begin a segment, but may begin a skippable frame.
bool begins_frame(std::span<const std::byte> bytes) noexcept;
/// Reads the header of a skippable frame at `position`, of which `bytes` may be a part. `frame_bytes`: of all of it.
std::optional<Refusal> load_frame(std::span<const std::byte> bytes, uint64_t position, uint64_t& frame_bytes);

/// Reads the header at `position` from `bytes`, which may be fewer than a header.
WEFT_API std::optional<Refusal> load_header(std::span<const std::byte> bytes, uint64_t position, SegmentHeader& header);

/// Checks that `header`, at `position`, may follow `previous` or, if that is null, begin a stream.
std::optional<Refusal> check_order(const SegmentHeader* previous, const SegmentHeader& header, uint64_t position);

/// A segment's entries and checksums, in the stream's bytes or, if it is small, in its header.
class Tables {
 public:
  Tables() = default;
  Tables(const SegmentHeader& header, std::span<const std::byte> bytes) noexcept
      : bytes_(bytes),
        has_sums_(header.has(kTileChecksums)),
        is_small_(header.is_small),
        tiles_(header.tiles()),
        first_(header.content_offset >> header.tile_log),
        small_{static_cast<uint32_t>(header.tile_type), header.data_words() << 2, header.tile_checksum} {}

  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  TileType type(uint32_t tile) const noexcept { return TileType{entry(tile) & 3}; }
  uint32_t word_offset(uint32_t tile) const noexcept { return entry(tile) >> 2; }
  uint32_t words(uint32_t tile) const noexcept { return word_offset(tile + 1) - word_offset(tile); }
  bool has_sums() const noexcept { return has_sums_; }
  /// The checksum that the tile's content has.
  uint32_t sum(uint32_t tile) const noexcept { return entry(tiles_ + 1 + tile) - tile_term(first_ + tile); }

 private:
  uint32_t entry(uint32_t at) const noexcept {
    return is_small_ ? small_[at] : load_u32(bytes_.data() + 4 * size_t{at});
  }

  std::span<const std::byte> bytes_;
  bool has_sums_ = false, is_small_ = false;
  uint32_t tiles_ = 0;
  uint64_t first_ = 0;  // number in the stream of the first tile
  std::array<uint32_t, 3> small_{};
};

/// Checks the tables of the segment at `position`, which are complete.
std::optional<Refusal> check_tables(const SegmentHeader& header, std::span<const std::byte> bytes, uint64_t position);

}  // namespace weft::gstd
