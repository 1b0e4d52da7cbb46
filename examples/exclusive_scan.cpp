// SPDX-License-Identifier: MIT OR Apache-2.0
//
// weft on a device of its own: for programs that own no Vulkan.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <weft/weft.hpp>

// README
int main() {
  auto gpu = weft::Gpu::open();  // the best device there is, or the one that WEFT_DEVICE names
  if (!gpu) {
    std::fprintf(stderr, "%s\n", gpu.error().message.c_str());
    return 1;
  }
  const std::vector<uint32_t> counts{3, 1, 4, 1, 5, 9, 2, 6};
  const auto offsets = gpu->exclusive_scan(counts);
  const auto total = gpu->reduce(counts);
  if (!offsets || !total) return 1;

  for (const uint32_t offset : *offsets) std::printf("%u ", offset);
  std::printf("of %u, by %s\n", *total, gpu->info().name.c_str());
}
// README end
