// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/copy_kernel.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "bench_kernels.hpp"

namespace weft::bench {

namespace {

constexpr uint32_t kWorkgroupVectors = 256 * 4;
constexpr uint32_t kMaxWorkgroupsX = 32768;

struct CopyPush {
  VkDeviceAddress source;
  VkDeviceAddress destination;
  uint32_t vector_count;
  uint32_t padding;
};

}  // namespace

struct CopyKernel::State {
  VkDevice device = VK_NULL_HANDLE;
  PFN_vkDestroyPipeline destroy_pipeline = nullptr;
  PFN_vkDestroyPipelineLayout destroy_pipeline_layout = nullptr;
  PFN_vkGetBufferDeviceAddress get_buffer_device_address = nullptr;
  PFN_vkCmdBindPipeline cmd_bind_pipeline = nullptr;
  PFN_vkCmdPushConstants cmd_push_constants = nullptr;
  PFN_vkCmdDispatch cmd_dispatch = nullptr;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  ~State() {
    if (pipeline) destroy_pipeline(device, pipeline, nullptr);
    if (layout) destroy_pipeline_layout(device, layout, nullptr);
  }

  VkDeviceAddress address_of(const BufferRange& range) const {
    const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, range.buffer};
    return get_buffer_device_address(device, &info) + range.offset;
  }
};

CopyKernel::CopyKernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
CopyKernel::CopyKernel(CopyKernel&&) noexcept = default;
CopyKernel& CopyKernel::operator=(CopyKernel&&) noexcept = default;
CopyKernel::~CopyKernel() = default;

Result<CopyKernel> CopyKernel::create(const Gpu& gpu) {
  auto state = std::make_unique<State>();
  state->device = gpu.context().device();
  const auto get_device_proc_addr =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(gpu.get_instance_proc_addr()(gpu.instance(), "vkGetDeviceProcAddr"));
  bool complete = get_device_proc_addr != nullptr;
  const auto load = [&]<class F>(F& function, const char* name) {
    if (complete) function = reinterpret_cast<F>(get_device_proc_addr(state->device, name));
    complete = complete && function != nullptr;
  };
  PFN_vkCreateShaderModule create_shader_module = nullptr;
  PFN_vkDestroyShaderModule destroy_shader_module = nullptr;
  PFN_vkCreatePipelineLayout create_pipeline_layout = nullptr;
  PFN_vkCreateComputePipelines create_compute_pipelines = nullptr;
  load(create_shader_module, "vkCreateShaderModule");
  load(destroy_shader_module, "vkDestroyShaderModule");
  load(create_pipeline_layout, "vkCreatePipelineLayout");
  load(create_compute_pipelines, "vkCreateComputePipelines");
  load(state->destroy_pipeline, "vkDestroyPipeline");
  load(state->destroy_pipeline_layout, "vkDestroyPipelineLayout");
  load(state->get_buffer_device_address, "vkGetBufferDeviceAddress");
  load(state->cmd_bind_pipeline, "vkCmdBindPipeline");
  load(state->cmd_push_constants, "vkCmdPushConstants");
  load(state->cmd_dispatch, "vkCmdDispatch");
  if (!complete) return Error{ErrorCode::driver_error, "the device lacks a function of Vulkan 1.2"};

  const auto kernels = kernel_registry();
  const auto kernel =
      std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.name == "copy.native"; });
  if (kernel == kernels.end()) return Error{ErrorCode::unsupported, "built without copy.comp"};

  const auto failed = [](const char* call, VkResult result) {
    return Error{ErrorCode::driver_error, std::string(call) + " returned " + std::to_string(result)};
  };
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(CopyPush)};
  VkPipelineLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &push;
  VkResult result = create_pipeline_layout(state->device, &layout_info, nullptr, &state->layout);
  if (result != VK_SUCCESS) return failed("vkCreatePipelineLayout", result);

  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = kernel->words.size_bytes();
  module_info.pCode = kernel->words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  result = create_shader_module(state->device, &module_info, nullptr, &module);
  if (result != VK_SUCCESS) return failed("vkCreateShaderModule", result);

  VkComputePipelineCreateInfo pipeline_info{};
  pipeline_info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline_info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline_info.stage.module = module;
  pipeline_info.stage.pName = "main";
  pipeline_info.layout = state->layout;
  result = create_compute_pipelines(state->device, VK_NULL_HANDLE, 1, &pipeline_info, nullptr, &state->pipeline);
  destroy_shader_module(state->device, module, nullptr);
  if (result != VK_SUCCESS) return failed("vkCreateComputePipelines", result);
  return CopyKernel(std::move(state));
}

void CopyKernel::record(VkCommandBuffer commands, const BufferRange& from, const BufferRange& to,
                        uint64_t bytes) const {
  const auto vectors = static_cast<uint32_t>((bytes + 15) / 16);
  const uint32_t workgroups = std::max(1u, (vectors + kWorkgroupVectors - 1) / kWorkgroupVectors);
  const uint32_t x = std::min(workgroups, kMaxWorkgroupsX);
  const CopyPush push{state_->address_of(from), state_->address_of(to), vectors, 0};
  state_->cmd_bind_pipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, state_->pipeline);
  state_->cmd_push_constants(commands, state_->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
  state_->cmd_dispatch(commands, x, (workgroups + x - 1) / x, 1);
}

}  // namespace weft::bench
