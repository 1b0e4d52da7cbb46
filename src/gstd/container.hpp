// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gstd/little_endian.hpp"

namespace weft::gstd {

constexpr size_t kHeaderBytes = 56;
constexpr uint64_t kUnknownSize = UINT64_MAX;
constexpr uint32_t kMaxSegmentContent = 1u << 31;

/// Positions in a segment's header.
struct HeaderAt {
  static constexpr size_t magic = 0, version = 4, flags = 5, tile_log = 6, reserved = 7, content_offset = 8,
                          stream_size = 16, content_bytes = 24, segment_bytes = 28, shared_bytes = 32, dictionary = 36,
                          stream_checksum = 40, tables_checksum = 44, reserved_word = 48, header_checksum = 52;
};

constexpr uint32_t kMagic = 0x44545347;  // "GSTD"
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

  bool has(uint8_t flag) const noexcept { return (flags & flag) != 0; }
  bool last() const noexcept { return has(kLastSegment); }
  uint32_t tile_bytes() const noexcept { return 1u << tile_log; }
  uint32_t tiles() const noexcept { return (content_bytes >> tile_log) + ((content_bytes & (tile_bytes() - 1)) != 0); }
  uint32_t bytes_of(uint32_t tile) const noexcept;
  /// Bytes of entries and checksums.
  uint32_t tables_bytes() const noexcept { return 4 * (tiles() + 1) + (has(kTileChecksums) ? 4 * tiles() : 0); }
  uint32_t data_at() const noexcept { return static_cast<uint32_t>(kHeaderBytes) + tables_bytes(); }
  uint32_t data_words() const noexcept { return (segment_bytes - data_at()) / 4; }

  void store(std::span<std::byte, kHeaderBytes> to) const noexcept;
};

/// A fault and its position in the stream.
struct Refusal {
  Fault fault;
  uint64_t position;
  std::string what;
};

/// Returns the refusal as an error; also writes the verdict if that is not null.
Error error_of(const Refusal& refusal, Verdict* verdict);

/// Reads the header at `position` from `bytes`, which may be fewer than a header.
std::optional<Refusal> load_header(std::span<const std::byte> bytes, uint64_t position, SegmentHeader& header);

/// Checks that `header`, at `position`, may follow `previous` or, if that is null, begin a stream.
std::optional<Refusal> check_order(const SegmentHeader* previous, const SegmentHeader& header, uint64_t position);

/// A segment's entries and checksums, in the stream's bytes.
class Tables {
 public:
  Tables() = default;
  Tables(const SegmentHeader& header, std::span<const std::byte> bytes) noexcept
      : bytes_(bytes), sums_at_(header.has(kTileChecksums) ? 4 * (header.tiles() + 1) : 0) {}

  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  TileType type(uint32_t tile) const noexcept { return TileType{entry(tile) & 3}; }
  uint32_t word_offset(uint32_t tile) const noexcept { return entry(tile) >> 2; }
  uint32_t words(uint32_t tile) const noexcept { return word_offset(tile + 1) - word_offset(tile); }
  bool has_sums() const noexcept { return sums_at_ != 0; }
  uint32_t sum(uint32_t tile) const noexcept { return load_u32(bytes_.data() + sums_at_ + 4 * size_t{tile}); }

 private:
  uint32_t entry(uint32_t tile) const noexcept { return load_u32(bytes_.data() + 4 * size_t{tile}); }

  std::span<const std::byte> bytes_;
  uint32_t sums_at_ = 0;
};

/// Checks the tables of the segment at `position`, which are complete.
std::optional<Refusal> check_tables(const SegmentHeader& header, std::span<const std::byte> bytes, uint64_t position);

}  // namespace weft::gstd
