// SPDX-License-Identifier: MIT OR Apache-2.0
#include "null_driver.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace weft::test::null_driver {
namespace {

std::atomic<int64_t> live = 0;
std::atomic<uint64_t> commands = 0, dispatches = 0, queries = 0, labels = 0, open = 0, labelled = 0;
std::atomic<VkDeviceAddress> next_address = 1 << 20;

struct Object {
  VkDeviceSize size = 0;
  VkDeviceAddress address = 0;
  void* mapped = nullptr;
  char name[128] = {};
};

VkPipeline bound = VK_NULL_HANDLE;
const char* primitive = "";
char label[256] = {};

template <class Handle>
Handle make(VkDeviceSize size = 0) {
  ++live;
  auto* object = static_cast<Object*>(std::calloc(1, sizeof(Object)));
  object->size = (size + 255) / 256 * 256;  // as drivers round it up
  object->address = next_address.fetch_add(object->size + 4096);
  return reinterpret_cast<Handle>(object);
}

template <class Handle>
void release(Handle handle) {
  if (handle == VK_NULL_HANDLE) return;
  --live;
  auto* object = reinterpret_cast<Object*>(handle);
  std::free(object->mapped);
  std::free(object);
}

template <class Handle, class Info>
VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice, const Info*, const VkAllocationCallbacks*, Handle* handle) {
  *handle = make<Handle>();
  return VK_SUCCESS;
}

template <class Handle>
VKAPI_ATTR void VKAPI_CALL destroy(VkDevice, Handle handle, const VkAllocationCallbacks*) {
  release(handle);
}

template <class... Arguments>
VKAPI_ATTR void VKAPI_CALL command(VkCommandBuffer, Arguments...) {
  ++commands;
}

VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer, VkPipelineBindPoint, VkPipeline pipeline) {
  ++commands;
  bound = pipeline;
}

VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer, uint32_t, uint32_t, uint32_t) {
  ++commands;
  ++dispatches;
  const char* name = reinterpret_cast<Object*>(bound)->name;
  if (open != 1 || std::strncmp(name, "weft ", 5) != 0) return;
  char expected[256];
  std::snprintf(expected, sizeof expected, "weft %s: %s", primitive, name + 5);
  if (std::strcmp(label, expected) == 0) ++labelled;
}

VKAPI_ATTR VkResult VKAPI_CALL set_name(VkDevice, const VkDebugUtilsObjectNameInfoEXT* info) {
  auto* object = reinterpret_cast<Object*>(info->objectHandle);
  std::snprintf(object->name, sizeof object->name, "%s", info->pObjectName);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL begin_label(VkCommandBuffer, const VkDebugUtilsLabelEXT* info) {
  ++labels;
  ++open;
  std::snprintf(label, sizeof label, "%s", info->pLabelName);
}

VKAPI_ATTR void VKAPI_CALL end_label(VkCommandBuffer) { --open; }

template <class... Arguments>
VKAPI_ATTR VkResult VKAPI_CALL succeed(Arguments...) {
  return VK_SUCCESS;
}

// ---- the instance ----

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                               VkInstance* instance) {
  *instance = make<VkInstance>();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks*) { release(instance); }

