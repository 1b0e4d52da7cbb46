// SPDX-License-Identifier: MIT OR Apache-2.0
// Any bytes as content: what is compressed comes back, and is no larger than was promised.
#include <algorithm>
#include <iterator>
#include <span>

#include <weft/gstd.hpp>

#include "fuzz_target.hpp"

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The first bytes choose the configuration.
  if (size < 4) return 0;
  using Filter = gstd::TileFilter;
  constexpr Filter kFilters[] = {Filter::automatic,
                                 Filter::none,
                                 Filter::delta,
                                 Filter::planes,
                                 Filter::delta_planes,
                                 Filter::zigzag_planes,
                                 Filter::zigzag2_planes,
                                 Filter::zigzag3_planes,
                                 Filter::colour_planes,
                                 Filter::bc1,
                                 Filter::bc2,
                                 Filter::bc3,
                                 Filter::bc4,
                                 Filter::bc5,
                                 Filter::bc7};
  gstd::CompressConfig config;
  config.level = 1 + data[0] % 22;
  config.tile_bytes = gstd::kMinTileBytes << data[1] % 7;
  config.filter = kFilters[data[2] % std::size(kFilters)];
  if (config.filter == Filter::delta) config.stride = 1 + data[3] % 128;
  if (config.filter == Filter::planes || config.filter == Filter::delta_planes) config.stride = 2 + data[3] % 127;
  if (config.filter == Filter::zigzag_planes) config.stride = 2 + data[3] % 64 * 2;
  config.contexts = data[1] >= 128;
  config.decode_weight = data[0] / 22;
  const auto content = std::as_bytes(std::span(data + 4, size - 4));

  const auto stream = gstd::compress(content, config);
  fuzz::require(stream.ok(), "anything is compressed");
  const auto bound = gstd::compress_bound(content.size(), config);
  fuzz::require(bound.ok() && stream->size() <= *bound, "no more than was promised");
  for (const bool reference : {false, true}) {
    gstd::DecompressConfig decompress;
    decompress.reference = reference;
    const auto back = gstd::decompress(*stream, decompress);
    fuzz::require(back.ok() && std::equal(back->begin(), back->end(), content.begin(), content.end()),
                  "what was compressed comes back");
  }
  return 0;
}
