// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/kernel.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include <weft/kernels.hpp>

#include "bench_kernels.hpp"

namespace weft::bench {

namespace {

constexpr uint32_t kMaxWorkgroupsX = 32768;

struct CopyPush {
  VkDeviceAddress source;
  VkDeviceAddress destination;
  uint32_t vector_count;
  uint32_t padding;
};

}  // namespace

struct Kernel::State {
  VkDevice device = VK_NULL_HANDLE;
  PFN_vkDestroyPipeline destroy_pipeline = nullptr;
  PFN_vkDestroyPipelineLayout destroy_pipeline_layout = nullptr;
  PFN_vkGetBufferDeviceAddress get_buffer_device_address = nullptr;
  PFN_vkCmdBindPipeline cmd_bind_pipeline = nullptr;
  PFN_vkCmdPushConstants cmd_push_constants = nullptr;
  PFN_vkCmdDispatch cmd_dispatch = nullptr;
  PFN_vkCmdPipelineBarrier cmd_pipeline_barrier = nullptr;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  struct Create {
    PFN_vkCreateShaderModule shader_module = nullptr;
    PFN_vkDestroyShaderModule destroy_shader_module = nullptr;
    PFN_vkCreatePipelineLayout pipeline_layout = nullptr;
    PFN_vkCreateComputePipelines compute_pipelines = nullptr;
  };

  /// False: the device lacks one of the functions.
  bool load(const Gpu& gpu, Create& create) {
    device = gpu.context().device();
    const auto get =
        reinterpret_cast<PFN_vkGetDeviceProcAddr>(gpu.get_instance_proc_addr()(gpu.instance(), "vkGetDeviceProcAddr"));
    const auto load_one = [&]<class F>(F& function, const char* name) {
      function = reinterpret_cast<F>(get(device, name));
      return function != nullptr;
    };
    return get && load_one(create.shader_module, "vkCreateShaderModule") &&
           load_one(create.destroy_shader_module, "vkDestroyShaderModule") &&
           load_one(create.pipeline_layout, "vkCreatePipelineLayout") &&
           load_one(create.compute_pipelines, "vkCreateComputePipelines") &&
           load_one(destroy_pipeline, "vkDestroyPipeline") &&
           load_one(destroy_pipeline_layout, "vkDestroyPipelineLayout") &&
           load_one(get_buffer_device_address, "vkGetBufferDeviceAddress") &&
           load_one(cmd_bind_pipeline, "vkCmdBindPipeline") && load_one(cmd_push_constants, "vkCmdPushConstants") &&
           load_one(cmd_dispatch, "vkCmdDispatch") && load_one(cmd_pipeline_barrier, "vkCmdPipelineBarrier");
  }
  ~State() {
    if (pipeline) destroy_pipeline(device, pipeline, nullptr);
    if (layout) destroy_pipeline_layout(device, layout, nullptr);
  }
};

Kernel::Kernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;
Kernel::~Kernel() = default;

Result<Kernel> Kernel::create(const Gpu& gpu, std::string_view name, uint32_t push_bytes,
                              const std::optional<KernelShape>& shape) {
  static const KernelSet set("weft-bench", "none", kernels());
  const bool is_native = !shape || gpu.context().subgroup_backend() == SubgroupBackend::native;
  const std::string full_name = std::string(name) + (is_native ? ".native" : ".emulated");
  const std::span<const uint32_t> words = set.find(full_name);
  if (words.empty()) return Error{ErrorCode::unsupported, "built without the kernel " + full_name};

  auto state = std::make_unique<State>();
  State::Create create;
  if (!state->load(gpu, create)) return Error{ErrorCode::driver_error, "the device lacks a function of Vulkan 1.2"};
  const auto failed = [](const char* call, VkResult result) {
    return Error{ErrorCode::driver_error, std::string(call) + " returned " + std::to_string(result)};
  };
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
  VkPipelineLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &push;
  VkResult result = create.pipeline_layout(state->device, &layout_info, nullptr, &state->layout);
  if (result != VK_SUCCESS) return failed("vkCreatePipelineLayout", result);

  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = words.size_bytes();
  module_info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  result = create.shader_module(state->device, &module_info, nullptr, &module);
  if (result != VK_SUCCESS) return failed("vkCreateShaderModule", result);

  VkComputePipelineCreateInfo pipeline_info{};
  pipeline_info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline_info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline_info.stage.module = module;
  pipeline_info.stage.pName = "main";
  pipeline_info.layout = state->layout;
  std::vector<uint32_t> constants;
  std::vector<VkSpecializationMapEntry> entries;
  VkSpecializationInfo specialization{};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{};
  required.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  required.requiredSubgroupSize = gpu.context().required_subgroup_size();
  if (shape) {
    constants = {shape->workgroup, gpu.context().subgroup_size()};
    constants.insert(constants.end(), shape->constants.begin(), shape->constants.end());
    constexpr uint32_t kBytes = sizeof(uint32_t);
    for (uint32_t id = 0; id < constants.size(); ++id) entries.push_back({id, id * kBytes, kBytes});
    specialization = {static_cast<uint32_t>(entries.size()), entries.data(), constants.size() * kBytes,
                      constants.data()};
    pipeline_info.stage.pSpecializationInfo = &specialization;
    if (is_native && required.requiredSubgroupSize != 0) pipeline_info.stage.pNext = &required;
  }
  result = create.compute_pipelines(state->device, VK_NULL_HANDLE, 1, &pipeline_info, nullptr, &state->pipeline);
  create.destroy_shader_module(state->device, module, nullptr);
  if (result != VK_SUCCESS) return failed("vkCreateComputePipelines", result);
  return Kernel(std::move(state));
}

VkDeviceAddress Kernel::address_of(const BufferRange& range) const {
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, range.buffer};
  return state_->get_buffer_device_address(state_->device, &info) + range.offset;
}

void Kernel::record(VkCommandBuffer commands, const void* push, uint32_t push_bytes, uint64_t workgroups) const {
  const auto x = static_cast<uint32_t>(std::clamp<uint64_t>(workgroups, 1, kMaxWorkgroupsX));
  const auto y = static_cast<uint32_t>(std::max<uint64_t>((workgroups + x - 1) / x, 1));
  state_->cmd_bind_pipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, state_->pipeline);
  state_->cmd_push_constants(commands, state_->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, push);
  state_->cmd_dispatch(commands, x, y, 1);
}

void Kernel::barrier(VkCommandBuffer commands) const {
  const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                               VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  state_->cmd_pipeline_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                               1, &memory, 0, nullptr, 0, nullptr);
}

Result<Kernel> create_copy(const Gpu& gpu) { return Kernel::create(gpu, "copy", sizeof(CopyPush)); }

void record_copy(const Kernel& copy, VkCommandBuffer commands, const BufferRange& from, const BufferRange& to,
                 uint64_t bytes) {
  constexpr uint64_t kWorkgroupVectors = 256 * 4;
  const auto vectors = static_cast<uint32_t>((bytes + 15) / 16);
  const CopyPush push{copy.address_of(from), copy.address_of(to), vectors, 0};
  copy.record(commands, push, (vectors + kWorkgroupVectors - 1) / kWorkgroupVectors);
}

}  // namespace weft::bench
