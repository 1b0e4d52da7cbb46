// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan_by_key.hpp>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

/// Inclusive sums of u32 by u32 keys.
class ScanByKeyCase : public BenchCase {
 public:
  ScanByKeyCase(RunData runs, Strategy strategy, const std::string& suffix, std::vector<uint64_t> sizes)
      : BenchCase("scan_by_key", "inclusive add " + runs.name + suffix, Type::u32, std::move(sizes)),
        runs_(std::move(runs)) {
    config_.kind = ScanKind::inclusive;
    config_.strategy = strategy;
  }

  Status prepare(Gpu& gpu) override {
    auto scan = ScanByKey::create(gpu.context(), config_);
    if (!scan) return scan.error();
    scan_ = std::move(scan).value();
    return {};
  }
  void release() override { scan_.reset(); }
  std::string strategy() const override { return name_of(scan_->strategy()); }
  std::unique_ptr<BenchCase> other_means() const override {
    return std::make_unique<ScanByKeyCase>(runs_, other_than(scan_->strategy()), "", sizes());
  }
  std::string data() const override { return runs_.data.kind == Data::Kind::runs ? "runs" : ""; }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.array(runs_.data, sizeof(uint32_t), n), source.items(Type::u32, n)};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * sizeof(uint32_t)}; }
  uint64_t scratch_bytes(uint64_t n) const override { return scan_->scratch_size(n); }
  uint64_t moved_bytes(uint64_t n) const override { return 3 * n * sizeof(uint32_t); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return scan_->record(commands,
                         {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.scratch, n, std::nullopt});
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    OutputReader reader(gpu, buffers.outputs[0], sizeof(uint32_t), buffers.sampled);
    const auto arrays = inputs(source, n);
    return check_scan_by_key(items_of<uint32_t>(arrays[0].bytes), items_of<uint32_t>(arrays[1].bytes),
                             reader.fetcher());
  }

 private:
  RunData runs_;
  ScanByKeyConfig config_;
  std::optional<ScanByKey> scan_;
};

}  // namespace

Cases scan_by_key_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](const RunData& runs, const std::vector<uint64_t>& sizes,
                       std::optional<Strategy> forced = std::nullopt) {
    cases.push_back(std::make_unique<ScanByKeyCase>(
        runs, forced.value_or(matrix.strategy), forced ? std::string(" ") + name_of(*forced) : std::string(), sizes));
  };
  add(RunData::of(8), matrix.sizes);
  if (matrix.essential) return cases;
  if (matrix.other_strategy) add(RunData::of(8), matrix.sizes, matrix.other_strategy);
  for (const uint32_t mean : {1u, 100u}) add(RunData::of(mean), some_sizes(matrix));
  add(RunData::of(*matrix.source), some_sizes(matrix));
  return cases;
}

}  // namespace weft::bench
