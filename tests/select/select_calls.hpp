// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/select.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<Select> {
  static constexpr const char* name = "Select";
  static SelectConfig config() {
    SelectConfig config = SelectConfig::unique_by_key(Type::u32, 2);
    config.indices = true;
    return config;
  }
  static SelectArgs args(const Select& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n),
            r.read("moved", 2 * n, 2),
            r.write("output", 4 * n),
            r.write("moved_output", 2 * n, 2),
            r.write("indices", 4 * n),
            r.write_counts("kept"),
            r.scratch(p.scratch_size(n)),
            r.count("count", n),
            Value{},
            Value{},
            r.write_optional("dispatch", sizeof(VkDispatchIndirectCommand))};
  }
  /// Comparisons and run heads of every size of item, moved as they are; flags that move 16 bytes; structs.
  static std::vector<SelectConfig> kernels(const AmongTypes& among) {
    std::vector<SelectConfig> configs{SelectConfig::select_flagged(16),
                                      SelectConfig::select_if(Type::f32, Criterion::less)};
    configs.back().member = {48, 12, 0};
    for (const Type item : among({Type::u8, Type::u16, Type::u32, Type::u64})) {
      configs.push_back(SelectConfig::select_if(item, Criterion::less));
      configs.push_back(SelectConfig::unique(item));
    }
    return with_both_strategies(std::move(configs));
  }
};

}  // namespace weft::test
