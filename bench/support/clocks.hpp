// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <weft/gpu.hpp>

namespace weft::bench {

/// MHz now, where the system says them.
struct Clocks {
  std::optional<uint32_t> graphics, memory;
};

/// The lowest and the highest clocks while rows are measured.
class ClockRange {
 public:
  void add(const Clocks& clocks) {
    graphics_.add(clocks.graphics);
    memory_.add(clocks.memory);
  }
  /// {"graphics_mhz": {"min": 1200, "max": 1980}, "memory_mhz": ...}, of those that are known.
  void write(nlohmann::ordered_json& to) const;

 private:
  struct Range {
    std::optional<uint32_t> min, max;
    void add(const std::optional<uint32_t>& mhz) {
      if (!mhz) return;
      min = std::min(min.value_or(*mhz), *mhz);
      max = std::max(max.value_or(*mhz), *mhz);
    }
  };
  Range graphics_, memory_;
};

/// Asks NVIDIA's management library, or what amdgpu, i915 and xe show in Linux' sysfs, for the clocks of one device,
/// which it finds by its PCI address.
class ClockReader {
 public:
  explicit ClockReader(const Gpu& gpu);
  ~ClockReader();
  ClockReader(const ClockReader&) = delete;
  ClockReader& operator=(const ClockReader&) = delete;

  Clocks read() const;

 private:
  struct Nvml;
  std::string folder_;  // of the device in sysfs; empty: unknown
  std::unique_ptr<Nvml> nvml_;
};

}  // namespace weft::bench
