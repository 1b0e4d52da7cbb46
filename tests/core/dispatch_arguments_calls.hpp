// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/dispatch_arguments.hpp>

#include "support/sound_calls.hpp"

namespace weft::test {

template <>
struct SoundCall<DispatchArguments> {
  static constexpr const char* name = "DispatchArguments";
  static DispatchArgumentsConfig config() { return {}; }
  static DispatchArgumentsArgs args(const DispatchArguments&, Ranges& r, uint64_t n = kCalled) {
    return {r.count("count", n), 64, r.write("output", sizeof(VkDispatchIndirectCommand))};
  }
  static std::vector<DispatchArgumentsConfig> kernels(const AmongTypes&) { return {{}}; }
};

}  // namespace weft::test
