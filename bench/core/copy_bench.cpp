// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/copy_kernel.hpp"
#include "support/output_reader.hpp"
#include "support/sampling.hpp"

namespace weft::bench {
namespace {

class CopyCase : public BenchCase {
 public:
  explicit CopyCase(std::vector<uint64_t> sizes) : BenchCase("copy", "kernel", Type::u32, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto kernel = CopyKernel::create(gpu);
    if (!kernel) return kernel.error();
    kernel_ = std::move(kernel).value();
    return {};
  }
  void release() override { kernel_.reset(); }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * item_bytes()}; }
  uint64_t moved_bytes(uint64_t n) const override { return 2 * n * item_bytes(); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    kernel_->record(commands, buffers.inputs[0], buffers.outputs[0], n * item_bytes());
    return {};
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    const auto expected = items_of<uint32_t>(source.items(Type::u32, n).bytes);
    OutputReader reader(gpu, buffers.outputs[0], item_bytes(), buffers.sampled);
    return oracle::check_each<uint32_t>(
        "item", n, [&](uint64_t i) { return expected[i]; }, reader.fetcher());
  }

 private:
  std::optional<CopyKernel> kernel_;
};

/// A submission's floor: nothing between the timestamps, or one workgroup that does nothing.
class EmptyCase : public BenchCase {
 public:
  explicit EmptyCase(bool dispatch)
      : BenchCase("empty", dispatch ? "dispatch" : "nothing", Type::u32, {0}), dispatch_(dispatch) {}

  Status prepare(Gpu& gpu) override {
    if (!dispatch_) return {};
    auto kernel = CopyKernel::create(gpu);
    if (!kernel) return kernel.error();
    kernel_ = std::move(kernel).value();
    return {};
  }
  void release() override { kernel_.reset(); }
  std::vector<HostArray> inputs(ItemSource&, uint64_t) const override { return {}; }
  std::vector<uint64_t> outputs(uint64_t) const override { return {}; }
  uint64_t moved_bytes(uint64_t) const override { return 0; }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t) const override {
    if (dispatch_) kernel_->record(commands, buffers.scratch, buffers.scratch, 0);
    return {};
  }
  Result<std::optional<Mismatch>> verify(Gpu&, ItemSource&, const CaseBuffers&, uint64_t) const override {
    return std::optional<Mismatch>();  // there is no output
  }

 private:
  bool dispatch_;
  std::optional<CopyKernel> kernel_;
};

}  // namespace

std::unique_ptr<BenchCase> copy_case(const std::vector<uint64_t>& moved_bytes) {
  std::vector<uint64_t> sizes;
  for (const uint64_t bytes : moved_bytes) sizes.push_back(copy_items(bytes));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return std::make_unique<CopyCase>(std::move(sizes));
}

Cases empty_cases() {
  Cases cases;
  cases.push_back(std::make_unique<EmptyCase>(false));
  cases.push_back(std::make_unique<EmptyCase>(true));
  return cases;
}

}  // namespace weft::bench
