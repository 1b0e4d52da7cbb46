// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <volk.h>

namespace weft::vk {

/// volk's table of device functions, one per Context: weft neither reads nor writes volk's global pointers, which are
/// the host's. Only the functions weft calls are filled; the others are null. (The list is in device_table.cpp.)
using DeviceTable = VolkDeviceTable;

/// False where the device lacks one of the functions weft calls.
bool load_device_table(DeviceTable& table, VkDevice device, PFN_vkGetDeviceProcAddr get_device_proc_addr) noexcept;

}  // namespace weft::vk
