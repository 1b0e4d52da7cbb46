// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/load_balance_search.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

/// From offsets to the source of each output.
class LoadBalanceSearchCase : public IntervalCase {
 public:
  LoadBalanceSearchCase(const Spread& spread, std::vector<uint64_t> sizes)
      : IntervalCase("load_balance_search", spread, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    LoadBalanceSearchConfig config;
    config.by = IntervalsBy::offsets;
    auto search = LoadBalanceSearch::create(gpu.context(), config);
    if (!search) return search.error();
    search_ = std::move(search).value();
    return {};
  }
  void release() override {
    IntervalCase::release();
    search_.reset();
  }

  uint64_t scratch_bytes(uint64_t n) const override { return search_->scratch_size(intervals(n)); }
  uint64_t moved_bytes(uint64_t n) const override { return (n + intervals(n)) * sizeof(uint32_t); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    LoadBalanceSearchArgs args;
    args.counts = buffers.inputs[0];
    args.sources = buffers.outputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = intervals_of(buffers, n);
    args.max_output = n;
    return search_->record(commands, args);
  }

  Verdict verify(Gpu& gpu, ItemSource&, const CaseBuffers& buffers, uint64_t n) const override {
    return verify_intervals(gpu, buffers, n, "source", [](uint64_t s) { return static_cast<uint32_t>(s); });
  }

 private:
  std::optional<LoadBalanceSearch> search_;
};

}  // namespace

Cases load_balance_search_cases(const Matrix& matrix) {
  Cases cases;
  add_spreads(matrix, [&](const Spread& spread, const std::vector<uint64_t>& sizes) {
    cases.push_back(std::make_unique<LoadBalanceSearchCase>(spread, sizes));
  });
  return cases;
}

}  // namespace weft::bench
