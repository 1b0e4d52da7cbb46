/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* weft from C99, on a device that the program created itself: prefix sums of eight numbers. */
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

static void check_vulkan(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "%s: VkResult %d\n", what, result);
  exit(1);
}

static void check(weft_status status, const weft_error* error) {
  if (status == WEFT_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", weft_status_name(status), error->message);
  exit(1);
}

/* One buffer that the program maps; input, output and scratch are ranges of it. */
static VkBuffer create_buffer(VkPhysicalDevice physical_device, VkDevice device, VkDeviceSize size,
                              VkDeviceMemory* memory, void** mapped) {
  const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = size,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  VkBuffer buffer;
  check_vulkan(vkCreateBuffer(device, &info, NULL, &buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  VkPhysicalDeviceMemoryProperties types;
  vkGetPhysicalDeviceMemoryProperties(physical_device, &types);
  const VkMemoryPropertyFlags mappable = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0; /* Vulkan promises that such a type exists for every buffer. */
  while ((needs.memoryTypeBits >> type & 1) == 0 || (types.memoryTypes[type].propertyFlags & mappable) != mappable)
    ++type;
  const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                           .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .pNext = &flags,
                                           .allocationSize = needs.size,
                                           .memoryTypeIndex = type};
  check_vulkan(vkAllocateMemory(device, &allocation, NULL, memory), "vkAllocateMemory");
  check_vulkan(vkBindBufferMemory(device, buffer, *memory, 0), "vkBindBufferMemory");
  check_vulkan(vkMapMemory(device, *memory, 0, VK_WHOLE_SIZE, 0, mapped), "vkMapMemory");
  return buffer;
}

int main(void) {
  weft_error error;
  check_vulkan(volkInitialize(), "volkInitialize");
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                              .pApplicationInfo = &application};
  VkInstance instance;
  check_vulkan(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
  volkLoadInstance(instance);
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  uint32_t count = 1;
  const VkResult listed = vkEnumeratePhysicalDevices(instance, &count, &physical_device);
  if (listed != VK_INCOMPLETE) check_vulkan(listed, "vkEnumeratePhysicalDevices");
  if (count == 0) return 1;
  VkQueueFamilyProperties families[16];
  uint32_t family_count = 16, family = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &family_count, families);
  while ((families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family;

  /* The device: weft turns on what it needs, beside what the program chained to device_info itself. */
  weft_device_features* features;
  check(weft_device_features_query(instance, physical_device, vkGetInstanceProcAddr, VK_API_VERSION_1_2, &features,
                                   &error),
        &error);
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = family,
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
  VkDeviceCreateInfo device_info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
  device_info.ppEnabledExtensionNames = weft_device_features_extensions(features, &device_info.enabledExtensionCount);
  weft_device_features_extend(features, &device_info);
  VkDevice device;
  check_vulkan(vkCreateDevice(physical_device, &device_info, NULL, &device), "vkCreateDevice");
  volkLoadDevice(device);

  // README
  /* Once: weft adopts the device, and builds the pipelines of a scan of u32. */
  weft_context_config context_config;
  weft_context_config_init(&context_config);
  context_config.instance = instance;
  context_config.physical_device = physical_device;
  context_config.device = device;
  context_config.get_instance_proc_addr = vkGetInstanceProcAddr;
  context_config.api_version = VK_API_VERSION_1_2;
  context_config.device_create_info = &device_info;
  weft_context* context;
  check(weft_context_create(&context_config, &context, &error), &error);

  weft_scan_config config;
  weft_scan_config_init(&config);
  config.kind = WEFT_SCAN_KIND_INCLUSIVE;
  weft_scan* scan;
  check(weft_scan_create(context, &config, &scan, &error), &error);
  // README end
  weft_device_features_destroy(features);

  const uint32_t items[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  enum { sums_at = 256, scratch_at = 512 };
  const VkDeviceSize scratch_size = weft_scan_scratch_size(scan, 8);
  VkDeviceMemory memory;
  void* mapped;
  const VkBuffer buffer = create_buffer(physical_device, device, scratch_at + scratch_size, &memory, &mapped);
  memcpy(mapped, items, sizeof(items));

  const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                             .queueFamilyIndex = family};
  VkCommandPool pool;
  check_vulkan(vkCreateCommandPool(device, &pool_info, NULL, &pool), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo commands_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                     .commandPool = pool,
                                                     .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                     .commandBufferCount = 1};
  VkCommandBuffer commands;
  check_vulkan(vkAllocateCommandBuffers(device, &commands_info, &commands), "vkAllocateCommandBuffers");
  const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check_vulkan(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  // README
  /* As often as needed, between the barriers that docs/integration.md asks for. */
  weft_scan_args args;
  weft_scan_args_init(&args);
  args.input = weft_range_of(buffer, 0, sizeof(items));
  args.output = weft_range_of(buffer, sums_at, sizeof(items));
  args.scratch = weft_range_of(buffer, scratch_at, scratch_size);
  args.count = weft_count_of(8);
  check(weft_scan_record(scan, commands, &args, &error), &error);
  // README end
  const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                       NULL, 0, NULL);
  check_vulkan(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkQueue queue;
  vkGetDeviceQueue(device, family, 0, &queue);
  const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  check_vulkan(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check_vulkan(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
  for (int i = 0; i < 8; ++i) printf("%u ", ((const uint32_t*)((const char*)mapped + sums_at))[i]);
  printf("\n");

  weft_scan_destroy(scan);
  weft_context_destroy(context);
  vkDestroyCommandPool(device, pool, NULL);
  vkDestroyBuffer(device, buffer, NULL);
  vkFreeMemory(device, memory, NULL);
  vkDestroyDevice(device, NULL);
  vkDestroyInstance(instance, NULL);
  return 0;
}
