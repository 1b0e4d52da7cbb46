// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gdeflate_decode.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "decode/decode_table.hpp"
#include "decode/gdeflate_decode.h"
#include "decode/gdeflate_tuning.hpp"
#include "decode/kernel_families.hpp"
#include "primitives/core/pipeline_builder.hpp"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct GdeflateDecode::Plan {
  std::shared_ptr<const ContextState> state;
  uint32_t workgroup = 32;
  uint32_t pages_in_flight = 0;
  std::shared_ptr<const Pipeline> decode, copy;
  std::shared_ptr<const Pipeline> pair;  // of up to `few_pages`, if there is one
  uint32_t few_pages = 0;
};

namespace {

constexpr const char* kGdeflateDecodeName = "GdeflateDecode";
constexpr uint32_t kDefaultInFlight = 4096;
// Lanes of the workgroup that decodes one of few pages: two groups if they are subgroups, else one, which all subgroups
// are part of. 0: a subgroup is several groups.
uint32_t pair_workgroup(const ContextState& state) {
  const bool pairs = state.subgroup_backend() == SubgroupBackend::native &&
                     state.subgroup_size_in(2 * decode::kLanes) == decode::kLanes;
  return pairs ? 2 * decode::kLanes : decode::smallest_workgroup(state) == decode::kLanes ? decode::kLanes : 0;
}

}  // namespace

Result<GdeflateDecode> GdeflateDecode::create(const Context& context, const GdeflateDecodeConfig& config) noexcept try {
  const ContextState& state = *context.state();
  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  plan->workgroup = decode::smallest_workgroup(state);
  plan->few_pages = decode::gdeflate_tuning.of(state).few_pages;
  plan->pages_in_flight = config.pages_in_flight != 0 ? config.pages_in_flight : kDefaultInFlight;
  primitives::PipelineBuilder builder(state, decode::kernels::gdeflate_decode(), plan->workgroup);
  builder.set(shader::gdeflate_decode::kReduceUniform, decode::is_nvidia(state))
      .build(plan->decode, "gdeflate_decode")
      .build(plan->copy, "gdeflate_copy");
  if (const uint32_t workgroup = plan->few_pages != 0 ? pair_workgroup(state) : 0)
    builder.workgroup(workgroup).build(plan->pair, "gdeflate_pair");
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

  shader::DecodePush push{};
  primitives::RecordCall call(state, kGdeflateDecodeName, commands);
  decode::declare(call, {"pages", args.pages, sizeof(GdeflatePage), "page_count", args.page_count}, args,
                  scratch_size(pages), push);
  if (!call.accepted()) return call.status();

  decode::record_batches(call, pages, plan.pages_in_flight, push, [&] {
    if (plan.pair && push.slots <= plan.few_pages) {
      call.dispatch(*plan.pair, push, push.slots);
      return;
    }
    const uint64_t workgroups = decode::workgroups_for(push.slots, plan.workgroup);
    call.dispatch(*plan.decode, push, workgroups);
    call.barrier();
    call.dispatch(*plan.copy, push, workgroups);
  });
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
