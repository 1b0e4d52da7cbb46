// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <vulkan/vulkan_core.h>

namespace weft::test {

/// An entry point that is the loader's, except that commands are noted when they are recorded: for
/// GpuConfig::get_instance_proc_addr. All devices of a process that are opened through it must be of one driver.
PFN_vkGetInstanceProcAddr recording_entry_point();

/// What was recorded through recording_entry_point() since the last call, a letter for each command:
///     d  a dispatch
///     b  a barrier that makes shader writes of compute visible to its shader reads and writes
///     u  an update of a buffer
///     t  a barrier that lets transfers write after compute
///     v  a barrier that makes what transfers wrote visible to shader reads of compute
///     .  any other
std::string take_recorded();

/// How often two dispatches follow each other without such a barrier, or a dispatch an update; or an update a dispatch,
/// be it one of before what was recorded. Validation layers cannot tell: weft's kernels reach their
/// memory by device addresses, which synchronization validation does not follow.
int64_t missing_barriers(std::string_view recorded);
/// Whether it is ever so.
bool lacks_barrier(std::string_view recorded);

}  // namespace weft::test
