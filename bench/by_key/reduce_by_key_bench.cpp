// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce_by_key.hpp>

#include <cmath>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

/// Sums of u32 by u32 keys.
class ReduceByKeyCase : public BenchCase {
 public:
  ReduceByKeyCase(RunData runs, double run_share, Strategy strategy, const std::string& suffix,
                  std::vector<uint64_t> sizes)
      : BenchCase("reduce_by_key", "add " + runs.name + suffix, Type::u32, std::move(sizes)),
        runs_(std::move(runs)),
        run_share_(run_share) {
    config_.strategy = strategy;
  }

  Status prepare(Gpu& gpu) override {
    auto reduce = ReduceByKey::create(gpu.context(), config_);
    if (!reduce) return reduce.error();
    reduce_ = std::move(reduce).value();
    return {};
  }
  void release() override { reduce_.reset(); }
  std::string strategy() const override { return name_of(reduce_->strategy()); }
  std::unique_ptr<BenchCase> other_means() const override {
    return std::make_unique<ReduceByKeyCase>(runs_, run_share_, other_than(reduce_->strategy()), "", sizes());
  }
  std::string data() const override { return runs_.data.kind == Data::Kind::runs ? "runs" : ""; }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.array(runs_.data, sizeof(uint32_t), n), source.items(Type::u32, n)};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override {
    return {n * sizeof(uint32_t), n * sizeof(uint32_t), sizeof(uint32_t)};
  }
  uint64_t scratch_bytes(uint64_t n) const override { return reduce_->scratch_size(n); }
  uint64_t moved_bytes(uint64_t n) const override {
    const auto runs = static_cast<uint64_t>(std::llround(run_share_ * static_cast<double>(n)));
    return 2 * (n + runs) * sizeof(uint32_t);
  }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return reduce_->record(commands, {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.outputs[1],
                                      buffers.outputs[2], buffers.scratch, n});
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    OutputReader keys(gpu, buffers.outputs[0], sizeof(uint32_t), buffers.sampled);
    OutputReader sums(gpu, buffers.outputs[1], sizeof(uint32_t), buffers.sampled);
    const auto count = read_count(gpu, buffers.outputs[2]);
    if (!count) return count.error();
    const auto arrays = inputs(source, n);
    return check_reduce_by_key(items_of<uint32_t>(arrays[0].bytes), items_of<uint32_t>(arrays[1].bytes), keys.fetcher(),
                               sums.fetcher(), *count);
  }

 private:
  RunData runs_;
  double run_share_;
  ReduceByKeyConfig config_;
  std::optional<ReduceByKey> reduce_;
};

}  // namespace

Cases reduce_by_key_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](const RunData& runs, const std::vector<uint64_t>& sizes,
                       std::optional<Strategy> forced = std::nullopt) {
    cases.push_back(std::make_unique<ReduceByKeyCase>(
        runs, matrix.source->run_share(runs.data, sizeof(uint32_t)), forced.value_or(matrix.strategy),
        forced ? std::string(" ") + name_of(*forced) : std::string(), sizes));
  };
  add(RunData::of(8), matrix.sizes);
  if (matrix.essential) return cases;
  if (matrix.other_strategy) add(RunData::of(8), matrix.sizes, matrix.other_strategy);
  for (const uint32_t mean : {1u, 100u}) add(RunData::of(mean), some_sizes(matrix));
  add(RunData::of(*matrix.source), some_sizes(matrix));
  return cases;
}

}  // namespace weft::bench
