// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/kernel.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

constexpr uint64_t kFillVectors = 256 * 4;

struct FillPush {
  VkDeviceAddress destination;
  uint32_t vector_count;
  uint32_t padding;
};

/// The limit of what writes and reads next to nothing: shaders/fill.comp.
class FillCase : public BenchCase {
 public:
  explicit FillCase(std::vector<uint64_t> sizes) : BenchCase("fill", "kernel", Type::u32, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto kernel = Kernel::create(gpu, "fill", sizeof(FillPush));
    if (!kernel) return kernel.error();
    kernel_.emplace(std::move(kernel).value());
    return {};
  }
  void release() override { kernel_.reset(); }
  std::string data() const override { return "none"; }
  std::vector<HostArray> inputs(ItemSource&, uint64_t) const override { return {}; }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * item_bytes()}; }
  uint64_t moved_bytes(uint64_t n) const override { return n * item_bytes(); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    const auto vectors = static_cast<uint32_t>(n * item_bytes() / 16);
    const FillPush push{kernel_->address_of(buffers.outputs[0]), vectors, 0};
    kernel_->record(commands, push, (vectors + kFillVectors - 1) / kFillVectors);
    return {};
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource&, const CaseBuffers& buffers, uint64_t n) const override {
    OutputReader reader(gpu, buffers.outputs[0], sizeof(uint32_t), buffers.sampled);
    return oracle::check_each<uint32_t>(
        "word", n / 4 * 4, [](uint64_t i) { return static_cast<uint32_t>(i); }, reader.fetcher());
  }

 private:
  std::optional<Kernel> kernel_;
};

}  // namespace

Cases fill_cases(const Matrix& matrix) {
  Cases cases;
  cases.push_back(std::make_unique<FillCase>(matrix.sizes));
  return cases;
}

}  // namespace weft::bench
