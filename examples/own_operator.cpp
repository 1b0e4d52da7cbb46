// SPDX-License-Identifier: MIT OR Apache-2.0
//
// An operator and an item type of one's own, compiled with the program: weft_add_kernel() in CMakeLists.txt,
// shaders/best.glsl.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <weft/weft.hpp>

#include "weft_kernels/best.hpp"

namespace {

struct Entry {
  float score;
  uint32_t player;
};

void check(const weft::Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

}  // namespace

int main() {
  auto gpu = weft::Gpu::open();
  check(gpu.status());
  weft::ReduceConfig config;
  config.own_kernels = own::best();
  const auto reduce = weft::Reduce::create(gpu->context(), config);
  check(reduce.status());

  const std::vector<Entry> entries{{3.5f, 10}, {9.25f, 11}, {1.0f, 12}, {9.25f, 13}};
  const auto input = gpu->create_buffer(entries.size() * sizeof(Entry));
  check(input.status());
  const auto output = gpu->create_buffer(sizeof(Entry));
  check(output.status());
  const auto scratch = gpu->create_buffer(reduce->scratch_size(entries.size()));
  check(scratch.status());
  check(gpu->upload(input->range(), std::as_bytes(std::span(entries))));
  weft::ReduceArgs args;
  args.input = input->range();
  args.output = output->range();
  args.scratch = scratch->range();
  args.count = entries.size();
  check(gpu->run([&](VkCommandBuffer commands) { return reduce->record(commands, args); }).status());
  Entry best{};
  check(gpu->download(output->range(), std::as_writable_bytes(std::span(&best, 1))));
  std::printf("player %u, %.2f\n", best.player, static_cast<double>(best.score));
}
