// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

/// What the pipeline of a DispatchArguments is built for: nothing to choose.
struct DispatchArgumentsConfig {};

/// What one call works on.
struct DispatchArgumentsArgs {
  Count count;                       ///< items: as another primitive left their number on the device, and its maximum
  uint32_t items_per_workgroup = 1;  ///< not 0
  BufferRange output;                ///< 1 VkDispatchIndirectCommand (12 bytes), aligned to 4; not over `count`
};

/// Turns a count on the device into the arguments of an indirect dispatch.
///
///     groups = ⌈count / items_per_workgroup⌉
///     output = (x, y, 1), x · y ≥ groups, x within the device's maxComputeWorkGroupCount[0]; (0, 1, 1) for no groups
///
/// Where one axis holds all groups, x is their number and y is 1. Else y is the least that will do and x the least with that y, so
/// that fewer than y workgroups are too many: the dispatched shader numbers them as gl_WorkGroupID.y * gl_NumWorkGroups.x +
/// gl_WorkGroupID.x and returns from those past the last.
///
/// Cost: 1 dispatch of one workgroup. Needs no scratch. Results have the same bits on every run.
/// Before vkCmdDispatchIndirect reads the output, the caller makes it visible to DRAW_INDIRECT / INDIRECT_COMMAND_READ.
/// Its buffer needs INDIRECT_BUFFER usage.
/// Barriers, threads, lifetime: docs/integration.md.
class DispatchArguments {
 public:
  /// Builds the pipeline. Errors: out_of_host_memory, out_of_device_memory, device_lost.
  static Result<DispatchArguments> create(const Context& context, const DispatchArgumentsConfig& config = {}) noexcept;

  /// Records one call into `commands`. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping, no items
  /// per workgroup, more groups at most than 65,535 rows of maxComputeWorkGroupCount[0], or than 2^32 - 1).
  Status record(VkCommandBuffer commands, const DispatchArgumentsArgs& args) const noexcept;

 private:
  struct Plan;
  explicit DispatchArguments(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
