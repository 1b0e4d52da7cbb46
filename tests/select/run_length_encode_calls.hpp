// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/run_length_encode.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<RunLengthEncode> {
  static constexpr const char* name = "RunLengthEncode";
  static RunLengthEncodeConfig config() { return {.offsets = true}; }
  static RunLengthEncodeArgs args(const RunLengthEncode& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n),
            r.write("symbols", 4 * n),
            r.write("lengths", 4 * n),
            r.write("offsets", 4 * n),
            r.write_counts("run_count"),
            r.scratch(p.scratch_size(n)),
            r.count("count", n),
            Value{},
            Value{},
            r.write_optional("dispatch", sizeof(VkDispatchIndirectCommand))};
  }
  static std::vector<RunLengthEncodeConfig> kernels(const AmongTypes& among) {
    std::vector<RunLengthEncodeConfig> configs;
    for (const Type item : among({Type::u8, Type::u16, Type::u32, Type::u64})) configs.push_back({.symbol = item});
    return with_both_strategies(std::move(configs));
  }
};

}  // namespace weft::test
