// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce_by_key.hpp>

#include "support/bench_case.hpp"
#include "support/by_key_works.hpp"

namespace weft::bench {
namespace {

const Rows reduce_by_key_rows("reduce_by_key", 41, [](const Matrix& matrix, Cases& cases) {
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> ReduceByKeyArgs {
    const auto& [inputs, outputs, scratch, sampled] = buffers;
    return {inputs[0], inputs[1], outputs[0], outputs[1], outputs[2], scratch, n};
  };
  add_keyed(matrix, [&](const RunData& runs, const Sizes& sizes, std::optional<Strategy> forced) {
    cases.add<ReduceByKey>(reduce_by_key_work(*matrix.source, runs), {{}, arguments}, sizes, forced);
  });
});

}  // namespace
}  // namespace weft::bench
