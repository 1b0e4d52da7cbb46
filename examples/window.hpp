// SPDX-License-Identifier: MIT OR Apache-2.0
// A window that shows an image, by GLFW and a swapchain. Include volk.h before it.
#pragma once

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <weft/gpu.hpp>

#include "device_image.hpp"

class Window {
 public:
  /// What the device must be opened with.
  static std::vector<std::string> extensions() {
    const char* reason = nullptr;
    if (glfwInit() != GLFW_TRUE) {
      glfwGetError(&reason);
      fail(reason != nullptr ? reason : "no display");
    }
    uint32_t count = 0;
    const char** const names = glfwGetRequiredInstanceExtensions(&count);
    if (names == nullptr) fail("GLFW finds no Vulkan that presents");
    std::vector<std::string> all(names, names + count);
    all.emplace_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    return all;
  }

  Window(weft::Gpu& gpu, const char* title, VkExtent2D size) : gpu_(gpu), device_(gpu.context().device()) {
    if (!gpu.has_extension(VK_KHR_SWAPCHAIN_EXTENSION_NAME)) fail(gpu.info().name + " presents nothing");
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    window_ = glfwCreateWindow(static_cast<int>(size.width), static_cast<int>(size.height), title, nullptr, nullptr);
    if (window_ == nullptr) fail("the window cannot be made");
    glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int, int action, int) {
      if (key == GLFW_KEY_ESCAPE && action == GLFW_PRESS) glfwSetWindowShouldClose(window, GLFW_TRUE);
    });
    check(glfwCreateWindowSurface(gpu.instance(), window_, nullptr, &surface_), "glfwCreateWindowSurface");
    VkBool32 presents = VK_FALSE;
    vkGetPhysicalDeviceSurfaceSupportKHR(gpu.physical_device(), gpu.queue_family(), surface_, &presents);
    if (presents == VK_FALSE) fail("the queue of " + gpu.info().name + " presents nothing on this display");
    choose_format();
    const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .queueFamilyIndex = gpu.queue_family()};
    check(vkCreateCommandPool(device_, &pool_info, nullptr, &pool_), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                    .commandPool = pool_,
                                                    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                    .commandBufferCount = 1};
    check(vkAllocateCommandBuffers(device_, &commands_info, &commands_), "vkAllocateCommandBuffers");
    const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    check(vkCreateFence(device_, &fence_info, nullptr, &drawn_), "vkCreateFence");
    acquired_ = semaphore();
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() {
    vkQueueWaitIdle(gpu_.queue());
    for (const VkSemaphore semaphore : presentable_) vkDestroySemaphore(device_, semaphore, nullptr);
    vkDestroySemaphore(device_, acquired_, nullptr);
    vkDestroyFence(device_, drawn_, nullptr);
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroySwapchainKHR(device_, swapchain_, nullptr);
    vkDestroySurfaceKHR(gpu_.instance(), surface_, nullptr);
    glfwDestroyWindow(window_);
    glfwTerminate();
  }

  /// Until the window is closed, Escape is pressed, or so many frames are presented. Returns their number. The image is
  /// in layout TRANSFER_SRC_OPTIMAL, and shown as large as the window allows.
  uint64_t show(VkImage image, VkExtent2D size, uint64_t most_frames) {
    uint64_t frames = 0;
    while (frames < most_frames && glfwWindowShouldClose(window_) == GLFW_FALSE) {
      glfwWaitEventsTimeout(1.0 / 30);
      if (!is_open_ && !open_swapchain()) continue;
      if (present(image, size)) ++frames;
    }
    return frames;
  }

 private:
  VkSemaphore semaphore() const {
    const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore made = VK_NULL_HANDLE;
    check(vkCreateSemaphore(device_, &info, nullptr, &made), "vkCreateSemaphore");
    return made;
  }

  // Bytes are shown as they are: no sRGB, if there is a choice.
  void choose_format() {
    uint32_t count = 0;
    check(vkGetPhysicalDeviceSurfaceFormatsKHR(gpu_.physical_device(), surface_, &count, nullptr),
          "vkGetPhysicalDeviceSurfaceFormatsKHR");
    std::vector<VkSurfaceFormatKHR> all(count);
    check(vkGetPhysicalDeviceSurfaceFormatsKHR(gpu_.physical_device(), surface_, &count, all.data()),
          "vkGetPhysicalDeviceSurfaceFormatsKHR");
    const auto found = std::find_if(all.begin(), all.end(), [](const VkSurfaceFormatKHR& one) {
      return one.format == VK_FORMAT_B8G8R8A8_UNORM || one.format == VK_FORMAT_R8G8B8A8_UNORM;
    });
    format_ = found != all.end() ? *found : all.front();
  }

  // For the window's present size. False: it has none.
  bool open_swapchain() {
    VkSurfaceCapabilitiesKHR can;
    check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu_.physical_device(), surface_, &can),
          "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
    if ((can.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0) fail("the window's images take no copies");
    extent_ = can.currentExtent;
    if (extent_.width == std::numeric_limits<uint32_t>::max()) {
      int width = 0, height = 0;
      glfwGetFramebufferSize(window_, &width, &height);
      extent_ = {std::clamp(static_cast<uint32_t>(width), can.minImageExtent.width, can.maxImageExtent.width),
                 std::clamp(static_cast<uint32_t>(height), can.minImageExtent.height, can.maxImageExtent.height)};
    }
    if (extent_.width == 0 || extent_.height == 0) return false;
    const uint32_t most = can.maxImageCount != 0 ? can.maxImageCount : std::numeric_limits<uint32_t>::max();
    VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                  .surface = surface_,
                                  .minImageCount = std::min(can.minImageCount + 1, most),
                                  .imageFormat = format_.format,
                                  .imageColorSpace = format_.colorSpace,
                                  .imageExtent = extent_,
                                  .imageArrayLayers = 1,
                                  .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                  .preTransform = can.currentTransform,
                                  .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                  .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                  .clipped = VK_TRUE,
                                  .oldSwapchain = swapchain_};
    if ((can.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) == 0)
      info.compositeAlpha = VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
    check(vkQueueWaitIdle(gpu_.queue()), "vkQueueWaitIdle");
    check(vkCreateSwapchainKHR(device_, &info, nullptr, &swapchain_), "vkCreateSwapchainKHR");
    vkDestroySwapchainKHR(device_, info.oldSwapchain, nullptr);
    uint32_t count = 0;
    check(vkGetSwapchainImagesKHR(device_, swapchain_, &count, nullptr), "vkGetSwapchainImagesKHR");
    images_.resize(count);
    check(vkGetSwapchainImagesKHR(device_, swapchain_, &count, images_.data()), "vkGetSwapchainImagesKHR");
    while (presentable_.size() < count) presentable_.push_back(semaphore());
    is_open_ = true;
    return true;
  }

  // False: the window has changed, and the swapchain must.
  bool present(VkImage image, VkExtent2D size) {
    uint32_t index = 0;
    VkResult result = vkAcquireNextImageKHR(device_, swapchain_, UINT64_MAX, acquired_, VK_NULL_HANDLE, &index);
    is_open_ = result == VK_SUCCESS;
    if (result == VK_ERROR_OUT_OF_DATE_KHR) return false;
    if (result != VK_SUBOPTIMAL_KHR) check(result, "vkAcquireNextImageKHR");
    record(image, size, images_[index]);
    const VkPipelineStageFlags waits = VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                              .waitSemaphoreCount = 1,
                              .pWaitSemaphores = &acquired_,
                              .pWaitDstStageMask = &waits,
                              .commandBufferCount = 1,
                              .pCommandBuffers = &commands_,
                              .signalSemaphoreCount = 1,
                              .pSignalSemaphores = &presentable_[index]};
    check(vkQueueSubmit(gpu_.queue(), 1, &submit, drawn_), "vkQueueSubmit");
    const VkPresentInfoKHR info{.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                .waitSemaphoreCount = 1,
                                .pWaitSemaphores = &presentable_[index],
                                .swapchainCount = 1,
                                .pSwapchains = &swapchain_,
                                .pImageIndices = &index};
    result = vkQueuePresentKHR(gpu_.queue(), &info);
    check(vkWaitForFences(device_, 1, &drawn_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    check(vkResetFences(device_, 1, &drawn_), "vkResetFences");
    is_open_ = is_open_ && result == VK_SUCCESS;
    if (result == VK_ERROR_OUT_OF_DATE_KHR) return false;
    if (result != VK_SUBOPTIMAL_KHR) check(result, "vkQueuePresentKHR");
    return true;
  }

  void record(VkImage image, VkExtent2D size, VkImage to) {
    check(vkResetCommandPool(device_, pool_, 0), "vkResetCommandPool");
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
    clear_sheet(commands_, to);
    const double scale = std::min({double{1} * extent_.width / size.width, double{1} * extent_.height / size.height});
    const auto scaled = [&](uint32_t length) {
      return std::max(static_cast<int32_t>(std::min(scale, 1e4) * length + 0.5), 1);
    };
    VkImageBlit region{};
    region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.srcOffsets[1] = {static_cast<int32_t>(size.width), static_cast<int32_t>(size.height), 1};
    const int32_t width = std::min(scaled(size.width), static_cast<int32_t>(extent_.width));
    const int32_t height = std::min(scaled(size.height), static_cast<int32_t>(extent_.height));
    region.dstOffsets[0] = {(static_cast<int32_t>(extent_.width) - width) / 2,
                            (static_cast<int32_t>(extent_.height) - height) / 2, 0};
    region.dstOffsets[1] = {region.dstOffsets[0].x + width, region.dstOffsets[0].y + height, 1};
    vkCmdBlitImage(commands_, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                   &region, VK_FILTER_LINEAR);
    change_layout(commands_, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
  }

  weft::Gpu& gpu_;
  VkDevice device_;
  GLFWwindow* window_ = nullptr;
  VkSurfaceKHR surface_ = VK_NULL_HANDLE;
  VkSurfaceFormatKHR format_{};
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  VkExtent2D extent_{};
  bool is_open_ = false;
  std::vector<VkImage> images_;
  std::vector<VkSemaphore> presentable_;  // of each image
  VkSemaphore acquired_ = VK_NULL_HANDLE;
  VkFence drawn_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};
