// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_expand.hpp>
#include <weft/scan.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

/// What IntervalExpand by counts does, by one call for each stage: a scan of the counts, then expansion by offsets.
class ExpandChainCase final : public BenchCase {
 public:
  ExpandChainCase(Work work, const Sizes& sizes, const Spread& spread)
      : BenchCase(std::move(work), sizes), spread_(spread) {}

  Status prepare(Gpu& gpu) override {
    if (const Status status = assign(copy_, create_copy(gpu)); !status) return status;
    if (const Status status = assign(scan_, Scan::create(gpu.context(), {})); !status) return status;
    return assign(expand_, IntervalExpand::create(gpu.context(), {IntervalsBy::offsets, Type::u32, 4}));
  }
  void release() override {
    copy_.reset();
    scan_.reset();
    expand_.reset();
  }
  std::string strategy() const override { return name_of(scan_->strategy()); }
  uint64_t scratch_size(uint64_t n) const override {
    const uint64_t number = spread_.number(n);
    return offsets_bytes(number) + rounded(scan_->scratch_size(number + 1)) + expand_->scratch_size(number);
  }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    const uint64_t number = intervals_in(buffers.inputs[0], n, buffers.outputs[0]);
    BufferRange rest = buffers.scratch;
    const auto take = [&](uint64_t bytes) {
      BufferRange taken = rest;
      taken.size = bytes;
      rest.offset += bytes;
      rest.size -= bytes;
      return taken;
    };
    const BufferRange offsets = take(offsets_bytes(number));
    ScanArgs scan{buffers.inputs[0], offsets, take(rounded(scan_->scratch_size(number + 1))), number + 1, {}};
    if (Status status = scan_->record(commands, scan); !status) return status;
    copy_->barrier(commands);
    IntervalExpandArgs args{};
    args.values = buffers.inputs[1];
    args.counts = offsets;
    args.output = buffers.outputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = rest;
    args.count = number;
    args.max_output = n;
    return expand_->record(commands, args);
  }

 private:
  static uint64_t rounded(uint64_t bytes) { return (bytes + 255) / 256 * 256; }
  static uint64_t offsets_bytes(uint64_t number) { return rounded(4 * (number + 1)); }

  Spread spread_;
  std::optional<Kernel> copy_;  // for its barrier
  std::optional<Scan> scan_;
  std::optional<IntervalExpand> expand_;
};

// From values and offsets to each interval filled with its value.
const Rows interval_expand_rows("interval_expand", 32, [](const Matrix& matrix, Cases& cases) {
  const auto complete = [](IntervalExpandArgs& args, const CaseBuffers& buffers) {
    args.values = buffers.inputs[1];
    args.output = buffers.outputs[0];
  };
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) {
    add_intervals<IntervalExpand>(cases, "interval_expand", spread, true, {IntervalsBy::offsets, Type::u32, 4},
                                  complete, sizes);
  });
  if (matrix.essential) return;
  for (const Spread& spread : chain_spreads()) {
    add_intervals<IntervalExpand>(cases, "interval_expand", spread, true, {IntervalsBy::counts, Type::u32, 4}, complete,
                                  matrix.sizes);
    Work separate = interval_work("interval_expand", spread, true, IntervalsBy::counts);
    separate.variant += " by separate calls";
    cases.add_case<ExpandChainCase>(std::move(separate), matrix.sizes, spread);
  }
});

}  // namespace
}  // namespace weft::bench
