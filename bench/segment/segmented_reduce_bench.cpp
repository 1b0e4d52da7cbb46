// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_reduce.hpp>

#include "support/interval_case.hpp"
#include "support/segmented_case.hpp"

namespace weft::bench {
namespace {

/// Sums of u32.
class SegmentedReduceCase : public SegmentedCase {
 public:
  SegmentedReduceCase(const Spread& spread, std::vector<uint64_t> sizes)
      : SegmentedCase("segmented_reduce", "add", spread, "", std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto reduce = SegmentedReduce::create(gpu.context(), {});
    if (!reduce) return reduce.error();
    reduce_ = std::move(reduce).value();
    return {};
  }
  void release() override {
    SegmentedCase::release();
    reduce_.reset();
  }

  std::vector<uint64_t> outputs(uint64_t n) const override { return {segments(n) * sizeof(uint32_t)}; }
  uint64_t scratch_bytes(uint64_t n) const override { return reduce_->scratch_size(segments(n), n); }
  uint64_t moved_bytes(uint64_t n) const override { return (n + 2 * segments(n)) * sizeof(uint32_t); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return reduce_->record(commands, {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.scratch,
                                      segments_of(buffers, n), n});
  }

  Verdict verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers, uint64_t n) const override {
    OutputReader reader(gpu, buffers.outputs[0], sizeof(uint32_t), buffers.sampled);
    return check_segmented_reduce(items_of<uint32_t>(source.items(Type::u32, n).bytes), counts(n).offsets(),
                                  reader.fetcher());
  }

 private:
  std::optional<SegmentedReduce> reduce_;
};

}  // namespace

Cases segmented_reduce_cases(const Matrix& matrix) {
  Cases cases;
  add_spreads(matrix, [&](const Spread& spread, const std::vector<uint64_t>& sizes) {
    cases.push_back(std::make_unique<SegmentedReduceCase>(spread, sizes));
  });
  return cases;
}

}  // namespace weft::bench
