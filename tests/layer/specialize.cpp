// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A Vulkan layer for tests on software devices: it applies a pipeline's specialization constants and removes the
// branches and functions that are dead then, before the driver sees the module. weft's kernels choose by constants, and
// drivers that look at all branches of a module first spend most of their time on code that cannot run: SwiftShader
// builds pipelines three times as fast so. What is left is as the compiler wrote it.
//
// WEFT_SHARE_PIPELINES=1 instead: modules stay as they are, and of equal pipelines the driver builds one. Contexts with
// other tuning have most of theirs in common.
// WEFT_KEEP_LOOPS=1: loops stay loops. At 4 lanes lavapipe builds pipelines of intervals in half of the time so, and of
// segments in four fifths; of scans and what is by key it takes up to two thirds longer.
// WEFT_LOSE_AT=N: the N-th submission of the process, and all after it, come back with a lost device.
// WEFT_SECOND_QUEUE=1: each queue family claims a second queue, which is the first; submissions take turns.
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>
#include <spirv-tools/optimizer.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

struct Instance {
  PFN_vkGetInstanceProcAddr next;
  PFN_vkCreateDevice create_device;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties get_families;
};

struct Device {
  PFN_vkGetDeviceProcAddr next;
  PFN_vkCreateShaderModule create_module;
  PFN_vkDestroyShaderModule destroy_module;
  PFN_vkCreateComputePipelines create_pipelines;
  PFN_vkDestroyPipeline destroy_pipeline;
  PFN_vkQueueSubmit submit;
  PFN_vkGetDeviceQueue get_queue;
};

std::mutex mutex;
std::map<void*, Instance> instances;
std::map<void*, Device> devices;
std::map<std::pair<VkDevice, VkShaderModule>, std::vector<uint32_t>> modules;

struct SharedPipeline {
  VkPipeline pipeline;
  uint32_t users;
};
std::map<std::pair<VkDevice, std::string>, SharedPipeline> shared;

// The loader's dispatch table, which an instance shares with its physical devices.
void* key_of(const void* handle) { return *static_cast<void* const*>(handle); }

// Of a device, or of one of its queues.
Device device_of(const void* handle) {
  const std::scoped_lock lock(mutex);
  return devices.at(key_of(handle));
}

template <class Info>
Info* link_of(const void* next, VkStructureType type) {
  auto* info = static_cast<Info*>(const_cast<void*>(next));
  while (info != nullptr && !(info->sType == type && info->function == VK_LAYER_LINK_INFO))
    info = static_cast<Info*>(const_cast<void*>(info->pNext));
  return info;
}

void keep_loops(std::vector<uint32_t>& code) {
  constexpr size_t kHeaderWords = 5;
  constexpr uint32_t kLoopMerge = 246;
  constexpr uint32_t kUnroll = 1;
  constexpr uint32_t kDontUnroll = 2;
  for (size_t i = kHeaderWords; i < code.size(); i += code[i] >> 16) {
    if ((code[i] & 0xffff) == kLoopMerge) code[i + 3] = (code[i + 3] & ~kUnroll) | kDontUnroll;
  }
}

