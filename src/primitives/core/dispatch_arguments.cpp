// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>

#include <algorithm>

#include "core/dispatch_arguments.h"
#include "primitives/core/arguments.hpp"
#include "runtime/kernel_families.hpp"

namespace weft {

using primitives::LocatedRange;
using runtime::ContextState;
using runtime::Pipeline;

struct DispatchArguments::Plan {
  std::shared_ptr<const ContextState> state;
  std::shared_ptr<const Pipeline> pipeline;
};

namespace {

constexpr const char* kName = "DispatchArguments";
constexpr uint32_t kWorkgroup = 128;       // the least that every subgroup size divides; one invocation works
constexpr uint64_t kLeastMaxRows = 65535;  // what every device has of maxComputeWorkGroupCount[1]

}  // namespace

Result<DispatchArguments> DispatchArguments::create(const Context& context, const DispatchArgumentsConfig&) noexcept
    try {
  auto plan = std::make_shared<Plan>();
  plan->state = context.state();
  Result<std::shared_ptr<const Pipeline>> built =
      plan->state->pipeline(runtime::kernels::dispatch_arguments(), "dispatch_arguments", kWorkgroup, {});
  if (!built) return built.error();
  plan->pipeline = *std::move(built);
  return DispatchArguments(std::move(plan));
} catch (...) {
  return runtime::caught();
}

DispatchArguments::DispatchArguments(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

Status DispatchArguments::record(VkCommandBuffer commands, const DispatchArgumentsArgs& args) const noexcept try {
  const ContextState& state = *plan_->state;
  const uint64_t maximum = args.count.maximum();
  const uint32_t max_x = state.traits().max_workgroup_count_x;

  if (commands == VK_NULL_HANDLE) return primitives::argument_error(kName, "commands", "is null");
  if (args.items_per_workgroup == 0) return primitives::argument_error(kName, "items_per_workgroup", "is 0");
  const uint64_t most_groups = std::min<uint64_t>(max_x * kLeastMaxRows, ~uint32_t{0});
  if (maximum / args.items_per_workgroup + (maximum % args.items_per_workgroup != 0 ? 1 : 0) > most_groups)
    return primitives::argument_error(kName, "count",
                                      "makes more workgroups than can be dispatched: " + std::to_string(maximum));
  const Result<VkDeviceAddress> count = primitives::locate_count(state, kName, args.count);
  if (!count) return count.error();
  const Result<LocatedRange> output =
      primitives::locate(state, kName, "output", args.output, sizeof(VkDispatchIndirectCommand), 4);
  if (!output) return output.error();
  if (args.count.is_on_device() && primitives::overlap(*output, LocatedRange{"count", *count, args.count.range().size}))
    return primitives::argument_error(kName, "output", "overlaps count");

  shader::DispatchArgumentsPush push{};
  push.count = *count;
  push.command = output->address;
  push.count_value = maximum;
  push.count_words = static_cast<uint32_t>(args.count.range().size / 4);
  push.group_items = args.items_per_workgroup;
  push.max_groups_x = max_x;
  primitives::dispatch(state, commands, *plan_->pipeline, push, {1, 1});
  return {};
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
