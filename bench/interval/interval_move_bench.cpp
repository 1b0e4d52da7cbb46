// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_move.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

/// Intervals of u32 gathered to one after the other, or scattered too; or of bytes, as buffers are copied in batches.
class IntervalMoveCase : public CaseOf<IntervalMoveCase, IntervalMove> {
 public:
  IntervalMoveCase(const char* primitive, const Spread& spread, bool scatter, Type type, const Sizes& sizes)
      : CaseOf(primitive, spread.name(), type,
               {.by = type == Type::u8 ? IntervalsBy::counts : IntervalsBy::offsets,
                .item_bytes = size_of(type),
                .scatter = scatter},
               sizes),
        spread_(spread) {}

  std::string data() const override { return "intervals"; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    const IntervalPlaces& places = this->places(source, n);
    std::vector<HostArray> arrays = {
        config().by == IntervalsBy::counts ? places.counts_array() : places.offsets_array(), places.gather_array(),
        source.array(Data::noise(11), sizeof(uint32_t), n * item_bytes() / sizeof(uint32_t))};
    if (config().scatter) arrays.push_back(places.scatter_array());
    return arrays;
  }
  Sizes outputs(uint64_t n) const override { return {n * item_bytes(), 8, 8}; }
  uint64_t scratch_size(uint64_t n) const override { return call().scratch_size(intervals(n)); }
  uint64_t moved_bytes(uint64_t n) const override {
    return 2 * n * item_bytes() + (config().scatter ? 3 : 2) * intervals(n) * sizeof(uint32_t);
  }
  IntervalMoveArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    IntervalMoveArgs args;
    args.counts = buffers.inputs[0];
    args.gather = buffers.inputs[1];
    args.input = buffers.inputs[2];
    if (config().scatter) args.scatter = buffers.inputs[3];
    args.output = buffers.outputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = part_of(args.gather.size / sizeof(uint32_t), n, args.output.size / item_bytes());
    args.max_output = n;
    return args;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    const auto arrays = inputs(source, n);
    const auto input = items_of<uint32_t>(arrays[2].bytes);
    const IntervalPlaces& places = this->places(source, n);
    const uint32_t items_per_word = sizeof(uint32_t) / item_bytes();
    // In the order of the output.
    const auto at = [&](uint64_t k) { return config().scatter ? places.scattered(k) : k; };
    return oracle::first_bad(
        oracle::same_count(n, found.count(1)),
        oracle::check_pieces<uint32_t>(
            "word", intervals(n), [&](uint64_t k) { return places.count(at(k)) / items_per_word; },
            [&](uint64_t k, uint64_t j) { return input[places.gather()[at(k)] / items_per_word + j]; },
            found.fetch(0, sizeof(uint32_t))));
  }

 private:
  uint64_t intervals(uint64_t n) const { return IntervalCounts::number(spread_, n); }
  const IntervalPlaces& places(ItemSource& source, uint64_t n) const {
    return source.cached<IntervalPlaces>(spread_, n);
  }

  Spread spread_;
};

const Rows interval_move_rows("interval_move", 33, [](const Matrix& matrix, Cases& cases) {
  add_spreads(matrix, [&](const Spread& spread, const Sizes& sizes) {
    cases.add<IntervalMoveCase>("interval_gather", spread, false, Type::u32, sizes);
    if (spread.kind == Spread::Kind::uniform)
      cases.add<IntervalMoveCase>("interval_move", spread, true, Type::u32, sizes);
  });
  for (const Spread& buffers : batched_copy_spreads(matrix.essential))
    cases.add<IntervalMoveCase>("batched_copy", buffers, true, Type::u8,
                                sizes_for(buffers.mean == 1024 ? matrix.sizes : some_sizes(matrix), 1));
});

}  // namespace
}  // namespace weft::bench
