// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The nets of this suite, each shown a fault that it must catch, and the same without the fault. Those that are a
// validation layer's run only where CMakeLists.txt turns the layer on, so they are skipped by default.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <string>

#include "shaders/planted.h"
#include "support/device.hpp"
#include "support/guarded_buffer.hpp"
#include "support/kernel.hpp"
#include "support/recorded_commands.hpp"

namespace weft::test::safety_net_tests {
namespace {

using shader::PlantedPush;

constexpr uint32_t kWorkgroup = 64;
constexpr VkDeviceSize kBytes = 4 * kWorkgroup;

/// A device whose messages are collected instead of failing the test.
struct Watched {
  Messages messages;
  Gpu gpu;

  explicit Watched(PFN_vkGetInstanceProcAddr entry_point = nullptr) : gpu(opened(messages, entry_point)) {}

  static Gpu opened(Messages& messages, PFN_vkGetInstanceProcAddr entry_point) {
    GpuConfig config;
    config.get_instance_proc_addr = entry_point;
    config.on_message = messages.sink();
    Result<Gpu> gpu = Gpu::open(config);
    if (!gpu) FAIL(gpu.error().message);
    return std::move(*gpu);
  }

  Kernel kernel(const std::string& stem) const {
    const bool native = gpu.context().subgroup_backend() == SubgroupBackend::native;
    return Kernel(gpu, stem + (native ? ".native" : ".emulated"), kWorkgroup,
                  native ? gpu.context().subgroup_size() : 32, {});
  }

  void run(const std::function<void(VkCommandBuffer)>& record) {
    const auto ran = gpu.run([&](VkCommandBuffer commands) {
      record(commands);
      return Status{};
    });
    if (!ran) FAIL(ran.error().message);
  }

  std::string said() const {
    std::string all;
    for (const std::string& message : messages.all()) all += message + '\n';
    return all;
  }
};

/// A barrier between dispatches, of `writes` only.
void record_barrier(const Gpu& gpu, VkCommandBuffer commands, VkAccessFlags writes) {
  const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, writes,
                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  device_function<PFN_vkCmdPipelineBarrier>(gpu, "vkCmdPipelineBarrier")(commands, stages, stages, 0, 1, &barrier, 0,
                                                                         nullptr, 0, nullptr);
}

/// A buffer at the start of memory that goes on after it.
class SmallBuffer {
 public:
  SmallBuffer(const Gpu& gpu, VkDeviceSize bytes, VkDeviceSize memory_bytes) : gpu_(gpu) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    REQUIRE(device_function<PFN_vkCreateBuffer>(gpu, "vkCreateBuffer")(device(), &info, nullptr, &buffer_) ==
            VK_SUCCESS);
    VkMemoryRequirements requirements;
    device_function<PFN_vkGetBufferMemoryRequirements>(gpu, "vkGetBufferMemoryRequirements")(device(), buffer_,
                                                                                             &requirements);
    VkMemoryAllocateFlagsInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.pNext = &flags;
    allocate.allocationSize = memory_bytes;
    allocate.memoryTypeIndex = static_cast<uint32_t>(std::countr_zero(requirements.memoryTypeBits));
    REQUIRE(device_function<PFN_vkAllocateMemory>(gpu, "vkAllocateMemory")(device(), &allocate, nullptr, &memory_) ==
            VK_SUCCESS);
    REQUIRE(device_function<PFN_vkBindBufferMemory>(gpu, "vkBindBufferMemory")(device(), buffer_, memory_, 0) ==
            VK_SUCCESS);
  }
  ~SmallBuffer() {
    device_function<PFN_vkDestroyBuffer>(gpu_, "vkDestroyBuffer")(device(), buffer_, nullptr);
    device_function<PFN_vkFreeMemory>(gpu_, "vkFreeMemory")(device(), memory_, nullptr);
  }
  SmallBuffer(const SmallBuffer&) = delete;
  SmallBuffer& operator=(const SmallBuffer&) = delete;

