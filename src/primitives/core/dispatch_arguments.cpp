// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>

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
constexpr uint32_t kWorkgroup = 128;  // the least that every subgroup size divides; one invocation works

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
  shader::DispatchArgumentsPush push{};
  primitives::RecordCall call(*plan_->state, kDispatchArgumentsName, commands);
  call.refuse_if(!args.output.is_given(), "output", "has no buffer")
      .count("count", args.count, push.count, push.count_value, push.count_words)
      .dispatch_arguments("output", args.output, args.count.maximum(), args.items_per_workgroup, push.command,
                          push.groups);
  if (!call.accepted()) return call.status();
  call.dispatch(*plan_->pipeline, push, 1);
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
