// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/top_k.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<TopK> {
  static constexpr const char* name = "TopK";
  static TopKConfig config() { return {.value_bytes = 8}; }
  static TopKArgs args(const TopK& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys", 4 * n),        r.read("values", 8 * n),      r.write("keys_out", 4 * n),
            r.write("values_out", 8 * n), r.scratch(p.scratch_size(n)), r.count("count", n),
            static_cast<uint32_t>(n)};
  }
  static std::vector<TopKConfig> kernels(const AmongTypes&) {
    return with_both_strategies<TopKConfig>({{.key = Type::u32},
                                             {.key = Type::u32, .value_bytes = 4},
                                             {.key = Type::u64},
                                             {.key = Type::u64, .value_bytes = 8}});
  }
};

}  // namespace weft::test
