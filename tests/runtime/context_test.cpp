// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include <weft/context.hpp>
#include <weft/gpu.hpp>
#include <weft/scan.hpp>

#include "primitives/scan/scan_tuning.hpp"
#include "runtime/context_state.hpp"
#include "runtime/default_strategy.hpp"
#include "runtime/enabled_features.hpp"
#include "runtime/kernel_families.hpp"
#include "runtime/pipeline_cache_data.hpp"
#include "runtime/subgroup_choice.hpp"
#include "support/device.hpp"
#include "support/host_device.hpp"
#include "support/vulkan_shim.hpp"

namespace weft::test {
namespace {

using runtime::choose_subgroups;
using runtime::default_strategy;
using runtime::DeviceFacts;
using runtime::FeatureSet;
using runtime::SubgroupChoice;

constexpr VkSubgroupFeatureFlags kEveryOperation =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
    VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;

// A device with everything weft uses, whose subgroups have from `min_size` to `max_size` lanes.
DeviceFacts device_with(uint32_t vendor_id, uint32_t size, uint32_t min_size, uint32_t max_size,
                        uint32_t max_workgroup_subgroups = 64) {
  DeviceFacts facts;
  facts.name = "a device";
  facts.vendor_id = vendor_id;
  facts.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  facts.device_version = VK_API_VERSION_1_3;
  facts.api_version = VK_API_VERSION_1_3;
  facts.limits.maxComputeWorkGroupInvocations = 1024;
  facts.limits.maxComputeWorkGroupSize[0] = 1024;
  facts.limits.maxComputeSharedMemorySize = 32768;
  facts.limits.maxPushConstantsSize = 256;
  facts.compute_queue = true;
  facts.subgroups = {size,
                     VK_SHADER_STAGE_COMPUTE_BIT,
                     kEveryOperation,
                     true,
                     min_size,
                     max_size,
                     max_workgroup_subgroups,
                     VK_SHADER_STAGE_COMPUTE_BIT};
  facts.features = {true, true, true, true, true, true};
  return facts;
}

bool any_holds(const std::vector<std::string>& sentences, std::string_view words) {
  return std::ranges::any_of(sentences,
                             [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
}

// The structure types in a chain; fails where one is there twice.
std::set<VkStructureType> types_in(const void* chain) {
  std::set<VkStructureType> types;
  for (auto* link = static_cast<const VkBaseInStructure*>(chain); link != nullptr; link = link->pNext) {
    CAPTURE(link->sType);
    CHECK(types.insert(link->sType).second);
  }
  return types;
}

// Allocation callbacks that count, and remember what is allocated.
class CountingAllocator {
 public:
  CountingAllocator() {
    callbacks_.pUserData = this;
    callbacks_.pfnAllocation = [](void* self, size_t size, size_t alignment, VkSystemAllocationScope) {
      return static_cast<CountingAllocator*>(self)->allocate(size, alignment);
    };
    callbacks_.pfnReallocation = [](void* self, void* old, size_t size, size_t alignment, VkSystemAllocationScope) {
      return static_cast<CountingAllocator*>(self)->reallocate(old, size, alignment);
    };
    callbacks_.pfnFree = [](void* self, void* memory) { static_cast<CountingAllocator*>(self)->release(memory); };
  }

  const VkAllocationCallbacks* callbacks() const { return &callbacks_; }
  size_t allocations() const { return allocations_; }
  size_t live() const { return live_.size(); }
  size_t foreign_frees() const { return foreign_frees_; }

 private:
  void* allocate(size_t size, size_t alignment) {
    const std::scoped_lock lock(mutex_);
    alignment = std::max(alignment, sizeof(void*));
    void* memory = ::operator new (size, std::align_val_t{alignment}, std::nothrow);
    if (memory == nullptr) return nullptr;
    ++allocations_;
    live_[memory] = {size, alignment};
    return memory;
  }
  void* reallocate(void* old, size_t size, size_t alignment) {
    if (old == nullptr) return allocate(size, alignment);
    if (size == 0) {
      release(old);
      return nullptr;
    }
    void* memory = allocate(size, alignment);
    if (memory == nullptr) return nullptr;
    size_t kept = 0;
    {
      const std::scoped_lock lock(mutex_);
      kept = std::min(size, live_.at(old).size);
    }
    std::memcpy(memory, old, kept);
    release(old);
    return memory;
  }
  void release(void* memory) {
    if (memory == nullptr) return;
    const std::scoped_lock lock(mutex_);
    const auto found = live_.find(memory);
    if (found == live_.end()) {
      ++foreign_frees_;
      return;
    }
    ::operator delete (memory, std::align_val_t{found->second.alignment}, std::nothrow);
    live_.erase(found);
  }

  VkAllocationCallbacks callbacks_{};
  std::mutex mutex_;
  struct Block {
    size_t size = 0, alignment = 0;
  };
  std::map<void*, Block> live_;
  size_t allocations_ = 0;
  size_t foreign_frees_ = 0;
};

Result<Scan> u32_scan(const Context& context) { return Scan::create(context, ScanConfig{}); }

}  // namespace

TEST_SUITE("host requirements") {
  TEST_CASE("a device that has everything lacks nothing") {
    const DeviceSupport support = support_of(device_with(runtime::kVendorNvidia, 32, 32, 32));
    CHECK(support.usable());
    CHECK(support.missing.empty());
    CHECK(support.absent.empty());
    CHECK(support.extensions.empty());
  }

  TEST_CASE("each requirement that is missing is named, with the figure found") {
    const DeviceFacts whole = device_with(0, 32, 32, 32);
    const auto missing = [&](auto&& change) {
      DeviceFacts facts = whole;
      change(facts);
      const DeviceSupport support = support_of(facts);
      CHECK_FALSE(support.usable());
      REQUIRE(support.missing.size() == 1);
      return support.missing.front();
    };
    CHECK(missing([](DeviceFacts& f) { f.device_version = f.api_version = VK_API_VERSION_1_1; }) ==
          "Vulkan 1.2: the device offers 1.1");
    CHECK(missing([](DeviceFacts& f) { f.api_version = VK_API_VERSION_1_0; }) ==
          "Vulkan 1.2: the instance was created for 1.0");
    CHECK(missing([](DeviceFacts& f) { f.compute_queue = false; }) == "a queue family with compute");
    CHECK(missing([](DeviceFacts& f) { f.limits.maxComputeWorkGroupInvocations = 128; }) ==
          "workgroups of 256 invocations: the device's hold at most 128");
    CHECK(missing([](DeviceFacts& f) { f.limits.maxComputeWorkGroupSize[0] = 64; }) ==
          "workgroups of 256 invocations: the device's hold at most 64");
    CHECK(missing([](DeviceFacts& f) { f.limits.maxComputeSharedMemorySize = 8192; }) ==
          "16384 bytes of shared memory: the device has 8192");
    CHECK(missing([](DeviceFacts& f) { f.limits.maxPushConstantsSize = 64; }) ==
          "128 bytes of push constants: the device has 64");
    CHECK(
        missing([](DeviceFacts& f) { f.features.buffer_device_address = false; }).starts_with("bufferDeviceAddress:"));
  }

  TEST_CASE("what is absent is named with its consequence") {
    const DeviceFacts whole = device_with(runtime::kVendorIntel, 32, 8, 32);
    const auto absent = [&](auto&& change) {
      DeviceFacts facts = whole;
      change(facts);
      const DeviceSupport support = support_of(facts);
      CHECK(support.usable());
      REQUIRE(support.absent.size() == 1);
      return support.absent.front();
    };
    CHECK(absent([](DeviceFacts& f) { f.features.int64 = false; }) ==
          "shaderInt64: items of type u64 and i64 are unavailable");
    CHECK(absent([](DeviceFacts& f) { f.features.float64 = false; }) ==
          "shaderFloat64: items of type f64 are unavailable");
    CHECK(absent([](DeviceFacts& f) {
            f.features.buffer_int64_atomics = false;
          }).starts_with("shaderBufferInt64Atomics"));
    CHECK(absent([](DeviceFacts& f) { f.features.subgroup_size_control = false; }).starts_with("subgroupSizeControl"));
    CHECK(absent([](DeviceFacts& f) {
            f.subgroups.operations &= ~VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_SHUFFLE_BIT};
          }).starts_with("subgroup operations SHUFFLE in compute shaders"));
    CHECK(absent([](DeviceFacts& f) {
            f.subgroups.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
          }).starts_with("subgroup operations BASIC, VOTE, ARITHMETIC, BALLOT, SHUFFLE, SHUFFLE_RELATIVE"));
  }

  TEST_CASE("subgroup size control below Vulkan 1.3 is an extension to enable") {
    DeviceFacts facts = device_with(runtime::kVendorAmd, 64, 32, 64);
    facts.api_version = VK_API_VERSION_1_2;
    facts.size_control_extension = true;
    const DeviceSupport support = support_of(facts);
    REQUIRE(support.extensions.size() == 1);
    CHECK(std::string(support.extensions[0]) == VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  }

  TEST_CASE("the device under test, asked") {
    const HostInstance host;
    const DeviceFeatures features = host.query();
    CHECK(features.support().usable());
    CHECK(any_holds(features.support().absent, "shaderInt64: items") == !host.has_int64());
    CHECK(any_holds(features.support().absent, "shaderFloat64: items") == !host.has_float64());
  }

  TEST_CASE("an instance of Vulkan 1.1 is too old, whatever the device") {
    const HostInstance host(VK_API_VERSION_1_1);
    const DeviceFeatures features = host.query();
    REQUIRE_FALSE(features.support().usable());
    CHECK(features.support().missing.front() == "Vulkan 1.2: the instance was created for 1.1");
  }

  TEST_CASE("null arguments are named") {
    const HostInstance host;
    const auto refused = [](const auto& result) {
      REQUIRE_FALSE(result.ok());
      CHECK(result.error().code == ErrorCode::invalid_argument);
      return result.error().message;
    };
    const PFN_vkGetInstanceProcAddr loader = host.get_instance_proc_addr();
    CHECK(refused(DeviceFeatures::query(nullptr, host.physical_device(), loader, VK_API_VERSION_1_3)) ==
          "instance is null");
    CHECK(refused(DeviceFeatures::query(host.handle(), nullptr, loader, VK_API_VERSION_1_3)) ==
          "physical_device is null");
    CHECK(refused(DeviceFeatures::query(host.handle(), host.physical_device(), nullptr, VK_API_VERSION_1_3)) ==
          "get_instance_proc_addr is null");
  }
}

TEST_SUITE("host device features") {
  // Each shape is extended, checked for doubled structures, given to vkCreateDevice (where validation layers look at it
  // too) and adopted. Returns what owns the structures that were linked.
  DeviceFeatures extend_and_adopt(const HostInstance& host, DeviceRequest& request) {
    DeviceFeatures features = host.query();
    const std::vector<const char*>& extensions = features.support().extensions;
    request.info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    request.info.ppEnabledExtensionNames = extensions.data();
    features.extend(request.info);
    const std::set<VkStructureType> types = types_in(request.info.pNext);
    if (types.contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)) {
      CHECK_FALSE(types.contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES));
      CHECK_FALSE(types.contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES));
    }
    if (types.contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES))
      CHECK_FALSE(types.contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES));
    if (types.contains(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)) CHECK(request.info.pEnabledFeatures == nullptr);

    features.extend(request.info);  // a second time finds everything there
    CHECK(types_in(request.info.pNext) == types);

    const HostDevice device(host, request.info);
    const auto context = Context::create(device.config(request.info));
    REQUIRE_MESSAGE(context.ok(), context.error().message);
    CHECK(context->supports(Type::u64) == host.has_int64());
    CHECK(context->supports(Type::f64) == host.has_float64());
    CHECK(context->supports(Type::u32));
    return features;
  }

  // A structure of a host's chain, before `next`.
  template <class Structure>
  Structure linked(VkStructureType type, void* next = nullptr) {
    Structure structure{};
    structure.sType = type;
    structure.pNext = next;
    return structure;
  }
  constexpr auto kFeatures2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  constexpr auto kVulkan12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  constexpr auto kVulkan13 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  constexpr auto kAddress = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
  constexpr auto kAtomics = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES;
  constexpr auto kSizes = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;

  TEST_CASE("an empty chain") {
    for (const uint32_t version : {VK_API_VERSION_1_2, VK_API_VERSION_1_3}) {
      const HostInstance host(version);
      DeviceRequest request(host);
      const DeviceFeatures features = extend_and_adopt(host, request);
    }
  }

  TEST_CASE("pEnabledFeatures is copied, not written to") {
    const HostInstance host;
    DeviceRequest request(host);
    VkPhysicalDeviceFeatures core{};
    core.robustBufferAccess = VK_TRUE;
    request.info.pEnabledFeatures = &core;
    const DeviceFeatures features = extend_and_adopt(host, request);
    CHECK(core.shaderInt64 == VK_FALSE);
    CHECK(core.shaderFloat64 == VK_FALSE);
    CHECK(request.info.pEnabledFeatures->robustBufferAccess == VK_TRUE);
  }

  TEST_CASE("VkPhysicalDeviceFeatures2") {
    const HostInstance host;
    DeviceRequest request(host);
    auto core = linked<VkPhysicalDeviceFeatures2>(kFeatures2);
    core.features.robustBufferAccess = VK_TRUE;
    request.info.pNext = &core;
    const DeviceFeatures features = extend_and_adopt(host, request);
    CHECK(core.features.robustBufferAccess == VK_TRUE);
    CHECK(core.features.shaderInt64 == VkBool32{host.has_int64()});
    CHECK(core.features.shaderFloat64 == VkBool32{host.has_float64()});
  }

  TEST_CASE("VkPhysicalDeviceVulkan12Features") {
    const HostInstance host;
    DeviceRequest request(host);
    auto vulkan_1_2 = linked<VkPhysicalDeviceVulkan12Features>(kVulkan12);
    vulkan_1_2.timelineSemaphore = VK_TRUE;
    request.info.pNext = &vulkan_1_2;
    const DeviceFeatures features = extend_and_adopt(host, request);
    CHECK(vulkan_1_2.bufferDeviceAddress == VK_TRUE);
    CHECK(vulkan_1_2.timelineSemaphore == VK_TRUE);
    CHECK(vulkan_1_2.pNext == nullptr);
  }

  TEST_CASE("VkPhysicalDeviceVulkan12Features after VkPhysicalDeviceFeatures2 and a structure weft does not know") {
    const HostInstance host;
    DeviceRequest request(host);
    auto vulkan_1_2 = linked<VkPhysicalDeviceVulkan12Features>(kVulkan12);
    auto unknown =
        linked<VkPhysicalDeviceMultiviewFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, &vulkan_1_2);
    auto core = linked<VkPhysicalDeviceFeatures2>(kFeatures2, &unknown);
    request.info.pNext = &core;
    const DeviceFeatures features = extend_and_adopt(host, request);
    CHECK(vulkan_1_2.bufferDeviceAddress == VK_TRUE);
  }

  TEST_CASE("VkPhysicalDeviceVulkan12Features and VkPhysicalDeviceVulkan13Features") {
    const HostInstance host;
    DeviceRequest request(host);
    auto vulkan_1_2 = linked<VkPhysicalDeviceVulkan12Features>(kVulkan12);
    auto vulkan_1_3 = linked<VkPhysicalDeviceVulkan13Features>(kVulkan13, &vulkan_1_2);
    request.info.pNext = &vulkan_1_3;
    const DeviceFeatures features = extend_and_adopt(host, request);
    CHECK(vulkan_1_2.bufferDeviceAddress == VK_TRUE);
    CHECK(vulkan_1_3.subgroupSizeControl == VkBool32{first_backend().gpu().info().api_version >= VK_API_VERSION_1_3});
  }

  TEST_CASE(
      "VkPhysicalDeviceVulkan13Features alone, and a structure of 1.2 that forbids VkPhysicalDeviceVulkan12Features") {
    const HostInstance host;
    DeviceRequest request(host);
    auto timeline = linked<VkPhysicalDeviceTimelineSemaphoreFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    timeline.timelineSemaphore = VK_TRUE;
    auto vulkan_1_3 = linked<VkPhysicalDeviceVulkan13Features>(kVulkan13, &timeline);
    request.info.pNext = &vulkan_1_3;
    const DeviceFeatures features = extend_and_adopt(host, request);
    const std::set<VkStructureType> types = types_in(request.info.pNext);
    CHECK_FALSE(types.contains(kVulkan12));
    CHECK(types.contains(kAddress));
    CHECK(timeline.timelineSemaphore == VK_TRUE);
  }

  TEST_CASE("the single structures of each feature") {
    const HostInstance host;
    DeviceRequest request(host);
    auto address = linked<VkPhysicalDeviceBufferDeviceAddressFeatures>(kAddress);
    auto atomics = linked<VkPhysicalDeviceShaderAtomicInt64Features>(kAtomics, &address);
    auto sizes = linked<VkPhysicalDeviceSubgroupSizeControlFeatures>(kSizes, &atomics);
    request.info.pNext = &sizes;
    const DeviceFeatures features = extend_and_adopt(host, request);
    CHECK(address.bufferDeviceAddress == VK_TRUE);
  }

  TEST_CASE("what a host enabled is read back from every shape") {
    auto sizes = linked<VkPhysicalDeviceSubgroupSizeControlFeatures>(kSizes);
    sizes.computeFullSubgroups = VK_TRUE;
    auto atomics = linked<VkPhysicalDeviceShaderAtomicInt64Features>(kAtomics, &sizes);
    atomics.shaderBufferInt64Atomics = VK_TRUE;
    auto address = linked<VkPhysicalDeviceBufferDeviceAddressFeatures>(kAddress, &atomics);
    address.bufferDeviceAddress = VK_TRUE;
    VkPhysicalDeviceFeatures core{};
    core.shaderInt64 = VK_TRUE;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    CHECK_FALSE(runtime::enabled_features(info).buffer_device_address);
    info.pNext = &address;
    CHECK_FALSE(runtime::enabled_features(info).buffer_int64_atomics);  // of no use without shaderInt64
    info.pEnabledFeatures = &core;
    FeatureSet on = runtime::enabled_features(info);
    CHECK(on.buffer_device_address);
    CHECK(on.int64);
    CHECK_FALSE(on.float64);
    CHECK(on.buffer_int64_atomics);
    CHECK(on.full_subgroups);
    CHECK_FALSE(on.subgroup_size_control);

    auto vulkan_1_2 = linked<VkPhysicalDeviceVulkan12Features>(kVulkan12);
    vulkan_1_2.bufferDeviceAddress = VK_TRUE;
    auto vulkan_1_3 = linked<VkPhysicalDeviceVulkan13Features>(kVulkan13, &vulkan_1_2);
    vulkan_1_3.subgroupSizeControl = VK_TRUE;
    auto core2 = linked<VkPhysicalDeviceFeatures2>(kFeatures2, &vulkan_1_3);
    core2.features.shaderFloat64 = VK_TRUE;
    info.pNext = &core2;
    info.pEnabledFeatures = nullptr;
    on = runtime::enabled_features(info);
    CHECK(on.buffer_device_address);
    CHECK_FALSE(on.int64);
    CHECK(on.float64);
    CHECK_FALSE(on.buffer_int64_atomics);
    CHECK(on.subgroup_size_control);
    CHECK_FALSE(on.full_subgroups);
  }
}

