// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/decompress.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "decode/decode_table.hpp"
#include "decode/decompress.h"
#include "decode/gdeflate_decode.h"
#include "decode/kernel_families.hpp"
#include "primitives/core/pipeline_builder.hpp"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

namespace {

constexpr const char* kDecompressName = "Decompress";
constexpr uint32_t kWorkgroup = 256;
constexpr uint64_t kMaxRegions = uint64_t{1} << 16;  // of a call, so that scratch is small
constexpr uint64_t kGdeflate = VK_MEMORY_DECOMPRESSION_METHOD_GDEFLATE_1_0_BIT_NV;

// Of VK_EXT_memory_decompression, which is younger than the headers that weft is built with. Its properties are those
// of VK_NV_memory_decompression, and its regions too, but for their last member.
using IndirectCountExt = void(VKAPI_PTR*)(VkCommandBuffer commands, VkFlags64 method, VkDeviceAddress regions,
                                          VkDeviceAddress count, uint32_t max_count, uint32_t stride);
constexpr uint32_t kRegionBytesExt = 32, kRegionBytesNv = sizeof(VkDecompressMemoryRegionNV);

struct Driver {
  IndirectCountExt ext = nullptr;
  PFN_vkCmdDecompressMemoryIndirectCountNV nv = nullptr;
  uint32_t max_regions = 0;

  uint32_t region_bytes() const { return ext != nullptr ? kRegionBytesExt : kRegionBytesNv; }
};

// The functions of what is enabled, if the device decodes GDeflate 1.0.
std::optional<Driver> driver_of(VkDevice device, const DriverDecompression& enabled) {
  if (!enabled.ext && !enabled.nv) return std::nullopt;
  if (enabled.instance == VK_NULL_HANDLE || enabled.physical_device == VK_NULL_HANDLE ||
      enabled.get_instance_proc_addr == nullptr)
    return std::nullopt;
  const auto of_instance = [&](const char* name) { return enabled.get_instance_proc_addr(enabled.instance, name); };
  const auto query =
      reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(of_instance("vkGetPhysicalDeviceProperties2"));
  const auto get = reinterpret_cast<PFN_vkGetDeviceProcAddr>(of_instance("vkGetDeviceProcAddr"));
  if (query == nullptr || get == nullptr) return std::nullopt;
  VkPhysicalDeviceMemoryDecompressionPropertiesNV limits{};
  limits.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_DECOMPRESSION_PROPERTIES_NV;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &limits;
  query(enabled.physical_device, &properties);
  if ((limits.decompressionMethods & kGdeflate) == 0 || limits.maxDecompressionIndirectCount == 0) return std::nullopt;
  Driver driver;
  driver.max_regions = static_cast<uint32_t>(std::min(limits.maxDecompressionIndirectCount, kMaxRegions));
  if (enabled.ext)
    driver.ext = reinterpret_cast<IndirectCountExt>(get(device, "vkCmdDecompressMemoryIndirectCountEXT"));
  if (driver.ext == nullptr && enabled.nv)
    driver.nv =
        reinterpret_cast<PFN_vkCmdDecompressMemoryIndirectCountNV>(get(device, "vkCmdDecompressMemoryIndirectCountNV"));
  if (driver.ext == nullptr && driver.nv == nullptr) return std::nullopt;
  return driver;
}

}  // namespace

struct Decompress::Plan {
  std::shared_ptr<const ContextState> state;
  std::optional<GdeflateDecode> weft;
  // Else:
  Driver driver;
  std::shared_ptr<const Pipeline> regions;
};

const char* name_of(DecompressPath path) noexcept {
  switch (path) {
    case DecompressPath::weft: return "weft";
    case DecompressPath::driver_ext: return "driver_ext";
    case DecompressPath::driver_nv: return "driver_nv";
  }
  return "?";
}

Result<Decompress> Decompress::create(const Context& context, const DecompressConfig& config) noexcept try {
  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  const auto driver =
      config.trusted && config.driver != nullptr ? driver_of(context.device(), *config.driver) : std::nullopt;
  if (!driver) {
    auto created = GdeflateDecode::create(context, {config.pages_in_flight});
    if (!created) return created.error();
    plan->weft = *std::move(created);
    return Decompress(std::move(plan));
  }
  plan->driver = *driver;
  primitives::PipelineBuilder builder(*plan->state, decode::kernels::gdeflate_decode(), kWorkgroup);
  builder.set(shader::gdeflate_decode::kReduceUniform, decode::is_nvidia(*plan->state))
      .set(shader::decompress::kRegionWords, driver->region_bytes() / 4)
      .build(plan->regions, "decompress");
  if (!builder.status()) return builder.status().error();
  return Decompress(std::move(plan));
} catch (...) {
  return runtime::caught();
}

Decompress::Decompress(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

DecompressPath Decompress::path() const noexcept {
  if (plan_->weft) return DecompressPath::weft;
  return plan_->driver.ext != nullptr ? DecompressPath::driver_ext : DecompressPath::driver_nv;
}

VkDeviceSize Decompress::scratch_size(uint64_t pages) const noexcept {
  if (plan_->weft) return plan_->weft->scratch_size(pages);
  const Driver& driver = plan_->driver;
  return WEFT_DECOMPRESS_HEADER + driver.region_bytes() * std::min<uint64_t>(pages, driver.max_regions);
}

Status Decompress::record(VkCommandBuffer commands, const GdeflateDecodeArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  if (plan.weft) return plan.weft->record(commands, args);
  const uint64_t pages = args.page_count.maximum();
  shader::DecodePush push{};
  primitives::RecordCall call(*plan.state, kDecompressName, commands);
  decode::declare(call, {"pages", args.pages, sizeof(GdeflatePage), "page_count", args.page_count}, args,
                  pages == 0 ? 0 : scratch_size(pages), push);
  if (!call.accepted()) return call.status();

  // What the driver reads and writes is of no stage that every header of Vulkan has.
  const auto barrier = [&](VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                           VkAccessFlags seen) {
    const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, written, seen};
    plan.state->vk().vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
  };
  constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  constexpr VkAccessFlags kMemory = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  decode::record_batches(call, pages, plan.driver.max_regions, push, [&] {
    call.dispatch(*plan.regions, push, 1);
    barrier(kCompute, VK_ACCESS_SHADER_WRITE_BIT, kAll, kMemory);
    const VkDeviceAddress regions = push.scratch + WEFT_DECOMPRESS_HEADER;
    if (plan.driver.ext != nullptr)
      plan.driver.ext(commands, kGdeflate, regions, push.scratch, push.slots, kRegionBytesExt);
    else
      plan.driver.nv(commands, regions, push.scratch, kRegionBytesNv);
    // The caller's barrier is one after compute shaders.
    barrier(kAll, VK_ACCESS_MEMORY_WRITE_BIT, kCompute, kShader);
  });
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
