// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>

#include "support/bench_case.hpp"

namespace weft::bench {
namespace {

class DispatchArgumentsCase : public CaseOf<DispatchArgumentsCase, DispatchArguments> {
 public:
  explicit DispatchArgumentsCase(Sizes sizes)
      : CaseOf("dispatch_arguments", "u64 count", Type::u32, {}, std::move(sizes)) {}

  std::vector<HostArray> inputs(ItemSource&, uint64_t n) const override {
    count_ = n;
    // No array of the source has this bit in its id.
    return {{std::as_bytes(std::span(&count_, 1)), n | uint64_t{1} << 62}};
  }
  Sizes outputs(uint64_t) const override { return {sizeof(VkDispatchIndirectCommand)}; }
  uint64_t moved_bytes(uint64_t) const override { return sizeof(count_) + sizeof(VkDispatchIndirectCommand); }
  DispatchArgumentsArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    return {Count::on_device(buffers.inputs[0], n), kItems, buffers.outputs[0]};
  }
  Verdict verify(Outputs& found, ItemSource&, uint64_t n) const override {
    const auto [x, y, z] = found.read<VkDispatchIndirectCommand>(0);
    const uint64_t groups = (n + kItems - 1) / kItems;
    const uint64_t dispatched = uint64_t{x} * y * z;
    if (dispatched < groups || dispatched >= groups + std::max(y, 1u))
      return std::optional(Mismatch{0, std::to_string(groups) + " workgroups", std::to_string(dispatched)});
    return std::optional<Mismatch>();
  }

 private:
  static constexpr uint32_t kItems = 256;
  mutable uint64_t count_ = 0;  // what inputs() gave last
};

const Rows dispatch_arguments_rows("dispatch_arguments", 90, [](const Matrix& matrix, Cases& cases) {
  if (!matrix.essential && !matrix.sizes.empty()) cases.add<DispatchArgumentsCase>(Sizes{matrix.sizes.back()});
});

}  // namespace
}  // namespace weft::bench
