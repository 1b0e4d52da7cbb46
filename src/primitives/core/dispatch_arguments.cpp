// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>

#include <algorithm>

#include "core/dispatch_arguments.h"
#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/record_call.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using runtime::ContextState;
using runtime::Pipeline;

struct DispatchArguments::Plan {
  std::shared_ptr<const ContextState> state;
  std::shared_ptr<const Pipeline> pipeline;
};

namespace {

constexpr const char* kDispatchArgumentsName = "DispatchArguments";
constexpr uint32_t kWorkgroup = 128;     // the least that every subgroup size divides; one invocation works
constexpr uint64_t kMinMaxRows = 65535;  // what every device has of maxComputeWorkGroupCount[1]

}  // namespace

Result<DispatchArguments> DispatchArguments::create(const Context& context, const DispatchArgumentsConfig&) noexcept
    try {
  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  primitives::PipelineBuilder builder(*plan->state, runtime::kernels::dispatch_arguments(), kWorkgroup);
  builder.build(plan->pipeline, "dispatch_arguments");
  if (!builder.status()) return builder.status().error();
  return DispatchArguments(std::move(plan));
} catch (...) {
  return runtime::caught();
}

DispatchArguments::DispatchArguments(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Status DispatchArguments::record(VkCommandBuffer commands, const DispatchArgumentsArgs& args) const noexcept try {
  const ContextState& state = *plan_->state;
  const uint64_t maximum = args.count.maximum();
  const uint32_t max_x = state.traits().max_workgroup_count_x;
  const uint64_t most_groups = std::min<uint64_t>(max_x * kMinMaxRows, ~uint32_t{0});

  shader::DispatchArgumentsPush push{};
  push.group_items = args.items_per_workgroup;
  push.max_groups_x = max_x;
  primitives::RecordCall call(state, kDispatchArgumentsName, commands);
  call.refuse_if(push.group_items == 0, "items_per_workgroup", "is 0");
  if (call.status() && primitives::divided_up(maximum, push.group_items) > most_groups)
    call.refuse("count", "makes more workgroups than can be dispatched: " + std::to_string(maximum));
  call.count("count", args.count, push.count, push.count_value, push.count_words)
      .write("output", args.output, sizeof(VkDispatchIndirectCommand), 4, push.command);
  if (!call.accepted()) return call.status();
  call.dispatch(*plan_->pipeline, push, 1);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
