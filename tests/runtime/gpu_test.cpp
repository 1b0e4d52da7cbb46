// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <thread>

#include <weft/gpu.hpp>

#include "gpu/instance.hpp"
#include "gpu/state.hpp"
#include "primitives/scan/scan_tuning.hpp"
#include "runtime/context_state.hpp"
#include "support/device.hpp"
#include "support/environment.hpp"
#include "support/host_device.hpp"
#include "support/vulkan_shim.hpp"
#include "vk/memory.hpp"

namespace weft::test {
namespace {

using runtime::ListedGpu;
using runtime::select_gpu;

ListedGpu listed(uint32_t index, const char* name, GpuKind kind, uint8_t uuid_byte, bool usable = true) {
  ListedGpu gpu;
  gpu.info.index = index;
  gpu.info.name = name;
  gpu.info.kind = kind;
  gpu.info.uuid.fill(uuid_byte);
  if (!usable) gpu.info.support.missing.push_back("bufferDeviceAddress: kernels reach buffers by address");
  return gpu;
}

// A machine with two cards of one make, an old card, and a software device.
std::vector<ListedGpu> some_machine() {
  return {listed(0, "NVIDIA GeForce GT 640", GpuKind::discrete, 0x64, false),
          listed(1, "NVIDIA GeForce RTX 3080", GpuKind::discrete, 0x1a),
          listed(2, "NVIDIA GeForce RTX 3090", GpuKind::discrete, 0x2b),
          listed(3, "llvmpipe (LLVM 15.0.6, 256 bits)", GpuKind::software, 0xff)};
}

// Opens the device under test; messages of validation layers fail the running test.
GpuConfig test_config() {
  GpuConfig config;
  config.device = std::to_string(first_backend().gpu().info().index);
  config.on_message = [](std::string_view message) { ADD_FAIL_CHECK_AT(__FILE__, __LINE__, std::string(message)); };
  return config;
}

Gpu open_gpu(const GpuConfig& config) {
  auto gpu = Gpu::open(config);
  if (!gpu) FAIL(gpu.error().message);
  return *std::move(gpu);
}

Buffer buffer_of(Gpu& gpu, VkDeviceSize bytes) {
  auto buffer = gpu.create_buffer(bytes);
  if (!buffer) FAIL(buffer.error().message);
  return *std::move(buffer);
}

std::vector<std::byte> random_bytes(size_t size) {
  std::vector<std::byte> bytes(size);
  uint64_t state = size * 2 + 1;
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

// A new, empty folder, removed with all in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int folders = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("weft-" + std::to_string(process_id()) + '-' + std::to_string(++folders));
    std::filesystem::remove_all(path_);
    REQUIRE(std::filesystem::create_directory(path_));
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    return names;
  }

