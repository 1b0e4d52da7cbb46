// SPDX-License-Identifier: MIT OR Apache-2.0
#include "selftest_load.hpp"

#include <optional>
#include <utility>

#include "support/bench_case.hpp"
#include "support/kernel.hpp"

namespace weft::bench {

/// Copies on one queue, of which nobody else makes use.
struct SelftestLoad::Copier {
  // Far below a millisecond on a GPU: the other queue must come to its turn.
  static constexpr uint64_t kBytes = uint64_t{1} << 20;

  VkDevice device = VK_NULL_HANDLE;
  PFN_vkDestroyCommandPool destroy_pool = nullptr;
  PFN_vkDestroyFence destroy_fence = nullptr;
  PFN_vkQueueSubmit submit = nullptr;
  PFN_vkWaitForFences wait = nullptr;
  PFN_vkResetFences reset = nullptr;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  std::optional<Buffer> buffer;
  std::optional<Kernel> copy;

  Copier() = default;
  Copier(const Copier&) = delete;
  Copier& operator=(const Copier&) = delete;
  ~Copier() {
    if (fence) destroy_fence(device, fence, nullptr);
    if (pool) destroy_pool(device, pool, nullptr);
  }

  bool open(Gpu& gpu, const GpuQueue& chosen);
  /// One copy. False: the device is lost, which the case reports.
  bool run();
};

bool SelftestLoad::Copier::open(Gpu& gpu, const GpuQueue& chosen) {
  device = gpu.context().device();
  queue = chosen.handle;
  const auto get =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(gpu.get_instance_proc_addr()(gpu.instance(), "vkGetDeviceProcAddr"));
  const auto load = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(get(device, name));
    return function != nullptr;
  };
  PFN_vkCreateCommandPool create_pool = nullptr;
  PFN_vkAllocateCommandBuffers allocate = nullptr;
  PFN_vkBeginCommandBuffer begin = nullptr;
  PFN_vkEndCommandBuffer end = nullptr;
  PFN_vkCreateFence create_fence = nullptr;
  const bool loaded = load(create_pool, "vkCreateCommandPool") && load(destroy_pool, "vkDestroyCommandPool") &&
                      load(allocate, "vkAllocateCommandBuffers") && load(begin, "vkBeginCommandBuffer") &&
                      load(end, "vkEndCommandBuffer") && load(create_fence, "vkCreateFence") &&
                      load(destroy_fence, "vkDestroyFence") && load(submit, "vkQueueSubmit") &&
                      load(wait, "vkWaitForFences") && load(reset, "vkResetFences");
  const bool made = loaded && assign(buffer, gpu.create_buffer(2 * kBytes)) && assign(copy, create_copy(gpu));
  if (!made) return false;
  const VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, chosen.family};
  if (create_pool(device, &pool_info, nullptr, &pool) != VK_SUCCESS) return false;
  const VkCommandBufferAllocateInfo buffer_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                                VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  if (allocate(device, &buffer_info, &commands) != VK_SUCCESS) return false;
  const VkFenceCreateInfo fence_info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  if (create_fence(device, &fence_info, nullptr, &fence) != VK_SUCCESS) return false;
  const VkCommandBufferBeginInfo begin_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
  if (begin(commands, &begin_info) != VK_SUCCESS) return false;
  record_copy(*copy, commands, buffer->range(0, kBytes), buffer->range(kBytes, kBytes), kBytes);
  return end(commands) == VK_SUCCESS;
}

bool SelftestLoad::Copier::run() {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  if (submit(queue, 1, &info, fence) != VK_SUCCESS) return false;
  return wait(device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS && reset(device, 1, &fence) == VK_SUCCESS;
}

SelftestLoad::SelftestLoad(std::string device) : device_(std::move(device)), thread_([this] { work(); }) {}

SelftestLoad::~SelftestLoad() {
  stopped_ = true;
  set(nullptr);
  thread_.join();
}

void SelftestLoad::set(Gpu* gpu) {
  gpu_ = gpu;
  ++changes_;
  changes_.notify_all();
}

const char* SelftestLoad::queue_beside(const Gpu& gpu) {
  const auto second = gpu.second_queue();
  if (!second) return "of a second VkDevice";
  return second->family == gpu.queue_family() ? "of the same family" : "of another family";
}

// Null: there is none, or it is lost.
SelftestLoad::Copier* SelftestLoad::copier_beside(Gpu* gpu) {
  std::optional<GpuQueue> queue = gpu->second_queue();
  if (!queue) {
    if (!own_) {
      GpuConfig config;
      config.device = device_;
      auto opened = Gpu::open(config);
      if (!opened) return nullptr;
      own_ = std::make_unique<Gpu>(*std::move(opened));
    }
    gpu = own_.get();
    queue = GpuQueue{gpu->queue(), gpu->queue_family()};
  }
  const auto [found, is_new] = copiers_.try_emplace(gpu);
  if (is_new) {
    found->second = std::make_unique<Copier>();
    if (!found->second->open(*gpu, *queue)) found->second.reset();
  }
  return found->second.get();
}

void SelftestLoad::work() {
  while (!stopped_) {
    const uint32_t seen = changes_;
    Gpu* const gpu = gpu_;
    Copier* const copier = gpu != nullptr ? copier_beside(gpu) : nullptr;
    if (copier == nullptr) {
      if (!stopped_) changes_.wait(seen);
      continue;
    }
    if (copier->run()) {
      ++dispatches_;
      continue;
    }
    for (auto& [of, one] : copiers_)
      if (one.get() == copier) {
        one.reset();
        break;
      }
  }
  copiers_.clear();
  own_.reset();
}

}  // namespace weft::bench
