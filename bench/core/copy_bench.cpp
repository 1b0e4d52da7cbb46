// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/bench_case.hpp"
#include "support/copy_kernel.hpp"
#include "support/sampling.hpp"

namespace weft::bench {
namespace {

class CopyCase : public BenchCase {
 public:
  explicit CopyCase(Sizes sizes) : BenchCase("copy", "kernel", Type::u32, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override { return kernel_.assign(CopyKernel::create(gpu)); }
  void release() override { kernel_.reset(); }
  Sizes outputs(uint64_t n) const override { return {n * item_bytes()}; }
  uint64_t moved_bytes(uint64_t n) const override { return 2 * n * item_bytes(); }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    kernel_->record(commands, buffers.inputs[0], buffers.outputs[0], n * item_bytes());
    return {};
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    const auto expected = items_of<uint32_t>(inputs(source, n)[0].bytes);
    return oracle::check_each<uint32_t>(
        "item", n, [&](uint64_t i) { return expected[i]; }, found.fetch(0, item_bytes()));
  }

 private:
  Prepared<CopyKernel> kernel_;
};

/// A submission's floor: nothing between the timestamps, or one workgroup that does nothing.
class EmptyCase : public BenchCase {
 public:
  explicit EmptyCase(bool dispatch)
      : BenchCase("empty", dispatch ? "dispatch" : "nothing", Type::u32, {0}), dispatch_(dispatch) {}

  Status prepare(Gpu& gpu) override { return dispatch_ ? kernel_.assign(CopyKernel::create(gpu)) : Status(); }
  void release() override { kernel_.reset(); }
  std::vector<HostArray> inputs(ItemSource&, uint64_t) const override { return {}; }
  Sizes outputs(uint64_t) const override { return {}; }
  uint64_t moved_bytes(uint64_t) const override { return 0; }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t) const override {
    if (dispatch_) kernel_->record(commands, buffers.scratch, buffers.scratch, 0);
    return {};
  }
  Verdict verify(Outputs&, ItemSource&, uint64_t) const override { return std::optional<Mismatch>(); }

 private:
  bool dispatch_;
  Prepared<CopyKernel> kernel_;
};

}  // namespace

std::unique_ptr<BenchCase> copy_case(const Sizes& moved_bytes, int bits) {
  Sizes sizes;
  for (const uint64_t bytes : moved_bytes) sizes.push_back(copy_items(bytes, bits));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return std::make_unique<CopyCase>(std::move(sizes));
}

Cases empty_cases() {
  Cases cases;
  for (const bool dispatch : {false, true}) cases.add<EmptyCase>(dispatch);
  return cases;
}

}  // namespace weft::bench
