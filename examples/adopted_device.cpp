// SPDX-License-Identifier: MIT OR Apache-2.0
//
// weft on a device that the program created itself, in a command buffer of its own: for engines.
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
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

VkInstance create_instance() {
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  VkInstance instance = VK_NULL_HANDLE;
  check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  volkLoadInstance(instance);
  return instance;
}

uint32_t compute_family_of(VkPhysicalDevice physical_device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families.data());
  uint32_t family = 0;
  while ((families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family;
  return family;
}

// One buffer that the program maps; inputs, outputs and scratch are ranges of it.
struct MappedBuffer {
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::byte* bytes = nullptr;
};

MappedBuffer create_buffer(VkPhysicalDevice physical_device, VkDevice device, VkDeviceSize size) {
  MappedBuffer buffer;
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = size,
                                .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                         VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  check(vkCreateBuffer(device, &info, nullptr, &buffer.handle), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer.handle, &needs);
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
  const VkMemoryPropertyFlags mappable = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;  // Vulkan promises that such a type exists for every buffer.
  while ((needs.memoryTypeBits >> type & 1) == 0 || (memory.memoryTypes[type].propertyFlags & mappable) != mappable)
    ++type;
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo allocation{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .pNext = &flags,
                                        .allocationSize = needs.size,
                                        .memoryTypeIndex = type};
  check(vkAllocateMemory(device, &allocation, nullptr, &buffer.memory), "vkAllocateMemory");
  check(vkBindBufferMemory(device, buffer.handle, buffer.memory, 0), "vkBindBufferMemory");
  void* mapped = nullptr;
  check(vkMapMemory(device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  buffer.bytes = static_cast<std::byte*>(mapped);
  return buffer;
}

void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
             VkAccessFlags read) {
  const VkMemoryBarrier memory{
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = read};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void scan_on(VkInstance instance, VkPhysicalDevice physical_device, VkDevice device,
             const VkDeviceCreateInfo& device_info);

}  // namespace

int main() {
  check(volkInitialize(), "volkInitialize");
  const VkInstance instance = create_instance();

  uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> physical_devices(count);
  check(vkEnumeratePhysicalDevices(instance, &count, physical_devices.data()), "vkEnumeratePhysicalDevices");

  // The first device that weft can use. For the others, support() says in words what they lack.
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  std::optional<weft::DeviceFeatures> features;
  for (size_t i = 0; i < physical_devices.size() && !features; ++i) {
    auto asked = weft::DeviceFeatures::query(instance, physical_devices[i], vkGetInstanceProcAddr, VK_API_VERSION_1_2);
    check(asked.status());
    for (const std::string& lack : asked->support().missing)
      std::fprintf(stderr, "device %zu lacks %s\n", i, lack.c_str());
    if (!asked->support().usable()) continue;
    physical_device = physical_devices[i];
    features = *std::move(asked);
  }
  if (!features) return 1;

  const float priority = 1;
  const VkDeviceQueueCreateInfo queue_info{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = compute_family_of(physical_device),
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
  const std::vector<const char*>& extensions = features->support().extensions;
  VkDeviceCreateInfo device_info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue_info,
                                 .enabledExtensionCount = static_cast<uint32_t>(extensions.size()),
                                 .ppEnabledExtensionNames = extensions.data()};
  VkDevice device = VK_NULL_HANDLE;
  // README
  // The device: weft turns on what it needs, beside the features that the program chained to device_info itself.
  features->extend(device_info);
  check(vkCreateDevice(physical_device, &device_info, nullptr, &device), "vkCreateDevice");
  // README end
  volkLoadDevice(device);

  scan_on(instance, physical_device, device, device_info);

  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
}

namespace {

// Everything created from the device is destroyed before the device is: weft's objects at the end of this scope.
void scan_on(VkInstance instance, VkPhysicalDevice physical_device, VkDevice device,
             const VkDeviceCreateInfo& device_info) {
  // README
  // Once: weft adopts the device, and builds the pipelines of a scan of u32.
  const auto context = weft::Context::create({.instance = instance,
                                              .physical_device = physical_device,
                                              .device = device,
                                              .get_instance_proc_addr = vkGetInstanceProcAddr,
                                              .api_version = VK_API_VERSION_1_2,
                                              .device_create_info = &device_info});
  check(context.status());
  const auto scan = weft::Scan::create(*context, {.kind = weft::ScanKind::inclusive});
  check(scan.status());
  // README end

  const uint32_t items[] = {3, 1, 4, 1, 5, 9, 2, 6};
  constexpr uint32_t count = std::size(items);
  constexpr VkDeviceSize sums_at = 256, scratch_at = 512;
  const VkDeviceSize scratch_size = scan->scratch_size(count);
  const MappedBuffer buffer = create_buffer(physical_device, device, scratch_at + scratch_size);

  const uint32_t family = device_info.pQueueCreateInfos[0].queueFamilyIndex;
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = family};
  VkCommandPool pool = VK_NULL_HANDLE;
  check(vkCreateCommandPool(device, &pool_info, nullptr, &pool), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(device, &commands_info, &commands), "vkAllocateCommandBuffers");
  const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");

  // The input comes from an earlier command, as it mostly does in an engine.
  vkCmdUpdateBuffer(commands, buffer.handle, 0, sizeof(items), items);
  // README
  // As often as needed, after a barrier from what wrote the input and before one to what reads the output.
  barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
          VK_ACCESS_SHADER_READ_BIT);
  weft::ScanArgs args;
  args.input = {buffer.handle, 0, sizeof(items)};
  args.output = {buffer.handle, sums_at, sizeof(items)};
  args.scratch = {buffer.handle, scratch_at, scratch_size};
  args.count = count;
  check(scan->record(commands, args));
  barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_HOST_READ_BIT);
  // README end
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");

  VkQueue queue = VK_NULL_HANDLE;
  vkGetDeviceQueue(device, family, 0, &queue);
  const VkSubmitInfo submit{
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");

  uint32_t sums[count];
  std::memcpy(sums, buffer.bytes + sums_at, sizeof(sums));
  for (const uint32_t sum : sums) std::printf("%u ", sum);
  std::printf("\n");

  vkDestroyCommandPool(device, pool, nullptr);
  vkDestroyBuffer(device, buffer.handle, nullptr);
  vkFreeMemory(device, buffer.memory, nullptr);
}

}  // namespace
