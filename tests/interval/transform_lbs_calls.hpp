// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/transform_lbs.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

/// A set for TransformLbs, which has no kernel of its own. The null driver runs none.
inline KernelSet nothing() {
  static constexpr uint32_t kCode[] = {0x07230203, 0, 0, 0, 0};
  const KernelCode kernels[] = {{"transform_lbs.native", kCode}, {"transform_lbs.emulated", kCode}};
  return KernelSet("nothing", "transform_lbs", kernels);
}

template <>
struct SoundCall<TransformLbs> {
  static constexpr const char* name = "TransformLbs";
  static TransformLbsConfig config() { return {.own_kernels = nothing()}; }
  static TransformLbsArgs args(const TransformLbs& p, Ranges& r, uint64_t n = kCalled) {
    const auto own = [&] { return r.any_size("buffers", 8 * n, 4, false, true); };
    return {r.read("counts", 4 * n),       r.write("total", 8), r.write("status", 4),
            r.scratch(p.scratch_size(n)),  r.count("count", n), n,
            {{own(), own(), own(), own()}}};
  }
};

}  // namespace weft::test
