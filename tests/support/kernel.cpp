// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/kernel.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <weft/kernels.hpp>

#include "support/device.hpp"
#include "test_kernels.hpp"

namespace weft::test {

Kernel::Kernel(const Gpu& gpu, std::string_view name, uint32_t workgroup_size, uint32_t subgroup_size,
               std::span<const uint32_t> constants, VkDescriptorSetLayout set_layout)
    : gpu_(gpu) {
  static const KernelSet set("tests", "none", kernels());
  const std::span<const uint32_t> words = set.find(name);
  REQUIRE_MESSAGE(!words.empty(), "no kernel ", std::string(name), " in tests/kernels.cmake");

  const VkDevice device = gpu.context().device();
  VkPushConstantRange push_range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
  VkPipelineLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.setLayoutCount = set_layout == VK_NULL_HANDLE ? 0 : 1;
  layout_info.pSetLayouts = &set_layout;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &push_range;
  REQUIRE(device_function<PFN_vkCreatePipelineLayout>(gpu, "vkCreatePipelineLayout")(device, &layout_info, nullptr,
                                                                                     &layout_) == VK_SUCCESS);
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = words.size_bytes();
  module_info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  REQUIRE(device_function<PFN_vkCreateShaderModule>(gpu, "vkCreateShaderModule")(device, &module_info, nullptr,
                                                                                 &module) == VK_SUCCESS);

  std::vector<uint32_t> values{workgroup_size, subgroup_size};
  values.insert(values.end(), constants.begin(), constants.end());
  std::vector<VkSpecializationMapEntry> entries;
  for (uint32_t id = 0; id < values.size(); ++id) entries.push_back({id, id * 4, 4});
  const VkSpecializationInfo specialization{static_cast<uint32_t>(entries.size()), entries.data(), values.size() * 4,
                                            values.data()};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{};
  required.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  required.requiredSubgroupSize = gpu.context().required_subgroup_size();
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  if (name.ends_with(".native") && required.requiredSubgroupSize != 0) info.stage.pNext = &required;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = layout_;
  const VkResult created = device_function<PFN_vkCreateComputePipelines>(gpu, "vkCreateComputePipelines")(
      device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  device_function<PFN_vkDestroyShaderModule>(gpu, "vkDestroyShaderModule")(device, module, nullptr);
  REQUIRE(created == VK_SUCCESS);
}

Kernel::~Kernel() {
  const VkDevice device = gpu_.context().device();
  device_function<PFN_vkDestroyPipeline>(gpu_, "vkDestroyPipeline")(device, pipeline_, nullptr);
  device_function<PFN_vkDestroyPipelineLayout>(gpu_, "vkDestroyPipelineLayout")(device, layout_, nullptr);
}

void Kernel::record(VkCommandBuffer commands, const void* push, uint32_t push_size, uint32_t workgroups) const {
  device_function<PFN_vkCmdBindPipeline>(gpu_, "vkCmdBindPipeline")(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                                    pipeline_);
  device_function<PFN_vkCmdPushConstants>(gpu_, "vkCmdPushConstants")(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                                                      push_size, push);
  device_function<PFN_vkCmdDispatch>(gpu_, "vkCmdDispatch")(commands, workgroups, 1, 1);
}

}  // namespace weft::test
