// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include <weft/status.hpp>

namespace weft::bench {

/// A second queue of the same device that copies memory while it is on: of a VkDevice of its own, as every device has
/// one, also those whose families have a single queue.
class SelftestLoad {
 public:
  /// Opens the device again, on a thread of its own. `device`: as GpuConfig::device.
  explicit SelftestLoad(std::string device);
  ~SelftestLoad();
  SelftestLoad(const SelftestLoad&) = delete;
  SelftestLoad& operator=(const SelftestLoad&) = delete;

  void set(bool on);
  uint64_t dispatches() const { return dispatches_; }

 private:
  void work(const std::string& device);

  std::atomic<bool> on_ = false, stopped_ = false;
  std::atomic<uint64_t> dispatches_ = 0;
  std::thread thread_;
};

}  // namespace weft::bench
