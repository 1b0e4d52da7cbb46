// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gpu_converter.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "word_sum.hpp"

namespace gstd_tool {
namespace {

namespace gstd = weft::gstd;
using weft::Error;
using weft::ErrorCode;
using weft::GstdTile;
using weft::Status;

// Of a segment's header: docs/gstd-format.md, sections 2 and 8.
constexpr size_t kMagicsLastAt = 3, kFlagsAt = 5, kTileLogAt = 6, kContentBytesAt = 24, kSegmentBytesAt = 28,
                 kStreamChecksumAt = 40;
constexpr uint32_t kLastSegment = 1, kStreamChecksum = 4, kOfSegment = 'D', kOfChecked = 'c';

uint32_t byte_at(std::span<const std::byte> bytes, size_t at) { return std::to_integer<uint32_t>(bytes[at]); }

uint32_t word_at(std::span<const std::byte> bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) word |= byte_at(bytes, at + i) << 8 * i;
  return word;
}

}  // namespace

GpuConverter::GpuConverter(GpuDecoder& decoder, const gstd::DecompressConfig& config, std::optional<uint64_t> size,
                           uint64_t memory)
    : decoder_(decoder), config_(config), memory_(memory) {
  if (size) stream_.reserve(static_cast<size_t>(std::min(*size, memory)));
}

Status GpuConverter::write(std::span<const std::byte> bytes, const gstd::Sink&) {
  // What is no stream need not be read to its end.
  if (bytes.size() > memory_ - stream_.size()) return Error{ErrorCode::out_of_host_memory, "more bytes than -M allows"};
  const bool begins = stream_.empty();
  stream_.insert(stream_.end(), bytes.begin(), bytes.end());
  if (begins && stream_.size() >= 4 && format_of(stream_) == Format::unknown) return explain("its beginning");
  return {};
}

// What the decoder on the host says of the stream, so that a fault has the same message wherever it is found: the
// first one, with its reason and position.
Status GpuConverter::explain(const std::string& otherwise) const {
  auto host = gstd::Decompressor::create(config_);
  if (!host) return host.error();
  const gstd::Sink nowhere = [](std::span<const std::byte>) -> Status { return {}; };
  if (Status status = host->write(stream_, nowhere); !status) return status;
  if (Status status = host->finish(nowhere); !status) return status;
  return Error{ErrorCode::driver_error, decoder_.name() + " refuses what the host decodes: " + otherwise};
}

// Adds a small stream, whose tile is at `tile` if it has one. Returns its size.
size_t GpuConverter::add_small(std::span<const std::byte> header, size_t& tile) {
  const size_t header_bytes = byte_at(header, kMagicsLastAt) == kOfChecked ? 12 : 8;
  streams_.push_back({tile, tile, std::nullopt});
  if ((byte_at(header, 4) & 3) == 3) return header_bytes;
  streams_.back().end = tile + 1;
  tile_bytes_ = std::max(tile_bytes_, std::bit_ceil(tiles_[tile].bytes));
  return header_bytes + 4 * size_t{tiles_[tile++].words};
}

// The headers are known to be good, and to be those of these tiles.
void GpuConverter::read_headers() {
  size_t tile = 0;
  bool begins = true;
  for (size_t at = 0; at < stream_.size();) {
    const auto header = std::span(stream_).subspan(at);
    if (const uint64_t frame = begins ? frame_at(header) : 0; frame != 0) {
      at += static_cast<size_t>(frame);
      continue;
    }
    if (byte_at(header, kMagicsLastAt) != kOfSegment) {
      at += add_small(header, tile);
      continue;
    }
    const uint32_t flags = byte_at(header, kFlagsAt), tile_log = byte_at(header, kTileLogAt);
    const uint64_t tile_bytes = uint64_t{1} << tile_log;
    const size_t end = tile + ((word_at(header, kContentBytesAt) + tile_bytes - 1) >> tile_log);
    if (begins) streams_.push_back({tile, tile, std::nullopt});
    streams_.back().end = end;
    begins = (flags & kLastSegment) != 0;
    if (begins && (flags & kStreamChecksum) != 0) streams_.back().checksum = word_at(header, kStreamChecksumAt);
    tile_bytes_ = std::max(tile_bytes_, static_cast<uint32_t>(tile_bytes));
    at += word_at(header, kSegmentBytesAt);
    tile = end;
  }
}

// Whether a stream has a checksum while its tiles have none, so that theirs are made of the content.
bool GpuConverter::sums_content() const {
  return config_.verify && std::ranges::any_of(streams_, [&](const StreamTiles& stream) {
           return stream.checksum && stream.first < stream.end && tiles_[stream.first].has_checksum == 0;
         });
}

Status GpuConverter::decode(const gstd::Sink& sink) {
  const bool sums = sums_content();
  size_t tile = 0;
  const gstd::Sink summed = [&](std::span<const std::byte> content) -> Status {
    for (size_t at = 0; sums && at < content.size(); at += tiles_[tile++].count)
      if (tiles_[tile].has_checksum == 0) sums_[tile] = checksum_of(content.subspan(at, tiles_[tile].count));
    return sink(content);
  };
  const auto refused = decoder_.decode(stream_, tiles_, tile_bytes_, config_.verify, summed);
  if (!refused) return refused.error();
  if (!*refused) return {};
  return explain("tile " + std::to_string((*refused)->tile) + ", " + (*refused)->reason);
}

bool GpuConverter::is_whole(const StreamTiles& stream) const {
  if (!stream.checksum) return true;
  WordSum sum;
  for (size_t tile = stream.first; tile < stream.end; ++tile) sum.add(sums_[tile]);
  return sum.value(4 * uint64_t{stream.end - stream.first}) == *stream.checksum;
}

Status GpuConverter::finish(const gstd::Sink& sink) {
  auto tiles = weft::gstd_tiles(stream_, 0, 0, config_);
  if (!tiles && tiles.error().code == ErrorCode::out_of_host_memory) return tiles.error();
  if (!tiles) return explain(tiles.error().message);
  tiles_ = *std::move(tiles);
  for (const GstdTile& tile : tiles_) sums_.push_back(tile.checksum);
  read_headers();
  if (Status status = decode(sink); !status) return status;
  if (!config_.verify) return {};
  for (const StreamTiles& stream : streams_)
    if (!is_whole(stream)) return explain("a stream's checksum");
  return {};
}

}  // namespace gstd_tool
