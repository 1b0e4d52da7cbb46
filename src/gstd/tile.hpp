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
  bad_header,       ///< of the tile or of a block: a value that is none, or sizes that do not add up
  bad_table,        ///< a code that is not complete, a table that is not there
  bad_sequence,     ///< more sequences than the block has room for
  bad_offset,       ///< a match from before the tile
  bad_length,       ///< literals or a match past the block's end, or bytes of the block that nothing makes
  bad_final_state,  ///< a lane that does not end where it has to
  bad_padding,      ///< bits or words behind the last that are not as they have to be
};

/// What became of a tile. `word` is the read position where a reason was noticed.
struct TileVerdict {
  Reason reason = Reason::none;
  uint32_t word = 0;

  explicit operator bool() const { return reason == Reason::none; }
  bool operator==(const TileVerdict&) const = default;
};

/// Name of a reason, of static duration.
const char* name_of(Reason reason);

/// Shared tables, decoded. The first version of the format has none.
struct TableSet;

/// What an encoder's loops may use of what the processor has. The words are the same by all.
enum class Vectors { none, up_to_256, all };

struct TileEncoderConfig {
  int level = 3;           ///< 1 to 22: fast to small
  bool filters = true;     ///< whether any may be chosen
  bool contexts = true;    ///< whether literals may have more than one table in a block
  int forced_filter = -1;  ///< a filter's number, for every tile; -1: chosen
  uint32_t forced_stride = 0;
  Vectors vectors = Vectors::all;
};

/// Encodes tiles one after the other; keeps its memory between them. One a thread. The same bytes and configuration
/// give the same words on every machine that has the same version of libzstd.
class TileEncoder {
 public:
  explicit TileEncoder(const TileEncoderConfig& config);
  ~TileEncoder();
  TileEncoder(TileEncoder&&) noexcept;
  TileEncoder& operator=(TileEncoder&&) noexcept;

  /// Appends the words of a tile of 1 to kMaxTileBytes bytes. False, and nothing appended: they are not smaller than
  /// the tile, which is to be stored as it is.
  bool encode(std::span<const std::byte> tile, std::vector<uint32_t>& words);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

/// Decodes a tile as docs/gstd-format.md has it, step by step and lane by lane. For any words whatever: reads no
/// others, writes no byte outside `output`, and comes to an end. The bytes of a refused tile are undefined.
TileVerdict decode_tile_reference(std::span<const uint32_t> words, std::span<std::byte> output);

/// The same verdicts and, of tiles that are not refused, the same bytes; fast.
TileVerdict decode_tile(std::span<const uint32_t> words, std::span<std::byte> output);

}  // namespace weft::gstd