  VkDeviceAddress address() const {
    VkBufferDeviceAddressInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    info.buffer = buffer_;
    return device_function<PFN_vkGetBufferDeviceAddress>(gpu_, "vkGetBufferDeviceAddress")(device(), &info);
  }

 private:
  VkDevice device() const { return gpu_.context().device(); }

  const Gpu& gpu_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

/// planted_described_write.comp with `buffer` at its descriptor: what synchronization validation can follow.
class DescribedKernel {
 public:
  DescribedKernel(const Gpu& gpu, const Buffer& buffer) : gpu_(gpu) {
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                               nullptr};
    const VkDescriptorSetLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0,
                                                      1, &binding};
    REQUIRE(device_function<PFN_vkCreateDescriptorSetLayout>(gpu, "vkCreateDescriptorSetLayout")(
                device(), &layout_info, nullptr, &set_layout_) == VK_SUCCESS);
    kernel_.emplace(gpu, "planted_described_write.native", kWorkgroup, gpu.context().subgroup_size(),
                    std::span<const uint32_t>{}, set_layout_);
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size};
    REQUIRE(device_function<PFN_vkCreateDescriptorPool>(gpu, "vkCreateDescriptorPool")(device(), &pool_info, nullptr,
                                                                                       &pool_) == VK_SUCCESS);
    const VkDescriptorSetAllocateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool_, 1,
                                               &set_layout_};
    REQUIRE(device_function<PFN_vkAllocateDescriptorSets>(gpu, "vkAllocateDescriptorSets")(device(), &set_info,
                                                                                           &set_) == VK_SUCCESS);
    const VkDescriptorBufferInfo described{buffer.handle(), 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set_,       0,      0, 1,
                                     VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,      nullptr, &described, nullptr};
    device_function<PFN_vkUpdateDescriptorSets>(gpu, "vkUpdateDescriptorSets")(device(), 1, &write, 0, nullptr);
  }
  ~DescribedKernel() {
    kernel_.reset();
    device_function<PFN_vkDestroyDescriptorPool>(gpu_, "vkDestroyDescriptorPool")(device(), pool_, nullptr);
    device_function<PFN_vkDestroyDescriptorSetLayout>(gpu_, "vkDestroyDescriptorSetLayout")(device(), set_layout_,
                                                                                            nullptr);
  }
  DescribedKernel(const DescribedKernel&) = delete;
  DescribedKernel& operator=(const DescribedKernel&) = delete;

  void record(VkCommandBuffer commands) const {
    device_function<PFN_vkCmdBindDescriptorSets>(gpu_, "vkCmdBindDescriptorSets")(
        commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_->layout(), 0, 1, &set_, 0, nullptr);
    kernel_->record(commands, PlantedPush{}, 1);
  }

 private:
  VkDevice device() const { return gpu_.context().device(); }

  const Gpu& gpu_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  std::optional<Kernel> kernel_;
};

}  // namespace

