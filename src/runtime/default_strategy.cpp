// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/default_strategy.hpp"

#include <string>

namespace weft::runtime {
namespace {

// look_back is right on every device with 64-bit atomics in buffers: what a tile waits for in vain a second dispatch
// computes. It is fast only where workgroups that have started go on running, which Vulkan neither promises nor lets
// one ask; so the default goes by device. The first row that fits decides; where none does, reduce_then_scan.
struct Rule {
  uint32_t vendor_id;    // 0: any
  VkDriverId driver_id;  // 0: any
  Strategy strategy;
  const char* reason;
};

constexpr Rule kRules[] = {
    {0, VK_DRIVER_ID_MOLTENVK, Strategy::reduce_then_scan, "Metal promises no order of atomics across workgroups"},
    {kVendorNvidia, VkDriverId{}, Strategy::look_back,
     "resident workgroups progress fairly since Volta, and in practice before"},
    {kVendorAmd, VkDriverId{}, Strategy::look_back,
     "resident workgroups progress, observed on desktop devices since GCN"},
    {kVendorIntel, VkDriverId{}, Strategy::look_back, "resident workgroups progress, observed since Gen9"},
    // Apple's and Arm's devices failed plain look-back in published litmus tests; Qualcomm's and others are unknown.
};

}  // namespace

Strategy default_strategy(const DeviceFacts& facts, const FeatureSet& enabled) noexcept {
  if (!enabled.buffer_int64_atomics) return Strategy::reduce_then_scan;
  // A software device runs workgroups one after the other on each thread: there is nothing to gain from waiting.
  if (facts.type == VK_PHYSICAL_DEVICE_TYPE_CPU) return Strategy::reduce_then_scan;
  for (const Rule& rule : kRules) {
    const bool fits = (rule.vendor_id == 0 || rule.vendor_id == facts.vendor_id) &&
                      (rule.driver_id == VkDriverId{} || rule.driver_id == facts.driver_id);
    if (fits) return rule.strategy;
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
