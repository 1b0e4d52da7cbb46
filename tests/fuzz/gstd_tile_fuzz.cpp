// SPDX-License-Identifier: MIT OR Apache-2.0
// Any words as a tile, with no checksum before them: both decoders agree on verdict and
// bytes and write within the output.
#include <cstring>
#include <memory>

#include "fuzz_target.hpp"
#include "gstd/tile.hpp"

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The first word is the number of bytes of the tile.
  if (size < 4) return 0;
  uint32_t bytes = 0;
  std::memcpy(&bytes, data, 4);
  bytes = 1 + bytes % (1u << 17);
  // Allocations of exactly what may be touched.
  const size_t words = (size - 4) / 4;
  const auto stream = std::make_unique<uint32_t[]>(words);
  if (words > 0) std::memcpy(stream.get(), data + 4, words * 4);
  const auto fast = std::make_unique<std::byte[]>(bytes), reference = std::make_unique<std::byte[]>(bytes);
  const gstd::TileVerdict a = gstd::decode_tile({stream.get(), words}, {fast.get(), bytes});
  const gstd::TileVerdict b = gstd::decode_tile_reference({stream.get(), words}, {reference.get(), bytes});
  fuzz::require(a.reason == b.reason && a.word == b.word, "both decoders have one verdict");
  fuzz::require(a.word <= words, "a verdict's position lies in the tile");
  if (a.reason == gstd::Reason::none)
    fuzz::require(std::memcmp(fast.get(), reference.get(), bytes) == 0, "both decoders have one result");
  return 0;
}