TEST_SUITE("host subgroup choice") {
  const FeatureSet kAll{true, true, true, true, true, true};
  const FeatureSet kNoControl{true, true, true, true, false, false};

  TEST_CASE("a device of one size is used as it is, and nothing is required of its pipelines") {
    // lavapipe's figures: required of a pipeline, 32 subgroups of 4 would be a workgroup of 128 at most.
    for (const uint32_t size : {4u, 8u, 16u, 32u, 64u, 128u}) {
      CAPTURE(size);
      const auto choice = choose_subgroups(device_with(0x10005, size, size, size, 32), kAll, {});
      REQUIRE(choice.ok());
      CHECK(choice->backend == SubgroupBackend::native);
      CHECK(choice->size == size);
      CHECK_FALSE(choice->pin);
      CHECK(choice->full);
      CHECK_FALSE(choose_subgroups(device_with(0x10005, size, size, size, 32), kNoControl, {})->full);
    }
  }

  TEST_CASE("a device that varies its size is pinned to the size it reports, an Intel one to 16") {
    const auto size_of_choice = [&](const DeviceFacts& facts) {
      const auto choice = choose_subgroups(facts, kAll, {});
      REQUIRE(choice.ok());
      CHECK(choice->backend == SubgroupBackend::native);
      CHECK(choice->pin);
      return choice->size;
    };
    CHECK(size_of_choice(device_with(runtime::kVendorAmd, 64, 32, 64)) == 64);
    CHECK(size_of_choice(device_with(runtime::kVendorAmd, 32, 32, 64)) == 32);
    CHECK(size_of_choice(device_with(0x5143, 128, 64, 128)) == 128);
    CHECK(size_of_choice(device_with(runtime::kVendorIntel, 32, 8, 32)) == 16);
    CHECK(size_of_choice(device_with(runtime::kVendorIntel, 8, 8, 32)) == 16);
    CHECK(size_of_choice(device_with(runtime::kVendorIntel, 16, 8, 16)) == 16);
    // As Xe2 is: it has no 8.
    CHECK(size_of_choice(device_with(runtime::kVendorIntel, 32, 16, 32)) == 16);
    // The reported size would not fill a workgroup of 256: the largest that does.
    CHECK(size_of_choice(device_with(0x13B5, 4, 4, 16, 16)) == 16);
  }

  TEST_CASE("without control over a size that varies, subgroups are emulated") {
    for (const uint32_t vendor : {runtime::kVendorIntel, runtime::kVendorAmd}) {
      const auto choice = choose_subgroups(device_with(vendor, 32, 8, 64), kNoControl, {});
      REQUIRE(choice.ok());
      CHECK(choice->backend == SubgroupBackend::emulated);
      CHECK(choice->size == 32);
    }
    DeviceFacts unknown_range = device_with(runtime::kVendorIntel, 32, 0, 0);
    unknown_range.subgroups.range_known = false;
    CHECK(choose_subgroups(unknown_range, kNoControl, {})->backend == SubgroupBackend::emulated);
    unknown_range.vendor_id = runtime::kVendorNvidia;
    CHECK(choose_subgroups(unknown_range, kNoControl, {})->backend == SubgroupBackend::native);
  }

  TEST_CASE("without an operation, subgroups are emulated, or native ones are an error that names it") {
    DeviceFacts facts = device_with(runtime::kVendorNvidia, 32, 32, 32);
    facts.subgroups.operations &= ~VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT};
    CHECK(choose_subgroups(facts, kAll, {})->backend == SubgroupBackend::emulated);
    const auto native = choose_subgroups(facts, kAll, {SubgroupBackend::native, 0});
    REQUIRE_FALSE(native.ok());
    CHECK(native.error().code == ErrorCode::missing_feature);
    CHECK(native.error().message.find("SHUFFLE_RELATIVE") != std::string::npos);
  }

  TEST_CASE("llvmpipe wider than 16 is not trusted") {
    DeviceFacts facts = device_with(0x10005, 32, 32, 32);
    facts.driver_id = VK_DRIVER_ID_MESA_LLVMPIPE;
    CHECK(choose_subgroups(facts, kAll, {})->backend == SubgroupBackend::emulated);
    CHECK_FALSE(choose_subgroups(facts, kAll, {SubgroupBackend::native, 0}).ok());
    facts.subgroups.size = facts.subgroups.min_size = facts.subgroups.max_size = 16;
    CHECK(choose_subgroups(facts, kAll, {})->backend == SubgroupBackend::native);
  }

  TEST_CASE("sizes asked for") {
    const DeviceFacts amd = device_with(runtime::kVendorAmd, 64, 32, 64);
    const auto asked = [&](const DeviceFacts& facts, SubgroupBackend backend, uint32_t size) {
      return choose_subgroups(facts, kAll, {backend, size});
    };
    CHECK(asked(amd, SubgroupBackend::native, 32)->size == 32);
    CHECK(asked(amd, SubgroupBackend::native, 32)->pin);
    CHECK(asked(amd, SubgroupBackend::native, 16).error().code == ErrorCode::missing_feature);
    CHECK(asked(amd, SubgroupBackend::automatic, 16)->backend == SubgroupBackend::emulated);
    CHECK(asked(amd, SubgroupBackend::automatic, 16)->size == 16);
    const DeviceFacts nvidia = device_with(runtime::kVendorNvidia, 32, 32, 32);
    CHECK(asked(nvidia, SubgroupBackend::native, 32)->size == 32);
    CHECK(asked(nvidia, SubgroupBackend::native, 64).error().message.find("64") != std::string::npos);
    for (const uint32_t size : {4u, 8u, 16u, 32u, 64u, 128u})
      CHECK(asked(nvidia, SubgroupBackend::emulated, size)->size == size);
    for (const uint32_t size : {1u, 2u, 3u, 33u, 256u, ~0u}) {
      for (const SubgroupBackend backend :
           {SubgroupBackend::automatic, SubgroupBackend::native, SubgroupBackend::emulated})
        CHECK(asked(nvidia, backend, size).error().code == ErrorCode::invalid_argument);
    }
  }

  TEST_CASE("sizes outside 4 to 128 are not native") {
    CHECK(choose_subgroups(device_with(0x1, 1, 1, 1), kAll, {})->backend == SubgroupBackend::emulated);
    CHECK(choose_subgroups(device_with(0x1, 2, 1, 2), kAll, {})->backend == SubgroupBackend::emulated);
  }

  TEST_CASE("WEFT_SUBGROUPS is read") {
    CHECK(runtime::parse_subgroup_request("native")->backend == SubgroupBackend::native);
    CHECK(runtime::parse_subgroup_request("native")->size == 0);
    CHECK(runtime::parse_subgroup_request("native:16")->size == 16);
    CHECK(runtime::parse_subgroup_request("emulated")->backend == SubgroupBackend::emulated);
    CHECK(runtime::parse_subgroup_request("emulated:128")->size == 128);
    for (const std::string wrong : {"", "Native", "native:", "native:0", "emulated:48", "emulated:64 ", "emulated:256",
                                    ":32", "automatic", "emulated:99999999999"}) {
      CAPTURE(wrong);
      const auto request = runtime::parse_subgroup_request(wrong);
      REQUIRE_FALSE(request.ok());
      CHECK(request.error().code == ErrorCode::invalid_argument);
      CHECK(request.error().message.find("native, native:SIZE, emulated, emulated:SIZE") != std::string::npos);
    }
  }
}

