// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include <weft/context.hpp>

#include "runtime/device_facts.hpp"
#include "runtime/enabled_features.hpp"
#include "runtime/error.hpp"

namespace weft {
namespace {

// The structures of a VkDeviceCreateInfo's chain that hold features weft uses. Null: not in the chain.
struct FeatureChain {
  VkPhysicalDeviceFeatures2* core = nullptr;
  VkPhysicalDeviceVulkan12Features* vulkan_1_2 = nullptr;
  VkPhysicalDeviceVulkan13Features* vulkan_1_3 = nullptr;
  VkPhysicalDeviceBufferDeviceAddressFeatures* buffer_device_address = nullptr;
  VkPhysicalDeviceShaderAtomicInt64Features* atomic_int64 = nullptr;
  VkPhysicalDeviceSubgroupSizeControlFeatures* size_control = nullptr;
};

// VkDeviceCreateInfo's chain is const, but its structures are the host's own objects, which DeviceFeatures::extend says
// it writes to; enabled_features() only reads them.
FeatureChain find_features(const VkDeviceCreateInfo& info) {
  FeatureChain chain;
  for (auto* link = static_cast<VkBaseOutStructure*>(const_cast<void*>(info.pNext)); link != nullptr;
       link = link->pNext) {
    void* structure = link;
    switch (link->sType) {
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2:
        chain.core = static_cast<VkPhysicalDeviceFeatures2*>(structure);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES:
        chain.vulkan_1_2 = static_cast<VkPhysicalDeviceVulkan12Features*>(structure);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES:
        chain.vulkan_1_3 = static_cast<VkPhysicalDeviceVulkan13Features*>(structure);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES:
        chain.buffer_device_address = static_cast<VkPhysicalDeviceBufferDeviceAddressFeatures*>(structure);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES:
        chain.atomic_int64 = static_cast<VkPhysicalDeviceShaderAtomicInt64Features*>(structure);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES:
        chain.size_control = static_cast<VkPhysicalDeviceSubgroupSizeControlFeatures*>(structure);
        break;
      default: break;
    }
  }
  return chain;
}

bool enables_extension(const VkDeviceCreateInfo& info, const char* name) {
  for (uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
    if (std::strcmp(info.ppEnabledExtensionNames[i], name) == 0) return true;
  }
  return false;
}

// Turns `feature` on where `wanted`, and leaves it as the host has it otherwise.
void turn_on(VkBool32& feature, bool wanted) {
  if (wanted) feature = VK_TRUE;
}

}  // namespace

namespace runtime {

FeatureSet enabled_features(const VkDeviceCreateInfo& info) {
  const FeatureChain chain = find_features(info);
  FeatureSet on;
  const VkPhysicalDeviceFeatures* core = chain.core != nullptr ? &chain.core->features : info.pEnabledFeatures;
  if (core != nullptr) {
    on.int64 = core->shaderInt64 == VK_TRUE;
    on.float64 = core->shaderFloat64 == VK_TRUE;
  }
  if (chain.vulkan_1_2 != nullptr) {
    on.buffer_device_address = chain.vulkan_1_2->bufferDeviceAddress == VK_TRUE;
    on.buffer_int64_atomics = chain.vulkan_1_2->shaderBufferInt64Atomics == VK_TRUE;
  }
  if (chain.buffer_device_address != nullptr)
    on.buffer_device_address |= chain.buffer_device_address->bufferDeviceAddress == VK_TRUE;
  if (chain.atomic_int64 != nullptr) on.buffer_int64_atomics |= chain.atomic_int64->shaderBufferInt64Atomics == VK_TRUE;
  if (chain.vulkan_1_3 != nullptr) {
    on.subgroup_size_control = chain.vulkan_1_3->subgroupSizeControl == VK_TRUE;
    on.full_subgroups = chain.vulkan_1_3->computeFullSubgroups == VK_TRUE;
  }
  if (chain.size_control != nullptr) {
    on.subgroup_size_control |= chain.size_control->subgroupSizeControl == VK_TRUE;
    on.full_subgroups |= chain.size_control->computeFullSubgroups == VK_TRUE;
  }
  on.buffer_int64_atomics = on.buffer_int64_atomics && on.int64;
  return on;
}

Result<FeatureSet> stated_features(const EnabledFeatures& stated, const DeviceFacts& facts) {
  const FeatureSet on{stated.buffer_device_address, stated.shader_int64,
                      stated.shader_float64,        stated.shader_int64 && stated.shader_buffer_int64_atomics,
                      stated.subgroup_size_control, stated.compute_full_subgroups};
  const FeatureSet& has = facts.features;
  const struct {
    const char* name;
    bool is_on, is_there;
  } features[] = {{"buffer_device_address", on.buffer_device_address, has.buffer_device_address},
                  {"shader_int64", on.int64, has.int64},
                  {"shader_float64", on.float64, has.float64},
                  {"shader_buffer_int64_atomics", on.buffer_int64_atomics, has.buffer_int64_atomics},
                  {"subgroup_size_control", on.subgroup_size_control, has.subgroup_size_control},
                  {"compute_full_subgroups", on.full_subgroups, has.full_subgroups}};
  for (const auto& feature : features) {
    if (feature.is_on && !feature.is_there)
      return Error{ErrorCode::invalid_argument,
                   std::string("enabled.") + feature.name + " is stated, and " + facts.name + " lacks the feature"};
  }
  const char* const extension = VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME;
  const bool has_extension =
      std::ranges::any_of(stated.extensions, [&](const char* name) { return std::strcmp(name, extension) == 0; });
  if (facts.size_control_extension && (on.subgroup_size_control || on.full_subgroups) && !has_extension)
    return Error{ErrorCode::invalid_argument,
                 std::string("enabled.extensions lacks ") + extension +
                     ", with which subgroup_size_control and compute_full_subgroups come below Vulkan 1.3"};
  return on;
}

}  // namespace runtime

struct DeviceFeatures::Storage {
  runtime::DeviceFacts facts;
  DeviceSupport support;
  VkPhysicalDeviceFeatures copied_core{};  // of the host's pEnabledFeatures
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceBufferDeviceAddressFeatures buffer_device_address{};
  VkPhysicalDeviceShaderAtomicInt64Features atomic_int64{};
  VkPhysicalDeviceSubgroupSizeControlFeatures size_control{};
};

Result<DeviceFeatures> DeviceFeatures::query(VkInstance instance, VkPhysicalDevice physical_device,
                                             PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                                             uint32_t api_version) noexcept try {
  auto facts = runtime::query_device_facts(instance, physical_device, get_instance_proc_addr, api_version);
  if (!facts) return facts.error();
  auto storage = std::make_unique<Storage>();
  storage->support = runtime::support_of(*facts);
  storage->facts = *std::move(facts);
  return DeviceFeatures(std::move(storage));
} catch (...) {
  return runtime::caught();
}

DeviceFeatures::DeviceFeatures(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
DeviceFeatures::DeviceFeatures(DeviceFeatures&&) noexcept = default;
DeviceFeatures& DeviceFeatures::operator=(DeviceFeatures&&) noexcept = default;
DeviceFeatures::~DeviceFeatures() = default;

const DeviceSupport& DeviceFeatures::support() const noexcept { return storage_->support; }

void DeviceFeatures::extend(VkDeviceCreateInfo& info) noexcept {
  const runtime::DeviceFacts& facts = storage_->facts;
  const runtime::FeatureSet& has = facts.features;
  FeatureChain chain = find_features(info);

  // Links a structure of ours before the host's.
  const auto link = [&info](auto& structure, VkStructureType type) {
    structure = {};
    structure.sType = type;
    structure.pNext = const_cast<void*>(info.pNext);
    info.pNext = &structure;
    return &structure;
  };

  if (has.int64 || has.float64) {
    VkPhysicalDeviceFeatures* core = nullptr;
    if (chain.core != nullptr) {
      core = &chain.core->features;
    } else if (info.pEnabledFeatures != nullptr) {
      storage_->copied_core = *info.pEnabledFeatures;
      core = &storage_->copied_core;
      info.pEnabledFeatures = core;
    } else {
      core = &link(storage_->core, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)->features;
    }
    turn_on(core->shaderInt64, has.int64);
    turn_on(core->shaderFloat64, has.float64);
  }

  // A chain may hold VkPhysicalDeviceVulkan12Features or the structures it was made of, not both: one of ours is linked
  // only where the host has neither.
  if (chain.vulkan_1_2 != nullptr) {
    turn_on(chain.vulkan_1_2->bufferDeviceAddress, has.buffer_device_address);
    turn_on(chain.vulkan_1_2->shaderBufferInt64Atomics, has.buffer_int64_atomics);
  } else {
    if (has.buffer_device_address) {
      if (chain.buffer_device_address == nullptr) {
        chain.buffer_device_address =
            link(storage_->buffer_device_address, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
      }
      chain.buffer_device_address->bufferDeviceAddress = VK_TRUE;
    }
    if (has.buffer_int64_atomics) {
      if (chain.atomic_int64 == nullptr)
        chain.atomic_int64 =
            link(storage_->atomic_int64, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES);
      chain.atomic_int64->shaderBufferInt64Atomics = VK_TRUE;
    }
  }

  const bool size_control_enabled =
      !facts.size_control_extension || enables_extension(info, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  if ((has.subgroup_size_control || has.full_subgroups) && size_control_enabled) {
    if (chain.vulkan_1_3 != nullptr) {
      turn_on(chain.vulkan_1_3->subgroupSizeControl, has.subgroup_size_control);
      turn_on(chain.vulkan_1_3->computeFullSubgroups, has.full_subgroups);
    } else {
      if (chain.size_control == nullptr)
        chain.size_control =
            link(storage_->size_control, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
      turn_on(chain.size_control->subgroupSizeControl, has.subgroup_size_control);
      turn_on(chain.size_control->computeFullSubgroups, has.full_subgroups);
    }
  }
}

}  // namespace weft
