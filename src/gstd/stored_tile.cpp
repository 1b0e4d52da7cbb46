// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/stored_tile.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "gstd/tile.hpp"

namespace weft::gstd {
namespace {

void load_words(std::span<const std::byte> data, std::vector<uint32_t>& words) {
  words.resize(data.size() / 4);
  if constexpr (std::endian::native == std::endian::little) {
    if (!words.empty()) std::memcpy(words.data(), data.data(), 4 * words.size());
  } else {
    for (size_t word = 0; word < words.size(); ++word) words[word] = load_u32(data.data() + 4 * word);
  }
}

}  // namespace

std::optional<uint32_t> repeated_word(std::span<const std::byte> tile) {
  if (tile.size() <= 4 || std::memcmp(tile.data(), tile.data() + 4, tile.size() - 4) != 0) return std::nullopt;
  return load_u32(tile.data());
}

std::span<std::byte> TileUnpacker::room(size_t bytes) {
  if (room_.size() < bytes) room_.resize(bytes);
  return std::span(room_).first(bytes);
}

std::optional<Refusal> TileUnpacker::unpack(const StoredTile& tile, std::span<std::byte> output, bool reference) {
  switch (tile.type) {
    case TileType::raw:
      for (size_t i = output.size(); i < tile.data.size(); ++i)
        if (tile.data[i] != std::byte{0})
          return Refusal{Fault::bad_padding, tile.position + i, "a byte after a tile is not zero"};
      std::copy_n(tile.data.begin(), output.size(), output.begin());
      return std::nullopt;
    case TileType::fill:
      // Doubles the filled part until it is complete.
      std::copy_n(tile.data.begin(), 4, output.begin());
      for (size_t done = 4; done < output.size();) {
        const size_t more = std::min(done, output.size() - done);
        std::memcpy(&output[done], output.data(), more);
        done += more;
      }
      return std::nullopt;
    case TileType::compressed: break;
  }
  load_words(tile.data, words_);
  const TileVerdict verdict = reference ? decode_tile_reference(words_, output) : decode_tile(words_, output);
  if (verdict) return std::nullopt;
  return Refusal{Fault::bad_tile, tile.position + 4 * uint64_t{verdict.word},
                 "a tile is refused: " + std::string(name_of(verdict.reason))};
}

}  // namespace weft::gstd
