// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/select.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<Partition> {
  static constexpr const char* name = "Partition";
  static PartitionConfig config() {
    return {.partitions = 3, .criterion = Criterion::inside, .moved_bytes = 4, .indices = true};
  }
  static PartitionArgs args(const Partition& p, Ranges& r, uint64_t n = kCalled) {
    return {r.read("input", 4 * n),
            r.read("moved", 4 * n),
            {r.write("outputs[0]", 4 * n), r.write("outputs[1]", 4 * n), r.write("outputs[2]", 4 * n)},
            {r.write("indices[0]", 4 * n), r.write("indices[1]", 4 * n), r.write("indices[2]", 4 * n)},
            r.write_counts("counts", 3),
            r.scratch(p.scratch_size(n)),
            r.count("count", n)};
  }
  static std::vector<PartitionConfig> kernels(const AmongTypes& among) {
    std::vector<PartitionConfig> configs{
        {.partitions = 3, .criterion = Criterion::inside, .item = Type::f32, .member = {48, 12, 0}}};
    for (const Type item : among({Type::u8, Type::u16, Type::u32, Type::u64}))
      for (const uint32_t partitions : {2u, 3u})
        configs.push_back({.partitions = partitions, .criterion = Criterion::inside, .item = item});
    return with_both_strategies(std::move(configs));
  }
};

}  // namespace weft::test
