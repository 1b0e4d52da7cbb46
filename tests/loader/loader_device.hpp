// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/loader.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <vector>

#include "loader/file.hpp"
#include "loader/loader_files.hpp"
#include "support/host_device.hpp"
#include "vk/memory.hpp"

namespace weft::test {

/// A host's device with timeline semaphores and, if the driver has it, VK_EXT_external_memory_host.
class LoaderHost {
 public:
  explicit LoaderHost(PFN_vkGetInstanceProcAddr functions = nullptr) : request_(instance_) {
    has_import_ = has_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    if (has_import_) {
      request_.info.enabledExtensionCount = 1;
      request_.info.ppEnabledExtensionNames = &import_;
    }
    copy_family_ = family_of_copies();
    if (copy_family_) {
      queues_[0] = queues_[1] = request_.queue;
      queues_[1].queueFamilyIndex = *copy_family_;
      request_.info.queueCreateInfoCount = 2;
      request_.info.pQueueCreateInfos = queues_;
    }
    timeline_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
    timeline_.timelineSemaphore = VK_TRUE;
    request_.info.pNext = &timeline_;
    features_.emplace(instance_.query());
    features_->extend(request_.info);
    device_.emplace(instance_, request_.info);
    ContextConfig config = device_->config(request_.info);
    functions_ = functions != nullptr ? functions : instance_.get_instance_proc_addr();
    config.get_instance_proc_addr = functions_;
    auto context = Context::create(config);
    REQUIRE_MESSAGE(context.ok(), (context.ok() ? "" : context.error().message));
    context_ = *std::move(context);
    vk::load_device_table(table_, device_->handle(),
                          instance_.function<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr"));
    table_.vkGetDeviceQueue(device_->handle(), instance_.queue_family(), 0, &queue_);
    if (copy_family_) table_.vkGetDeviceQueue(device_->handle(), *copy_family_, 0, &copy_queue_);
  }

  /// A family for copies alone, if the device has one, and its queue.
  std::optional<uint32_t> copy_family() const { return copy_family_; }
  VkQueue copy_queue() const { return copy_queue_; }

  bool has_extension(const char* name) const {
    uint32_t count = 0;
    const auto enumerate =
        instance_.function<PFN_vkEnumerateDeviceExtensionProperties>("vkEnumerateDeviceExtensionProperties");
    enumerate(instance_.physical_device(), nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> all(count);
    enumerate(instance_.physical_device(), nullptr, &count, all.data());
    return std::ranges::any_of(
        all, [&](const VkExtensionProperties& one) { return std::string_view(one.extensionName) == name; });
  }

  bool has_import() const { return has_import_; }
  const Context& context() const { return *context_; }
  const HostInstance& instance() const { return instance_; }
  const HostDevice& device() const { return *device_; }
  const vk::DeviceTable& vk() const { return table_; }
  VkQueue queue() const { return queue_; }
  vk::DeviceRef ref() const { return {&table_, device_->handle(), nullptr}; }

  LoaderDevice loader_device() const {
    LoaderDevice device;
    device.instance = instance_.handle();
    device.physical_device = instance_.physical_device();
    device.get_instance_proc_addr = functions_;
    device.queue = queue_;
    device.queue_family = instance_.queue_family();
    device.debug_utils = instance_.has_debug_utils();
    device.external_memory_host = has_import_;
    return device;
  }

  VkPhysicalDeviceMemoryProperties memory() const {
    VkPhysicalDeviceMemoryProperties memory{};
    instance_.function<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(
        instance_.physical_device(), &memory);
    return memory;
  }

  /// A buffer that the host sees.
  vk::BoundBuffer buffer(VkDeviceSize bytes) const {
    vk::BoundBuffer bound;
    REQUIRE(vk::create_bound_buffer(ref(), memory(), bytes,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                        VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                                    vk::MemoryUse::staging, bound) == VK_SUCCESS);
    std::memset(bound.mapped, 0xa5, bytes);
    return bound;
  }

  /// Records, submits and waits.
  void run(const std::function<void(VkCommandBuffer)>& record) const {
    VkCommandPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool_info.queueFamilyIndex = instance_.queue_family();
    VkCommandPool pool = VK_NULL_HANDLE;
    REQUIRE(table_.vkCreateCommandPool(device_->handle(), &pool_info, nullptr, &pool) == VK_SUCCESS);
    const vk::UniqueCommandPool owner(ref(), pool);
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    REQUIRE(table_.vkAllocateCommandBuffers(device_->handle(), &info, &commands) == VK_SUCCESS);
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    REQUIRE(table_.vkBeginCommandBuffer(commands, &begin) == VK_SUCCESS);
    record(commands);
    REQUIRE(table_.vkEndCommandBuffer(commands) == VK_SUCCESS);
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    REQUIRE(table_.vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS);
    REQUIRE(table_.vkDeviceWaitIdle(device_->handle()) == VK_SUCCESS);
  }

 private:
  std::optional<uint32_t> family_of_copies() const {
    uint32_t count = 0;
    const auto query =
        instance_.function<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties");
    query(instance_.physical_device(), &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    query(instance_.physical_device(), &count, families.data());
    constexpr VkQueueFlags kMore = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (uint32_t i = 0; i < count; ++i)
      if (i != instance_.queue_family() &&
          (families[i].queueFlags & (kMore | VK_QUEUE_TRANSFER_BIT)) == VK_QUEUE_TRANSFER_BIT)
        return i;
    return std::nullopt;
  }

  HostInstance instance_;
  DeviceRequest request_;
  VkDeviceQueueCreateInfo queues_[2]{};
  std::optional<uint32_t> copy_family_;
  VkQueue copy_queue_ = VK_NULL_HANDLE;
  const char* import_ = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
  bool has_import_ = false;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline_{};
  std::optional<DeviceFeatures> features_;
  std::optional<HostDevice> device_;
  PFN_vkGetInstanceProcAddr functions_ = nullptr;
  vk::DeviceTable table_{};
  VkQueue queue_ = VK_NULL_HANDLE;
  std::optional<Context> context_;
};

/// An image with every level and layer that `create` says, bound to memory of its own.
class TestImage {
 public:
  TestImage(const LoaderHost& host, VkFormat format, uint32_t size, uint32_t levels, uint32_t layers);
  ~TestImage();
  TestImage(const TestImage&) = delete;
  TestImage& operator=(const TestImage&) = delete;

  VkImage handle() const { return image_; }
  /// The content of a level, which is in layout TRANSFER_SRC.
  Bytes read(uint32_t level, uint32_t side, uint32_t layers, size_t bytes) const;

 private:
  const LoaderHost& host_;
  VkImage image_ = VK_NULL_HANDLE;
  vk::UniqueMemory memory_;
};

inline TestImage::TestImage(const LoaderHost& host, VkFormat format, uint32_t size, uint32_t levels, uint32_t layers)
    : host_(host) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {size, size, 1};
  info.mipLevels = levels;
  info.arrayLayers = layers;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  const HostDevice& device = host.device();
  REQUIRE(device.function<PFN_vkCreateImage>("vkCreateImage")(device.handle(), &info, nullptr, &image_) == VK_SUCCESS);
  VkMemoryRequirements needs{};
  device.function<PFN_vkGetImageMemoryRequirements>("vkGetImageMemoryRequirements")(device.handle(), image_, &needs);
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = vk::memory_types(host.memory(), needs.memoryTypeBits, vk::MemoryUse::device).front();
  VkDeviceMemory memory = VK_NULL_HANDLE;
  REQUIRE(host.vk().vkAllocateMemory(device.handle(), &allocate, nullptr, &memory) == VK_SUCCESS);
  memory_ = vk::UniqueMemory(host.ref(), memory);
  REQUIRE(device.function<PFN_vkBindImageMemory>("vkBindImageMemory")(device.handle(), image_, memory, 0) ==
          VK_SUCCESS);
}

inline TestImage::~TestImage() {
  host_.device().function<PFN_vkDestroyImage>("vkDestroyImage")(host_.device().handle(), image_, nullptr);
}

inline Bytes TestImage::read(uint32_t level, uint32_t side, uint32_t layers, size_t bytes) const {
  const vk::BoundBuffer to = host_.buffer(bytes);
  host_.run([&](VkCommandBuffer commands) {
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, layers};
    region.imageExtent = {side, side, 1};
    host_.device().function<PFN_vkCmdCopyImageToBuffer>("vkCmdCopyImageToBuffer")(
        commands, image_, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.buffer.get(), 1, &region);
  });
  const auto* const mapped = static_cast<const std::byte*>(to.mapped);
  return Bytes(mapped, mapped + bytes);
}

}  // namespace weft::test