 private:
  std::filesystem::path path_;
};

std::vector<char> read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_all(const std::filesystem::path& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST_SUITE("host gpu selection") {
  TEST_CASE("nothing said: the best usable device") {
    CHECK(*select_gpu(some_machine(), "") == 1);
    CHECK(*select_gpu({listed(0, "llvmpipe", GpuKind::software, 1)}, "") == 0);
  }

  TEST_CASE("by index, part of a name, UUID") {
    const std::vector<ListedGpu> machine = some_machine();
    CHECK(*select_gpu(machine, "2") == 2);
    CHECK(*select_gpu(machine, "3") == 3);
    CHECK(*select_gpu(machine, "3090") == 2);  // no index, so a part of a name
    CHECK(*select_gpu(machine, "rtx") == 1);
    CHECK(*select_gpu(machine, "NVIDIA") == 1);  // the first usable one that fits
    CHECK(*select_gpu(machine, "LLVMpipe") == 3);
    CHECK(*select_gpu(machine, "2b2b2b2b-2b2b-2b2b-2b2b-2b2b2b2b2b2b") == 2);
    CHECK(*select_gpu(machine, "2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B") == 2);
    CHECK(*select_gpu(machine, uuid_string(machine[3].info).data()) == 3);
  }

  TEST_CASE("a second queue is of the same family, else of another with compute, else none") {
    const auto family = [](VkQueueFlags flags, uint32_t count, uint32_t bits) {
      return VkQueueFamilyProperties{flags, count, bits, {1, 1, 1}};
    };
    constexpr VkQueueFlags kAll = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    using runtime::choose_copy_family, runtime::choose_queue_family, runtime::choose_second_family;
    const std::vector nvidia{family(kAll, 16, 64), family(VK_QUEUE_TRANSFER_BIT, 2, 64),
                             family(VK_QUEUE_COMPUTE_BIT, 8, 64)};
    CHECK(choose_queue_family(nvidia) == 0);
    CHECK(choose_second_family(nvidia, 0) == 0);
    CHECK(choose_copy_family(nvidia) == 1);
    const std::vector amd{family(VK_QUEUE_TRANSFER_BIT, 2, 64), family(kAll, 1, 64),
                          family(VK_QUEUE_COMPUTE_BIT, 4, 64)};
    CHECK(choose_queue_family(amd) == 1);
    CHECK(choose_second_family(amd, 1) == 2);
    CHECK(choose_copy_family(amd) == 0);
    CHECK_FALSE(choose_copy_family({family(kAll, 1, 36)}));
    const std::vector intel{family(kAll, 1, 36), family(VK_QUEUE_TRANSFER_BIT, 1, 36)};
    CHECK_FALSE(choose_second_family(intel, 0));
  }

  TEST_CASE("an unusable device is refused by name, never replaced by another") {
    for (const std::string selection : {"0", "640", "64646464-6464-6464-6464-646464646464"}) {
      CAPTURE(selection);
      const auto selected = select_gpu(some_machine(), selection);
      REQUIRE_FALSE(selected.ok());
      CHECK(selected.error().code == ErrorCode::missing_feature);
      CHECK(selected.error().message.find("GT 640") != std::string::npos);
      CHECK(selected.error().message.find("bufferDeviceAddress") != std::string::npos);
    }
    const auto only = select_gpu({listed(0, "GT 640", GpuKind::discrete, 1, false)}, "");
    CHECK(only.error().code == ErrorCode::missing_feature);
  }

  TEST_CASE("what fits nothing is answered with what there is") {
    for (const std::string selection :
         {"Radeon", "4", "64", "99999999999999", "-1", "00000000-0000-0000-0000-000000000000"}) {
      CAPTURE(selection);
      const auto selected = select_gpu(some_machine(), selection);
      REQUIRE_FALSE(selected.ok());
      CHECK(selected.error().code == ErrorCode::not_found);
      CHECK(selected.error().message.find(selection) != std::string::npos);
      CHECK(selected.error().message.find("0 NVIDIA GeForce GT 640 (discrete, cannot run weft)") != std::string::npos);
      CHECK(selected.error().message.find("3 llvmpipe (LLVM 15.0.6, 256 bits) (software)") != std::string::npos);
    }
    CHECK(select_gpu({}, "").error().code == ErrorCode::not_found);
  }

  TEST_CASE("kinds have distinct names, and a UUID the usual form") {
    std::set<std::string> names;
    for (const GpuKind kind :
         {GpuKind::discrete, GpuKind::integrated, GpuKind::virtual_gpu, GpuKind::software, GpuKind::other})
      CHECK(names.insert(name_of(kind)).second);
    GpuInfo info;
    std::iota(info.uuid.begin(), info.uuid.end(), uint8_t{0xf8});
    CHECK(std::string(uuid_string(info).data()) == "f8f9fafb-fcfd-feff-0001-020304050607");
  }

  TEST_CASE("this machine's list is in order, and each entry opens") {
    const auto list = Gpu::list();
    REQUIRE_MESSAGE(list.ok(), list.error().message);
    REQUIRE_FALSE(list->empty());
    bool software_seen = false;
    for (uint32_t i = 0; i < list->size(); ++i) {
      const GpuInfo& info = (*list)[i];
      CAPTURE(info.name);
      CHECK(info.index == i);
      CHECK_FALSE(info.name.empty());
      CHECK(info.api_version >= VK_API_VERSION_1_0);
      CHECK(info.device_local_bytes > 0);
      if (software_seen) CHECK(info.kind == GpuKind::software);
      software_seen = info.kind == GpuKind::software;
      if (!info.support.usable()) continue;
      CHECK(info.subgroup_size > 0);
      CHECK_FALSE(info.driver.empty());
      GpuConfig config;
      config.device = std::to_string(i);
      const Gpu gpu = open_gpu(config);
      CHECK(gpu.info().index == i);
      CHECK(gpu.info().name == info.name);
    }
  }

  TEST_CASE("this machine's device by name part, UUID and WEFT_DEVICE") {
    const GpuInfo info = first_backend().gpu().info();
    std::string upper = info.name.substr(0, info.name.size() / 2 + 1);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const auto opened_name = [](const std::string& selection) {
      GpuConfig config;
      config.device = selection;
      return open_gpu(config).info().name;
    };
    CHECK(opened_name(upper) == info.name);
    CHECK(opened_name(uuid_string(info).data()).empty() == false);
    {
      const ScopedVariable variable("WEFT_DEVICE", info.name.c_str());
      CHECK(opened_name("") == info.name);
    }
    const ScopedVariable variable("WEFT_DEVICE", "no such device");
    CHECK(opened_name(info.name) == info.name);  // what the program says goes first
    GpuConfig config = test_config();
    config.device.clear();
    const Gpu gpu = open_gpu(config);
    CHECK(gpu.info().name == info.name);
    REQUIRE(gpu.warnings().size() == 1);
    CHECK(gpu.warnings()[0].starts_with("WEFT_DEVICE is ignored: no Vulkan device fits 'no such device'; there are "));
    CHECK(gpu.warnings()[0].find(info.name) != std::string::npos);
    GpuConfig wrong;
    wrong.device = "no such device";
    CHECK(Gpu::open(wrong).error().code == ErrorCode::not_found);
  }

  TEST_CASE("a program's extensions of instance and device are enabled if they are there") {
    VulkanShim shim;
    std::vector<std::string> of_instance, of_device;
    WEFT_REPLACE(shim, vkCreateInstance,
                 [&](PFN_vkCreateInstance real, const VkInstanceCreateInfo* info,
                     const VkAllocationCallbacks* callbacks, VkInstance* instance) {
                   of_instance.assign(info->ppEnabledExtensionNames,
                                      info->ppEnabledExtensionNames + info->enabledExtensionCount);
                   return real(info, callbacks, instance);
                 });
    WEFT_REPLACE(shim, vkCreateDevice,
                 [&](PFN_vkCreateDevice real, VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                     const VkAllocationCallbacks* callbacks, VkDevice* device) {
                   of_device.assign(info->ppEnabledExtensionNames,
                                    info->ppEnabledExtensionNames + info->enabledExtensionCount);
                   return real(physical_device, info, callbacks, device);
                 });
    GpuConfig config = test_config();
    config.get_instance_proc_addr = shim.get_instance_proc_addr();
    const char* const query = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
    const char* const memory = VK_KHR_DEDICATED_ALLOCATION_EXTENSION_NAME;
    config.extensions = {query, memory, "VK_WEFT_none"};
    const Gpu gpu = open_gpu(config);
    CHECK(gpu.has_extension(query) == (std::ranges::count(of_instance, query) == 1));
    CHECK(gpu.has_extension(memory) == (std::ranges::count(of_device, memory) == 1));
    CHECK(gpu.has_extension(query));
    CHECK_FALSE(gpu.has_extension("VK_WEFT_none"));
    CHECK_FALSE(gpu.has_extension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME));
    CHECK(std::ranges::count(of_device, query) == 0);
  }

  TEST_CASE("a program's features are enabled beside weft's, or named as missing by the driver") {
    VulkanShim shim;
    VkPhysicalDeviceFeatures enabled{};
    VkBool32 addresses = VK_FALSE;
    WEFT_REPLACE(shim, vkCreateDevice,
                 [&](PFN_vkCreateDevice real, VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                     const VkAllocationCallbacks* callbacks, VkDevice* device) {
                   for (const auto* next = static_cast<const VkBaseInStructure*>(info->pNext); next != nullptr;
                        next = next->pNext) {
                     if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
                       enabled = reinterpret_cast<const VkPhysicalDeviceFeatures2*>(next)->features;
                     if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
                       addresses = reinterpret_cast<const VkPhysicalDeviceVulkan12Features*>(next)->bufferDeviceAddress;
                   }
                   if (enabled.sparseBinding != VK_FALSE) return VK_ERROR_FEATURE_NOT_PRESENT;
                   return real(physical_device, info, callbacks, device);
                 });
    GpuConfig config = test_config();
    config.get_instance_proc_addr = shim.get_instance_proc_addr();
    VkPhysicalDeviceVulkan12Features of_12{};
    of_12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceFeatures2 wanted{};
    wanted.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    wanted.pNext = &of_12;
    wanted.features.robustBufferAccess = VK_TRUE;  // which every device has, and weft does not use
    config.features = &wanted;
    open_gpu(config);
    CHECK(enabled.robustBufferAccess == VK_TRUE);
    CHECK(addresses == VK_TRUE);
    wanted.features.sparseBinding = VK_TRUE;
    const Result<Gpu> refused = Gpu::open(config);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::missing_feature);
  }

