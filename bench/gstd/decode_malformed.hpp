// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <weft/gpu.hpp>

#include "decode_input.hpp"

namespace weft::bench {

/// What became of tiles that were mutated.
struct MalformedReport {
  uint64_t tiles = 0;
  uint64_t refused = 0;  ///< by the reference decoder
  uint64_t mismatches = 0;
  std::string first_mismatch;
};

/// Mutates compressed tiles of `input` `count` times (bits turned over, words exchanged, tiles cut, joined or left as
/// they are), decodes them on the device, and compares each status, the bytes of what is not refused and the bytes
/// between the outputs with what the scalar reference decoder says. The same for equal arguments. Errors: the device's;
/// invalid_argument (no tile is compressed).
Result<MalformedReport> run_malformed(Gpu& gpu, const DecodeInput& input, uint64_t count, uint64_t seed,
                                      uint32_t in_flight);

}  // namespace weft::bench