namespace {

// Of a Context that obeys the environment, with one variable set.
std::vector<std::string> warnings_of(const Adopted& adopted, const char* name, const char* value) {
  const ScopedVariable scope(name, value);
  ContextConfig config = adopted.config();
  config.use_environment = true;
  const auto context = Context::create(config);
  REQUIRE_MESSAGE(context.ok(), context.error().message);
  return context->warnings();
}

}  // namespace

TEST_SUITE("host strategy choice") {
  TEST_CASE("by kind of device") {
    const auto strategy_of = [](uint32_t vendor, VkPhysicalDeviceType type, VkDriverId driver = VkDriverId{}) {
      DeviceFacts facts = device_with(vendor, 32, 32, 32);
      facts.type = type;
      facts.driver_id = driver;
      const Strategy strategy = default_strategy(facts, facts.features);
      FeatureSet without_atomics = facts.features;
      without_atomics.buffer_int64_atomics = false;
      CHECK(default_strategy(facts, without_atomics) == Strategy::reduce_then_scan);
      return strategy;
    };
    const auto discrete = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    const auto integrated = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    CHECK(strategy_of(runtime::kVendorNvidia, discrete, VK_DRIVER_ID_NVIDIA_PROPRIETARY) == Strategy::look_back);
    // What weft has not been measured on.
    CHECK(strategy_of(runtime::kVendorNvidia, discrete, VK_DRIVER_ID_MESA_NVK) == Strategy::reduce_then_scan);
    CHECK(strategy_of(runtime::kVendorAmd, discrete, VK_DRIVER_ID_MESA_RADV) == Strategy::reduce_then_scan);
    CHECK(strategy_of(runtime::kVendorAmd, integrated, VK_DRIVER_ID_AMD_PROPRIETARY) == Strategy::reduce_then_scan);
    CHECK(strategy_of(runtime::kVendorIntel, integrated) == Strategy::reduce_then_scan);
    CHECK(strategy_of(runtime::kVendorAmd, discrete, VK_DRIVER_ID_MOLTENVK) == Strategy::reduce_then_scan);
    for (const uint32_t vendor : {0x106Bu, 0x13B5u, 0x5143u, 0x1010u, 0x10005u, 0x1u})
      CHECK(strategy_of(vendor, integrated) == Strategy::reduce_then_scan);
    CHECK(strategy_of(runtime::kVendorNvidia, VK_PHYSICAL_DEVICE_TYPE_CPU, VK_DRIVER_ID_NVIDIA_PROPRIETARY) ==
          Strategy::reduce_then_scan);
  }

  TEST_CASE("the host's choice, then WEFT_STRATEGY, then the device") {
    const HostInstance host;
    const Adopted adopted(host);
    const auto strategy_with = [&](Strategy wanted, const char* variable, bool use_environment = true) {
      const ScopedVariable scope("WEFT_STRATEGY", variable);
      ContextConfig config = adopted.config();
      config.strategy = wanted;
      config.use_environment = use_environment;
      const auto context = Context::create(config);
      REQUIRE_MESSAGE(context.ok(), context.error().message);
      return context->strategy();
    };
    const Strategy natural = strategy_with(Strategy::automatic, nullptr);
    CHECK(natural != Strategy::automatic);
    CHECK(strategy_with(Strategy::automatic, "") == natural);
    for (const Strategy strategy : {Strategy::look_back, Strategy::reduce_then_scan}) {
      CHECK(strategy_with(Strategy::automatic, name_of(strategy)) == strategy);
      CHECK(strategy_with(Strategy::automatic, name_of(strategy), false) == natural);
      CHECK(strategy_with(strategy, nullptr) == strategy);
      CHECK(strategy_with(strategy, "look_back") == strategy);
      CHECK(strategy_with(strategy, "reduce_then_scan") == strategy);
    }
    CHECK(warnings_of(adopted, "WEFT_STRATEGY", "look_back").empty());
    CHECK(warnings_of(adopted, "WEFT_STRATEGY", "fastest") ==
          std::vector<std::string>{"WEFT_STRATEGY is ignored: 'fastest' is none of reduce_then_scan, look_back"});
    CHECK(strategy_with(Strategy::automatic, "fastest") == natural);
  }

  TEST_CASE("WEFT_SUBGROUPS decides where the host leaves the backend open") {
    const HostInstance host;
    const Adopted adopted(host);
    const ScopedVariable scope("WEFT_SUBGROUPS", "emulated:64");
    ContextConfig config = adopted.config();
    const auto natural = Context::create(config);
    REQUIRE_MESSAGE(natural.ok(), natural.error().message);
    CHECK(natural->subgroup_size() != 64);
    CHECK(natural->warnings().empty());
    config.use_environment = true;
    auto context = Context::create(config);
    REQUIRE_MESSAGE(context.ok(), context.error().message);
    CHECK(context->subgroup_backend() == SubgroupBackend::emulated);
    CHECK(context->subgroup_size() == 64);
    CHECK(context->required_subgroup_size() == 0);

    config.subgroup_backend = SubgroupBackend::emulated;
    config.subgroup_size = 16;
    context = Context::create(config);
    REQUIRE(context.ok());
    CHECK(context->subgroup_size() == 16);

    // Words that are none, and a size that no device has natively.
    for (const auto& [value, reason] : {std::pair{"wide", "'wide' is none of"}, {"native:128", "128"}}) {
      const std::vector<std::string> warnings = warnings_of(adopted, "WEFT_SUBGROUPS", value);
      REQUIRE(warnings.size() == 1);
      CHECK(warnings[0].starts_with("WEFT_SUBGROUPS is ignored: "));
      CHECK(warnings[0].find(reason) != std::string::npos);
      const ScopedVariable wrong("WEFT_SUBGROUPS", value);
      config = adopted.config();
      config.use_environment = true;
      context = Context::create(config);
      REQUIRE(context.ok());
      CHECK(context->subgroup_size() == natural->subgroup_size());
      CHECK(context->subgroup_backend() == natural->subgroup_backend());
    }
  }

  TEST_CASE("WEFT_TUNE decides the sizes of tiles, as a whole or not at all") {
    const HostInstance host;
    const Adopted adopted(host);
    const auto rows_with = [&](const char* value, bool use_environment) {
      const ScopedVariable scope("WEFT_TUNE", value);
      ContextConfig config = adopted.config();
      config.use_environment = use_environment;
      const auto context = Context::create(config);
      REQUIRE_MESSAGE(context.ok(), context.error().message);
      return weft::primitives::scan_tuning.of(*context->state()).rows;
    };
    const uint32_t natural = rows_with(nullptr, true);
    CHECK(rows_with("scan.rows=7", true) == 7);
    CHECK(rows_with("scan.rows=7", false) == natural);
    CHECK(rows_with("scan.rows=7,reduce.rows=0", true) == natural);
    CHECK(warnings_of(adopted, "WEFT_TUNE", "scan.rows=7").empty());
    const std::vector<std::string> warnings = warnings_of(adopted, "WEFT_TUNE", "scan.rows=7,reduce.rows=0");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "WEFT_TUNE is ignored: reduce.rows takes a number from 1 to 8, not '0'");
  }

  TEST_CASE("a tuning file decides the sizes of tiles on its device, and WEFT_TUNE overrides it") {
    const HostInstance host;
    const Adopted adopted(host);
    const auto facts = runtime::query_device_facts(host.handle(), host.physical_device(), host.get_instance_proc_addr(),
                                                   host.api_version());
    REQUIRE(facts.ok());
    const std::string& device = facts->name;
    const auto context_with = [&](const std::string& tuning, const char* variable = nullptr) {
      const ScopedVariable scope("WEFT_TUNE", variable);
      ContextConfig config = adopted.config();
      config.use_environment = true;
      config.tuning = tuning;
      return Context::create(config);
    };
    const auto rows_of = [&](const Result<Context>& context) {
      REQUIRE_MESSAGE(context.ok(), context.error().message);
      const auto values = context->tuning();
      REQUIRE(values.ok());
      const auto value = std::ranges::find(*values, "scan.rows", &TuningValue::key);
      REQUIRE(value != values->end());
      CHECK(value->value == weft::primitives::scan_tuning.of(*context->state()).rows);
      return value->value;
    };
    const std::string file = "weft-tuning 1\ndevice=" + device + "\nscan.rows=7\n";
    const auto tuned = context_with(file);
    CHECK(rows_of(tuned) == 7);
    CHECK(tuned->warnings().empty());
    CHECK(rows_of(context_with(file, "scan.rows=3")) == 3);
    CHECK(rows_of(context_with(file, "reduce.rows=3")) == 7);

    const auto natural = rows_of(context_with(""));
    const auto foreign = context_with("weft-tuning 1\ndevice=another\nscan.rows=7\n");
    CHECK(rows_of(foreign) == natural);
    CHECK(foreign->warnings() ==
          std::vector<std::string>{"the tuning is ignored: it is of 'another', and this is '" + device + "'"});
    const auto newer = context_with(file + "colour.rows=1\nscan.colour=2\n");
    CHECK(rows_of(newer) == 7);
    REQUIRE(newer->warnings().size() == 1);
    CHECK(newer->warnings()[0].find("2 keys that are ignored") != std::string::npos);
    const auto malformed = context_with(file + "reduce.rows=0\n");
    REQUIRE(!malformed.ok());
    CHECK(malformed.error().code == ErrorCode::invalid_argument);
    CHECK(malformed.error().message == "tuning, line 4: reduce.rows takes a number from 1 to 8, not '0'");
  }
}

