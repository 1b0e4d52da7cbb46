// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vk/device_table.hpp"

namespace weft::vk {
namespace {

// Every device function weft calls: what is not in this list is null in the table.
#define WEFT_DEVICE_FUNCTIONS(X)   \
  X(vkAllocateCommandBuffers)      \
  X(vkAllocateMemory)              \
  X(vkBeginCommandBuffer)          \
  X(vkBindBufferMemory)            \
  X(vkCmdBindPipeline)             \
  X(vkCmdCopyBuffer)               \
  X(vkCmdDispatch)                 \
  X(vkCmdDispatchIndirect)         \
  X(vkCmdFillBuffer)               \
  X(vkCmdPipelineBarrier)          \
  X(vkCmdPushConstants)            \
  X(vkCmdResetQueryPool)           \
  X(vkCmdUpdateBuffer)             \
  X(vkCmdWriteTimestamp)           \
  X(vkCreateBuffer)                \
  X(vkCreateCommandPool)           \
  X(vkCreateComputePipelines)      \
  X(vkCreateFence)                 \
  X(vkCreatePipelineCache)         \
  X(vkCreatePipelineLayout)        \
  X(vkCreateQueryPool)             \
  X(vkCreateShaderModule)          \
  X(vkDestroyBuffer)               \
  X(vkDestroyCommandPool)          \
  X(vkDestroyDevice)               \
  X(vkDestroyFence)                \
  X(vkDestroyPipeline)             \
  X(vkDestroyPipelineCache)        \
  X(vkDestroyPipelineLayout)       \
  X(vkDestroyQueryPool)            \
  X(vkDestroyShaderModule)         \
  X(vkDeviceWaitIdle)              \
  X(vkEndCommandBuffer)            \
  X(vkFreeMemory)                  \
  X(vkGetBufferDeviceAddress)      \
  X(vkGetBufferMemoryRequirements) \
  X(vkGetDeviceQueue)              \
  X(vkGetPipelineCacheData)        \
  X(vkGetQueryPoolResults)         \
  X(vkMapMemory)                   \
  X(vkQueueSubmit)                 \
  X(vkResetFences)                 \
  X(vkWaitForFences)

}  // namespace

bool load_device_table(DeviceTable& table, VkDevice device, PFN_vkGetDeviceProcAddr get_device_proc_addr) noexcept {
  table = {};
  bool complete = true;
#define WEFT_LOAD(name)                                                           \
  table.name = reinterpret_cast<PFN_##name>(get_device_proc_addr(device, #name)); \
  complete = complete && table.name != nullptr;
  WEFT_DEVICE_FUNCTIONS(WEFT_LOAD)
#undef WEFT_LOAD
  return complete;
}

}  // namespace weft::vk