  TEST_CASE("a Gpu obeys the environment and passes its Context's warnings on") {
    const ScopedVariable tuning("WEFT_TUNE", "scan.rows=3");
    const ScopedVariable strategy("WEFT_STRATEGY", "fastest");
    const Gpu gpu = open_gpu(test_config());
    CHECK(primitives::scan_tuning.of(*gpu.context().state()).rows == 3);
    REQUIRE(gpu.warnings().size() == 1);
    CHECK(gpu.warnings()[0].starts_with("WEFT_STRATEGY is ignored: 'fastest'"));
  }

  TEST_CASE("what the program says of strategy and subgroups reaches the Context") {
    GpuConfig config = test_config();
    config.strategy = Strategy::look_back;
    config.subgroup_backend = SubgroupBackend::emulated;
    config.subgroup_size = 64;
    const Gpu gpu = open_gpu(config);
    CHECK(gpu.context().strategy() == Strategy::look_back);
    CHECK(gpu.context().subgroup_backend() == SubgroupBackend::emulated);
    CHECK(gpu.context().subgroup_size() == 64);
    config.subgroup_size = 65;
    CHECK(Gpu::open(config).error().code == ErrorCode::invalid_argument);
  }
}

TEST_SUITE("host memory types") {
  constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags kCoherent =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

  VkPhysicalDeviceMemoryProperties memory_with(std::initializer_list<VkMemoryType> types,
                                               std::initializer_list<VkDeviceSize> heaps) {
    VkPhysicalDeviceMemoryProperties memory{};
    for (const VkMemoryType& type : types) memory.memoryTypes[memory.memoryTypeCount++] = type;
    for (const VkDeviceSize size : heaps) memory.memoryHeaps[memory.memoryHeapCount++].size = size;
    return memory;
  }

  TEST_CASE("a discrete device's 256 MiB window is the last resort for both uses") {
    const auto memory =
        memory_with({{kLocal | kCoherent, 2}, {kCoherent, 1}, {kLocal, 0}, {kCoherent | kCached, 1}, {0, 1}},
                    {VkDeviceSize{24} << 30, VkDeviceSize{64} << 30, VkDeviceSize{256} << 20});
    CHECK(vk::memory_types(memory, ~0u, vk::MemoryUse::device) == std::vector<uint32_t>{2, 0});
    CHECK(vk::memory_types(memory, ~0u, vk::MemoryUse::staging) == std::vector<uint32_t>{3, 1, 0});
    CHECK(vk::memory_types(memory, ~0u, vk::MemoryUse::window) == std::vector<uint32_t>{0});
    CHECK(vk::memory_types(memory, 0b00010, vk::MemoryUse::staging) == std::vector<uint32_t>{1});
    CHECK(vk::memory_types(memory, 0b00001, vk::MemoryUse::device) == std::vector<uint32_t>{0});
  }

  TEST_CASE("a device with one kind of memory uses it for everything") {
    const auto memory = memory_with({{kLocal | kCoherent | kCached, 0}}, {VkDeviceSize{2} << 30});
    CHECK(vk::memory_types(memory, ~0u, vk::MemoryUse::device) == std::vector<uint32_t>{0});
    CHECK(vk::memory_types(memory, ~0u, vk::MemoryUse::staging) == std::vector<uint32_t>{0});
  }

  TEST_CASE("types for special purposes are not used") {
    const auto memory = memory_with({{kLocal | VK_MEMORY_PROPERTY_PROTECTED_BIT, 0},
                                     {kLocal | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, 0},
                                     {kLocal | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, 0},
                                     {kCoherent | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD, 1},
                                     {kLocal, 0},
                                     {kCoherent, 1}},
                                    {VkDeviceSize{8} << 30, VkDeviceSize{8} << 30});
    CHECK(vk::memory_types(memory, ~0u, vk::MemoryUse::device) == std::vector<uint32_t>{4});
    CHECK(vk::memory_types(memory, ~0u, vk::MemoryUse::staging) == std::vector<uint32_t>{5});
  }

  TEST_CASE("of two device heaps the larger goes first") {
    const auto memory = memory_with({{kLocal, 0}, {kLocal, 1}}, {VkDeviceSize{512} << 20, VkDeviceSize{16} << 30});
    CHECK(vk::memory_types(memory, ~0u, vk::MemoryUse::device) == std::vector<uint32_t>{1, 0});
  }

  TEST_CASE("bytes in words") {
    CHECK(runtime::bytes_in_words(0) == "0 bytes");
    CHECK(runtime::bytes_in_words(1023) == "1023 bytes");
    CHECK(runtime::bytes_in_words(1536) == "1.5 KiB");
    CHECK(runtime::bytes_in_words(VkDeviceSize{3} << 30) == "3.0 GiB");
    CHECK(runtime::bytes_in_words(~VkDeviceSize{0}) == "16.0 EiB");
  }
}

