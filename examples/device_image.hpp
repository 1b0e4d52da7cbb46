// SPDX-License-Identifier: MIT OR Apache-2.0
// An image in device memory, and what goes with it in programs that draw to a file. Include volk.h before it.
#pragma once

#include <png.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <weft/gpu.hpp>

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}
inline void check(const weft::Status& status) {
  if (!status) fail(status.error().message);
}
inline void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) fail(std::string(what) + ": VkResult " + std::to_string(result));
}

/// To be copied to and from.
inline VkImageCreateInfo image_info(VkFormat format, uint32_t width, uint32_t height, uint32_t levels,
                                    uint32_t layers) {
  return {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
          .imageType = VK_IMAGE_TYPE_2D,
          .format = format,
          .extent = {width, height, 1},
          .mipLevels = levels,
          .arrayLayers = layers,
          .samples = VK_SAMPLE_COUNT_1_BIT,
          .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
}

/// An image in device memory of its own.
class DeviceImage {
 public:
  DeviceImage(const weft::Gpu& gpu, const VkImageCreateInfo& info) : device_(gpu.context().device()) {
    check(vkCreateImage(device_, &info, nullptr, &image_), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device_, image_, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(gpu.physical_device(), &memory);
    uint32_t type = 0;  // Vulkan promises that such a type exists for every image.
    while ((needs.memoryTypeBits >> type & 1) == 0 ||
           (memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0)
      ++type;
    const VkMemoryAllocateInfo allocation{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    check(vkAllocateMemory(device_, &allocation, nullptr, &memory_), "vkAllocateMemory");
    check(vkBindImageMemory(device_, image_, memory_, 0), "vkBindImageMemory");
  }
  DeviceImage(DeviceImage&& other) noexcept
      : device_(other.device_),
        image_(std::exchange(other.image_, VK_NULL_HANDLE)),
        memory_(std::exchange(other.memory_, VK_NULL_HANDLE)) {}
  DeviceImage& operator=(DeviceImage&&) = delete;
  ~DeviceImage() {
    vkDestroyImage(device_, image_, nullptr);
    vkFreeMemory(device_, memory_, nullptr);
  }
  VkImage handle() const { return image_; }

 private:
  VkDevice device_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

/// Orders transfers of all levels and layers, too.
inline void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to) {
  const VkImageMemoryBarrier barrier{
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
      .oldLayout = from,
      .newLayout = to,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image,
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &barrier);
}

/// Makes all of an image that is a sheet to draw on dark. Its layout becomes TRANSFER_DST_OPTIMAL.
inline void clear_sheet(VkCommandBuffer commands, VkImage sheet) {
  change_layout(commands, sheet, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  const VkClearColorValue background{{0.1f, 0.1f, 0.1f, 1.0f}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(commands, sheet, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &background, 1, &all);
  change_layout(commands, sheet, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
}

/// Draws a level of an image, as large as it is. Layouts: TRANSFER_SRC_OPTIMAL, and the sheet's TRANSFER_DST_OPTIMAL.
inline void draw_level(VkCommandBuffer commands, VkImage image, uint32_t level, uint32_t layer, VkOffset3D extent,
                       VkImage sheet, VkOffset3D to) {
  VkImageBlit region{};
  region.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1};
  region.srcOffsets[1] = extent;
  region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.dstOffsets[0] = to;
  region.dstOffsets[1] = {to.x + extent.x, to.y + extent.y, 1};
  vkCmdBlitImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, sheet, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                 &region, VK_FILTER_NEAREST);
}

/// `pixels`: RGBA, 4 bytes each.
inline void write_png(const char* path, uint32_t width, uint32_t height, const void* pixels) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = width;
  png.height = height;
  png.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&png, path, 0, pixels, 0, nullptr) == 0) fail(png.message);
}
