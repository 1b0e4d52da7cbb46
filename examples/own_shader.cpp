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

constexpr uint32_t kWidth = 1000, kHeight = 3;  // 1000 is no multiple of the workgroup

// Runs a shader over rows of an image, a workgroup a row.
class RowShaders {
 public:
  explicit RowShaders(weft::Gpu& gpu) : gpu_(gpu) {
    const VkPushConstantRange push_range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(RunsPush)};
    const VkPipelineLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                 .pushConstantRangeCount = 1,
                                                 .pPushConstantRanges = &push_range};
    check(vkCreatePipelineLayout(gpu.context().device(), &layout_info, nullptr, &layout_), "vkCreatePipelineLayout");
  }
  ~RowShaders() { vkDestroyPipelineLayout(gpu_.context().device(), layout_, nullptr); }
  RowShaders(const RowShaders&) = delete;
  RowShaders& operator=(const RowShaders&) = delete;

  // Between two calls of Gpu everything is made visible, so that no barrier is needed here.
  template <class Push>
  void run(std::span<const uint32_t> native, std::span<const uint32_t> emulated, uint32_t groups, const Push& push) {
    const VkPipeline pipeline = create_pipeline(gpu_.context(), layout_, 256, native, emulated);
    check(gpu_.run([&](VkCommandBuffer commands) -> weft::Status {
                vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
                vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
                vkCmdDispatch(commands, groups, 1, 1);
                return {};
              })
              .status());
    vkDestroyPipeline(gpu_.context().device(), pipeline, nullptr);
  }
  weft::Buffer create_words(size_t words) {
    weft::Result<weft::Buffer> buffer = gpu_.create_buffer(words * sizeof(uint32_t));
    check(buffer.status());
    return *std::move(buffer);
  }
  std::vector<uint32_t> words_of(const weft::Buffer& buffer, size_t words) {
    std::vector<uint32_t> result(words);
    check(gpu_.download(buffer.range(0, words * sizeof(uint32_t)), std::as_writable_bytes(std::span(result))));
    return result;
  }

 private:
  weft::Gpu& gpu_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

void sums_and_orders(RowShaders& shaders, const weft::Buffer& image, const weft::Buffer& sums) {
  const SumsPush push{image.address(), sums.address(), kWidth};
  shaders.run(kSumsNative, kSumsEmulated, kHeight, push);
  std::vector<uint32_t> words = shaders.words_of(sums, kWidth * kHeight);
  for (uint32_t y = 0; y < kHeight; ++y) {
    const uint32_t* row = &words[y * kWidth];
    std::printf("row %u: %u %u %u ... %u %u\n", y, row[0], row[1], row[2], row[kWidth - 2], row[kWidth - 1]);
  }
  shaders.run(kSortNative, kSortEmulated, kHeight, push);
  words = shaders.words_of(sums, kWidth * kHeight);
  for (uint32_t y = 0; y < kHeight; ++y) {
    const uint32_t* row = &words[y * kWidth];
    std::printf("row %u, brightest first: %u %u ... %u %u\n", y, row[0], row[1], row[kWidth - 2], row[kWidth - 1]);
  }
}

// Pixels of a row ascend.
void merges(RowShaders& shaders, const weft::Buffer& image) {
  const weft::Buffer merged = shaders.create_words(2 * kWidth * (kHeight - 1));
  shaders.run(kMergeNative, kMergeEmulated, kHeight - 1, MergePush{image.address(), merged.address(), kWidth});
  const std::vector<uint32_t> words = shaders.words_of(merged, 2 * kWidth * (kHeight - 1));
  for (uint32_t y = 0; y + 1 < kHeight; ++y) {
    const uint32_t* row = &words[2 * kWidth * y];
    std::printf("rows %u and %u: %u %u %u %u ... %u %u\n", y, y + 1, row[0], row[1], row[2], row[3],
                row[2 * kWidth - 2], row[2 * kWidth - 1]);
  }
}

void runs_and_repeats(RowShaders& shaders, const weft::Buffer& image, const weft::Buffer& starts) {
  const weft::Buffer counts = shaders.create_words(kHeight), repeated = shaders.create_words(2 * kWidth * kHeight);
  shaders.run(kRunsNative, kRunsEmulated, kHeight,
              RunsPush{image.address(), starts.address(), counts.address(), kWidth});
  const std::vector<uint32_t> runs = shaders.words_of(counts, kHeight);
  std::vector<uint32_t> words = shaders.words_of(starts, kWidth * kHeight);
  for (uint32_t y = 0; y < kHeight; ++y) {
    std::printf("row %u: runs begin at", y);
    for (uint32_t r = 0; r < runs[y]; ++r) std::printf(" %u", words[y * kWidth + r]);
    std::printf("\n");
  }

  // Each of its pixels as often as its level says.
  shaders.run(kRepeatsNative, kRepeatsEmulated, kHeight,
              RunsPush{image.address(), repeated.address(), counts.address(), kWidth});
  const std::vector<uint32_t> repeats = shaders.words_of(counts, kHeight);
  words = shaders.words_of(repeated, 2 * kWidth * kHeight);
  for (uint32_t y = 0; y < kHeight; ++y) {
    const uint32_t* row = &words[2 * kWidth * y];
    std::printf("row %u: %u repeats, of %u %u %u ... %u %u %u %u\n", y, repeats[y], row[0], row[1], row[2],
                row[repeats[y] - 4], row[repeats[y] - 3], row[repeats[y] - 2], row[repeats[y] - 1]);
  }
}

}  // namespace

int main() {
  weft::Result<weft::Gpu> gpu = weft::Gpu::open();
  check(gpu.status());
  volkInitializeCustom(gpu->get_instance_proc_addr());
  volkLoadInstance(gpu->instance());
  volkLoadDevice(gpu->context().device());

  RowShaders shaders(*gpu);
  std::vector<uint32_t> pixels(kWidth * kHeight);
  const weft::Buffer image = shaders.create_words(pixels.size()), results = shaders.create_words(pixels.size());
  // Pixel (x, y) is x + y.
  for (uint32_t i = 0; i < pixels.size(); ++i) pixels[i] = i % kWidth + i / kWidth;
  check(gpu->upload(image.range(), std::as_bytes(std::span(pixels))));
  sums_and_orders(shaders, image, results);
  merges(shaders, image);

  // The same image in steps of 300 levels, so that it has runs.
  for (uint32_t& pixel : pixels) pixel /= 300;
  check(gpu->upload(image.range(), std::as_bytes(std::span(pixels))));
  runs_and_repeats(shaders, image, results);
}
