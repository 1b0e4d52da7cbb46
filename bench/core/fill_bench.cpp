// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/bench_case.hpp"

namespace weft::bench {
namespace {

struct FillPush {
  VkDeviceAddress destination;
  uint32_t vector_count;
  uint32_t padding;
};

// A kernel that only writes, the limit of what reads next to nothing: shaders/fill.comp.
const Rows fill_rows("fill", 0, [](const Matrix& matrix, Cases& cases) {
  const Work work{"fill",
                  "kernel",
                  Type::u32,
                  reads({}),
                  writes({4}),
                  moves(4),
                  [](const Inputs& in, Outputs& out) {
                    return oracle::check_each<uint32_t>(
                        "word", in.n / 4 * 4, [](uint64_t i) { return static_cast<uint32_t>(i); }, out.fetch(0));
                  },
                  "none"};
  cases.add_case<KernelCase>(
      work, matrix.sizes, [](const Gpu& gpu) { return Kernel::create(gpu, "fill", sizeof(FillPush)); },
      [](const Kernel& fill, VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) {
        constexpr uint64_t kFillVectors = 256 * 4;
        const FillPush push{fill.address_of(buffers.outputs[0]), static_cast<uint32_t>(n / 4), 0};
        fill.record(commands, push, (n / 4 + kFillVectors - 1) / kFillVectors);
      });
});

}  // namespace
}  // namespace weft::bench
