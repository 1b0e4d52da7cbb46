// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_sort.hpp>

#include "support/bench_case.hpp"
#include "support/output_reader.hpp"
#include "support/segmented_sort_input.hpp"

namespace weft::bench {
namespace {

/// Random keys alone, or with values of 4 bytes, in segments told by u32 offsets.
class SegmentedSortCase : public BenchCase {
 public:
  SegmentedSortCase(const SegmentLengths& lengths, Type key, bool pairs, std::vector<uint64_t> sizes)
      : BenchCase("segmented_sort", segmented_sort_variant(pairs, lengths), key, std::move(sizes)),
        key_(key),
        pairs_(pairs),
        lengths_(lengths) {}

  Status prepare(Gpu& gpu) override {
    auto sort = SegmentedSort::create(gpu.context(), {.key = key_, .value_bytes = pairs_ ? kValueBytes : 0});
    if (!sort) return sort.error();
    sort_ = std::move(sort).value();
    return {};
  }
  void release() override {
    sort_.reset();
    input_.clear();
    counts_ = {};
  }
  std::string data() const override { return "random"; }
  std::vector<HostArray> inputs(ItemSource&, uint64_t n) const override {
    std::vector<HostArray> arrays{input_.keys(Keys::random, item_bytes(), n), counts(n).offsets_array()};
    if (pairs_) arrays.push_back(input_.values(n));
    return arrays;
  }
  std::vector<uint64_t> outputs(uint64_t n) const override {
    std::vector<uint64_t> bytes{n * item_bytes()};
    if (pairs_) bytes.push_back(n * kValueBytes);
    return bytes;
  }
  uint64_t scratch_bytes(uint64_t n) const override { return sort_->scratch_size(n); }
  // As of a sort in one pass.
  uint64_t moved_bytes(uint64_t n) const override {
    return 2 * n * (item_bytes() + (pairs_ ? kValueBytes : 0)) + lengths_.number(n) * sizeof(uint32_t);
  }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    // Of fewer keys than the buffers are for, all segments: those behind are empty.
    const uint64_t segments = buffers.inputs[1].size / sizeof(uint32_t) - 1;
    SegmentedSortArgs args{buffers.inputs[0], {}, buffers.inputs[1], buffers.outputs[0], {}, buffers.scratch,
                           segments,          n};
    if (pairs_) {
      args.values = buffers.inputs[2];
      args.values_out = buffers.outputs[1];
    }
    return sort_->record(commands, args);
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource&, const CaseBuffers& buffers, uint64_t n) const override {
    input_.keys(Keys::random, item_bytes(), n);
    const std::vector<uint32_t>& offsets = counts(n).offsets();
    OutputReader keys(gpu, buffers.outputs[0], item_bytes(), buffers.sampled);
    if (!pairs_)
      return item_bytes() == 4 ? check_segments<uint32_t>(input_, offsets, keys.fetcher())
                               : check_segments<uint64_t>(input_, offsets, keys.fetcher());
    OutputReader values(gpu, buffers.outputs[1], kValueBytes, buffers.sampled);
    return item_bytes() == 4 ? check_segment_pairs<uint32_t>(input_, offsets, keys.fetcher(), values.fetcher())
                             : check_segment_pairs<uint64_t>(input_, offsets, keys.fetcher(), values.fetcher());
  }

 private:
  static constexpr uint32_t kValueBytes = 4;

  /// Kept until it is asked for another n.
  const IntervalCounts& counts(uint64_t n) const {
    const Spread spread = lengths_.spread(n);
    if (counts_.id() != IntervalCounts::id_of(spread, n)) counts_ = IntervalCounts(spread, n);
    return counts_;
  }

  Type key_;
  bool pairs_;
  SegmentLengths lengths_;
  mutable SortInput input_;
  mutable IntervalCounts counts_;
  std::optional<SegmentedSort> sort_;
};

}  // namespace

Cases segmented_sort_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](const SegmentLengths& lengths, Type key, bool pairs, const std::vector<uint64_t>& sizes) {
    cases.push_back(std::make_unique<SegmentedSortCase>(lengths, key, pairs, sizes));
  };
  const auto some = some_sizes(matrix);
  for (const SegmentLengths& lengths : segment_lengths(matrix.essential))
    for (const bool pairs : {false, true}) {
      add(lengths, Type::u32, pairs, lengths.mean == kEssentialMean ? matrix.sizes : some);
      if (!matrix.essential) add(lengths, Type::u64, pairs, some);
    }
  return cases;
}

}  // namespace weft::bench
