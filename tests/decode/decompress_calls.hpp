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
  static GdeflateDecodeArgs args(const Decompress& p, Ranges& r, uint64_t pages = 20) { return page_args(p, r, pages); }
  static std::vector<DecompressConfig> kernels(const AmongTypes&) { return {}; }
};

}  // namespace weft::test
