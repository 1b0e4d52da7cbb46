// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd_decode.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<GstdDecode> {
  static constexpr const char* name = "GstdDecode";
  static GstdDecodeConfig config() { return {.tile_bytes = gstd::kMinTileBytes, .tiles_in_flight = 1}; }
  static GstdDecodeArgs args(const GstdDecode& p, Ranges& r, uint64_t tiles = 20) {
    return {r.read("tiles", tiles * sizeof(GstdTile), 8),
            r.count("tile_count", tiles),
            r.any_size("source", 8 * kCalled, 4, false, false),
            r.any_size("output", 8 * kCalled, 1, true, false),
            r.write("status", 4 * (1 + tiles)),
            r.scratch(p.scratch_size(tiles))};
  }
  static std::vector<GstdDecodeConfig> kernels(const AmongTypes&) { return {{}}; }
};

}  // namespace weft::test
