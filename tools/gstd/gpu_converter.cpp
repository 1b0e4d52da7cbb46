// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gpu_converter.hpp"

#include <algorithm>
#include <string>

#include "gstd/checksum.hpp"
#include "gstd/container.hpp"

namespace gstd_tool {
namespace {

namespace gstd = weft::gstd;
using weft::Error;
using weft::ErrorCode;
using weft::GstdTile;
using weft::Status;

}  // namespace

GpuConverter::GpuConverter(GpuDecoder& decoder, const gstd::DecompressConfig& config, std::optional<uint64_t> size)
    : decoder_(decoder), config_(config) {
  if (size) stream_.reserve(static_cast<size_t>(*size));
}

Status GpuConverter::write(std::span<const std::byte> bytes, const gstd::Sink&) {
  // What is no stream need not be read to its end.
  const bool begins = stream_.empty();
  stream_.insert(stream_.end(), bytes.begin(), bytes.end());
  if (begins && stream_.size() >= 4 && gstd::load_u32(stream_.data()) != gstd::kMagic) return explain("its beginning");
  return {};
}

// What the decoder on the host says of the stream, so that a fault is told in the same words wherever it is found: the first one, with
// its reason and position.
Status GpuConverter::explain(const std::string& otherwise) const {
  auto host = gstd::Decompressor::create(config_);
  if (!host) return host.error();
  const gstd::Sink nowhere = [](std::span<const std::byte>) -> Status { return {}; };
  if (Status status = host->write(stream_, nowhere); !status) return status;
  if (Status status = host->finish(); !status) return status;
  return Error{ErrorCode::driver_error, decoder_.name() + " refuses what the host decodes: " + otherwise};
}

// The headers are known to be good, and to be those of these tiles.
void GpuConverter::read_headers() {
  size_t tile = 0;
  bool begins = true;
  for (size_t at = 0; at < stream_.size();) {
    gstd::SegmentHeader header;
    if (gstd::load_header(std::span(stream_).subspan(at), at, header)) return;
    const size_t end = tile + header.tiles();
    if (begins) streams_.push_back({tile, tile, std::nullopt});
    streams_.back().end = end;
    begins = header.last();
    if (begins && header.has(gstd::kStreamChecksum)) streams_.back().checksum = header.stream_checksum;
    tile_bytes_ = std::max(tile_bytes_, header.tile_bytes());
    at += header.segment_bytes;
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
      if (tiles_[tile].has_checksum == 0) sums_[tile] = gstd::checksum(content.subspan(at, tiles_[tile].count));
    return sink(content);
  };
  const auto refused = decoder_.decode(stream_, tiles_, tile_bytes_, config_.verify, summed);
  if (!refused) return refused.error();
  if (!*refused) return {};
  return explain("tile " + std::to_string((*refused)->tile) + ", " + (*refused)->reason);
}

bool GpuConverter::is_whole(const StreamTiles& stream) const {
  if (!stream.checksum) return true;
  gstd::WordSum sum;
  for (size_t tile = stream.first; tile < stream.end; ++tile) sum.add(sums_[tile]);
  return sum.value() == *stream.checksum;
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
