// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/run_length_decode.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<RunLengthDecode> {
  static constexpr const char* name = "RunLengthDecode";
  static RunLengthDecodeConfig config() { return {}; }
  // Runs long enough for tiles of the usual size, which have the most scratch.
  static RunLengthDecodeArgs args(const RunLengthDecode& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("symbols", 4 * n), r.read("lengths", 4 * n),     r.write("output", 32 * n), r.write("total", 8),
            r.write("status", 4),     r.scratch(p.scratch_size(n)), r.count("count", n),       8 * n};
  }
  static std::vector<RunLengthDecodeConfig> kernels(const AmongTypes&) {
    return {{1, Type::u32}, {4, Type::u32}, {16, Type::u32}};
  }
};

}  // namespace weft::test