VKAPI_ATTR VkResult VKAPI_CALL instance_version(uint32_t* version) {
  *version = VK_API_VERSION_1_3;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL instance_extensions(const char*, uint32_t* count, VkExtensionProperties*) {
  *count = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL device_extensions(VkPhysicalDevice, const char*, uint32_t* count,
                                                 VkExtensionProperties*) {
  *count = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL physical_devices(VkInstance, uint32_t* count, VkPhysicalDevice* devices) {
  static Object device;
  *count = 1;
  if (devices != nullptr) *devices = reinterpret_cast<VkPhysicalDevice>(&device);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL queue_families(VkPhysicalDevice, uint32_t* count, VkQueueFamilyProperties* families) {
  *count = 1;
  if (families == nullptr) return;
  *families = {};
  families->queueFlags = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  families->queueCount = 1;
  families->timestampValidBits = 64;
}

VKAPI_ATTR void VKAPI_CALL memory_properties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* memory) {
  *memory = {};
  memory->memoryHeapCount = 1;
  memory->memoryHeaps[0] = {VkDeviceSize{16} << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  memory->memoryTypeCount = 2;
  memory->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  memory->memoryTypes[1].propertyFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
}

VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice, VkPhysicalDeviceProperties* properties) {
  *properties = {};
  properties->apiVersion = VK_API_VERSION_1_3;
  properties->vendorID = 0x10de;  // look-back is the default there
  properties->deviceID = 1;
  properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  std::strcpy(properties->deviceName, "a device that computes nothing");
  VkPhysicalDeviceLimits& limits = properties->limits;
  limits.maxComputeWorkGroupInvocations = limits.maxComputeWorkGroupSize[0] = 1024;
  std::fill_n(limits.maxComputeWorkGroupCount, 3, 65535u);
  limits.maxComputeSharedMemorySize = 49152;
  limits.maxPushConstantsSize = 128;
  limits.timestampPeriod = 1;
}

VKAPI_ATTR void VKAPI_CALL properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* all) {
  properties(device, &all->properties);
  for (auto* link = static_cast<VkBaseOutStructure*>(all->pNext); link != nullptr; link = link->pNext) {
    void* structure = link;
    switch (link->sType) {
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES: {
        auto* subgroup = static_cast<VkPhysicalDeviceSubgroupProperties*>(structure);
        subgroup->subgroupSize = 32;
        subgroup->supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
        subgroup->supportedOperations = 0xff;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES: {
        auto* sizes = static_cast<VkPhysicalDeviceSubgroupSizeControlProperties*>(structure);
        sizes->minSubgroupSize = sizes->maxSubgroupSize = 32;
        sizes->maxComputeWorkgroupSubgroups = 32;
        sizes->requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES:
        static_cast<VkPhysicalDeviceMaintenance3Properties*>(structure)->maxMemoryAllocationSize = VkDeviceSize{4}
                                                                                                   << 30;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES:
        static_cast<VkPhysicalDeviceMaintenance4Properties*>(structure)->maxBufferSize = VkDeviceSize{4} << 30;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES:
        std::strcpy(static_cast<VkPhysicalDeviceDriverProperties*>(structure)->driverName, "the driver of no device");
        break;
      default: break;
    }
  }
}

VKAPI_ATTR void VKAPI_CALL features2(VkPhysicalDevice, VkPhysicalDeviceFeatures2* all) {
  all->features.shaderInt64 = all->features.shaderFloat64 = VK_TRUE;
  for (auto* link = static_cast<VkBaseOutStructure*>(all->pNext); link != nullptr; link = link->pNext) {
    void* structure = link;
    if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
      auto* features = static_cast<VkPhysicalDeviceVulkan12Features*>(structure);
      features->bufferDeviceAddress = features->shaderBufferInt64Atomics = VK_TRUE;
    }
  }
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                                             VkDevice* device) {
  *device = make<VkDevice>();
  return VK_SUCCESS;
}

// ---- the device ----

VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks*) { release(device); }

VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, uint32_t, uint32_t, VkQueue* queue) {
  *queue = reinterpret_cast<VkQueue>(device);
}

VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice, const VkBufferCreateInfo* info, const VkAllocationCallbacks*,
                                             VkBuffer* buffer) {
  *buffer = make<VkBuffer>(info->size);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL requirements(VkDevice, VkBuffer buffer, VkMemoryRequirements* needs) {
  ++queries;
  *needs = {reinterpret_cast<Object*>(buffer)->size, 256, 3};
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL address(VkDevice, const VkBufferDeviceAddressInfo* info) {
  ++queries;
  return reinterpret_cast<Object*>(info->buffer)->address;
}

VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*,
                                               VkDeviceMemory* memory) {
  *memory = make<VkDeviceMemory>(info->allocationSize);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice, VkDeviceMemory memory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags,
                                          void** mapped) {
  auto* object = reinterpret_cast<Object*>(memory);
  if (object->mapped == nullptr) object->mapped = std::calloc(1, object->size);
  *mapped = object->mapped;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice, VkPipelineCache, uint32_t count,
                                                const VkComputePipelineCreateInfo*, const VkAllocationCallbacks*,
                                                VkPipeline* pipelines) {
  for (uint32_t i = 0; i < count; ++i) pipelines[i] = make<VkPipeline>();
  return VK_SUCCESS;
}

// They belong to their pool.
VKAPI_ATTR VkResult VKAPI_CALL allocate_commands(VkDevice, const VkCommandBufferAllocateInfo* info,
                                                 VkCommandBuffer* buffers) {
  for (uint32_t i = 0; i < info->commandBufferCount; ++i)
    buffers[i] = reinterpret_cast<VkCommandBuffer>(info->commandPool);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL query_results(VkDevice, VkQueryPool, uint32_t, uint32_t, size_t bytes, void* data,
                                             VkDeviceSize, VkQueryResultFlags) {
  std::memset(data, 0, bytes);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL cache_data(VkDevice, VkPipelineCache, size_t* size, void* data) {
  constexpr size_t kBytes = 1000;
  if (data != nullptr) std::memset(data, 7, std::min(*size, kBytes));
  *size = kBytes;
  return VK_SUCCESS;
}

struct Entry {
  const char* name;
  PFN_vkVoidFunction function;
};

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice, const char* name) {
  return get_instance_proc_addr(nullptr, name);
}

#define ENTRY(name, function) \
  { #name, reinterpret_cast < PFN_vkVoidFunction>(static_cast <PFN_##name>(function)) }

const Entry kEntries[] = {
    ENTRY(vkAllocateCommandBuffers, allocate_commands),
    ENTRY(vkAllocateMemory, allocate_memory),
    ENTRY(vkBeginCommandBuffer, succeed),
    ENTRY(vkBindBufferMemory, succeed),
    ENTRY(vkCmdBeginDebugUtilsLabelEXT, begin_label),
    ENTRY(vkCmdBindPipeline, bind_pipeline),
    ENTRY(vkCmdCopyBuffer, command),
    ENTRY(vkCmdCopyBufferToImage, command),
    ENTRY(vkCmdDispatch, dispatch),
    ENTRY(vkCmdDispatchIndirect, command),
    ENTRY(vkCmdEndDebugUtilsLabelEXT, end_label),
    ENTRY(vkCmdFillBuffer, command),
    ENTRY(vkCmdPipelineBarrier, command),
    ENTRY(vkCmdPushConstants, command),
    ENTRY(vkCmdResetQueryPool, command),
    ENTRY(vkCmdUpdateBuffer, command),
    ENTRY(vkCmdWriteTimestamp, command),
    ENTRY(vkCreateBuffer, create_buffer),
    ENTRY(vkCreateCommandPool, create),
    ENTRY(vkCreateComputePipelines, create_pipelines),
    ENTRY(vkCreateDevice, create_device),
    ENTRY(vkCreateFence, create),
    ENTRY(vkCreateInstance, create_instance),
    ENTRY(vkCreatePipelineCache, create),
    ENTRY(vkCreatePipelineLayout, create),
    ENTRY(vkCreateQueryPool, create),
    ENTRY(vkCreateShaderModule, create),
    ENTRY(vkDestroyBuffer, destroy),
    ENTRY(vkDestroyCommandPool, destroy),
    ENTRY(vkDestroyDevice, destroy_device),
    ENTRY(vkDestroyFence, destroy),
    ENTRY(vkDestroyInstance, destroy_instance),
    ENTRY(vkDestroyPipeline, destroy),
    ENTRY(vkDestroyPipelineCache, destroy),
    ENTRY(vkDestroyPipelineLayout, destroy),
    ENTRY(vkDestroyQueryPool, destroy),
    ENTRY(vkDestroyShaderModule, destroy),
    ENTRY(vkDeviceWaitIdle, succeed),
    ENTRY(vkEndCommandBuffer, succeed),
    ENTRY(vkEnumerateDeviceExtensionProperties, device_extensions),
    ENTRY(vkEnumerateInstanceExtensionProperties, instance_extensions),
    ENTRY(vkEnumerateInstanceVersion, instance_version),
    ENTRY(vkEnumeratePhysicalDevices, physical_devices),
    ENTRY(vkFreeMemory, destroy),
    ENTRY(vkGetBufferDeviceAddress, address),
    ENTRY(vkGetBufferMemoryRequirements, requirements),
    ENTRY(vkGetDeviceProcAddr, get_device_proc_addr),
    ENTRY(vkGetDeviceQueue, get_queue),
    ENTRY(vkGetPhysicalDeviceFeatures2, features2),
    ENTRY(vkGetPhysicalDeviceMemoryProperties, memory_properties),
    ENTRY(vkGetPhysicalDeviceProperties, properties),
    ENTRY(vkGetPhysicalDeviceProperties2, properties2),
    ENTRY(vkGetPhysicalDeviceQueueFamilyProperties, queue_families),
    ENTRY(vkGetPipelineCacheData, cache_data),
    ENTRY(vkGetQueryPoolResults, query_results),
    ENTRY(vkMapMemory, map_memory),
    ENTRY(vkQueueSubmit, succeed),
    ENTRY(vkResetCommandPool, succeed),
    ENTRY(vkResetFences, succeed),
    ENTRY(vkSetDebugUtilsObjectNameEXT, set_name),
    ENTRY(vkSignalSemaphore, succeed),
    ENTRY(vkWaitForFences, succeed),
};

}  // namespace

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance, const char* name) {
  for (const Entry& entry : kEntries)
    if (std::strcmp(entry.name, name) == 0) return entry.function;
  return nullptr;
}

int64_t live_objects() { return live; }
uint64_t recorded_commands() { return commands; }
uint64_t buffer_queries() { return queries; }
uint64_t recorded_dispatches() { return dispatches; }
uint64_t begun_labels() { return labels; }
uint64_t open_labels() { return open; }
uint64_t labelled_dispatches() { return labelled; }
void expect_labels_of(const char* name) { primitive = name; }

}  // namespace weft::test::null_driver