std::vector<uint32_t> specialized(const std::vector<uint32_t>& code, const VkSpecializationInfo* info) {
  std::unordered_map<uint32_t, std::vector<uint32_t>> values;
  for (uint32_t i = 0; info != nullptr && i < info->mapEntryCount; ++i) {
    const VkSpecializationMapEntry& entry = info->pMapEntries[i];
    if (entry.size != 4) return {};
    uint32_t value;
    std::memcpy(&value, static_cast<const char*>(info->pData) + entry.offset, 4);
    values[entry.constantID] = {value};
  }
  spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_2);
  optimizer.RegisterPass(spvtools::CreateSetSpecConstantDefaultValuePass(values))
      .RegisterPass(spvtools::CreateFreezeSpecConstantValuePass())
      .RegisterPass(spvtools::CreateFoldSpecConstantOpAndCompositePass())
      .RegisterPass(spvtools::CreateDeadBranchElimPass())
      .RegisterPass(spvtools::CreateEliminateDeadFunctionsPass());
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  std::vector<uint32_t> result;
  if (!optimizer.Run(code.data(), code.size(), &result, options)) return {};
  if (std::getenv("WEFT_KEEP_LOOPS") != nullptr) keep_loops(result);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device, const VkShaderModuleCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkShaderModule* module) {
  const VkResult result = device_of(device).create_module(device, info, allocator, module);
  if (result == VK_SUCCESS) {
    const std::scoped_lock lock(mutex);
    modules[{device, *module}].assign(info->pCode, info->pCode + info->codeSize / 4);
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL destroy_module(VkDevice device, VkShaderModule module,
                                          const VkAllocationCallbacks* allocator) {
  {
    const std::scoped_lock lock(mutex);
    modules.erase({device, module});
  }
  device_of(device).destroy_module(device, module, allocator);
}

// What pipelines that are equal have in common. Layouts go with the module.
std::string kind_of(VkDevice device, const VkPipelineShaderStageCreateInfo& stage) {
  const std::vector<uint32_t>& code = modules.at({device, stage.module});
  std::string kind(reinterpret_cast<const char*>(code.data()), 4 * code.size());
  // weft's data has the ids beside the values.
  if (const VkSpecializationInfo* const info = stage.pSpecializationInfo)
    kind.append(static_cast<const char*>(info->pData), info->dataSize);
  kind += std::to_string(stage.flags);
  if (const auto* const size = static_cast<const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo*>(stage.pNext))
    kind += ' ' + std::to_string(size->requiredSubgroupSize);
  return kind;
}

VkResult share_pipeline(VkDevice device, const Device& next, VkPipelineCache cache,
                        const VkComputePipelineCreateInfo& info, const VkAllocationCallbacks* allocator,
                        VkPipeline& pipeline) {
  const std::scoped_lock lock(mutex);
  const auto [at, is_new] = shared.try_emplace({device, kind_of(device, info.stage)});
  if (is_new) {
    const VkResult result = next.create_pipelines(device, cache, 1, &info, allocator, &at->second.pipeline);
    if (result != VK_SUCCESS) {
      shared.erase(at);
      return result;
    }
  }
  ++at->second.users;
  pipeline = at->second.pipeline;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                            const VkAllocationCallbacks* allocator) {
  const Device next = device_of(device);
  const std::scoped_lock lock(mutex);
  const auto at = std::ranges::find_if(
      shared, [&](const auto& kept) { return kept.first.first == device && kept.second.pipeline == pipeline; });
  if (at != shared.end()) {
    if (--at->second.users != 0) return;
    shared.erase(at);
  }
  next.destroy_pipeline(device, pipeline, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                const VkComputePipelineCreateInfo* given,
                                                const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const Device next = device_of(device);
  // weft's are created one by one.
  if (std::getenv("WEFT_SHARE_PIPELINES") != nullptr && count == 1)
    return share_pipeline(device, next, cache, *given, allocator, *pipelines);
  std::vector<VkComputePipelineCreateInfo> infos(given, given + count);
  std::vector<VkShaderModule> replaced;
  for (VkComputePipelineCreateInfo& info : infos) {
    std::vector<uint32_t> code;
    {
      const std::scoped_lock lock(mutex);
      code = modules.at({device, info.stage.module});
    }
    code = specialized(code, info.stage.pSpecializationInfo);
    VkShaderModuleCreateInfo module_info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, 4 * code.size(),
                                         code.data()};
    VkShaderModule module = VK_NULL_HANDLE;
    if (code.empty() || next.create_module(device, &module_info, nullptr, &module) != VK_SUCCESS) {
      std::fputs("VK_LAYER_WEFT_specialize: a module cannot be specialized\n", stderr);
      continue;
    }
    replaced.push_back(module);
    info.stage.module = module;
    info.stage.pSpecializationInfo = nullptr;
  }
  const VkResult result = next.create_pipelines(device, cache, count, infos.data(), allocator, pipelines);
  for (const VkShaderModule module : replaced) next.destroy_module(device, module, nullptr);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  static std::atomic<unsigned long> submissions = 0;
  const char* const lose_at = std::getenv("WEFT_LOSE_AT");
  if (lose_at != nullptr && ++submissions >= std::strtoul(lose_at, nullptr, 10)) return VK_ERROR_DEVICE_LOST;
  const Device device = device_of(queue);
  static std::mutex turn;
  const std::scoped_lock lock(turn);
  return device.submit(queue, count, infos, fence);
}

bool has_second_queue() { return std::getenv("WEFT_SECOND_QUEUE") != nullptr; }

VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue* queue) {
  device_of(device).get_queue(device, family, has_second_queue() ? 0 : index, queue);
}

PFN_vkVoidFunction device_function(std::string_view name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char* name) {
  if (const PFN_vkVoidFunction own = device_function(name)) return own;
  return device_of(device).next(device, name);
}

PFN_vkVoidFunction device_function(std::string_view name) {
  if (name == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(get_device_proc_addr);
  if (name == "vkCreateShaderModule") return reinterpret_cast<PFN_vkVoidFunction>(create_module);
  if (name == "vkDestroyShaderModule") return reinterpret_cast<PFN_vkVoidFunction>(destroy_module);
  if (name == "vkCreateComputePipelines") return reinterpret_cast<PFN_vkVoidFunction>(create_pipelines);
  if (name == "vkDestroyPipeline") return reinterpret_cast<PFN_vkVoidFunction>(destroy_pipeline);
  if (name == "vkQueueSubmit") return reinterpret_cast<PFN_vkVoidFunction>(submit);
  if (name == "vkGetDeviceQueue") return reinterpret_cast<PFN_vkVoidFunction>(get_queue);
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                               VkInstance* instance) {
  auto* link = link_of<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const VkResult result =
      reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"))(info, allocator, instance);
  if (result != VK_SUCCESS) return result;
  const std::scoped_lock lock(mutex);
  instances[key_of(*instance)] = {next, reinterpret_cast<PFN_vkCreateDevice>(next(*instance, "vkCreateDevice")),
                                  reinterpret_cast<PFN_vkGetPhysicalDeviceQueueFamilyProperties>(
                                      next(*instance, "vkGetPhysicalDeviceQueueFamilyProperties"))};
  return result;
}

VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice physical_device, uint32_t* count,
                                        VkQueueFamilyProperties* families) {
  PFN_vkGetPhysicalDeviceQueueFamilyProperties next = nullptr;
  {
    const std::scoped_lock lock(mutex);
    next = instances.at(key_of(physical_device)).get_families;
  }
  next(physical_device, count, families);
  for (uint32_t i = 0; families != nullptr && has_second_queue() && i < *count; ++i) families[i].queueCount = 2;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  Instance instance{};
  {
    const std::scoped_lock lock(mutex);
    instance = instances.at(key_of(physical_device));
  }
  auto* link = link_of<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  const PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  VkDeviceCreateInfo passed = *info;
  std::vector<VkDeviceQueueCreateInfo> queues(info->pQueueCreateInfos,
                                              info->pQueueCreateInfos + info->queueCreateInfoCount);
  for (VkDeviceQueueCreateInfo& queue : queues) queue.queueCount = has_second_queue() ? 1 : queue.queueCount;
  passed.pQueueCreateInfos = queues.data();
  const VkResult result = instance.create_device(physical_device, &passed, allocator, device);
  if (result != VK_SUCCESS) return result;
  const auto function = [&](const char* name) { return next(*device, name); };
  const std::scoped_lock lock(mutex);
  devices[key_of(*device)] = {next,
                              reinterpret_cast<PFN_vkCreateShaderModule>(function("vkCreateShaderModule")),
                              reinterpret_cast<PFN_vkDestroyShaderModule>(function("vkDestroyShaderModule")),
                              reinterpret_cast<PFN_vkCreateComputePipelines>(function("vkCreateComputePipelines")),
                              reinterpret_cast<PFN_vkDestroyPipeline>(function("vkDestroyPipeline")),
                              reinterpret_cast<PFN_vkQueueSubmit>(function("vkQueueSubmit")),
                              reinterpret_cast<PFN_vkGetDeviceQueue>(function("vkGetDeviceQueue"))};
  return result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char* text) {
  const std::string_view name = text;
  if (name == "vkGetInstanceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(get_instance_proc_addr);
  if (name == "vkCreateInstance") return reinterpret_cast<PFN_vkVoidFunction>(create_instance);
  if (name == "vkCreateDevice") return reinterpret_cast<PFN_vkVoidFunction>(create_device);
  if (name == "vkGetPhysicalDeviceQueueFamilyProperties") return reinterpret_cast<PFN_vkVoidFunction>(get_families);
  if (const PFN_vkVoidFunction own = device_function(name)) return own;
  if (instance == VK_NULL_HANDLE) return nullptr;
  PFN_vkGetInstanceProcAddr next = nullptr;
  {
    const std::scoped_lock lock(mutex);
    next = instances.at(key_of(instance)).next;
  }
  return next(instance, text);
}

}  // namespace

extern "C" VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation) {
  negotiation->loaderLayerInterfaceVersion = 2;
  negotiation->pfnGetInstanceProcAddr = get_instance_proc_addr;
  negotiation->pfnGetDeviceProcAddr = get_device_proc_addr;
  negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
