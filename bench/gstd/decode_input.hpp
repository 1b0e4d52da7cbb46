// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/gdeflate_decode.hpp>
#include <weft/gstd_decode.hpp>
#include <weft/zstd_decode.hpp>

#include "decode.hpp"
#include "support/item_source.hpp"

namespace weft::bench {

/// Frames of zstd; output: in the content.
struct ZstdStream {
  std::vector<std::byte> bytes;  ///< a multiple of 4
  ZstdTable table;
};

/// A file's content and what gstd makes of it.
struct DecodeInput {
  std::string name;  ///< the file's, without folder and ending
  std::vector<std::byte> content;
  std::vector<std::byte> stream;
  std::vector<GstdTile> tiles;  ///< source: in the stream; output: in the content
  uint32_t tile_bytes = 0;
  bool checksums = false;           ///< whether all tiles have them
  std::string level;                ///< as rows name it
  std::optional<ZstdStream> given;  ///< the file, where it is of zstd
};

/// Tiles that are one after the other, and their bytes.
struct DecodeSlice {
  size_t first_tile = 0, end_tile = 0;
  uint64_t begin = 0, end = 0;  ///< of the content

  size_t tiles() const noexcept { return end_tile - first_tile; }
  uint64_t bytes() const noexcept { return end - begin; }
};

/// Reads and compresses a file on all cores, or decodes one that is compressed on the CPU. Of a stream that is given
/// whole tiles are kept of the first `first_bytes`. Errors: not_found, invalid_argument.
Result<DecodeInput> load_decode_input(const std::string& path, const DecodeOptions& options, uint64_t first_bytes);

/// The input's tiles that begin in [begin, end) of its content.
DecodeSlice slice_of(const DecodeInput& input, uint64_t begin, uint64_t end);

/// The same content as the slice's tiles take: their words, entries and checksums.
uint64_t compressed_bytes(const DecodeInput& input, const DecodeSlice& slice);

/// Compresses pieces of `piece_bytes` by libzstd, on all cores. Empty: it failed.
std::vector<std::vector<std::byte>> zstd_pieces(std::span<const std::byte> content, uint64_t piece_bytes, int level);

/// Lists the frames of one or several streams. Errors: corrupt_stream.
Result<ZstdStream> zstd_stream(std::span<const std::vector<std::byte>> pieces);

/// Tiles of 65,536 bytes for the driver's decoder, each a deflate stream in 32 parts.
struct GdFile {
  struct Tile {
    uint64_t at = 0;  ///< of the file, a multiple of 4
    uint32_t bytes = 0;
  };
  static constexpr uint32_t kTileBytes = 1u << 16;

  std::vector<std::byte> bytes;
  std::vector<Tile> tiles;

  uint64_t content_bytes() const noexcept { return uint64_t{kTileBytes} * tiles.size(); }
};

/// Reads little-endian words: the number of tiles, 65,536, and each tile's compressed size; then the tiles, each filled
/// up to a multiple of 4. Errors: not_found, invalid_argument (not so).
Result<GdFile> load_gd(const std::string& path);

}  // namespace weft::bench
