// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gstd/container.hpp"

namespace weft::gstd {

/// A tile as a segment has it.
struct StoredTile {
  TileType type;
  std::span<const std::byte> data;  // whole words
  uint64_t position;                // of data, in the stream
};

/// Makes tiles' content of their data. One a worker.
class TileUnpacker {
 public:
  /// Fills `output`, all of the tile.
  std::optional<Refusal> unpack(const StoredTile& tile, std::span<std::byte> output, bool reference);

 private:
  std::vector<uint32_t> words_;
};

/// The word that a tile repeats, if it does; of tiles of more than 4 bytes.
std::optional<uint32_t> repeated_word(std::span<const std::byte> tile);

}  // namespace weft::gstd
