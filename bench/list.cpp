// SPDX-License-Identifier: MIT OR Apache-2.0
#include <fmt/format.h>

#include "support/options.hpp"

namespace weft::bench {

int run_list() {
  const auto gpus = Gpu::list();
  if (!gpus) {
    fmt::print(stderr, "weft-bench: {}\n", gpus.error().message);
    return 1;
  }
  if (gpus->empty()) fmt::print("No Vulkan device.\n");
  for (const GpuInfo& info : *gpus) {
    fmt::print("{}: {} ({})\n   {}, Vulkan {}.{}.{}, subgroups of {}, {:.1f} GiB\n   UUID {}\n", info.index, info.name,
               name_of(info.kind), info.driver, VK_API_VERSION_MAJOR(info.api_version),
               VK_API_VERSION_MINOR(info.api_version), VK_API_VERSION_PATCH(info.api_version), info.subgroup_size,
               static_cast<double>(info.device_local_bytes) * 0x1p-30, uuid_string(info).data());
    for (const std::string& missing : info.support.missing) fmt::print("   cannot run weft: {}\n", missing);
    for (const std::string& absent : info.support.absent) fmt::print("   without {}\n", absent);
  }
  return 0;
}

}  // namespace weft::bench
