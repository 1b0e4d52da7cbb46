// SPDX-License-Identifier: MIT OR Apache-2.0
// A program that owns no Vulkan: prints an exclusive scan.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <weft/weft.hpp>

int main() {
  auto gpu = weft::Gpu::open();
  if (!gpu) {
    std::fprintf(stderr, "%s\n", gpu.error().message.c_str());
    return 1;
  }
  const std::vector<uint32_t> items{3, 1, 4, 1, 5, 9, 2, 6};
  const auto sums = gpu->exclusive_scan(std::span<const uint32_t>(items));
  if (!sums) {
    std::fprintf(stderr, "%s\n", sums.error().message.c_str());
    return 1;
  }
  for (const uint32_t sum : *sums) std::printf("%u ", sum);
  std::printf("\n");
  return 0;
}
