// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_sort.hpp>

#include "support/segmented_sort_input.hpp"
#include "support/sort_case.hpp"

namespace weft::bench {
namespace {

/// Random keys alone, or with values of 4 bytes, in segments described by u32 offsets.
class SegmentedSortCase : public SortingCase<SegmentedSortCase, SegmentedSort> {
 public:
  SegmentedSortCase(const SegmentLengths& lengths, Type key, bool pairs, const Sizes& sizes)
      : SortingCase("segmented_sort", segmented_sort_variant(pairs, lengths), key, Keys::random,
                    {.key = key, .value_bytes = pairs ? kSortedValueBytes : 0}, sizes),
        lengths_(lengths) {}

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    SortInput& input = this->input(source, n);
    std::vector<HostArray> arrays{input.keys(Keys::random, item_bytes(), n), counts(source, n).offsets_array()};
    if (pairs()) arrays.push_back(input.values(n));
    return arrays;
  }
  uint64_t moved_bytes(uint64_t n) const override {
    return SortingCase::moved_bytes(n) + lengths_.number(n) * sizeof(uint32_t);
  }
  SegmentedSortArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    SegmentedSortArgs args = SortingCase::args(buffers, n);
    args.offsets = buffers.inputs[1];
    // Of fewer keys than the buffers are for, all segments: those after the keys are empty.
    args.count = buffers.inputs[1].size / sizeof(uint32_t) - 1;
    args.key_count = n;
    return args;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_key(item_bytes(), [&]<class T>(T*) {
      const std::vector<uint32_t>& offsets = counts(source, n).offsets();
      const FetchOutputs keys = found.fetch(0, sizeof(T));
      return pairs() ? check_segment_pairs<T>(input(source, n), offsets, keys, values_in(found))
                     : check_segments<T>(input(source, n), offsets, keys);
    });
  }

 private:
  const IntervalCounts& counts(ItemSource& source, uint64_t n) const {
    return source.cached<IntervalCounts>(lengths_.spread(n), n);
  }

  SegmentLengths lengths_;
};

const Rows segmented_sort_rows("segmented_sort", 74, [](const Matrix& matrix, Cases& cases) {
  const Sizes some = some_sizes(matrix);
  for (const SegmentLengths& lengths : segment_lengths(matrix.essential))
    for (const bool pairs : {false, true}) {
      cases.add<SegmentedSortCase>(lengths, Type::u32, pairs, lengths.mean == kEssentialMean ? matrix.sizes : some);
      if (!matrix.essential) cases.add<SegmentedSortCase>(lengths, Type::u64, pairs, some);
    }
});

}  // namespace
}  // namespace weft::bench