TEST_SUITE("host adoption") {
  TEST_CASE("every null argument is named") {
    const HostInstance host;
    const Adopted adopted(host);
    const auto refused = [&](auto&& change) {
      ContextConfig config = adopted.config();
      change(config);
      const auto context = Context::create(config);
      REQUIRE_FALSE(context.ok());
      CHECK(context.error().code == ErrorCode::invalid_argument);
      return context.error().message;
    };
    CHECK(refused([](ContextConfig& c) { c.instance = nullptr; }) == "instance is null");
    CHECK(refused([](ContextConfig& c) { c.physical_device = nullptr; }) == "physical_device is null");
    CHECK(refused([](ContextConfig& c) { c.device = nullptr; }) == "device is null");
    CHECK(refused([](ContextConfig& c) { c.get_instance_proc_addr = nullptr; }) == "get_instance_proc_addr is null");
    CHECK(refused([](ContextConfig& c) { c.device_create_info = nullptr; }) ==
          "neither device_create_info nor enabled is given");
    CHECK(refused([](ContextConfig& c) { c.enabled.emplace(); }) ==
          "device_create_info and enabled are both given, and one of them is taken");
    CHECK(refused([](ContextConfig& c) { c.pipeline_cache_size = 1; }) == "pipeline_cache_data is null");
  }

  TEST_CASE("a Context is made of features that the host states") {
    const HostInstance host;
    const Adopted adopted(host);
    const auto described = Context::create(adopted.config());
    REQUIRE_MESSAGE(described.ok(), described.error().message);

    const auto facts = runtime::query_device_facts(host.handle(), host.physical_device(), host.get_instance_proc_addr(),
                                                   host.api_version());
    REQUIRE(facts.ok());
    const runtime::FeatureSet& has = facts->features;
    const char* const extensions[] = {VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME};
    ContextConfig config = adopted.config();
    config.device_create_info = nullptr;
    config.enabled =
        EnabledFeatures{has.buffer_device_address, has.int64,          has.float64, has.buffer_int64_atomics,
                        has.subgroup_size_control, has.full_subgroups, extensions};
    const auto stated = Context::create(config);
    REQUIRE_MESSAGE(stated.ok(), stated.error().message);
    CHECK(stated->subgroup_backend() == described->subgroup_backend());
    CHECK(stated->subgroup_size() == described->subgroup_size());
    CHECK(stated->required_subgroup_size() == described->required_subgroup_size());
    CHECK(stated->strategy() == described->strategy());
    for (const Type type : {Type::u32, Type::u64, Type::f64})
      CHECK(stated->supports(type) == described->supports(type));
    CHECK(u32_scan(*stated).ok());

    config.enabled->shader_int64 = false;
    const auto less = Context::create(config);
    REQUIRE(less.ok());
    CHECK_FALSE(less->supports(Type::u64));
    {
      const ScopedVariable variable("WEFT_STRATEGY", "look_back");
      ContextConfig obeying = config;
      obeying.use_environment = true;
      const auto context = Context::create(obeying);
      REQUIRE(context.ok());
      CHECK(context->strategy() == Strategy::reduce_then_scan);
      REQUIRE(context->warnings().size() == 1);
      CHECK(context->warnings()[0].starts_with("WEFT_STRATEGY is ignored: look_back needs shaderBufferInt64Atomics"));
    }
    config.enabled->buffer_device_address = false;
    const auto refused = Context::create(config);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::missing_feature);
    CHECK(refused.error().message.find("bufferDeviceAddress") != std::string::npos);
  }

  TEST_CASE("features that cannot be on are not stated") {
    DeviceFacts facts = device_with(0x1002, 64, 32, 64);
    facts.features = {.buffer_device_address = true, .int64 = true, .subgroup_size_control = true};
    EnabledFeatures enabled;
    enabled.buffer_device_address = true;
    enabled.shader_buffer_int64_atomics = true;  // which counts with shader_int64 alone
    auto stated = runtime::stated_features(enabled, facts);
    REQUIRE(stated.ok());
    CHECK(stated->buffer_device_address);
    CHECK_FALSE(stated->int64);
    CHECK_FALSE(stated->buffer_int64_atomics);
    enabled.shader_int64 = true;
    stated = runtime::stated_features(enabled, facts);
    REQUIRE_FALSE(stated.ok());
    CHECK(stated.error().code == ErrorCode::invalid_argument);
    CHECK(stated.error().message.starts_with("enabled.shader_buffer_int64_atomics is stated"));

    enabled.shader_buffer_int64_atomics = false;
    enabled.subgroup_size_control = true;
    CHECK(runtime::stated_features(enabled, facts)->subgroup_size_control);
    facts.size_control_extension = true;  // as below Vulkan 1.3
    stated = runtime::stated_features(enabled, facts);
    REQUIRE_FALSE(stated.ok());
    CHECK(stated.error().message.find(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME) != std::string::npos);
    const char* const extensions[] = {"VK_KHR_of_another_matter", VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME};
    enabled.extensions = extensions;
    CHECK(runtime::stated_features(enabled, facts)->subgroup_size_control);
  }

  TEST_CASE("two devices in one process") {
    // lavapipe and SwiftShader at once, where Debian's packages have put them; else the device under test twice.
    constexpr const char* kDrivers =
        "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json:/usr/lib/chromium/vk_swiftshader_icd.json";
    const ScopedVariable no_device("WEFT_DEVICE", nullptr);
    bool both = false;
    {
      const ScopedVariable files("VK_DRIVER_FILES", kDrivers);
      const ScopedVariable names("VK_ICD_FILENAMES", kDrivers);
      GpuConfig first;
      GpuConfig second;
      first.device = "llvmpipe";
      second.device = "SwiftShader";
      auto lavapipe = Gpu::open(first);
      auto swiftshader = Gpu::open(second);
      both = lavapipe.ok() && swiftshader.ok();
      if (both) {
        CHECK(lavapipe->context().device() != swiftshader->context().device());
        const std::vector<uint32_t> items(1000, 3);
        for (int turn = 0; turn < 2; ++turn) {
          for (Gpu* gpu : {&*lavapipe, &*swiftshader}) {
            const auto sum = gpu->reduce(items);
            REQUIRE_MESSAGE(sum.ok(), sum.error().message);
            CHECK(*sum == 3000);
          }
        }
      }
    }
    if (both) return;
    MESSAGE("lavapipe and SwiftShader are not both here: the same device twice");
    const HostInstance host;
    const Adopted one(host);
    const Adopted two(host);
    const auto first = Context::create(one.config());
    const auto second = Context::create(two.config());
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    CHECK(first->device() != second->device());
    CHECK(u32_scan(*first).ok());
    CHECK(u32_scan(*second).ok());
  }

  TEST_CASE("every object goes through the host's allocation callbacks, and all is freed") {
    const HostInstance host;
    CountingAllocator allocator;
    {
      VulkanShim shim;
      // Everything weft creates on an adopted device, with the callbacks it gives.
      std::atomic<int> calls = 0;
      const auto same = [&](const VkAllocationCallbacks* given) {
        ++calls;
        REQUIRE(given != nullptr);
        CHECK(given->pUserData == allocator.callbacks()->pUserData);
      };
      WEFT_REPLACE(shim, vkCreatePipelineLayout, [&](auto real, VkDevice d, auto* info, auto* callbacks, auto* out) {
        same(callbacks);
        return real(d, info, callbacks, out);
      });
      WEFT_REPLACE(shim, vkCreatePipelineCache, [&](auto real, VkDevice d, auto* info, auto* callbacks, auto* out) {
        same(callbacks);
        return real(d, info, callbacks, out);
      });
      WEFT_REPLACE(shim, vkCreateShaderModule, [&](auto real, VkDevice d, auto* info, auto* callbacks, auto* out) {
        same(callbacks);
        return real(d, info, callbacks, out);
      });
      WEFT_REPLACE(shim, vkCreateComputePipelines,
                   [&](auto real, VkDevice d, VkPipelineCache c, uint32_t n, auto* info, auto* callbacks, auto* out) {
                     same(callbacks);
                     return real(d, c, n, info, callbacks, out);
                   });
      WEFT_REPLACE(shim, vkDestroyPipelineLayout, [&](auto real, VkDevice d, VkPipelineLayout l, auto* callbacks) {
        same(callbacks);
        real(d, l, callbacks);
      });
      WEFT_REPLACE(shim, vkDestroyPipelineCache, [&](auto real, VkDevice d, VkPipelineCache c, auto* callbacks) {
        same(callbacks);
        real(d, c, callbacks);
      });
      WEFT_REPLACE(shim, vkDestroyShaderModule, [&](auto real, VkDevice d, VkShaderModule m, auto* callbacks) {
        same(callbacks);
        real(d, m, callbacks);
      });
      WEFT_REPLACE(shim, vkDestroyPipeline, [&](auto real, VkDevice d, VkPipeline p, auto* callbacks) {
        same(callbacks);
        real(d, p, callbacks);
      });

      const Adopted adopted(host);
      VkAllocationCallbacks temporary = *allocator.callbacks();
      ContextConfig config = adopted.config();
      config.get_instance_proc_addr = shim.get_instance_proc_addr();
      config.allocator = &temporary;
      std::optional<Scan> scan;
      {
        auto context = Context::create(config);
        REQUIRE_MESSAGE(context.ok(), context.error().message);
        temporary = {};  // weft has copied it
        auto created = u32_scan(*context);
        REQUIRE_MESSAGE(created.ok(), created.error().message);
        scan.emplace(*created);
      }
      const int created = calls;
      CHECK(created >= 5);  // layout, cache, a module created and destroyed, a pipeline
      scan.reset();         // the last holder of the Context's insides
      CHECK(calls > created);
    }
    CHECK(allocator.live() == 0);
    CHECK(allocator.foreign_frees() == 0);
    MESSAGE("the driver made ", allocator.allocations(), " allocations");
  }

  TEST_CASE("the host's pipeline cache is used, and stays the host's") {
    const HostInstance host;
    VulkanShim shim;
    std::atomic<int> caches = 0;
    std::vector<VkPipelineCache> used;
    WEFT_REPLACE(shim, vkCreatePipelineCache, [&](auto real, VkDevice d, auto* info, auto* callbacks, auto* out) {
      ++caches;
      return real(d, info, callbacks, out);
    });
    WEFT_REPLACE(shim, vkDestroyPipelineCache, [&](auto real, VkDevice d, VkPipelineCache c, auto* callbacks) {
      ++caches;
      real(d, c, callbacks);
    });
    WEFT_REPLACE(shim, vkCreateComputePipelines,
                 [&](auto real, VkDevice d, VkPipelineCache c, uint32_t n, auto* info, auto* callbacks, auto* out) {
                   used.push_back(c);
                   return real(d, c, n, info, callbacks, out);
                 });
    const Adopted adopted(host);
    VkPipelineCacheCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
    VkPipelineCache cache = VK_NULL_HANDLE;
    REQUIRE(adopted.device->function<PFN_vkCreatePipelineCache>("vkCreatePipelineCache")(
                adopted.device->handle(), &info, nullptr, &cache) == VK_SUCCESS);
    {
      ContextConfig config = adopted.config();
      config.get_instance_proc_addr = shim.get_instance_proc_addr();
      config.pipeline_cache = cache;
      const auto context = Context::create(config);
      REQUIRE_MESSAGE(context.ok(), context.error().message);
      REQUIRE(u32_scan(*context).ok());
      CHECK(context->pipeline_cache_data().ok());
    }
    CHECK_FALSE(used.empty());
    CHECK(std::ranges::all_of(used, [&](VkPipelineCache c) { return c == cache; }));
    CHECK(caches == 0);
    adopted.device->function<PFN_vkDestroyPipelineCache>("vkDestroyPipelineCache")(adopted.device->handle(), cache,
                                                                                   nullptr);
  }
}

