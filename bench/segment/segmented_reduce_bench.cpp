// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_reduce.hpp>

#include "support/interval_case.hpp"
#include "support/segment_works.hpp"

namespace weft::bench {
namespace {

const Rows segmented_reduce_rows("segmented_reduce", 42, [](const Matrix& matrix, Cases& cases) {
  const auto arguments = [](const CaseBuffers& buffers, uint64_t n) -> SegmentedReduceArgs {
    return {buffers.inputs[0],
            buffers.inputs[1],
            buffers.outputs[0],
            buffers.scratch,
            intervals_in(buffers.inputs[1], n, buffers.inputs[0]),
            n};
  };
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) {
    const auto scratch = [=](const SegmentedReduce& call, uint64_t n) {
      return call.scratch_size(spread.number(n), n);
    };
    cases.add<SegmentedReduce>(segmented_reduce_work(spread), {{}, arguments, scratch}, sizes);
  });
});

}  // namespace
}  // namespace weft::bench
