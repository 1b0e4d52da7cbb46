// SPDX-License-Identifier: MIT OR Apache-2.0
// A program with an operator of its own, compiled by weft_add_kernel(): prints an exclusive scan.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <weft/weft.hpp>

#include "weft_kernels/saturating.hpp"

int main() {
  auto gpu = weft::Gpu::open();
  if (!gpu) return 1;
  weft::ScanConfig config;
  config.own_kernels = consumer::saturating();
  const auto scan = weft::Scan::create(gpu->context(), config);
  std::vector<uint32_t> items{3, 1, 4, 1, 5, 9, 2, 6};
  const auto buffer = gpu->create_buffer(4 * items.size());
  if (!scan || !buffer) return 1;
  const auto scratch = gpu->create_buffer(scan->scratch_size(items.size()));
  if (!scratch) return 1;
  weft::ScanArgs args;
  args.input = args.output = buffer->range();
  args.scratch = scratch->range();
  args.count = items.size();
  const auto bytes = std::as_writable_bytes(std::span(items));
  if (!gpu->upload(buffer->range(), bytes)) return 1;
  if (!gpu->run([&](VkCommandBuffer commands) { return scan->record(commands, args); })) return 1;
  if (!gpu->download(buffer->range(), bytes)) return 1;
  for (const uint32_t sum : items) std::printf("%u ", sum);
  std::printf("\n");
  return 0;
}
