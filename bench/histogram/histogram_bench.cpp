// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/histogram.hpp>

#include <algorithm>
#include <cmath>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

/// Bins of equal width over all values of an unsigned type, or over those below `share` of them.
class HistogramCase : public BenchCase {
 public:
  HistogramCase(std::string variant, const HistogramConfig& config, std::optional<uint32_t> mean_run,
                std::vector<uint64_t> sizes)
      : BenchCase("histogram", std::move(variant), config.item, std::move(sizes)), config_(config) {
    if (mean_run) runs_ = Data::runs(*mean_run);
  }

  Status prepare(Gpu& gpu) override {
    auto histogram = Histogram::create(gpu.context(), config_);
    if (!histogram) return histogram.error();
    histogram_ = std::move(histogram).value();
    return {};
  }
  void release() override { histogram_.reset(); }
  std::string data() const override { return runs_ ? "runs" : ""; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override { return {items(source, n)}; }
  std::vector<uint64_t> outputs(uint64_t) const override { return {uint64_t{config_.bins} * 4}; }
  uint64_t moved_bytes(uint64_t n) const override { return n * item_bytes(); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    HistogramArgs args;
    args.input = buffers.inputs[0];
    args.output = buffers.outputs[0];
    args.count = n;
    args.upper = std::ldexp(1.0, static_cast<int>(8 * item_bytes()));
    return histogram_->record(commands, args);
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    OutputReader reader(gpu, buffers.outputs[0], 4, buffers.sampled);
    const auto checked = [&]<class T>(T*) {
      return check_histogram(
          items_of<T>(items(source, n).bytes), config_.bins,
          [&](T item) { return uint64_t{item} * config_.bins >> 8 * sizeof(T); }, reader.fetcher());
    };
    switch (item_bytes()) {
      case 1: return checked(static_cast<uint8_t*>(nullptr));
      case 2: return checked(static_cast<uint16_t*>(nullptr));
      default: return checked(static_cast<uint32_t*>(nullptr));
    }
  }

 private:
  HostArray items(ItemSource& source, uint64_t n) const {
    return runs_ ? source.array(*runs_, item_bytes(), n) : source.items(config_.item, n);
  }

  HistogramConfig config_;
  std::optional<Data> runs_;
  std::optional<Histogram> histogram_;
};

}  // namespace

Cases histogram_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](uint32_t bins, Type item, std::vector<uint64_t> sizes, std::optional<uint32_t> mean_run = {}) {
    std::string variant = "even bins=" + std::to_string(bins);
    if (mean_run) variant += " runs=" + std::to_string(*mean_run);
    cases.push_back(std::make_unique<HistogramCase>(
        std::move(variant), HistogramConfig{HistogramKind::even, item, bins}, mean_run, std::move(sizes)));
  };
  const auto& sizes = matrix.sizes;
  const auto some = some_sizes(matrix);

  add(256, Type::u32, sizes);
  add(256, Type::u8, scaled_sizes(sizes, 4));
  if (matrix.essential) return cases;
  add(256, Type::u32, some, 10000);
  add(256, Type::u8, scaled_sizes(some, 4), 10000);
  add(256, Type::u16, some);
  for (const uint32_t bins : {100u, 4096u, 65536u}) add(bins, Type::u32, some);
  return cases;
}

}  // namespace weft::bench
