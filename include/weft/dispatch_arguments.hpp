// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

namespace weft {

struct DispatchArgumentsConfig {};

/// Arguments of DispatchArguments::record. `output` must not overlap a count on the device.
struct DispatchArgumentsArgs {
  /// Number of items, e.g. the count another primitive wrote, and its upper bound.
  Count count;
  /// Items a workgroup of the dispatched shader processes. Not 0.
  uint32_t items_per_workgroup = 1;
  /// Receives one VkDispatchIndirectCommand (12 bytes), 4-byte aligned. The buffer needs INDIRECT_BUFFER usage.
  BufferRange output;
};

/// Converts a count on the device into the arguments of an indirect dispatch.
///
///     groups = ⌈count / items_per_workgroup⌉
///     output = (x, y, 1), x · y ≥ groups, x ≤ the device's maxComputeWorkGroupCount[0]; (0, 1, 1) for no groups
///
/// - If one axis suffices, x = groups and y = 1. Else y is minimal, then x: fewer than y workgroups are surplus.
/// - The dispatched shader numbers its workgroups as gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x and
///   returns from those past the last.
/// - Before vkCmdDispatchIndirect, make the output visible to DRAW_INDIRECT / INDIRECT_COMMAND_READ.
/// - Results are bit-identical on every run.
/// - Cost: one dispatch of one workgroup. No scratch.
/// - Barriers, lifetime, threads: docs/integration.md.
class WEFT_API DispatchArguments {
 public:
  /// Builds the pipeline. Errors: out_of_{host,device}_memory, device_lost, driver_error.
  static Result<DispatchArguments> create(const Context& context, const DispatchArgumentsConfig& config = {}) noexcept;

  /// Records one call. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, items_per_workgroup
  /// of 0, more groups than 65,535 rows of maxComputeWorkGroupCount[0] or than 2^32 - 1).
  Status record(VkCommandBuffer commands, const DispatchArgumentsArgs& args) const noexcept;

 private:
  struct Plan;
  explicit DispatchArguments(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

}  // namespace weft
