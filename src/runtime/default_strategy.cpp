// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/default_strategy.hpp"

#include <string>

namespace weft::runtime {
namespace {

// look_back is right on every device with 64-bit atomics in buffers: what a tile waits for in vain a second dispatch
// computes. It is fast only where workgroups that have started go on running, which Vulkan neither promises nor lets
// one ask; so the default goes by what weft was measured on. Elsewhere a user who has seen the self-test of weft-bench
// pass asks for it (WEFT_STRATEGY, ContextConfig).
struct Rule {
  uint32_t vendor_id;
  VkDriverId driver_id;
  Strategy strategy;
  const char* reason;
};

constexpr Rule kRules[] = {
    {kVendorNvidia, VK_DRIVER_ID_NVIDIA_PROPRIETARY, Strategy::look_back,
     "measured on an H200; resident workgroups progress fairly since Volta, and in practice before"},
    // AMD's and Intel's desktop devices are said to; weft has not run on them. Apple's and Arm's failed plain look-back
    // in published litmus tests.
};

}  // namespace

Strategy default_strategy(const DeviceFacts& facts, const FeatureSet& enabled) noexcept {
  if (!enabled.buffer_int64_atomics) return Strategy::reduce_then_scan;
  // A software device runs workgroups one after the other on each thread: there is nothing to gain from waiting.
  if (facts.type == VK_PHYSICAL_DEVICE_TYPE_CPU) return Strategy::reduce_then_scan;
  for (const Rule& rule : kRules) {
    if (rule.vendor_id == facts.vendor_id && rule.driver_id == facts.driver_id) return rule.strategy;
  }
  return Strategy::reduce_then_scan;
}

Result<Strategy> parse_strategy(std::string_view text) {
  for (const Strategy strategy : {Strategy::reduce_then_scan, Strategy::look_back}) {
    if (text == name_of(strategy)) return strategy;
  }
  return Error{ErrorCode::invalid_argument, "'" + std::string(text) + "' is none of reduce_then_scan, look_back"};
}

}  // namespace weft::runtime
