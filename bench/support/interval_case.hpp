// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "support/bench_case.hpp"
#include "support/interval_works.hpp"

namespace weft::bench {

/// Intervals, or segments, of a call on `n` outputs, or items: of fewer than the buffers are for, a part of them. The
/// last may end after the items.
inline uint64_t intervals_in(const BufferRange& offsets, uint64_t n, const BufferRange& items) {
  return part_of(offsets.size / sizeof(uint32_t) - 1, n, items.size / sizeof(uint32_t));
}

/// An interval_work() by a primitive. complete(args, buffers) adds the values and the output.
template <class Primitive, class Complete>
Call<Primitive> intervals_call(const Spread& spread, const typename Call<Primitive>::Config& config,
                               const Complete& complete) {
  const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
    typename Call<Primitive>::Args args{};
    args.counts = buffers.inputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = intervals_in(buffers.inputs[0], n, buffers.outputs[0]);
    args.max_output = n;
    complete(args, buffers);
    return args;
  };
  return {config, arguments, [=](const Primitive& call, uint64_t n) { return call.scratch_size(spread.number(n)); }};
}

template <class Primitive, class Complete>
void add_intervals(Cases& cases, const char* primitive, const Spread& spread, bool has_values,
                   const typename Call<Primitive>::Config& config, const Complete& complete, const Sizes& sizes) {
  cases.add<Primitive>(interval_work(primitive, spread, has_values, config.by),
                       intervals_call<Primitive>(spread, config, complete), sizes);
}

}  // namespace weft::bench
