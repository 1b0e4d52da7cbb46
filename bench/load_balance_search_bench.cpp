// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/load_balance_search.hpp>

#include <array>
#include <cstring>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/interval_counts.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

/// From offsets to the source of each output.
class LoadBalanceSearchCase : public BenchCase {
 public:
  LoadBalanceSearchCase(const Spread& spread, std::vector<uint64_t> sizes)
      : BenchCase("load_balance_search", spread.name(), Type::u32, std::move(sizes)), spread_(spread) {}

  Status prepare(Gpu& gpu) override {
    LoadBalanceSearchConfig config;
    config.by = IntervalsBy::offsets;
    auto search = LoadBalanceSearch::create(gpu.context(), config);
    if (!search) return search.error();
    search_ = std::move(search).value();
    return {};
  }
  void release() override {
    search_.reset();
    counts_ = {};
  }

  std::string data() const override { return "intervals"; }
  std::vector<HostArray> inputs(ItemSource&, uint64_t n) const override {
    if (counts_.id() != IntervalCounts::id_of(spread_, n)) counts_ = IntervalCounts(spread_, n);
    return {counts_.offsets_array()};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * sizeof(uint32_t), 8, 4}; }
  uint64_t scratch_bytes(uint64_t n) const override {
    return search_->scratch_size(std::max<uint64_t>(1, n / spread_.mean));
  }
  uint64_t moved_bytes(uint64_t n) const override { return (n + n / spread_.mean) * sizeof(uint32_t); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    // Of fewer outputs than the buffers are for, a part of the sources.
    const uint64_t all = buffers.outputs[0].size / sizeof(uint32_t);
    const uint64_t sources = buffers.inputs[0].size / sizeof(uint32_t) - 1;
    const uint64_t count =
        n == all
            ? sources
            : static_cast<uint64_t>(static_cast<double>(sources) * static_cast<double>(n) / static_cast<double>(all));
    LoadBalanceSearchArgs args;
    args.counts = buffers.inputs[0];
    args.sources = buffers.outputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = count;
    args.max_output = n;
    return search_->record(commands, args);
  }

  Verdict verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers, uint64_t n) const override {
    const auto total = read_count(gpu, buffers.outputs[1]);
    if (!total) return total.error();
    inputs(source, n);
    OutputReader reader(gpu, buffers.outputs[0], sizeof(uint32_t));
    oracle::Expected<uint32_t> expected("source", reader.fetcher());
    for (uint64_t s = 0; s < counts_.number(); ++s)
      for (uint32_t i = counts_.offsets()[s]; i < counts_.offsets()[s + 1]; ++i)
        expected.push(static_cast<uint32_t>(s));
    return oracle::first_bad(oracle::same_count(n, *total), expected.verdict());
  }

 private:
  Spread spread_;
  std::optional<LoadBalanceSearch> search_;
  mutable IntervalCounts counts_;
};

}  // namespace

Cases load_balance_search_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](const Spread& spread, const std::vector<uint64_t>& sizes) {
    cases.push_back(std::make_unique<LoadBalanceSearchCase>(spread, sizes));
  };
  const auto some = some_sizes(matrix);
  add({Spread::Kind::uniform, 25}, matrix.sizes);
  if (matrix.essential) return cases;
  for (const uint32_t mean : {5u, 1000u, 5000u}) add({Spread::Kind::uniform, mean}, some);
  for (const Spread::Kind kind : {Spread::Kind::half, Spread::Kind::zipf, Spread::Kind::sparse}) add({kind, 25}, some);
  return cases;
}

}  // namespace weft::bench
