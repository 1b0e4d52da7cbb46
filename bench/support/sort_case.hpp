// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/merge_sort.hpp>
#include <weft/radix_sort.hpp>

#include "support/bench_case.hpp"
#include "support/sort_works.hpp"

namespace weft::bench {

/// Sort: RadixSort or MergeSort. A row of one is checked by the other.
template <class Sort>
std::unique_ptr<BenchCase> sort_case(const Work& work, Type key, bool pairs, typename Call<Sort>::Config config,
                                     const Sizes& sizes, std::optional<Strategy> forced = {}) {
  using Other = std::conditional_t<std::is_same_v<Sort, RadixSort>, MergeSort, RadixSort>;
  config.key = key;
  config.value_bytes = pairs ? 4 : 0;
  const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
    typename Call<Sort>::Args args{};
    args.keys = buffers.inputs[0];
    args.keys_out = buffers.outputs[0];
    if (pairs) args.values = buffers.inputs[1];
    if (pairs) args.values_out = buffers.outputs[1];
    args.scratch = buffers.scratch;
    args.count = n;
    return args;
  };
  const auto other = [=] { return sort_case<Other>(work, key, pairs, {}, {}); };
  return std::make_unique<CaseOf<Sort>>(work, Call<Sort>{config, arguments, {}, other}, sizes, forced);
}

}  // namespace weft::bench
