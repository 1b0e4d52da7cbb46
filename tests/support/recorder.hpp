// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/device.hpp"

namespace weft::test {

/// A pool with one primary command buffer, for one thread.
class Recorder {
 public:
  explicit Recorder(const Gpu& gpu) : gpu_(gpu) {
    VkCommandPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool_info.queueFamilyIndex = gpu.queue_family();
    ok_ = function<PFN_vkCreateCommandPool>("vkCreateCommandPool")(device(), &pool_info, nullptr, &pool_) == VK_SUCCESS;
    VkCommandBufferAllocateInfo buffer_info{};
    buffer_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    buffer_info.commandPool = pool_;
    buffer_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    buffer_info.commandBufferCount = 1;
    ok_ = ok_ && function<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(device(), &buffer_info,
                                                                                    &commands_) == VK_SUCCESS;
  }
  ~Recorder() { function<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(device(), pool_, nullptr); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  bool ok() const { return ok_; }
  VkCommandBuffer commands() const { return commands_; }

  /// Records anew; the error in words, empty where all went well.
  template <class Record>
  std::string record(const Record& record) {
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    if (function<PFN_vkResetCommandPool>("vkResetCommandPool")(device(), pool_, 0) != VK_SUCCESS)
      return "vkResetCommandPool";
    if (function<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(commands_, &begin) != VK_SUCCESS)
      return "vkBeginCommandBuffer";
    if (const Status status = record(commands_); !status) return status.error().message;
    if (function<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(commands_) != VK_SUCCESS) return "vkEndCommandBuffer";
    return {};
  }

  /// Runs what was recorded last and waits.
  VkResult submit() {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands_;
    const VkResult submitted = function<PFN_vkQueueSubmit>("vkQueueSubmit")(gpu_.queue(), 1, &info, VK_NULL_HANDLE);
    return submitted == VK_SUCCESS ? function<PFN_vkQueueWaitIdle>("vkQueueWaitIdle")(gpu_.queue()) : submitted;
  }

 private:
  VkDevice device() const { return gpu_.context().device(); }
  template <class Function>
  Function function(const char* name) const {
    return device_function<Function>(gpu_, name);
  }

  const Gpu& gpu_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  bool ok_ = false;
};

/// Records each call by a thread of its own, and runs the command buffers in one submission, without barriers between
/// them; the error in words, empty where all went well.
inline std::string run_at_once(const Gpu& gpu, const std::vector<std::function<Status(VkCommandBuffer)>>& calls) {
  std::vector<std::unique_ptr<Recorder>> recorders;
  std::vector<VkCommandBuffer> commands;
  for (size_t i = 0; i < calls.size(); ++i) {
    recorders.push_back(std::make_unique<Recorder>(gpu));
    if (!recorders.back()->ok()) return "no command buffer";
    commands.push_back(recorders.back()->commands());
  }
  std::vector<std::string> errors(calls.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < calls.size(); ++i)
      threads.emplace_back([&, i] { errors[i] = recorders[i]->record(calls[i]); });
  }
  for (const std::string& error : errors)
    if (!error.empty()) return error;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = static_cast<uint32_t>(commands.size());
  info.pCommandBuffers = commands.data();
  const auto submit = device_function<PFN_vkQueueSubmit>(gpu, "vkQueueSubmit");
  if (submit(gpu.queue(), 1, &info, VK_NULL_HANDLE) != VK_SUCCESS) return "vkQueueSubmit";
  const auto wait = device_function<PFN_vkQueueWaitIdle>(gpu, "vkQueueWaitIdle");
  return wait(gpu.queue()) == VK_SUCCESS ? "" : "vkQueueWaitIdle";
}

}  // namespace weft::test
