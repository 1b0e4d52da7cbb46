// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_expand.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

/// From values and offsets to each interval filled with its value.
class IntervalExpandCase : public IntervalCase {
 public:
  IntervalExpandCase(const Spread& spread, std::vector<uint64_t> sizes)
      : IntervalCase("interval_expand", spread, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto expand = IntervalExpand::create(gpu.context(), {IntervalsBy::offsets, Type::u32, sizeof(uint32_t)});
    if (!expand) return expand.error();
    expand_ = std::move(expand).value();
    return {};
  }
  void release() override {
    IntervalCase::release();
    expand_.reset();
  }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {counts(n).offsets_array(), source.array(kValues, sizeof(uint32_t), intervals(n))};
  }
  uint64_t scratch_bytes(uint64_t n) const override { return expand_->scratch_size(intervals(n)); }
  uint64_t moved_bytes(uint64_t n) const override { return (n + 2 * intervals(n)) * sizeof(uint32_t); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    IntervalExpandArgs args;
    args.counts = buffers.inputs[0];
    args.values = buffers.inputs[1];
    args.output = buffers.outputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = intervals_of(buffers, n);
    args.max_output = n;
    return expand_->record(commands, args);
  }

  Verdict verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers, uint64_t n) const override {
    const auto values = items_of<uint32_t>(source.array(kValues, sizeof(uint32_t), intervals(n)).bytes);
    return verify_intervals(gpu, buffers, n, "value", [&](uint64_t s) { return values[s]; });
  }

 private:
  static constexpr Data kValues = Data::noise(7);
  std::optional<IntervalExpand> expand_;
};

}  // namespace

Cases interval_expand_cases(const Matrix& matrix) {
  Cases cases;
  add_spreads(matrix, [&](const Spread& spread, const std::vector<uint64_t>& sizes) {
    cases.push_back(std::make_unique<IntervalExpandCase>(spread, sizes));
  });
  return cases;
}

}  // namespace weft::bench
