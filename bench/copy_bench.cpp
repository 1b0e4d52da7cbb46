// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstring>

#include "support/bench_case.hpp"
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
    constexpr uint64_t kChunkItems = uint64_t{1} << 24;
    const auto expected = source.items(Type::u32, n).bytes;
    OutputReader reader(gpu, buffers.outputs[0], item_bytes());
    for (uint64_t first = 0; first < n; first += kChunkItems) {
      const uint64_t count = std::min(kChunkItems, n - first);
      const auto found = reader.fetch(first, count);
      if (!found) return found.error();
      const auto chunk = expected.subspan(first * item_bytes(), found->size());
      if (std::memcmp(chunk.data(), found->data(), found->size()) == 0) continue;
      const auto at = std::mismatch(chunk.begin(), chunk.end(), found->begin());
      const auto byte = static_cast<uint64_t>(at.first - chunk.begin());
      return std::optional(Mismatch{first + byte / item_bytes(),
                                    "byte " + std::to_string(std::to_integer<int>(*at.first)),
                                    "byte " + std::to_string(std::to_integer<int>(*at.second))});
    }
    return std::optional<Mismatch>();
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
