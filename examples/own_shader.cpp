// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Shaders of the program's own that use weft's GLSL includes: shaders/row_sums.comp a scan across the workgroup,
// shaders/row_merge.comp a merge, shaders/row_sort.comp a sort, shaders/row_runs.comp run detection and compaction,
// shaders/row_repeats.comp a load-balancing search, compiled by CMakeLists.txt beside this file. The program gives its
// pipelines what the includes need: specialization constant 0 is the workgroup's size, 1 the subgroup's, and
// the backend decides which of two compilations of the shader to take.
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <weft/weft.hpp>

namespace {

constexpr uint32_t kSumsNative[] = {
#include "row_sums_native.h"
};
constexpr uint32_t kSumsEmulated[] = {
#include "row_sums_emulated.h"
};
constexpr uint32_t kMergeNative[] = {
#include "row_merge_native.h"
};
constexpr uint32_t kMergeEmulated[] = {
#include "row_merge_emulated.h"
};
constexpr uint32_t kSortNative[] = {
#include "row_sort_native.h"
};
constexpr uint32_t kSortEmulated[] = {
#include "row_sort_emulated.h"
};
constexpr uint32_t kRepeatsNative[] = {
#include "row_repeats_native.h"
};
constexpr uint32_t kRepeatsEmulated[] = {
#include "row_repeats_emulated.h"
};
constexpr uint32_t kRunsNative[] = {
#include "row_runs_native.h"
};
constexpr uint32_t kRunsEmulated[] = {
#include "row_runs_emulated.h"
};

// As row_sums.comp and row_sort.comp declare them.
struct SumsPush {
  VkDeviceAddress image;
  VkDeviceAddress sums;
  uint32_t width;
};

// As row_merge.comp declares them.
struct MergePush {
  VkDeviceAddress image;
  VkDeviceAddress merged;
  uint32_t width;
};

// As row_runs.comp and row_repeats.comp declare them.
struct RunsPush {
  VkDeviceAddress image;
  VkDeviceAddress starts;
  VkDeviceAddress counts;
  uint32_t width;
};

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s: VkResult %d\n", what, result);
  std::exit(1);
}

void check(const weft::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

VkPipeline create_pipeline(const weft::Context& context, VkPipelineLayout layout, uint32_t workgroup_size,
                           std::span<const uint32_t> native, std::span<const uint32_t> emulated) {
  const std::span<const uint32_t> code =
      context.subgroup_backend() == weft::SubgroupBackend::native ? native : emulated;
  const VkShaderModuleCreateInfo module_info{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code.size_bytes(), .pCode = code.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  check(vkCreateShaderModule(context.device(), &module_info, nullptr, &module), "vkCreateShaderModule");

  const std::array constants = {workgroup_size, context.subgroup_size()};
  const std::array entries = {VkSpecializationMapEntry{0, 0, 4}, VkSpecializationMapEntry{1, 4, 4}};
  const VkSpecializationInfo specialization{.mapEntryCount = entries.size(),
                                            .pMapEntries = entries.data(),
                                            .dataSize = sizeof(constants),
                                            .pData = constants.data()};
  // Where the device varies its subgroup size, the size given to the shader must be the one it runs at.
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = context.required_subgroup_size()};
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   .pNext = required.requiredSubgroupSize != 0 ? &required : nullptr,
                                                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                   .module = module,
                                                   .pName = "main",
                                                   .pSpecializationInfo = &specialization},
                                         .layout = layout};
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(vkCreateComputePipelines(context.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateComputePipelines");
  vkDestroyShaderModule(context.device(), module, nullptr);
  return pipeline;
}

}  // namespace

