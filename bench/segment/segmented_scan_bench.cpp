// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_scan.hpp>

#include "support/interval_case.hpp"
#include "support/segmented_case.hpp"

namespace weft::bench {
namespace {

/// Inclusive sums of u32.
class SegmentedScanCase : public SegmentedCase {
 public:
  SegmentedScanCase(const Spread& spread, Strategy strategy, const std::string& suffix, std::vector<uint64_t> sizes)
      : SegmentedCase("segmented_scan", "inclusive add", spread, suffix, std::move(sizes)) {
    config_.kind = ScanKind::inclusive;
    config_.strategy = strategy;
  }

  Status prepare(Gpu& gpu) override {
    auto scan = SegmentedScan::create(gpu.context(), config_);
    if (!scan) return scan.error();
    scan_ = std::move(scan).value();
    return {};
  }
  void release() override {
    SegmentedCase::release();
    scan_.reset();
  }
  std::string strategy() const override { return name_of(scan_->strategy()); }
  std::unique_ptr<BenchCase> other_means() const override {
    return std::make_unique<SegmentedScanCase>(spread(), other_than(scan_->strategy()), "", sizes());
  }

  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * sizeof(uint32_t)}; }
  uint64_t scratch_bytes(uint64_t n) const override { return scan_->scratch_size(n); }
  uint64_t moved_bytes(uint64_t n) const override { return (2 * n + segments(n)) * sizeof(uint32_t); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return scan_->record(commands, {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.scratch,
                                    segments_of(buffers, n), n, std::nullopt});
  }

  Verdict verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers, uint64_t n) const override {
    OutputReader reader(gpu, buffers.outputs[0], sizeof(uint32_t), buffers.sampled);
    return check_segmented_scan(items_of<uint32_t>(source.items(Type::u32, n).bytes), counts(n).offsets(),
                                reader.fetcher());
  }

 private:
  SegmentedScanConfig config_;
  std::optional<SegmentedScan> scan_;
};

}  // namespace

Cases segmented_scan_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](const Spread& spread, const std::vector<uint64_t>& sizes,
                       std::optional<Strategy> forced = std::nullopt) {
    cases.push_back(std::make_unique<SegmentedScanCase>(
        spread, forced.value_or(matrix.strategy), forced ? std::string(" ") + name_of(*forced) : std::string(), sizes));
  };
  add_spreads(matrix, add);
  if (!matrix.essential && matrix.other_strategy)
    add(Spread{Spread::Kind::uniform, 25}, matrix.sizes, matrix.other_strategy);
  return cases;
}

}  // namespace weft::bench
