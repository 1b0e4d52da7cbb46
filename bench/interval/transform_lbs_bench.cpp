// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/transform_lbs.hpp>

#include "support/interval_case.hpp"
#include "weft_kernels/repeat_value.hpp"

namespace weft::bench {
namespace {

/// What interval_expand does, by a body of the user's own.
class TransformLbsCase : public IntervalCase {
 public:
  TransformLbsCase(const Spread& spread, std::vector<uint64_t> sizes)
      : IntervalCase("transform_lbs", spread, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto transform = TransformLbs::create(gpu.context(), {IntervalsBy::offsets, Type::u32, own::repeat_value()});
    if (!transform) return transform.error();
    transform_ = std::move(transform).value();
    return {};
  }
  void release() override {
    IntervalCase::release();
    transform_.reset();
  }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {counts(n).offsets_array(), source.array(kValues, sizeof(uint32_t), intervals(n))};
  }
  uint64_t scratch_bytes(uint64_t n) const override { return transform_->scratch_size(intervals(n)); }
  uint64_t moved_bytes(uint64_t n) const override { return (n + 2 * intervals(n)) * sizeof(uint32_t); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    TransformLbsArgs args;
    args.counts = buffers.inputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = intervals_of(buffers, n);
    args.max_output = n;
    args.buffers = {buffers.inputs[1], buffers.outputs[0]};
    return transform_->record(commands, args);
  }

  Verdict verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers, uint64_t n) const override {
    const auto values = items_of<uint32_t>(source.array(kValues, sizeof(uint32_t), intervals(n)).bytes);
    return verify_intervals(gpu, buffers, n, "value", [&](uint64_t s) { return values[s]; });
  }

 private:
  static constexpr Data kValues = Data::noise(7);
  std::optional<TransformLbs> transform_;
};

}  // namespace

Cases transform_lbs_cases(const Matrix& matrix) {
  Cases cases;
  add_spreads(matrix, [&](const Spread& spread, const std::vector<uint64_t>& sizes) {
    if (spread.kind == Spread::Kind::uniform) cases.push_back(std::make_unique<TransformLbsCase>(spread, sizes));
  });
  return cases;
}

}  // namespace weft::bench
