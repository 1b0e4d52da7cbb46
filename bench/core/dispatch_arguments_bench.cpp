// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/dispatch_arguments.hpp>

#include "support/bench_case.hpp"

namespace weft::bench {
namespace {

const Rows dispatch_arguments_rows("dispatch_arguments", 90, [](const Matrix& matrix, Cases& cases) {
  constexpr uint32_t kItems = 256;
  const auto last = std::make_shared<uint64_t>();  // the count that was asked for last
  const auto inputs = [=](ItemSource&, uint64_t n) {
    *last = n;
    // No array of the source has this bit in its id.
    return Arrays{{std::as_bytes(std::span(last.get(), 1)), n | uint64_t{1} << 62}};
  };
  const auto check = [](const Inputs& in, Outputs& out) {
    return oracle::check_dispatch(in.n, kItems, out.read<std::array<uint32_t, 3>>(0));
  };
  constexpr uint64_t kBytes = sizeof(VkDispatchIndirectCommand);
  const Work work{"dispatch_arguments",
                  "u64 count",
                  Type::u32,
                  inputs,
                  writes({}, {kBytes}),
                  [](uint64_t) { return sizeof(uint64_t) + kBytes; },
                  check};
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> DispatchArgumentsArgs {
    return {Count::on_device(buffers.inputs[0], n), kItems, buffers.outputs[0]};
  };
  if (!matrix.essential && !matrix.sizes.empty())
    cases.add<DispatchArguments>(work, {{}, arguments}, {matrix.sizes.back()});
});

}  // namespace
}  // namespace weft::bench
