// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Two sorted lists become one, in an order of one's own: weft_add_kernel() in CMakeLists.txt, shaders/by_score.glsl.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <weft/weft.hpp>

#include "weft_kernels/by_score.hpp"

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
  weft::MergeConfig config;
  config.own_kernels = own::by_score();
  const auto merge = weft::Merge::create(gpu->context(), config);
  check(merge.status());

  // Of one score those of the first list come first.
  const std::vector<Entry> entries{{9.25f, 10}, {3.5f, 11}, {1.0f, 12}, {9.25f, 20}, {4.0f, 21}};
  constexpr uint64_t kFirst = 3, kSecond = 2;
  const auto input = gpu->create_buffer(entries.size() * sizeof(Entry));
  check(input.status());
  const auto output = gpu->create_buffer(entries.size() * sizeof(Entry));
  check(output.status());
  const auto scratch = gpu->create_buffer(merge->scratch_size(kFirst, kSecond));
  check(scratch.status());
  check(gpu->upload(input->range(), std::as_bytes(std::span(entries))));
  weft::MergeArgs args;
  args.keys_a = input->range(0, kFirst * sizeof(Entry));
  args.keys_b = input->range(kFirst * sizeof(Entry), kSecond * sizeof(Entry));
  args.keys_out = output->range();
  args.scratch = scratch->range();
  args.count_a = kFirst;
  args.count_b = kSecond;
  check(gpu->run([&](VkCommandBuffer commands) { return merge->record(commands, args); }).status());
  std::vector<Entry> merged(entries.size());
  check(gpu->download(output->range(), std::as_writable_bytes(std::span(merged))));
  for (const Entry& entry : merged) std::printf("%u ", entry.player);
  std::printf("\n");
}
