// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge.hpp>

#include "support/bench_case.hpp"
#include "support/merge_works.hpp"

namespace weft::bench {
namespace {

const Rows merge_rows("merge", 70, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](MergeOutput output, MergeSpread spread, Type key, const Sizes& sizes) {
    const bool pairs = output == MergeOutput::pairs, is_index = output == MergeOutput::index;
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      MergeArgs args{.keys_a = buffers.inputs[0],
                     .keys_b = buffers.inputs[1],
                     .scratch = buffers.scratch,
                     .count_a = merge_count(spread, n, 0),
                     .count_b = merge_count(spread, n, 1)};
      (is_index ? args.indices_out : args.keys_out) = buffers.outputs[0];
      if (!pairs) return args;
      args.values_a = buffers.inputs[2];
      args.values_b = buffers.inputs[3];
      args.values_out = buffers.outputs[1];
      return args;
    };
    const auto scratch = [=](const Merge& call, uint64_t n) {
      return call.scratch_size(merge_count(spread, n, 0), merge_count(spread, n, 1));
    };
    const MergeConfig config{.key = key, .keys = !is_index, .value_bytes = pairs ? 4u : 0u, .indices = is_index};
    cases.add<Merge>(merge_work(output, spread, key), {config, arguments, scratch}, sizes);
  };
  const Sizes some = some_sizes(matrix);
  add(MergeOutput::keys, MergeSpread::random, Type::u32, matrix.sizes);
  if (matrix.essential) return;
  for (const MergeSpread spread : kSkewedSpreads) add(MergeOutput::keys, spread, Type::u32, some);
  add(MergeOutput::keys, MergeSpread::random, Type::u64, some);
  add(MergeOutput::pairs, MergeSpread::random, Type::u32, some);
  for (const MergeSpread spread : kSkewedSpreads) add(MergeOutput::pairs, spread, Type::u32, some);
  add(MergeOutput::index, MergeSpread::random, Type::u32, some);
});

}  // namespace
}  // namespace weft::bench
