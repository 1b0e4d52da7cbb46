// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/set_operation.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<SetOperation> {
  static constexpr const char* name = "SetOperation";
  static SetOperationConfig config() { return {.value_bytes = 2, .indices = true}; }
  static SetOperationArgs args(const SetOperation& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("keys_a", 4 * n),         r.read("keys_b", 4 * n),      r.write("keys_out", 8 * n),
            r.read("values_a", 2 * n, 2),    r.read("values_b", 2 * n, 2), r.write("values_out", 4 * n, 2),
            r.write("indices_out", 8 * n),   r.write_counts("total"),      r.write("status", 4),
            r.scratch(p.scratch_size(n, n)), r.count("count_a", n),        r.count("count_b", n)};
  }
  static std::vector<SetOperationConfig> kernels(const AmongTypes&) {
    return {{.key = Type::u32},
            {.key = Type::u32, .value_bytes = 4},
            {.key = Type::u64},
            {.key = Type::u8, .value_bytes = 2}};
  }
};

}  // namespace weft::test
