// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include <weft/gpu.hpp>

namespace weft::bench {

/// A second queue that copies memory beside the case that runs: one of the same VkDevice if it has another, else one of
/// a second VkDevice of the same device.
class SelftestLoad {
 public:
  /// `device`: as GpuConfig::device, for a second VkDevice.
  explicit SelftestLoad(std::string device);
  ~SelftestLoad();
  SelftestLoad(const SelftestLoad&) = delete;
  SelftestLoad& operator=(const SelftestLoad&) = delete;

  /// Beside what runs on that Gpu, which lasts as long as this object; null: none.
  void set(Gpu* gpu);
  uint64_t dispatches() const { return dispatches_; }

  /// Which queue there is beside those of the Gpu, for a report.
  static const char* queue_beside(const Gpu& gpu);

 private:
  struct Copier;

  void work();
  Copier* copier_beside(Gpu* gpu);

  std::string device_;
  std::atomic<uint32_t> changes_ = 0;  // of the two below
  std::atomic<Gpu*> gpu_ = nullptr;
  std::atomic<bool> stopped_ = false;
  std::atomic<uint64_t> dispatches_ = 0;
  // Of the thread.
  std::map<Gpu*, std::unique_ptr<Copier>> copiers_;
  std::unique_ptr<Gpu> own_;
  std::thread thread_;
};

}  // namespace weft::bench
