// SPDX-License-Identifier: MIT OR Apache-2.0
// A host that drives Vulkan through volk's global function pointers and lends its device to weft: prints an exclusive
// scan. With an argument it asks for emulated subgroups. That it links and runs shows that weft neither defines nor
// changes those pointers.
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <weft/weft.hpp>

namespace {

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s: VkResult %d\n", what, result);
  std::exit(1);
}

void check(const weft::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

// A mapped buffer; this host needs nothing faster.
struct HostBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  void* mapped = nullptr;
};

HostBuffer create_buffer(VkPhysicalDevice physical_device, VkDevice device, VkDeviceSize size) {
  HostBuffer result;
  result.size = size;
  VkBufferCreateInfo buffer_info{};
  buffer_info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer_info.size = size;
  buffer_info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  check(vkCreateBuffer(device, &buffer_info, nullptr, &result.buffer), "vkCreateBuffer");

  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(device, result.buffer, &requirements);
  VkPhysicalDeviceMemoryProperties properties;
  vkGetPhysicalDeviceMemoryProperties(physical_device, &properties);
  constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (type < properties.memoryTypeCount && !((requirements.memoryTypeBits >> type & 1U) != 0 &&
                                                (properties.memoryTypes[type].propertyFlags & kMapped) == kMapped)) {
    ++type;
  }
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo memory_info{};
  memory_info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory_info.pNext = &flags;
  memory_info.allocationSize = requirements.size;
  memory_info.memoryTypeIndex = type;
  check(vkAllocateMemory(device, &memory_info, nullptr, &result.memory), "vkAllocateMemory");
  check(vkBindBufferMemory(device, result.buffer, result.memory, 0), "vkBindBufferMemory");
  check(vkMapMemory(device, result.memory, 0, size, 0, &result.mapped), "vkMapMemory");
  return result;
}

void destroy(VkDevice device, const HostBuffer& buffer) {
  vkDestroyBuffer(device, buffer.buffer, nullptr);
  vkFreeMemory(device, buffer.memory, nullptr);
}

weft::BufferRange range(const HostBuffer& buffer) { return {buffer.buffer, 0, buffer.size}; }

// Everything that lives on the device: its destructors run before the device's.
void scan_on(VkInstance instance, VkPhysicalDevice physical_device, VkDevice device, const VkDeviceCreateInfo& info,
             uint32_t queue_family, bool emulated) {
  weft::ContextConfig config;
  if (emulated) config.subgroup_backend = weft::SubgroupBackend::emulated;
  config.instance = instance;
  config.physical_device = physical_device;
  config.device = device;
  config.get_instance_proc_addr = vkGetInstanceProcAddr;
  config.api_version = VK_API_VERSION_1_2;
  config.device_create_info = &info;
  const auto create_buffer_before = vkCreateBuffer;
  const auto context = weft::Context::create(config);
  check(context.status());
  const auto scan = weft::Scan::create(*context, {});
  check(scan.status());
  if (vkCreateBuffer != create_buffer_before) {
    std::fprintf(stderr, "weft changed the host's function pointers\n");
    std::exit(1);
  }

  const std::vector<uint32_t> items{3, 1, 4, 1, 5, 9, 2, 6};
  const VkDeviceSize bytes = items.size() * sizeof(uint32_t);
  const HostBuffer input = create_buffer(physical_device, device, bytes);
  const HostBuffer output = create_buffer(physical_device, device, bytes);
  const HostBuffer scratch = create_buffer(physical_device, device, scan->scratch_size(items.size()));
  std::memcpy(input.mapped, items.data(), bytes);

  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  check(vkCreateCommandPool(device, &pool_info, nullptr, &pool), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo commands_info{};
  commands_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands_info.commandPool = pool;
  commands_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands_info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(device, &commands_info, &commands), "vkAllocateCommandBuffers");

  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  // Submission itself makes the host's earlier writes visible to the device.
  weft::ScanArgs args;
  args.input = range(input);
  args.output = range(output);
  args.scratch = range(scratch);
  args.count = weft::Count(items.size());
  check(scan->record(commands, args));
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");

  VkQueue queue = VK_NULL_HANDLE;
  vkGetDeviceQueue(device, queue_family, 0, &queue);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");

  std::vector<uint32_t> sums(items.size());
  std::memcpy(sums.data(), output.mapped, bytes);
  for (const uint32_t sum : sums) std::printf("%u ", sum);
  std::printf("\n");

  vkDestroyCommandPool(device, pool, nullptr);
  destroy(device, scratch);
  destroy(device, output);
  destroy(device, input);
}

uint32_t compute_family(VkPhysicalDevice physical_device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families.data());
  uint32_t family = 0;
  while (family < count && (families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family;
  return family;
}

}  // namespace

int main(int argc, char**) {
  check(volkInitialize(), "volkInitialize");
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo instance_info{};
  instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance_info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  check(vkCreateInstance(&instance_info, nullptr, &instance), "vkCreateInstance");
  volkLoadInstance(instance);

  uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> physical_devices(count);
  check(vkEnumeratePhysicalDevices(instance, &count, physical_devices.data()), "vkEnumeratePhysicalDevices");
  bool done = false;
  for (size_t i = 0; i < physical_devices.size() && !done; ++i) {
    auto features =
        weft::DeviceFeatures::query(instance, physical_devices[i], vkGetInstanceProcAddr, VK_API_VERSION_1_2);
    check(features.status());
    if (!features->support().usable()) continue;

    const uint32_t family = compute_family(physical_devices[i]);
    const float priority = 1;
    VkDeviceQueueCreateInfo queue_info{};
    queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue_info.queueFamilyIndex = family;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    VkDeviceCreateInfo device_info{};
    device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    device_info.enabledExtensionCount = static_cast<uint32_t>(features->support().extensions.size());
    device_info.ppEnabledExtensionNames = features->support().extensions.data();
    features->extend(device_info);
    VkDevice device = VK_NULL_HANDLE;
    check(vkCreateDevice(physical_devices[i], &device_info, nullptr, &device), "vkCreateDevice");
    volkLoadDevice(device);
    scan_on(instance, physical_devices[i], device, device_info, family, argc > 1);
    vkDestroyDevice(device, nullptr);
    done = true;
  }
  vkDestroyInstance(instance, nullptr);
  if (!done) std::fprintf(stderr, "no device can run weft\n");
  return done ? 0 : 1;
}