TEST_SUITE("host pipelines") {
  TEST_CASE("a pipeline outlives its Context") {
    const HostInstance host;
    const Adopted adopted(host);
    std::shared_ptr<const runtime::Pipeline> pipeline;
    {
      const auto context = Context::create(adopted.config());
      REQUIRE(context.ok());
      auto built = context->state()->pipeline(runtime::kernels::look_back(), "look_back_reset", 128, {});
      REQUIRE_MESSAGE(built.ok(), built.error().message);
      pipeline = *built;
    }
    CHECK(pipeline->handle() != VK_NULL_HANDLE);
    CHECK(pipeline->layout() != VK_NULL_HANDLE);
  }

  TEST_CASE("a kernel that does not exist, and a workgroup that does not fit") {
    const HostInstance host;
    const Adopted adopted(host);
    const auto context = Context::create(adopted.config());
    REQUIRE(context.ok());
    const auto unknown = context->state()->pipeline(runtime::kernels::look_back(), "no_such_kernel", 256, {});
    REQUIRE_FALSE(unknown.ok());
    CHECK(unknown.error().code == ErrorCode::unsupported);
    CHECK(unknown.error().message.find("no_such_kernel") != std::string::npos);
    const uint32_t maximum = context->state()->traits().max_workgroup_invocations;
    CHECK(maximum >= 256);
    const auto large = context->state()->pipeline(runtime::kernels::look_back(), "look_back_reset", 2 * maximum, {});
    REQUIRE_FALSE(large.ok());
    CHECK(large.error().code == ErrorCode::missing_feature);
    CHECK(large.error().message.find(std::to_string(maximum)) != std::string::npos);
  }
}

