// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One of weft's kernels dispatched by plain Vulkan, without weft's library: what to push and to specialize is read from
// manifest.json beside the kernels (installed: share/weft/spirv). Prints differences of neighbours.
//
//   plain_dispatch FOLDER     cc plain_dispatch.c -lvulkan
#include <vulkan/vulkan.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Needs no subgroup operation of the device.
#define KERNEL "adjacent_difference.u32.u32.emulated"
enum { kItems = 10, kWorkgroup = 128, kRows = 2, kSubgroup = 32, kVectorItems = 4 };

static void fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "%s: VkResult %d\n", what, result);
  exit(1);
}

static char* read_file(const char* folder, const char* name, size_t* bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail(path);
  const long size = ftell(file);
  char* text = size < 0 ? NULL : malloc((size_t)size + 1);
  rewind(file);
  if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) fail(path);
  fclose(file);
  text[size] = 0;
  *bytes = (size_t)size;
  return text;
}

// The number after `"key": ` in the part of `entry` that begins with `from`. A program has a JSON reader for this.
static uint32_t number_of(const char* entry, const char* from, const char* key) {
  const char* at = strstr(entry, from);
  const char* end = strchr(entry, '\n');
  if (at != NULL) at = strstr(at, key);
  if (at == NULL || (end != NULL && at > end)) fail(from);
  return (uint32_t)strtoul(at + strlen(key), NULL, 10);
}

static uint32_t offset_of(const char* entry, const char* member) {
  char from[64];
  snprintf(from, sizeof from, "{\"name\": \"%s\"", member);
  return number_of(entry, from, "\"offset\": ");
}

// The id of a specialization constant stands before its name.
static uint32_t constant_of(const char* entry, const char* name) {
  char from[64];
  snprintf(from, sizeof from, "\"name\": \"%s\"", name);
  const char* at = strstr(entry, from);
  if (at == NULL) fail(name);
  while (*at != '{') --at;
  return number_of(at, "{", "\"id\": ");
}

static void put(unsigned char* push, uint32_t offset, const void* value, size_t bytes) {
  memcpy(push + offset, value, bytes);
}

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: plain_dispatch FOLDER");
  size_t bytes;
  char* manifest = read_file(argv[1], "manifest.json", &bytes);
  const char* entry = strstr(manifest, "{\"name\": \"" KERNEL "\"");
  if (entry == NULL) fail("the manifest has no " KERNEL);
  char* code = read_file(argv[1], KERNEL ".spv", &bytes);

  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pApplicationInfo = &application};
  VkInstance instance;
  check(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
  uint32_t count = 1;
  VkPhysicalDevice physical_device;
  if (vkEnumeratePhysicalDevices(instance, &count, &physical_device) < 0 || count == 0) fail("no device");
  VkQueueFamilyProperties families[16];
  count = 16;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families);
  uint32_t family = 0;
  while (family < count && (families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family;
  if (family == count) fail("no queue for compute");

  // The manifest's "features": of this kernel bufferDeviceAddress alone. The block of push constants has scalar layout.
  VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                               .bufferDeviceAddress = VK_TRUE};
  const float priority = 1;
  VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueFamilyIndex = family,
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};
  VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .pNext = &features,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &queue_info};
  VkDevice device;
  check(vkCreateDevice(physical_device, &device_info, NULL, &device), "vkCreateDevice");
  VkQueue queue;
  vkGetDeviceQueue(device, family, 0, &queue);

  // Items, then outputs, in one mapped buffer.
  VkBufferCreateInfo buffer_info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = 4096,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  VkBuffer buffer;
  check(vkCreateBuffer(device, &buffer_info, NULL, &buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  VkPhysicalDeviceMemoryProperties memory_properties;
  vkGetPhysicalDeviceMemoryProperties(physical_device, &memory_properties);
  const VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while ((needs.memoryTypeBits >> type & 1) == 0 ||
         (memory_properties.memoryTypes[type].propertyFlags & mapped) != mapped)
    ++type;  // Vulkan promises one
  VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                     .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .pNext = &flags,
                                   .allocationSize = needs.size,
                                   .memoryTypeIndex = type};
  VkDeviceMemory memory;
  check(vkAllocateMemory(device, &allocate, NULL, &memory), "vkAllocateMemory");
  check(vkBindBufferMemory(device, buffer, memory, 0), "vkBindBufferMemory");
  uint32_t* words;
  check(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void**)&words), "vkMapMemory");
  for (uint32_t i = 0; i < kItems; ++i) words[i] = i * i;
  VkBufferDeviceAddressInfo address_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
  const VkDeviceAddress items = vkGetBufferDeviceAddress(device, &address_info), outputs = items + 2048;

  // Specialization: the workgroup's and the subgroup's size have the ids that the manifest gives.
  const uint32_t values[] = {kWorkgroup, kSubgroup, kRows};
  const VkSpecializationMapEntry map[] = {{number_of(entry, "\"workgroup_size\"", "\"constant_id\": "), 0, 4},
                                          {number_of(entry, "\"subgroup\"", "\"size_constant_id\": "), 4, 4},
                                          {constant_of(entry, "kRows"), 8, 4}};
  const VkSpecializationInfo specialization = {3, map, sizeof values, values};
  VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = bytes,
                                          .pCode = (const uint32_t*)(const void*)code};
  VkShaderModule module;
  check(vkCreateShaderModule(device, &module_info, NULL, &module), "vkCreateShaderModule");
  const uint32_t push_bytes = number_of(entry, "\"push_constants\"", "\"size\": ");
  const VkPushConstantRange push_range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
  VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &push_range};
  VkPipelineLayout layout;
  check(vkCreatePipelineLayout(device, &layout_info, NULL, &layout), "vkCreatePipelineLayout");
  VkComputePipelineCreateInfo pipeline_info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                               .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                         .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                         .module = module,
                                                         .pName = "main",
                                                         .pSpecializationInfo = &specialization},
                                               .layout = layout};
  VkPipeline pipeline;
  check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline),
        "vkCreateComputePipelines");

  unsigned char push[128] = {0};
  const uint64_t item_count = kItems;
  put(push, offset_of(entry, "items"), &items, 8);
  put(push, offset_of(entry, "outputs"), &outputs, 8);
  put(push, offset_of(entry, "count_value"), &item_count, 8);

  VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
  VkCommandPool pool;
  check(vkCreateCommandPool(device, &pool_info, NULL, &pool), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo commands_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
  VkCommandBuffer commands;
  check(vkAllocateCommandBuffers(device, &commands_info, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, push);
  const uint32_t tile = kWorkgroup * kRows * kVectorItems;
  vkCmdDispatch(commands, (kItems + tile - 1) / tile, 1, 1);
  VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                             .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                             .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                       NULL, 0, NULL);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");

  for (uint32_t i = 0; i < kItems; ++i) printf("%u ", words[2048 / 4 + i]);
  printf("\n");

  vkDestroyCommandPool(device, pool, NULL);
  vkDestroyPipeline(device, pipeline, NULL);
  vkDestroyPipelineLayout(device, layout, NULL);
  vkDestroyShaderModule(device, module, NULL);
  vkDestroyBuffer(device, buffer, NULL);
  vkFreeMemory(device, memory, NULL);
  vkDestroyDevice(device, NULL);
  vkDestroyInstance(instance, NULL);
  free(code);
  free(manifest);
  return 0;
}