TEST_SUITE("host gpu buffers") {
  TEST_CASE("sizes and addresses") {
    Gpu gpu = open_gpu(test_config());
    CHECK(buffer_of(gpu, 0).size() == 16);
    CHECK(buffer_of(gpu, 1).size() == 16);
    CHECK(buffer_of(gpu, 16).size() == 16);
    CHECK(buffer_of(gpu, 17).size() == 32);
    const Buffer buffer = buffer_of(gpu, 100);
    CHECK(buffer.handle() != VK_NULL_HANDLE);
    CHECK(buffer.address() != 0);
    CHECK(buffer.address() % 16 == 0);
    CHECK(gpu.context().state()->address_of(buffer.range(48, 4)) == buffer.address() + 48);
    CHECK(buffer.range().size == 112);
    CHECK(buffer.range(4, 8).offset == 4);
  }

  TEST_CASE("Gpus and Buffers move") {
    Gpu first = open_gpu(test_config());
    Gpu gpu = std::move(first);
    Buffer buffer = buffer_of(gpu, 100);
    const VkBuffer handle = buffer.handle();
    Buffer other = buffer_of(gpu, 4);
    other = std::move(buffer);
    CHECK(other.handle() == handle);
    const std::vector<std::byte> bytes = random_bytes(100);
    std::vector<std::byte> back(100);
    REQUIRE(gpu.upload(other.range(), bytes).ok());
    REQUIRE(gpu.download(other.range(), back).ok());
    CHECK(back == bytes);
    const Buffer last(std::move(other));
    CHECK(last.handle() == handle);
  }

  TEST_CASE("a Gpu replaced by another closes the first device") {
    Gpu gpu = open_gpu(test_config());
    GpuConfig config = test_config();
    config.subgroup_backend = SubgroupBackend::emulated;
    gpu = open_gpu(config);
    CHECK(gpu.context().subgroup_backend() == SubgroupBackend::emulated);
    CHECK(gpu.fill(buffer_of(gpu, 16).range(), 1).ok());
  }

  TEST_CASE("a buffer that does not fit is refused with the sizes") {
    Gpu gpu = open_gpu(test_config());
    for (const VkDeviceSize bytes : {VkDeviceSize{1} << 46, ~VkDeviceSize{0}}) {
      const auto buffer = gpu.create_buffer(bytes);
      REQUIRE_FALSE(buffer.ok());
      CHECK(buffer.error().code == ErrorCode::out_of_device_memory);
      CHECK(buffer.error().message.starts_with("a buffer of " + runtime::bytes_in_words(bytes) + ": the device's "));
      CHECK(buffer.error().message.find("iB", 30) != std::string::npos);
    }
    CHECK(gpu.create_buffer(1000).ok());
  }

  TEST_CASE("uploads and downloads larger than the staging buffer, at odd offsets") {
    Gpu gpu = open_gpu(test_config());
    constexpr VkDeviceSize kHalf = runtime::Staging::kHalfBytes;
    const Buffer buffer = buffer_of(gpu, 3 * kHalf + 4096);
    constexpr VkDeviceSize kMost = 3 * kHalf + 1021;
    const std::vector<std::byte> random = random_bytes(2 * kMost);
    for (const VkDeviceSize size : {VkDeviceSize{1}, kHalf - 1, kHalf, kHalf + 1, 2 * kHalf + 1, kMost}) {
      CAPTURE(size);
      // Others for each size, so that what an earlier one left is wrong.
      const auto bytes = std::span(random).subspan(size, size);
      std::vector<std::byte> back(size + 2, std::byte{0xee});
      REQUIRE(gpu.upload(buffer.range(13, size), bytes).ok());
      REQUIRE(gpu.download(buffer.range(13, size), std::span(back).subspan(1, size)).ok());
      CHECK(back.front() == std::byte{0xee});
      CHECK(back.back() == std::byte{0xee});
      CHECK(std::memcmp(back.data() + 1, bytes.data(), size) == 0);
    }
  }

  TEST_CASE("neighbours of what is uploaded or filled stay as they are") {
    Gpu gpu = open_gpu(test_config());
    const Buffer buffer = buffer_of(gpu, 64);
    std::vector<std::byte> expected(64, std::byte{0x11});
    REQUIRE(gpu.fill(buffer.range(), 0x11111111).ok());
    const std::vector<std::byte> bytes = random_bytes(7);
    REQUIRE(gpu.upload(buffer.range(5, 10), bytes).ok());  // a range may be larger than the bytes
    std::ranges::copy(bytes, expected.begin() + 5);
    REQUIRE(gpu.fill(buffer.range(32, 8), 0xddccbbaa).ok());
    for (size_t i = 0; i < 8; ++i) expected[32 + i] = static_cast<std::byte>(0xaa + 0x11 * (i % 4));
    std::vector<std::byte> back(64);
    REQUIRE(gpu.download(buffer.range(), back).ok());
    CHECK(back == expected);
  }

  TEST_CASE("zero bytes are nothing to do") {
    Gpu gpu = open_gpu(test_config());
    CHECK(gpu.upload({}, {}).ok());
    CHECK(gpu.download({}, {}).ok());
    CHECK(gpu.fill({}, 1).ok());
  }

  TEST_CASE("bad arguments are named") {
    Gpu gpu = open_gpu(test_config());
    const Buffer buffer = buffer_of(gpu, 64);
    std::vector<std::byte> bytes(32);
    const auto refused = [](const Status& status) {
      REQUIRE_FALSE(status.ok());
      CHECK(status.error().code == ErrorCode::invalid_argument);
      return status.error().message;
    };
    CHECK(refused(gpu.upload({VK_NULL_HANDLE, 0, 64}, bytes)) == "to.buffer is null");
    CHECK(refused(gpu.download({VK_NULL_HANDLE, 0, 64}, bytes)) == "from.buffer is null");
    CHECK(refused(gpu.upload(buffer.range(0, 31), bytes)) == "to.size is 31 bytes, less than the 32 to copy");
    CHECK(refused(gpu.download(buffer.range(0, 31), bytes)) == "from.size is 31 bytes, less than the 32 to copy");
    CHECK(refused(gpu.fill(buffer.range(2, 4), 0)) == "range.offset is not a multiple of 4");
    CHECK(refused(gpu.fill(buffer.range(4, 6), 0)) == "range.size is not a multiple of 4");
    CHECK(refused(gpu.fill({VK_NULL_HANDLE, 0, 4}, 0)) == "range.buffer is null");
  }
}

