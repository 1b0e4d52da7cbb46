// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/decompress.hpp>

#include "decode/gdeflate_decode_calls.hpp"

namespace weft::test {

/// By GdeflateDecode, whose kernels are tabulated as its own.
template <>
struct SoundCall<Decompress> {
  static constexpr const char* name = "GdeflateDecode";
  static DecompressConfig config() { return {.pages_in_flight = 1}; }
  static GdeflateDecodeArgs args(const Decompress& p, Ranges& r, uint64_t pages = 20) {
    return {r.read("pages", pages * sizeof(GdeflatePage), 8),
            r.count("page_count", pages),
            r.any_size("source", 8 * kCalled, 4, false, false),
            r.any_size("output", 8 * kCalled, 1, true, false),
            r.write("status", 4 * (1 + pages)),
            r.scratch(p.scratch_size(pages))};
  }
  static std::vector<DecompressConfig> kernels(const AmongTypes&) { return {}; }
};

}  // namespace weft::test
