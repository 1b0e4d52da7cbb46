// SPDX-License-Identifier: MIT OR Apache-2.0
#include "vk/instance_table.hpp"

namespace weft::vk {

bool load_instance_table(InstanceTable& table, VkInstance instance,
                         PFN_vkGetInstanceProcAddr get_instance_proc_addr) noexcept {
  bool complete = true;
#define WEFT_LOAD(name) table.name = reinterpret_cast<PFN_##name>(get_instance_proc_addr(instance, #name));
#define WEFT_LOAD_REQUIRED(name) \
  WEFT_LOAD(name)                \
  complete = complete && table.name != nullptr;
  WEFT_INSTANCE_FUNCTIONS_1_0(WEFT_LOAD_REQUIRED)
  WEFT_INSTANCE_FUNCTIONS_1_1(WEFT_LOAD)
  WEFT_INSTANCE_FUNCTIONS_DEBUG_UTILS(WEFT_LOAD)
#undef WEFT_LOAD_REQUIRED
#undef WEFT_LOAD
  return complete;
}

}  // namespace weft::vk