int main() {
  weft::Result<weft::Gpu> gpu = weft::Gpu::open();
  check(gpu.status());
  const weft::Context& context = gpu->context();
  volkInitializeCustom(gpu->get_instance_proc_addr());
  volkLoadInstance(gpu->instance());
  volkLoadDevice(context.device());

  const VkPushConstantRange push_range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(RunsPush)};
  const VkPipelineLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push_range};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  check(vkCreatePipelineLayout(context.device(), &layout_info, nullptr, &layout), "vkCreatePipelineLayout");
  const VkPipeline row_sums = create_pipeline(context, layout, 256, kSumsNative, kSumsEmulated);
  const VkPipeline row_merge = create_pipeline(context, layout, 256, kMergeNative, kMergeEmulated);
  const VkPipeline row_sort = create_pipeline(context, layout, 256, kSortNative, kSortEmulated);
  const VkPipeline row_runs = create_pipeline(context, layout, 256, kRunsNative, kRunsEmulated);
  const VkPipeline row_repeats = create_pipeline(context, layout, 256, kRepeatsNative, kRepeatsEmulated);

  // Pixel (x, y) is x + y; 1000 is no multiple of the workgroup.
  constexpr uint32_t width = 1000, height = 3;
  std::vector<uint32_t> pixels(width * height);
  for (uint32_t i = 0; i < width * height; ++i) pixels[i] = i % width + i / width;
  const VkDeviceSize bytes = pixels.size() * sizeof(uint32_t);
  const weft::Result<weft::Buffer> image = gpu->create_buffer(bytes);
  check(image.status());
  const weft::Result<weft::Buffer> sums = gpu->create_buffer(bytes);
  check(sums.status());
  check(gpu->upload(image->range(), std::as_bytes(std::span(pixels))));

  // Between two calls of Gpu everything is made visible, so that no barrier is needed here.
  const auto run = [&](VkPipeline pipeline, uint32_t groups, const auto& push) {
    check(gpu->run([&](VkCommandBuffer commands) -> weft::Status {
               vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
               vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
               vkCmdDispatch(commands, groups, 1, 1);
               return {};
             })
              .status());
  };
  run(row_sums, height, SumsPush{image->address(), sums->address(), width});
  check(gpu->download(sums->range(), std::as_writable_bytes(std::span(pixels))));
  for (uint32_t y = 0; y < height; ++y) {
    const uint32_t* row = &pixels[y * width];
    std::printf("row %u: %u %u %u ... %u %u\n", y, row[0], row[1], row[2], row[width - 2], row[width - 1]);
  }

  run(row_sort, height, SumsPush{image->address(), sums->address(), width});
  check(gpu->download(sums->range(), std::as_writable_bytes(std::span(pixels))));
  for (uint32_t y = 0; y < height; ++y) {
    const uint32_t* row = &pixels[y * width];
    std::printf("row %u, brightest first: %u %u ... %u %u\n", y, row[0], row[1], row[width - 2], row[width - 1]);
  }

  // Pixels of a row ascend.
  const weft::Result<weft::Buffer> merged = gpu->create_buffer(2 * bytes);
  check(merged.status());
  run(row_merge, height - 1, MergePush{image->address(), merged->address(), width});
  std::vector<uint32_t> merged_rows(2 * width * (height - 1));
  check(gpu->download(merged->range(0, merged_rows.size() * sizeof(uint32_t)),
                      std::as_writable_bytes(std::span(merged_rows))));
  for (uint32_t y = 0; y + 1 < height; ++y) {
    const uint32_t* row = &merged_rows[2 * width * y];
    std::printf("rows %u and %u: %u %u %u %u ... %u %u\n", y, y + 1, row[0], row[1], row[2], row[3], row[2 * width - 2],
                row[2 * width - 1]);
  }

  // The same image in steps of 300 levels, so that it has runs.
  for (uint32_t i = 0; i < width * height; ++i) pixels[i] = (i % width + i / width) / 300;
  const weft::Result<weft::Buffer> counts = gpu->create_buffer(height * sizeof(uint32_t));
  check(counts.status());
  check(gpu->upload(image->range(), std::as_bytes(std::span(pixels))));
  run(row_runs, height, RunsPush{image->address(), sums->address(), counts->address(), width});
  std::array<uint32_t, height> runs{};
  check(gpu->download(counts->range(), std::as_writable_bytes(std::span(runs))));
  check(gpu->download(sums->range(), std::as_writable_bytes(std::span(pixels))));
  for (uint32_t y = 0; y < height; ++y) {
    std::printf("row %u: runs begin at", y);
    for (uint32_t r = 0; r < runs[y]; ++r) std::printf(" %u", pixels[y * width + r]);
    std::printf("\n");
  }

  // Each of its pixels as often as its level says.
  run(row_repeats, height, RunsPush{image->address(), merged->address(), counts->address(), width});
  std::array<uint32_t, height> repeats{};
  check(gpu->download(counts->range(), std::as_writable_bytes(std::span(repeats))));
  merged_rows.resize(2 * width * height);
  check(gpu->download(merged->range(0, merged_rows.size() * sizeof(uint32_t)),
                      std::as_writable_bytes(std::span(merged_rows))));
  for (uint32_t y = 0; y < height; ++y) {
    const uint32_t* row = &merged_rows[2 * width * y];
    std::printf("row %u: %u repeats, of %u %u %u ... %u %u %u %u\n", y, repeats[y], row[0], row[1], row[2],
                row[repeats[y] - 4], row[repeats[y] - 3], row[repeats[y] - 2], row[repeats[y] - 1]);
  }
  vkDestroyPipeline(context.device(), row_sums, nullptr);
  vkDestroyPipeline(context.device(), row_merge, nullptr);
  vkDestroyPipeline(context.device(), row_sort, nullptr);
  vkDestroyPipeline(context.device(), row_runs, nullptr);
  vkDestroyPipeline(context.device(), row_repeats, nullptr);
  vkDestroyPipelineLayout(context.device(), layout, nullptr);
}
