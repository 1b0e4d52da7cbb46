// SPDX-License-Identifier: MIT OR Apache-2.0
#include "decode_input.hpp"

#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/parallel.hpp"

namespace weft::bench {
namespace {

using Bytes = std::vector<std::byte>;

uint32_t word_at(const Bytes& bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) word |= std::to_integer<uint32_t>(bytes[at + i]) << 8 * i;
  return word;
}

bool begins_with(const std::string& path, std::string_view wanted) {
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic).starts_with(wanted);
}

// Keeps the stream, and makes its content that of the input. Capacities become sizes.
Status decompress_zstd(DecodeInput& input) {
  auto stream = zstd_stream(std::span(&input.content, 1));
  if (!stream) return stream.error();
  uint64_t at = 0;
  Bytes content(stream->table.output_bytes);
  for (ZstdFrame& frame : stream->table.frames) {
    const size_t size =
        ZSTD_decompress(content.data() + at, frame.capacity, stream->bytes.data() + frame.source, frame.bytes);
    if (ZSTD_isError(size) != 0) return Error{ErrorCode::corrupt_stream, ZSTD_getErrorName(size)};
    frame.output = at;
    frame.capacity = static_cast<uint32_t>(size);
    at += size;
  }
  content.resize(at);
  input.content = std::move(content);
  input.given = *std::move(stream);
  return {};
}

Status compress_content(const DecodeOptions& options, DecodeInput& input) {
  gstd::CompressConfig config;
  config.level = options.level.value_or(19);
  config.tile_bytes = options.tile_bytes;
  config.threads = 0;
  if (options.filters == "none") {
    config.filter = gstd::TileFilter::none;
    config.contexts = false;
  }
  auto stream = gstd::compress(input.content, config);
  if (!stream) return stream.error();
  input.stream = *std::move(stream);
  input.level = std::to_string(config.level);
  return {};
}

Status decompress_stream(const DecodeOptions& options, DecodeInput& input) {
  gstd::DecompressConfig config;
  config.threads = 0;
  config.max_content = UINT64_MAX;
  auto content = gstd::decompress(input.stream, config);
  if (!content) return content.error();
  input.content = *std::move(content);
  input.level = options.level ? std::to_string(*options.level) : "given";
  return {};
}

Status list_tiles(DecodeInput& input) {
  const auto info = gstd::inspect(input.stream);
  if (!info) return info.error();
  auto tiles = gstd_tiles(input.stream, 0, 0);
  if (!tiles) return tiles.error();
  input.tiles = *std::move(tiles);
  input.tile_bytes = info->most_tile_bytes;
  input.checksums = info->tile_checksums;
  return {};
}

void keep_whole_tiles(DecodeInput& input, uint64_t first_bytes) {
  while (!input.tiles.empty() && input.tiles.back().output + input.tiles.back().bytes > first_bytes)
    input.tiles.pop_back();
  input.content.resize(input.tiles.empty() ? 0 : input.tiles.back().output + input.tiles.back().bytes);
}

}  // namespace

Result<DecodeInput> load_decode_input(const std::string& path, const DecodeOptions& options, uint64_t first_bytes) {
  DecodeInput input;
  input.name = std::filesystem::path(path).stem().string();
  const bool is_stream = begins_with(path, "GST"), is_zstd = begins_with(path, "\x28\xb5\x2f\xfd");
  auto bytes = read_file(path, is_stream || is_zstd ? UINT64_MAX : first_bytes);
  if (!bytes) return bytes.error();
  (is_stream ? input.stream : input.content) = *std::move(bytes);
  const auto make = is_stream ? decompress_stream : compress_content;
  const auto refuse = [&](const Error& error) { return Error{error.code, path + ": " + error.message}; };
  if (is_zstd)
    if (const Status status = decompress_zstd(input); !status) return refuse(status.error());
  if (const Status status = make(options, input); !status) return refuse(status.error());
  if (const Status status = list_tiles(input); !status) return refuse(status.error());
  keep_whole_tiles(input, first_bytes);
  if (input.tiles.empty()) return Error{ErrorCode::invalid_argument, path + ": there is no tile to decode"};
  return input;
}

DecodeSlice slice_of(const DecodeInput& input, uint64_t begin, uint64_t end) {
  const auto first_from = [&](uint64_t byte) {
    return static_cast<size_t>(std::partition_point(input.tiles.begin(), input.tiles.end(),
                                                    [byte](const GstdTile& tile) { return tile.output < byte; }) -
                               input.tiles.begin());
  };
  const auto begin_of = [&](size_t tile) {
    return tile < input.tiles.size() ? input.tiles[tile].output : uint64_t{input.content.size()};
  };
  DecodeSlice slice{first_from(begin), first_from(end), 0, 0};
  slice.begin = begin_of(slice.first_tile);
  slice.end = begin_of(slice.end_tile);
  return slice;
}

uint64_t compressed_bytes(const DecodeInput& input, const DecodeSlice& slice) {
  uint64_t bytes = 0;
  for (size_t tile = slice.first_tile; tile < slice.end_tile; ++tile)
    bytes += 4 * uint64_t{input.tiles[tile].words} + (input.checksums ? 8 : 4);
  return bytes;
}

std::vector<Bytes> zstd_pieces(std::span<const std::byte> content, uint64_t piece_bytes, int level) {
  std::vector<Bytes> pieces((content.size() + piece_bytes - 1) / piece_bytes);
  std::atomic<bool> good = true;
  for_each_block(pieces.size(), [&](uint64_t piece) {
    const uint64_t at = piece * piece_bytes;
    const auto from = content.subspan(at, std::min<uint64_t>(piece_bytes, content.size() - at));
    Bytes room(ZSTD_compressBound(from.size()));
    const size_t size = ZSTD_compress(room.data(), room.size(), from.data(), from.size(), level);
    if (ZSTD_isError(size) != 0)
      good = false;
    else
      pieces[piece].assign(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
  });
  if (!good) pieces.clear();
  return pieces;
}

Result<ZstdStream> zstd_stream(std::span<const Bytes> pieces) {
  ZstdStream stream;
  for (const Bytes& piece : pieces) stream.bytes.insert(stream.bytes.end(), piece.begin(), piece.end());
  auto table = zstd_frames(stream.bytes, 0, 0);
  if (!table) return table.error();
  stream.table = *std::move(table);
  stream.bytes.resize((stream.bytes.size() + 3) / 4 * 4);
  return stream;
}

Result<GdFile> load_gd(const std::string& path) {
  GdFile file;
  auto bytes = read_file(path, UINT64_MAX);
  if (!bytes) return bytes.error();
  file.bytes = *std::move(bytes);
  const auto refuse = [&](const char* why) { return Error{ErrorCode::invalid_argument, path + ": " + why}; };
  if (file.bytes.size() < 8) return refuse("there is no header");
  const uint64_t count = word_at(file.bytes, 0);
  if (word_at(file.bytes, 4) != GdFile::kTileBytes) return refuse("its tiles are of another size than 65536");
  uint64_t at = 8 + 4 * count;
  if (count == 0 || at > file.bytes.size()) return refuse("its sizes are not all there");
  for (uint64_t tile = 0; tile < count; ++tile) {
    const uint32_t size = word_at(file.bytes, 8 + 4 * tile);
    const uint64_t padded = (uint64_t{size} + 3) / 4 * 4;
    if (size == 0 || padded > file.bytes.size() - at) return refuse("its tiles are not all there");
    file.tiles.push_back({at, size});
    at += padded;
  }
  return file;
}

}  // namespace weft::bench
