// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/zstd_decode.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<ZstdDecode> {
  static constexpr const char* name = "ZstdDecode";
  static ZstdDecodeConfig config() { return {.dictionary = true}; }
  static ZstdDecodeArgs args(const ZstdDecode& p, Ranges& r, uint64_t frames = 20) {
    const ZstdBounds bounds{10, 1000, 1000};
    return {r.read("frames", frames * sizeof(ZstdFrame), 8),
            r.count("frame_count", frames),
            r.any_size("source", 8 * kCalled, 4, false, false),
            r.any_size("output", 8 * kCalled, 1, true, false),
            r.write("status", 4 * (1 + frames)),
            r.write_optional("sizes", 4 * frames),
            r.scratch(p.scratch_size(frames, bounds)),
            bounds,
            r.any_size("dictionary", 1001, 4, false, false)};
  }
  static std::vector<ZstdDecodeConfig> kernels(const AmongTypes&) { return {{}, {.dictionary = true}}; }
};

}  // namespace weft::test
