// SPDX-License-Identifier: MIT OR Apache-2.0
#include "selftest_load.hpp"

#include <utility>

#include <weft/gpu.hpp>

#include "support/kernel.hpp"

namespace weft::bench {

SelftestLoad::SelftestLoad(std::string device) : thread_([this, name = std::move(device)] { work(name); }) {}

SelftestLoad::~SelftestLoad() {
  stopped_ = true;
  set(true);
  thread_.join();
}

void SelftestLoad::set(bool on) {
  on_ = on;
  on_.notify_all();
}

void SelftestLoad::work(const std::string& device) {
  // Far below a millisecond on a GPU: the other queue must come to its turn.
  constexpr uint64_t kBytes = uint64_t{1} << 20;
  GpuConfig config;
  config.device = device;
  auto gpu = Gpu::open(config);
  if (!gpu) return;
  auto buffer = gpu->create_buffer(2 * kBytes);
  const auto copy = create_copy(*gpu);
  if (!buffer || !copy) return;
  while (!stopped_) {
    on_.wait(false);
    if (stopped_) return;
    const auto ran = gpu->run([&](VkCommandBuffer commands) {
      record_copy(*copy, commands, buffer->range(0, kBytes), buffer->range(kBytes, kBytes), kBytes);
      return Status{};
    });
    // A lost device is lost for the case, too, which reports it.
    if (!ran) return;
    ++dispatches_;
  }
}

}  // namespace weft::bench
