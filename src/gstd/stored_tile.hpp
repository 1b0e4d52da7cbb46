// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <weft/export.h>

#include "gstd/container.hpp"

namespace weft::gstd {

/// A tile as stored in a segment.
struct StoredTile {
  TileType type;
  std::span<const std::byte> data;  // whole words
  uint64_t position;                // of data, in the stream
};

/// Decodes tiles. One a worker; keeps its memory from one tile to the next.
class TileUnpacker {
 public:
  /// Fills `output`, the whole tile.
  WEFT_API std::optional<Refusal> unpack(const StoredTile& tile, std::span<std::byte> output, bool reference);
  /// Memory for a tile of which only a part is requested; valid until the next call.
  WEFT_API std::span<std::byte> room(size_t bytes);

 private:
  std::vector<uint32_t> words_;
  std::vector<std::byte> room_;
};

/// The word that a tile of more than 4 bytes repeats, if any.
std::optional<uint32_t> repeated_word(std::span<const std::byte> tile);

}  // namespace weft::gstd