TEST_SUITE("host gpu submissions") {
  Status fill_with(Gpu & gpu, VkCommandBuffer commands, const Buffer& buffer, uint32_t word) {
    device_function<PFN_vkCmdFillBuffer>(gpu, "vkCmdFillBuffer")(commands, buffer.handle(), 0, VK_WHOLE_SIZE, word);
    return {};
  }

  TEST_CASE("run: what was recorded happened, once, and how long it took") {
    Gpu gpu = open_gpu(test_config());
    const Buffer buffer = buffer_of(gpu, VkDeviceSize{16} << 20);
    const auto before = std::chrono::steady_clock::now();
    const auto time = gpu.run([&](VkCommandBuffer commands) { return fill_with(gpu, commands, buffer, 0x2a2a2a2a); });
    const double around = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count();
    REQUIRE_MESSAGE(time.ok(), time.error().message);
    std::vector<std::byte> back(buffer.size());
    REQUIRE(gpu.download(buffer.range(), back).ok());
    CHECK(std::ranges::all_of(back, [](std::byte byte) { return byte == std::byte{0x2a}; }));
    CHECK(time->host_ms > 0);
    CHECK(time->host_ms <= around);
    if (time->device_ms) {
      CHECK(*time->device_ms > 0);
      CHECK(*time->device_ms <= 1.01 * time->host_ms);  // two clocks
    }
  }

  TEST_CASE("run: an error of the recording is returned, and nothing is submitted") {
    Gpu gpu = open_gpu(test_config());
    const Buffer buffer = buffer_of(gpu, 64);
    REQUIRE(gpu.fill(buffer.range(), 1).ok());
    const auto time = gpu.run([&](VkCommandBuffer commands) -> Status {
      static_cast<void>(fill_with(gpu, commands, buffer, 2));
      return Error{ErrorCode::unsupported, "not this"};
    });
    REQUIRE_FALSE(time.ok());
    CHECK(time.error().code == ErrorCode::unsupported);
    CHECK(time.error().message == "not this");
    uint32_t word = 0;
    REQUIRE(gpu.download(buffer.range(), std::as_writable_bytes(std::span(&word, 1))).ok());
    CHECK(word == 1);
    const auto failing = [](VkCommandBuffer, uint32_t i) -> Status {
      if (i == 1) return Error{ErrorCode::unsupported, "not the second"};
      return {};
    };
    const auto times = gpu.time(2, failing);
    CHECK_FALSE(times.ok());
    CHECK(gpu.run([&](VkCommandBuffer commands) { return fill_with(gpu, commands, buffer, 3); }).ok());
    REQUIRE(gpu.download(buffer.range(), std::as_writable_bytes(std::span(&word, 1))).ok());
    CHECK(word == 3);
  }

  TEST_CASE("time: every repetition is recorded once, in order, and timed") {
    Gpu gpu = open_gpu(test_config());
    const Buffer buffer = buffer_of(gpu, VkDeviceSize{1} << 20);
    for (const uint32_t count : {0u, 1u, 3u, 4u, 5u, 700u}) {
      CAPTURE(count);
      uint32_t recorded = 0;
      const auto start = std::chrono::steady_clock::now();
      const auto times = gpu.time(count, [&](VkCommandBuffer commands, uint32_t i) {
        CHECK(i == recorded++);
        return fill_with(gpu, commands, buffer, i);
      });
      const double around = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      if (!times) {
        CHECK(times.error().code == ErrorCode::missing_feature);
        continue;
      }
      CHECK(recorded == count);
      CHECK(times->size() == count);
      CHECK(std::ranges::all_of(*times, [](double ms) { return ms > 0; }));
      CHECK(std::accumulate(times->begin(), times->end(), 0.0) <= around);
      if (count == 0) continue;
      uint32_t word = 0;
      REQUIRE(gpu.download(buffer.range(), std::as_writable_bytes(std::span(&word, 1))).ok());
      CHECK(word == count - 1);
    }
  }

  TEST_CASE("timestamps that wrap, of few bits, and none at all") {
    VulkanShim shim;
    uint32_t valid_bits = 36;
    bool wrap = true;
    WEFT_REPLACE(shim, vkGetPhysicalDeviceQueueFamilyProperties,
                 [&](auto real, VkPhysicalDevice device, uint32_t* count, VkQueueFamilyProperties* families) {
                   real(device, count, families);
                   for (uint32_t i = 0; families != nullptr && i < *count; ++i)
                     families[i].timestampValidBits = valid_bits;
                 });
    WEFT_REPLACE(shim, vkGetQueryPoolResults,
                 [&](auto real, VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count, size_t size,
                     void* data, VkDeviceSize stride, VkQueryResultFlags flags) {
                   const VkResult result = real(device, pool, first, count, size, data, stride, flags);
                   auto* ticks = static_cast<uint64_t*>(data);
                   for (uint32_t i = 0; wrap && i < count; i += 2) {
                     ticks[i] = (uint64_t{1} << 36) - 400;  // 1000 ticks across the end of a 36-bit counter
                     ticks[i + 1] = 600;
                   }
                   return result;
                 });
    WEFT_REPLACE(shim, vkGetPhysicalDeviceProperties,
                 [&](auto real, VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
                   real(device, properties);
                   properties->limits.timestampPeriod = 2.0F;
                 });
    GpuConfig config = test_config();
    config.get_instance_proc_addr = shim.get_instance_proc_addr();
    {
      Gpu gpu = open_gpu(config);
      const auto times = gpu.time(3, [](VkCommandBuffer, uint32_t) { return Status{}; });
      REQUIRE_MESSAGE(times.ok(), times.error().message);
      for (const double ms : *times) CHECK(ms == doctest::Approx(0.002));
      const auto time = gpu.run([](VkCommandBuffer) { return Status{}; });
      REQUIRE(time.ok());
      REQUIRE(time->device_ms.has_value());
      CHECK(*time->device_ms == doctest::Approx(0.002));
    }
    valid_bits = 0;
    Gpu gpu = open_gpu(config);
    const auto time = gpu.run([](VkCommandBuffer) { return Status{}; });
    REQUIRE(time.ok());
    CHECK_FALSE(time->device_ms.has_value());
    const auto times = gpu.time(1, [](VkCommandBuffer, uint32_t) { return Status{}; });
    REQUIRE_FALSE(times.ok());
    CHECK(times.error().code == ErrorCode::missing_feature);
    CHECK(times.error().message.find("timestamps") != std::string::npos);
  }
}

