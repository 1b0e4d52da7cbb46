// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_sort.hpp>

#include "support/bench_case.hpp"
#include "support/segment_works.hpp"

namespace weft::bench {
namespace {

const Rows segmented_sort_rows("segmented_sort", 74, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](const SegmentLengths& lengths, Type key, bool pairs, const Sizes& sizes) {
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      SegmentedSortArgs args{};
      args.keys = buffers.inputs[0];
      args.offsets = buffers.inputs[1];
      args.keys_out = buffers.outputs[0];
      if (pairs) args.values = buffers.inputs[2];
      if (pairs) args.values_out = buffers.outputs[1];
      args.scratch = buffers.scratch;
      // Of fewer keys than the buffers are for, all segments: those after the keys are empty.
      args.count = buffers.inputs[1].size / sizeof(uint32_t) - 1;
      args.key_count = n;
      return args;
    };
    cases.add<SegmentedSort>(segmented_sort_work(lengths, key, pairs),
                             {{.key = key, .value_bytes = pairs ? 4u : 0u}, arguments}, sizes);
  };
  const Sizes some = some_sizes(matrix);
  for (const SegmentLengths& lengths : segment_lengths(matrix.essential))
    for (const bool pairs : {false, true}) {
      add(lengths, Type::u32, pairs, lengths.mean == kEssentialMean ? matrix.sizes : some);
      if (!matrix.essential) add(lengths, Type::u64, pairs, some);
    }
});

}  // namespace
}  // namespace weft::bench