TEST_SUITE("host pipeline cache") {
  // The header that Vulkan prescribes, for `facts`, and a driver's bytes after it.
  std::vector<std::byte> contents_for(const DeviceFacts& facts) {
    VkPipelineCacheHeaderVersionOne header{};
    header.headerSize = sizeof header;
    header.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
    header.vendorID = facts.vendor_id;
    header.deviceID = facts.device_id;
    std::ranges::copy(facts.pipeline_cache_uuid, header.pipelineCacheUUID);
    std::vector<std::byte> contents(sizeof header + 100, std::byte{0x5a});
    std::memcpy(contents.data(), &header, sizeof header);
    return contents;
  }

  DeviceFacts facts_of_owner() {
    DeviceFacts facts = device_with(runtime::kVendorNvidia, 32, 32, 32);
    facts.device_id = 0x2335;
    facts.driver_version = 4711;
    for (size_t i = 0; i < facts.pipeline_cache_uuid.size(); ++i) facts.pipeline_cache_uuid[i] = uint8_t(i + 1);
    return facts;
  }

  TEST_CASE("intact data is taken as it was") {
    const DeviceFacts facts = facts_of_owner();
    const std::vector<std::byte> contents = contents_for(facts);
    const std::vector<std::byte> data = runtime::wrap_pipeline_cache(contents, facts);
    CHECK(std::ranges::equal(runtime::unwrap_pipeline_cache(data, facts), contents));
  }

  TEST_CASE("every truncation is ignored") {
    const DeviceFacts facts = facts_of_owner();
    const std::vector<std::byte> data = runtime::wrap_pipeline_cache(contents_for(facts), facts);
    for (size_t length = 0; length < data.size(); ++length) {
      CAPTURE(length);
      const std::vector<std::byte> shorter(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(length));
      CHECK(runtime::unwrap_pipeline_cache(shorter, facts).empty());
    }
    std::vector<std::byte> longer = data;
    longer.push_back(std::byte{0});
    CHECK(runtime::unwrap_pipeline_cache(longer, facts).empty());
  }

  TEST_CASE("every flipped bit is noticed") {
    const DeviceFacts facts = facts_of_owner();
    const std::vector<std::byte> data = runtime::wrap_pipeline_cache(contents_for(facts), facts);
    for (size_t bit = 0; bit < 8 * data.size(); ++bit) {
      CAPTURE(bit);
      std::vector<std::byte> damaged = data;
      damaged[bit / 8] ^= std::byte(1U << bit % 8);
      CHECK(runtime::unwrap_pipeline_cache(damaged, facts).empty());
    }
  }

  TEST_CASE("another device's or driver's data is ignored") {
    const DeviceFacts owner = facts_of_owner();
    const std::vector<std::byte> data = runtime::wrap_pipeline_cache(contents_for(owner), owner);
    const auto ignored_by = [&](auto&& change) {
      DeviceFacts reader = owner;
      change(reader);
      return runtime::unwrap_pipeline_cache(data, reader).empty();
    };
    CHECK(ignored_by([](DeviceFacts& f) { f.vendor_id = runtime::kVendorAmd; }));
    CHECK(ignored_by([](DeviceFacts& f) { f.device_id += 1; }));
    CHECK(ignored_by([](DeviceFacts& f) { f.driver_version += 1; }));
    CHECK(ignored_by([](DeviceFacts& f) { f.pipeline_cache_uuid[15] ^= 1; }));
    CHECK_FALSE(ignored_by([](DeviceFacts&) {}));
  }

  TEST_CASE("a header that lies about its length is ignored, in an envelope that is in order") {
    const DeviceFacts facts = facts_of_owner();
    for (const uint32_t length : {0u, 16u, 31u, 133u, 0xffffffffu}) {
      std::vector<std::byte> contents = contents_for(facts);
      std::memcpy(contents.data(), &length, sizeof length);
      CHECK(runtime::unwrap_pipeline_cache(runtime::wrap_pipeline_cache(contents, facts), facts).empty());
    }
  }

  TEST_CASE("saved, reloaded, damaged, refused: what the driver is given") {
    const HostInstance host;
    VulkanShim shim;
    std::vector<size_t> given;  // bytes of initial data, call by call
    bool refuse_data = false;
    WEFT_REPLACE(shim, vkCreatePipelineCache,
                 [&](auto real, VkDevice d, const VkPipelineCacheCreateInfo* info, auto* callbacks, auto* out) {
                   given.push_back(info->initialDataSize);
                   if (refuse_data && info->initialDataSize > 0) return VK_ERROR_INITIALIZATION_FAILED;
                   return real(d, info, callbacks, out);
                 });
    const Adopted adopted(host);
    const auto context_with = [&](const std::vector<std::byte>& data) {
      given.clear();
      ContextConfig config = adopted.config();
      config.get_instance_proc_addr = shim.get_instance_proc_addr();
      config.pipeline_cache_data = data.data();
      config.pipeline_cache_size = data.size();
      auto context = Context::create(config);
      REQUIRE_MESSAGE(context.ok(), context.error().message);
      return *std::move(context);
    };

    std::vector<std::byte> saved;
    {
      const Context context = context_with({});
      CHECK(given == std::vector<size_t>{0});
      REQUIRE(u32_scan(context).ok());
      auto data = context.pipeline_cache_data();
      REQUIRE_MESSAGE(data.ok(), data.error().message);
      saved = *std::move(data);
    }
    REQUIRE(saved.size() > sizeof(VkPipelineCacheHeaderVersionOne));
    {
      const Context context = context_with(saved);
      REQUIRE(given.size() == 1);
      CHECK(given[0] >= sizeof(VkPipelineCacheHeaderVersionOne));
      CHECK(given[0] < saved.size());
      CHECK(u32_scan(context).ok());
    }
    std::vector<std::byte> damaged = saved;
    damaged.back() ^= std::byte{1};
    context_with(damaged);
    CHECK(given == std::vector<size_t>{0});
    context_with(std::vector<std::byte>(saved.begin(), saved.begin() + 20));
    CHECK(given == std::vector<size_t>{0});
    context_with(std::vector<std::byte>(4096, std::byte{0xff}));
    CHECK(given == std::vector<size_t>{0});

    refuse_data = true;
    const Context context = context_with(saved);
    REQUIRE(given.size() == 2);
    CHECK(given[1] == 0);
    CHECK(u32_scan(context).ok());
  }
}

}  // namespace weft::test
