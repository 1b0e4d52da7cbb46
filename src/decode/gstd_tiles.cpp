// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gstd_decode.hpp>

#include <algorithm>
#include <string>

#include "gstd/reading.hpp"
#include "gstd/segment_walk.hpp"

namespace weft {

namespace {

using gstd::SegmentHeader;
using gstd::TileType;

GstdTileKind kind_of(TileType type) {
  switch (type) {
    case TileType::raw: return GstdTileKind::raw;
    case TileType::fill: return GstdTileKind::fill;
    case TileType::compressed: break;
  }
  return GstdTileKind::compressed;
}

// The tiles that hold the content's bytes [first, end), which are decoded to `output`.
Result<std::vector<GstdTile>> tiles_of(std::span<const std::byte> stream, uint64_t source, uint64_t first, uint64_t end,
                                       uint64_t output, const gstd::DecompressConfig& config) {
  if (source % 4 != 0)
    return Error{ErrorCode::invalid_argument, "source is no multiple of 4: " + std::to_string(source)};
  const gstd::Source bytes(stream);
  gstd::SegmentWalk walk(bytes, config);
  std::vector<GstdTile> tiles;
  for (;;) {
    const Result<bool> more = walk.next();
    if (!more) return more.error();
    if (!*more) return tiles;
    const Result<gstd::Tables> tables = walk.tables();
    if (!tables) return tables.error();
    const SegmentHeader& header = walk.header();
    for (uint32_t t = 0; t < header.tiles(); ++t) {
      const uint64_t begin = walk.order().content_at() + uint64_t{t} * header.tile_bytes();
      const uint32_t size = header.bytes_of(t);
      if (begin >= end || begin + size <= first) continue;
      GstdTile tile;
      tile.source = source + walk.position() + header.data_at() + 4 * uint64_t{tables->word_offset(t)};
      tile.words = tables->words(t);
      tile.bytes = size;
      tile.kind = kind_of(tables->type(t));
      tile.has_checksum = tables->has_sums() ? 1 : 0;
      tile.checksum = tables->has_sums() ? tables->sum(t) : 0;
      tile.first = static_cast<uint32_t>(std::max(first, begin) - begin);
      tile.count = static_cast<uint32_t>(std::min(end - begin, uint64_t{size})) - tile.first;
      tile.output = output + (std::max(first, begin) - first);
      tiles.push_back(tile);
    }
  }
}

}  // namespace

Result<std::vector<GstdTile>> gstd_tiles(std::span<const std::byte> stream, uint64_t source, uint64_t output,
                                         const gstd::DecompressConfig& config) noexcept {
  return gstd::reading(config, [&] { return tiles_of(stream, source, 0, UINT64_MAX, output, config); });
}

Result<std::vector<GstdTile>> gstd_tiles_of_range(std::span<const std::byte> stream, uint64_t source, uint64_t first,
                                                  uint64_t count, uint64_t output,
                                                  const gstd::DecompressConfig& config) noexcept {
  return gstd::reading(config, [&]() -> Result<std::vector<GstdTile>> {
    const Result<uint64_t> content = gstd::content_size(gstd::Source(stream), config);
    if (!content) return content.error();
    if (first > *content || count > *content - first)
      return Error{ErrorCode::invalid_argument, "there are " + std::to_string(*content) + " bytes of content, not " +
                                                    std::to_string(count) + " from byte " + std::to_string(first) +
                                                    " on"};
    return tiles_of(stream, source, first, first + count, output, config);
  });
}

void gstd_largest_first(std::span<GstdTile> tiles) noexcept {
  std::ranges::stable_sort(tiles, std::ranges::greater(), &GstdTile::words);
}

const char* name_of(GstdRefusal refusal) noexcept {
  switch (refusal) {
    case GstdRefusal::none: return "none";
    case GstdRefusal::truncated: return "truncated";
    case GstdRefusal::bad_header: return "bad header";
    case GstdRefusal::bad_table: return "bad table";
    case GstdRefusal::bad_sequence: return "bad sequence";
    case GstdRefusal::bad_offset: return "bad offset";
    case GstdRefusal::bad_length: return "bad length";
    case GstdRefusal::bad_final_state: return "bad final state";
    case GstdRefusal::bad_padding: return "bad padding";
    case GstdRefusal::bad_entry: return "bad entry";
    case GstdRefusal::checksum: return "checksum";
  }
  return "?";
}

}  // namespace weft