TEST_SUITE("host gpu one-line calls") {
  template <class T>
  void scan_and_reduce(Gpu & gpu, size_t count) {
    if (!gpu.context().supports(type_of<T>)) return;
    CAPTURE(std::string(name_of(type_of<T>)));
    CAPTURE(count);
    std::vector<T> items(count);
    for (size_t i = 0; i < count; ++i) items[i] = static_cast<T>(i * 7 % 5);
    std::vector<T> exclusive(count);
    std::vector<T> inclusive(count);
    T sum{};
    for (size_t i = 0; i < count; ++i) {
      exclusive[i] = sum;
      sum = static_cast<T>(sum + items[i]);
      inclusive[i] = sum;
    }
    const auto before = gpu.exclusive_scan(items);
    REQUIRE_MESSAGE(before.ok(), before.error().message);
    CHECK(*before == exclusive);
    const auto with = gpu.inclusive_scan(std::span<const T>(items));
    REQUIRE_MESSAGE(with.ok(), with.error().message);
    CHECK(*with == inclusive);
    const auto total = gpu.reduce(items);
    REQUIRE_MESSAGE(total.ok(), total.error().message);
    CHECK(*total == sum);
    const auto largest = gpu.reduce(items, Op::max);
    REQUIRE_MESSAGE(largest.ok(), largest.error().message);
    if (count > 0) CHECK(*largest == *std::ranges::max_element(items));
  }

  TEST_CASE("scan and reduce, growing and shrinking") {
    Gpu gpu = open_gpu(test_config());
    for (const size_t count : {size_t{5}, size_t{0}, size_t{100000}, size_t{1}, size_t{3000}}) {
      scan_and_reduce<uint8_t>(gpu, count);
      scan_and_reduce<uint16_t>(gpu, count);
      scan_and_reduce<uint32_t>(gpu, count);
      scan_and_reduce<int32_t>(gpu, count);
      scan_and_reduce<uint64_t>(gpu, count);
      scan_and_reduce<float>(gpu, count);  // sums of small integers: exact
      scan_and_reduce<double>(gpu, count);
    }
  }

  TEST_CASE("arg_reduce") {
    Gpu gpu = open_gpu(test_config());
    const std::vector<float> items{3, -1, 4, -1, 5, 9, 2, 6, 9};
    const auto smallest = gpu.arg_reduce(items, Op::arg_min);
    REQUIRE_MESSAGE(smallest.ok(), smallest.error().message);
    CHECK(smallest->index == 1);
    CHECK(smallest->value.bits == Value::of(-1.0F).bits);
    const auto largest = gpu.arg_reduce(items, Op::arg_max);
    REQUIRE(largest.ok());
    CHECK(largest->index == 5);
  }

  TEST_CASE("what weft does not have is refused, also for no items") {
    Gpu gpu = open_gpu(test_config());
    const std::vector<float> items(10);
    CHECK(gpu.exclusive_scan(items, Op::bit_and).error().code == ErrorCode::unsupported);
    CHECK(gpu.exclusive_scan(std::vector<float>{}, Op::bit_and).error().code == ErrorCode::unsupported);
    CHECK(gpu.reduce(items, Op::bit_or).error().code == ErrorCode::unsupported);
  }

  TEST_CASE("pipelines are built at the first call of a kind and kept") {
    VulkanShim shim;
    std::atomic<int> built = 0;
    WEFT_REPLACE(shim, vkCreateComputePipelines,
                 [&](auto real, VkDevice d, VkPipelineCache c, uint32_t n, auto* info, auto* callbacks, auto* out) {
                   ++built;
                   return real(d, c, n, info, callbacks, out);
                 });
    GpuConfig config = test_config();
    config.get_instance_proc_addr = shim.get_instance_proc_addr();
    Gpu gpu = open_gpu(config);
    const std::vector<uint32_t> items(1000, 1);
    REQUIRE(gpu.exclusive_scan(items).ok());
    const int first = built;
    CHECK(first > 0);
    REQUIRE(gpu.exclusive_scan(items).ok());
    CHECK(built == first);
    REQUIRE(gpu.exclusive_scan(items, Op::max).ok());
    CHECK(built > first);
  }
}

