// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gdeflate_decode.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "decode/gdeflate_decode.h"
#include "decode/kernel_families.hpp"
#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct GdeflateDecode::Plan {
  std::shared_ptr<const ContextState> state;
  uint32_t workgroup = 32;
  uint32_t pages_in_flight = 0;
  std::shared_ptr<const Pipeline> decode, copy;
};

namespace {

constexpr const char* kGdeflateDecodeName = "GdeflateDecode";
constexpr uint32_t kPageLanes = 32;  // of a group, which decodes a page
constexpr uint64_t kMaxPages = uint64_t{1} << 24;
constexpr uint32_t kDefaultInFlight = 4096;

}  // namespace

Result<GdeflateDecode> GdeflateDecode::create(const Context& context, const GdeflateDecodeConfig& config) noexcept try {
  const ContextState& state = *context.state();
  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  // A subgroup for each group; wide subgroups hold several. Emulated ones never do: groups
  // diverge and meet at no barrier.
  plan->workgroup = std::max(kPageLanes, state.subgroup_size_in(kPageLanes));
  plan->pages_in_flight = config.pages_in_flight != 0 ? config.pages_in_flight : kDefaultInFlight;
  // NVIDIA's compiler takes only reductions as uniform (shaders/weft/lanes.glsl).
  primitives::PipelineBuilder builder(state, decode::kernels::gdeflate_decode(), plan->workgroup);
  builder.set(shader::gdeflate_decode::kReduceUniform, state.traits().vendor_id == runtime::kVendorNvidia)
      .build(plan->decode, "gdeflate_decode")
      .build(plan->copy, "gdeflate_copy");
  if (!builder.status()) return builder.status().error();
  return GdeflateDecode(std::move(plan));
} catch (...) {
  return runtime::caught();
}

GdeflateDecode::GdeflateDecode(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

VkDeviceSize GdeflateDecode::scratch_size(uint64_t pages) const noexcept {
  return uint64_t{WEFT_GDEFLATE_SCRATCH} * std::min<uint64_t>(pages, plan_->pages_in_flight);
}

Status GdeflateDecode::record(VkCommandBuffer commands, const GdeflateDecodeArgs& args) const noexcept try {
  const Plan& plan = *plan_;
  const ContextState& state = *plan.state;
  const uint64_t pages = args.page_count.maximum();

  shader::GdeflateDecodePush push{};
  primitives::RecordCall call(state, kGdeflateDecodeName, commands);
  if (pages > kMaxPages) call.refuse("page_count", "is more than 2^24: " + std::to_string(pages));
  // If there are pages, ranges of 0 bytes are given too.
  const bool any = pages != 0;
  call.read("pages", args.pages, pages * sizeof(GdeflatePage), 8, push.pages)
      .refuse_if(any && args.source.buffer == VK_NULL_HANDLE, "source", "has no buffer")
      .read("source", args.source, any ? args.source.size : 0, 4, push.source)
      .refuse_if(any && args.output.buffer == VK_NULL_HANDLE, "output", "has no buffer")
      .write("output", args.output, any ? args.output.size : 0, 1, push.outputs)
      .write("status", args.status, any ? 4 * (1 + pages) : 0, 4, push.status)
      .scratch(args.scratch, scratch_size(pages), push.scratch)
      .count("page_count", args.page_count, push.page_count, push.page_maximum, push.page_count_words);
  if (!call.accepted()) return call.status();

  push.source_bytes = args.source.size;
  push.output_bytes = args.output.size;
  for (uint64_t first = 0; first < pages; first += plan.pages_in_flight) {
    if (first != 0) call.barrier();
    push.first_page = static_cast<uint32_t>(first);
    push.slots = static_cast<uint32_t>(std::min<uint64_t>(pages - first, plan.pages_in_flight));
    const uint64_t workgroups = (uint64_t{push.slots} * kPageLanes + plan.workgroup - 1) / plan.workgroup;
    call.dispatch(*plan.decode, push, workgroups);
    call.barrier();
    call.dispatch(*plan.copy, push, workgroups);
  }
  return {};
} catch (...) {
  return runtime::caught();
}

Result<std::vector<GdeflatePage>> gdeflate_pages(std::span<const std::byte> stream, uint64_t source,
                                                 uint64_t output) noexcept try {
  if (source % 4 != 0)
    return Error{ErrorCode::invalid_argument, "source is no multiple of 4: " + std::to_string(source)};
  const Result<std::vector<gdeflate::Page>> pages = gdeflate::pages(stream);
  if (!pages) return pages.error();
  std::vector<GdeflatePage> table;
  for (const gdeflate::Page& page : *pages) {
    if (page.first % 4 != 0 || page.size % 4 != 0)
      return Error{ErrorCode::corrupt_stream,
                   "gdeflate: page " + std::to_string(table.size()) + " is not of whole words"};
    table.push_back({source + page.first, output, page.size / 4, page.bytes});
    output += page.bytes;
  }
  return table;
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
