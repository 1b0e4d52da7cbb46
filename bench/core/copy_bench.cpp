// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/bench_case.hpp"
#include "support/sampling.hpp"

namespace weft::bench {

std::unique_ptr<BenchCase> copy_case(const Sizes& moved_bytes, int bits) {
  Sizes sizes;
  for (const uint64_t bytes : moved_bytes) sizes.push_back(copy_items(bytes, bits));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return std::make_unique<KernelCase>(
      copy_work("kernel"), std::move(sizes), create_copy,
      [](const Kernel& copy, VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) {
        record_copy(copy, commands, buffers.inputs[0], buffers.outputs[0], n * sizeof(uint32_t));
      });
}

// Nothing between the timestamps, or one workgroup that does nothing.
Cases empty_cases() {
  Cases cases;
  for (const bool dispatches : {false, true})
    cases.add_case<KernelCase>(empty_work(dispatches ? "dispatch" : "nothing"), Sizes{0}, create_copy,
                               [=](const Kernel& copy, VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t) {
                                 if (dispatches) record_copy(copy, commands, buffers.scratch, buffers.scratch, 0);
                               });
  return cases;
}

}  // namespace weft::bench