TEST_SUITE("host pipeline cache file") {
  Status scan_once(const GpuConfig& config) {
    Gpu gpu = open_gpu(config);
    return gpu.exclusive_scan(std::vector<uint32_t>(10, 1)).status();
  }

  TEST_CASE("written when the Gpu goes, read by the next, and left alone when nothing changed") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "pipelines";
    GpuConfig config = test_config();
    config.pipeline_cache_file = path.string();
    REQUIRE(scan_once(config).ok());
    CHECK(folder.files() == std::vector<std::string>{"pipelines"});  // no temporary left
    const std::vector<char> saved = read_all(path);
    REQUIRE(saved.size() > 40);

    VulkanShim shim;
    size_t given = 0;
    WEFT_REPLACE(shim, vkCreatePipelineCache, [&](auto real, VkDevice d, auto* info, auto* callbacks, auto* out) {
      given = info->initialDataSize;
      return real(d, info, callbacks, out);
    });
    config.get_instance_proc_addr = shim.get_instance_proc_addr();
    REQUIRE(scan_once(config).ok());
    CHECK(given > 0);
    CHECK(given < saved.size());
    CHECK(folder.files().size() == 1);
  }

  TEST_CASE("damaged files do no harm and are replaced") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "pipelines";
    GpuConfig config = test_config();
    config.pipeline_cache_file = path.string();
    REQUIRE(scan_once(config).ok());
    const std::vector<char> saved = read_all(path);
    std::vector<char> flipped = saved;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x10);
    const std::vector<std::vector<char>> damages = {
        {}, {'x'}, std::vector<char>(saved.begin(), saved.end() - 1), flipped, std::vector<char>(100000, '\xff')};
    for (const std::vector<char>& damage : damages) {
      CAPTURE(damage.size());
      write_all(path, damage);
      CHECK(scan_once(config).ok());
      const std::vector<char> replaced = read_all(path);
      CHECK(replaced.size() > 40);
      CHECK(replaced != damage);
    }
  }

  TEST_CASE("a file that cannot be written or read does no harm") {
    const TemporaryFolder folder;
    GpuConfig config = test_config();
    config.pipeline_cache_file = (folder.path() / "no" / "such" / "folder").string();
    CHECK(scan_once(config).ok());
    config.pipeline_cache_file = folder.path().string();  // a folder, not a file
    CHECK(scan_once(config).ok());
    CHECK(folder.files().empty());
    std::vector<std::string> beside;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path().parent_path())) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(folder.path().filename().string() + ".")) beside.push_back(name);
    }
    CHECK(beside.empty());
  }
}

}  // namespace weft::test
