// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gdeflate_decode.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

/// Arguments of GdeflateDecode, which Decompress has too.
template <class Decoder>
GdeflateDecodeArgs page_args(const Decoder& p, Ranges& r, uint64_t pages) {
  return {r.read("pages", pages * sizeof(GdeflatePage), 8),
          r.count("page_count", pages),
          r.any_size("source", 8 * kCalled, 4, false, false),
          r.any_size("output", 8 * kCalled, 1, true, false),
          r.write("status", 4 * (1 + pages)),
          r.scratch(p.scratch_size(pages))};
}

template <>
struct SoundCall<GdeflateDecode> {
  static constexpr const char* name = "GdeflateDecode";
  static GdeflateDecodeConfig config() { return {.pages_in_flight = 1}; }
  static GdeflateDecodeArgs args(const GdeflateDecode& p, Ranges& r, uint64_t pages = 20) {
    return page_args(p, r, pages);
  }
  static std::vector<GdeflateDecodeConfig> kernels(const AmongTypes&) { return {{}}; }
};

}  // namespace weft::test
