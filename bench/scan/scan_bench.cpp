// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan.hpp>

#include "support/bench_case.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

class ScanCase : public BenchCase {
 public:
  ScanCase(std::string variant, const ScanConfig& config, std::vector<uint64_t> sizes)
      : BenchCase("scan", std::move(variant), config.item, std::move(sizes)), config_(config) {}

  Status prepare(Gpu& gpu) override {
    auto scan = Scan::create(gpu.context(), config_);
    if (!scan) return scan.error();
    scan_ = std::move(scan).value();
    return {};
  }
  void release() override { scan_.reset(); }
  std::string strategy() const override { return name_of(scan_->strategy()); }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * size_of(config_.accumulator)}; }
  uint64_t scratch_bytes(uint64_t n) const override { return scan_->scratch_size(n); }
  uint64_t moved_bytes(uint64_t n) const override { return n * (size_of(config_.item) + size_of(config_.accumulator)); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return scan_->record(commands, {buffers.inputs[0], buffers.outputs[0], buffers.scratch, n, std::nullopt});
  }

  std::unique_ptr<BenchCase> other_means() const override {
    ScanConfig config = config_;
    config.strategy = other_than(scan_->strategy());
    return std::make_unique<ScanCase>(variant(), config, sizes());
  }
  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    OutputReader reader(gpu, buffers.outputs[0], size_of(config_.accumulator), buffers.sampled);
    return check_scan(config_.kind, config_.op, config_.item, config_.accumulator, source.items(config_.item, n).bytes,
                      reader.fetcher());
  }

 private:
  ScanConfig config_;
  std::optional<Scan> scan_;
};

}  // namespace

Cases scan_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](ScanKind kind, Op op, Type item, Type accumulator, std::vector<uint64_t> sizes,
                       std::optional<Strategy> forced = std::nullopt) {
    std::string variant = std::string(name_of(kind)) + ' ' + name_of(op);
    if (item != accumulator) variant += std::string(" to ") + name_of(accumulator);
    if (forced) variant += std::string(" ") + name_of(*forced);
    cases.push_back(std::make_unique<ScanCase>(
        std::move(variant), ScanConfig{kind, op, item, accumulator, forced.value_or(matrix.strategy)},
        std::move(sizes)));
  };
  const auto& sizes = matrix.sizes;
  const auto some = some_sizes(matrix);
  constexpr auto kExclusive = ScanKind::exclusive;
  constexpr auto kInclusive = ScanKind::inclusive;

  add(kExclusive, Op::add, Type::u32, Type::u32, sizes);
  if (matrix.other_strategy) add(kExclusive, Op::add, Type::u32, Type::u32, sizes, matrix.other_strategy);
  if (!matrix.essential) add(kInclusive, Op::add, Type::u32, Type::u32, sizes);
  add(kInclusive, Op::add, Type::u8, Type::u8, scaled_sizes(sizes, 4));
  add(kInclusive, Op::add, Type::u8, Type::u32, scaled_sizes(sizes, 4));
  if (matrix.essential) return cases;

  for (const Type type : {Type::u16, Type::u64, Type::i32, Type::f16, Type::f32, Type::f64}) {
    add(kExclusive, Op::add, type, type, some);
  }
  add(kExclusive, Op::min, Type::u32, Type::u32, some);
  add(kInclusive, Op::min, Type::u32, Type::u32, some);
  add(kExclusive, Op::bit_xor, Type::u32, Type::u32, some);
  add(kInclusive, Op::affine, Type::u32x2, Type::u32x2, some);
  return cases;
}

}  // namespace weft::bench
