// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::gstd {

/// Why a tile was refused.
enum class Reason : uint8_t {
  none,
  truncated,        ///< words were needed past the last
  bad_header,       ///< of the tile or of a block: an invalid value, or sizes that do not add up
  bad_table,        ///< an incomplete code, or a table that does not exist
  bad_sequence,     ///< more sequences than the block has room for
  bad_offset,       ///< a match from before the tile
  bad_length,       ///< literals or a match past the block's end, or a block that is not filled
  bad_final_state,  ///< a lane whose final state is wrong or has no room
  bad_padding,      ///< bits after the last that are not 0, or further words
};

/// A tile's verdict. `word` is the read position where a fault was detected.
struct TileVerdict {
  Reason reason = Reason::none;
  uint32_t word = 0;

  explicit operator bool() const { return reason == Reason::none; }
  bool operator==(const TileVerdict&) const = default;
};

/// Name of a reason, of static duration.
const char* name_of(Reason reason);

/// Vector instructions that may be used, by their width in bits. Results do not depend on it.
enum class Vectors : uint8_t { none, up_to_128, up_to_256, all };

struct TileEncoderConfig {
  int level = 3;               ///< -5 to -1, 1 to 22: fast to small
  bool filters = true;         ///< whether any may be chosen
  bool contexts = true;        ///< whether literals may have more than one table in a block
  uint32_t decode_weight = 1;  ///< what sequences cost beside their bits is multiplied by it
  int forced_filter = -1;      ///< a filter's number, for every tile; -1: chosen
  uint32_t forced_stride = 0;
  uint32_t forced_row_words = 0;  ///< 0: no rows, as for tiles that are too small
  Vectors vectors = Vectors::all;
};

/// Encodes one tile after the other and keeps its memory between them. One a thread. The words depend on the bytes, the
/// configuration and the version of libzstd alone.
class TileEncoder {
 public:
  explicit TileEncoder(const TileEncoderConfig& config);
  ~TileEncoder();
  TileEncoder(TileEncoder&&) noexcept;
  TileEncoder& operator=(TileEncoder&&) noexcept;

  /// Appends the words of a tile of 1 to kMaxTileBytes bytes. If they are not smaller than the tile, appends nothing
  /// and returns false: the tile is then stored raw.
  bool encode(std::span<const std::byte> tile, std::vector<uint32_t>& words);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// Decodes a tile as docs/gstd-format.md describes it, step by step and lane by lane. Any words are allowed: it reads
/// no others, writes only to `output`, and terminates. The bytes of a refused tile are undefined.
TileVerdict decode_tile_reference(std::span<const uint32_t> words, std::span<std::byte> output);

/// Fast. Gives the same verdicts and, for good tiles, the same bytes.
TileVerdict decode_tile(std::span<const uint32_t> words, std::span<std::byte> output, Vectors most = Vectors::all);

}  // namespace weft::gstd
