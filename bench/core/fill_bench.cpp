// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/bench_case.hpp"
#include "support/kernel.hpp"

namespace weft::bench {
namespace {

constexpr uint64_t kFillVectors = 256 * 4;

struct FillPush {
  VkDeviceAddress destination;
  uint32_t vector_count;
  uint32_t padding;
};

/// A kernel that only writes, the limit of what reads next to nothing: shaders/fill.comp.
class FillCase : public BenchCase {
 public:
  explicit FillCase(Sizes sizes) : BenchCase("fill", "kernel", Type::u32, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override { return kernel_.assign(Kernel::create(gpu, "fill", sizeof(FillPush))); }
  void release() override { kernel_.reset(); }
  std::string data() const override { return "none"; }
  std::vector<HostArray> inputs(ItemSource&, uint64_t) const override { return {}; }
  Sizes outputs(uint64_t n) const override { return {n * item_bytes()}; }
  uint64_t moved_bytes(uint64_t n) const override { return n * item_bytes(); }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    const auto vectors = static_cast<uint32_t>(n * item_bytes() / 16);
    const FillPush push{kernel_->address_of(buffers.outputs[0]), vectors, 0};
    kernel_->record(commands, push, (vectors + kFillVectors - 1) / kFillVectors);
    return {};
  }
  Verdict verify(Outputs& found, ItemSource&, uint64_t n) const override {
    return oracle::check_each<uint32_t>(
        "word", n / 4 * 4, [](uint64_t i) { return static_cast<uint32_t>(i); }, found.fetch(0, sizeof(uint32_t)));
  }

 private:
  Prepared<Kernel> kernel_;
};

const Rows fill_rows("fill", 0, [](const Matrix& matrix, Cases& cases) { cases.add<FillCase>(matrix.sizes); });

}  // namespace
}  // namespace weft::bench
