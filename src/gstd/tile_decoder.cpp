// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/tile.hpp"

namespace weft::gstd {

TileVerdict decode_tile(std::span<const uint32_t> words, std::span<std::byte> output) {
  return decode_tile_reference(words, output);
}

}  // namespace weft::gstd
