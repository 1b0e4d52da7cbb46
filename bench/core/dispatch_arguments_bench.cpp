// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>

#include <array>

#include "support/bench_case.hpp"

namespace weft::bench {
namespace {

class DispatchArgumentsCase : public BenchCase {
 public:
  explicit DispatchArgumentsCase(std::vector<uint64_t> sizes)
      : BenchCase("dispatch_arguments", "u64 count", Type::u32, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto arguments = DispatchArguments::create(gpu.context());
    if (!arguments) return arguments.error();
    arguments_ = std::move(arguments).value();
    return {};
  }
  void release() override { arguments_.reset(); }
  std::vector<HostArray> inputs(ItemSource&, uint64_t n) const override {
    count_ = n;
    // No array of the source has this bit in its id.
    return {{std::as_bytes(std::span(&count_, 1)), n | uint64_t{1} << 62}};
  }
  std::vector<uint64_t> outputs(uint64_t) const override { return {sizeof(VkDispatchIndirectCommand)}; }
  uint64_t moved_bytes(uint64_t) const override { return sizeof(count_) + sizeof(VkDispatchIndirectCommand); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return arguments_->record(commands, {Count::on_device(buffers.inputs[0], n), kItems, buffers.outputs[0]});
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource&, const CaseBuffers& buffers, uint64_t n) const override {
    std::array<uint32_t, 3> found{};
    const Status status = gpu.download(buffers.outputs[0], std::as_writable_bytes(std::span(found)));
    if (!status) return status.error();
    const uint64_t groups = (n + kItems - 1) / kItems;
    const uint64_t dispatched = uint64_t{found[0]} * found[1] * found[2];
    if (dispatched < groups || dispatched >= groups + std::max(found[1], 1u))
      return std::optional(Mismatch{0, std::to_string(groups) + " workgroups", std::to_string(dispatched)});
    return std::optional<Mismatch>();
  }

 private:
  static constexpr uint32_t kItems = 256;

  std::optional<DispatchArguments> arguments_;
  mutable uint64_t count_ = 0;  // what inputs() gave last
};

}  // namespace

Cases dispatch_arguments_cases(const Matrix& matrix) {
  Cases cases;
  if (matrix.essential || matrix.sizes.empty()) return cases;
  cases.push_back(std::make_unique<DispatchArgumentsCase>(std::vector<uint64_t>{matrix.sizes.back()}));
  return cases;
}

}  // namespace weft::bench
