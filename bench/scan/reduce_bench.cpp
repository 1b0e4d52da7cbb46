// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce.hpp>

#include <array>

#include "support/bench_case.hpp"

namespace weft::bench {
namespace {

class ReduceCase : public BenchCase {
 public:
  ReduceCase(std::string variant, const ReduceConfig& config, std::vector<uint64_t> sizes)
      : BenchCase("reduce", std::move(variant), config.item, std::move(sizes)), config_(config) {}

  Status prepare(Gpu& gpu) override {
    auto reduce = Reduce::create(gpu.context(), config_);
    if (!reduce) return reduce.error();
    reduce_ = std::move(reduce).value();
    return {};
  }
  void release() override { reduce_.reset(); }
  std::vector<uint64_t> outputs(uint64_t) const override { return {result_bytes()}; }
  uint64_t scratch_bytes(uint64_t n) const override { return reduce_->scratch_size(n); }
  uint64_t moved_bytes(uint64_t n) const override { return n * size_of(config_.item); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return reduce_->record(commands, {buffers.inputs[0], buffers.outputs[0], buffers.scratch, n, std::nullopt});
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    std::array<std::byte, sizeof(ArgResult)> found{};
    const auto bytes = std::span(found).first(result_bytes());
    const Status status = gpu.download(buffers.outputs[0], bytes);
    if (!status) return status.error();
    return check_reduce(config_.op, config_.item, config_.accumulator, source.items(config_.item, n).bytes, bytes);
  }

 private:
  uint64_t result_bytes() const {
    const bool arg = config_.op == Op::arg_min || config_.op == Op::arg_max;
    return arg ? sizeof(ArgResult) : size_of(config_.accumulator);
  }

  ReduceConfig config_;
  std::optional<Reduce> reduce_;
};

}  // namespace

Cases reduce_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](Op op, Type item, Type accumulator, std::vector<uint64_t> sizes) {
    std::string variant = name_of(op);
    if (item != accumulator) variant += std::string(" to ") + name_of(accumulator);
    cases.push_back(
        std::make_unique<ReduceCase>(std::move(variant), ReduceConfig{op, item, accumulator}, std::move(sizes)));
  };
  const auto& sizes = matrix.sizes;
  const auto some = some_sizes(matrix);

  add(Op::add, Type::u32, Type::u32, sizes);
  if (matrix.essential) return cases;
  add(Op::add, Type::u8, Type::u32, scaled_sizes(sizes, 4));
  add(Op::add, Type::f32, Type::f32, some);
  add(Op::add, Type::u64, Type::u64, some);
  add(Op::max, Type::u32, Type::u32, some);
  add(Op::arg_min, Type::u32, Type::u32, some);
  return cases;
}

}  // namespace weft::bench