TEST_SUITE("safety net") {
  TEST_CASE("a guard band shows a write beside the range, on either side, and only that") {
    Watched watched;
    const Kernel kernel = watched.kernel("planted_write");
    // In words from the range's start: inside, one word past the end, one word in front.
    struct Case {
      int64_t first;
      const char* expected;
    };
    for (const Case& write : {Case{0, ""}, Case{1, "byte 0 after the range"}, Case{-1, "byte 4 before the range"}}) {
      GuardedBuffer buffer(watched.gpu, kBytes, 0, {});
      const PlantedPush push{buffer.address() + static_cast<uint64_t>(write.first * 4), 0, 0};
      watched.run([&](VkCommandBuffer commands) { kernel.record(commands, push, 1); });
      CHECK(buffer.overwritten() == write.expected);
    }
  }

  TEST_CASE("a missing barrier between dispatches shows in what was recorded") {
    Watched watched(recording_entry_point());
    const Kernel kernel = watched.kernel("planted_write");
    auto buffer = watched.gpu.create_buffer(kBytes);
    REQUIRE(buffer);
    const PlantedPush push{buffer->address(), 0, 0};
    take_recorded();
    watched.run([&](VkCommandBuffer commands) {
      kernel.record(commands, push, 1);
      record_barrier(watched.gpu, commands, VK_ACCESS_SHADER_WRITE_BIT);
      kernel.record(commands, push, 1);
    });
    CHECK(!lacks_barrier(take_recorded()));
    watched.run([&](VkCommandBuffer commands) {
      kernel.record(commands, push, 1);
      kernel.record(commands, push, 1);
    });
    CHECK(lacks_barrier(take_recorded()));
    watched.run([&](VkCommandBuffer commands) {
      kernel.record(commands, push, 1);
      record_barrier(watched.gpu, commands, VK_ACCESS_TRANSFER_WRITE_BIT);  // a barrier, but not for these writes
      kernel.record(commands, push, 1);
    });
    CHECK(lacks_barrier(take_recorded()));
  }

  TEST_CASE("a missing barrier beside an update shows in what was recorded") {
    Watched watched(recording_entry_point());
    const Kernel kernel = watched.kernel("planted_write");
    auto buffer = watched.gpu.create_buffer(kBytes);
    REQUIRE(buffer);
    const PlantedPush push{buffer->address(), 0, 0};
    const auto update = device_function<PFN_vkCmdUpdateBuffer>(watched.gpu, "vkCmdUpdateBuffer");
    const auto barrier = device_function<PFN_vkCmdPipelineBarrier>(watched.gpu, "vkCmdPipelineBarrier");
    const uint32_t word = 1;
    const auto between = [&](VkCommandBuffer commands, bool to_transfer) {
      constexpr VkPipelineStageFlags kStages[] = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT};
      const VkMemoryBarrier memory{
          VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
          VkAccessFlags{to_transfer ? VK_ACCESS_SHADER_WRITE_BIT : VK_ACCESS_TRANSFER_WRITE_BIT},
          VkAccessFlags{to_transfer ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_SHADER_READ_BIT}};
      barrier(commands, kStages[to_transfer ? 1 : 0], kStages[to_transfer ? 0 : 1], 0, 1, &memory, 0, nullptr, 0,
              nullptr);
    };
    for (const bool has_first : {true, false})
      for (const bool has_second : {true, false}) {
        std::string recorded;
        watched.run([&](VkCommandBuffer commands) {
          take_recorded();
          if (has_first) between(commands, true);
          update(commands, buffer->handle(), 0, sizeof word, &word);
          if (has_second) between(commands, false);
          kernel.record(commands, push, 1);
          recorded = take_recorded();
        });
        CAPTURE(recorded);
        CHECK(lacks_barrier(recorded) == !(has_first && has_second));
      }
    CHECK(missing_barriers("dbddbddd") == 3);
    CHECK(lacks_barrier("tuvdu"));
    CHECK(!lacks_barrier("tuuvdbd"));
  }

  TEST_CASE("every primitive has barriers between its dispatches") {
    Watched watched(recording_entry_point());
    Gpu& gpu = watched.gpu;
    constexpr uint64_t kCount = 1 << 20;
    auto input = gpu.create_buffer(4 * kCount), output = gpu.create_buffer(4 * kCount),
         scratch = gpu.create_buffer(4 * kCount);
    REQUIRE((input && output && scratch));
    const auto check = [&](const auto& primitive, const auto& args) {
      take_recorded();
      const auto ran = gpu.run([&](VkCommandBuffer commands) {
        const Status status = primitive.record(commands, args);
        const std::string recorded = take_recorded();
        CHECK(std::ranges::count(recorded, 'd') >= 2);
        CHECK(!lacks_barrier(recorded));
        return status;
      });
      if (!ran) FAIL(ran.error().message);
    };
    for (const Strategy strategy : strategies_of(gpu.context())) {
      const auto scan = Scan::create(gpu.context(), {ScanKind::exclusive, Op::add, Type::u32, Type::u32, strategy});
      REQUIRE(scan);
      check(*scan, ScanArgs{input->range(), output->range(), scratch->range(), kCount, {}});
    }
    for (const Op op : {Op::add, Op::arg_min}) {
      const auto reduce = Reduce::create(gpu.context(), {op, Type::u32, Type::u32});
      REQUIRE(reduce);
      check(*reduce, ReduceArgs{input->range(), output->range(), scratch->range(), kCount, {}});
    }
  }

  TEST_CASE("synchronization validation reports a missing barrier between a fill and a copy [net_synchronization]" *
            doctest::skip()) {
    Watched watched;
    auto from = watched.gpu.create_buffer(kBytes), to = watched.gpu.create_buffer(kBytes);
    REQUIRE((from && to));
    const auto fill = device_function<PFN_vkCmdFillBuffer>(watched.gpu, "vkCmdFillBuffer");
    const auto copy = device_function<PFN_vkCmdCopyBuffer>(watched.gpu, "vkCmdCopyBuffer");
    const auto barrier = device_function<PFN_vkCmdPipelineBarrier>(watched.gpu, "vkCmdPipelineBarrier");
    const VkBufferCopy region{0, 0, kBytes};
    const VkMemoryBarrier between{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                  VK_ACCESS_TRANSFER_READ_BIT};
    watched.run([&](VkCommandBuffer commands) {
      fill(commands, from->handle(), 0, kBytes, 1);
      barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &between, 0, nullptr, 0,
              nullptr);
      copy(commands, from->handle(), to->handle(), 1, &region);
    });
    CHECK(watched.said() == "");
    watched.run([&](VkCommandBuffer commands) {
      fill(commands, from->handle(), 0, kBytes, 1);
      copy(commands, from->handle(), to->handle(), 1, &region);
    });
    CAPTURE(watched.said());
    CHECK(watched.messages.mention("READ_AFTER_WRITE hazard"));
  }

  TEST_CASE(
      "synchronization validation reports a missing barrier between dispatches that share a descriptor "
      "[net_synchronization]" *
      doctest::skip()) {
    Watched watched;
    auto buffer = watched.gpu.create_buffer(kBytes);
    REQUIRE(buffer);
    const DescribedKernel kernel(watched.gpu, *buffer);
    watched.run([&](VkCommandBuffer commands) {
      kernel.record(commands);
      record_barrier(watched.gpu, commands, VK_ACCESS_SHADER_WRITE_BIT);
      kernel.record(commands);
    });
    CHECK(watched.said() == "");
    watched.run([&](VkCommandBuffer commands) {
      kernel.record(commands);
      kernel.record(commands);
    });
    CAPTURE(watched.said());
    CHECK(watched.messages.mention("WRITE_AFTER_WRITE hazard"));
  }

  TEST_CASE("GPU-assisted validation reports an access outside of every buffer [net_gpu_assisted]" * doctest::skip()) {
    Watched watched;
    const Kernel kernel = watched.kernel("planted_write");
    // Memory that goes on after its buffer, so that the fault harms nothing.
    const SmallBuffer buffer(watched.gpu, kBytes, 64 * kBytes);
    watched.run([&](VkCommandBuffer commands) { kernel.record(commands, PlantedPush{buffer.address(), 0, 0}, 1); });
    CHECK(watched.said() == "");
    watched.run([&](VkCommandBuffer commands) { kernel.record(commands, PlantedPush{buffer.address(), 4, 0}, 1); });
    CHECK(watched.messages.mention("Out of bounds"));
  }

  TEST_CASE("GPU-assisted validation reports a missing barrier in shared memory [net_gpu_assisted]" * doctest::skip()) {
    Watched watched;
    auto buffer = watched.gpu.create_buffer(kBytes);
    REQUIRE(buffer);
    const PlantedPush push{buffer->address(), 0, 0};
    const Kernel sound = watched.kernel("planted_shared_race"), faulty = watched.kernel("planted_shared_race_planted");
    watched.run([&](VkCommandBuffer commands) { sound.record(commands, push, 1); });
    CHECK(watched.said() == "");
    watched.run([&](VkCommandBuffer commands) { faulty.record(commands, push, 1); });
    CHECK(watched.messages.mention("data race"));
  }
}

}  // namespace weft::test::safety_net_tests
