// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/interval_move.hpp>

#include "support/interval_case.hpp"

namespace weft::bench {
namespace {

/// Intervals of u32 gathered to one behind the other, or scattered too; or of bytes, as buffers are copied in batches.
class IntervalMoveCase : public BenchCase {
 public:
  IntervalMoveCase(const Spread& spread, bool scatter, Type type, std::vector<uint64_t> sizes)
      : BenchCase(type == Type::u8 ? "batched_copy"
                  : scatter        ? "interval_move"
                                   : "interval_gather",
                  spread.name(), type, std::move(sizes)),
        spread_(spread),
        scatter_(scatter),
        type_(type) {}

  Status prepare(Gpu& gpu) override {
    IntervalMoveConfig config;
    config.by = IntervalsBy::offsets;
    config.item_bytes = size_of(type_);
    config.scatter = scatter_;
    if (type_ == Type::u8) config.by = IntervalsBy::counts;
    auto move = IntervalMove::create(gpu.context(), config);
    if (!move) return move.error();
    move_ = std::move(move).value();
    return {};
  }
  void release() override {
    places_ = {};
    move_.reset();
  }

  std::string data() const override { return "intervals"; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    const IntervalPlaces& places = this->places(n);
    std::vector<HostArray> arrays = {type_ == Type::u8 ? places.counts_array() : places.offsets_array(),
                                     places.gather_array(), source.array(kItems, sizeof(uint32_t), words(n))};
    if (scatter_) arrays.push_back(places.scatter_array());
    return arrays;
  }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {n * size_of(type_), 8, 8}; }
  uint64_t scratch_bytes(uint64_t n) const override { return move_->scratch_size(intervals(n)); }
  uint64_t moved_bytes(uint64_t n) const override {
    return 2 * n * size_of(type_) + (scatter_ ? 3 : 2) * intervals(n) * sizeof(uint32_t);
  }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    IntervalMoveArgs args;
    args.counts = buffers.inputs[0];
    args.gather = buffers.inputs[1];
    args.input = buffers.inputs[2];
    if (scatter_) args.scatter = buffers.inputs[3];
    args.output = buffers.outputs[0];
    args.total = buffers.outputs[1];
    args.status = buffers.outputs[2];
    args.scratch = buffers.scratch;
    args.count = static_cast<uint64_t>(static_cast<double>(n) / static_cast<double>(args.output.size / size_of(type_)) *
                                       static_cast<double>(args.gather.size / sizeof(uint32_t)));
    args.max_output = n;
    return move_->record(commands, args);
  }

  Verdict verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers, uint64_t n) const override {
    const auto total = read_count(gpu, buffers.outputs[1]);
    if (!total) return total.error();
    const auto input = items_of<uint32_t>(source.array(kItems, sizeof(uint32_t), words(n)).bytes);
    OutputReader reader(gpu, buffers.outputs[0], sizeof(uint32_t), buffers.sampled);
    const IntervalPlaces& places = this->places(n);
    const uint32_t items_per_word = sizeof(uint32_t) / size_of(type_);
    // In the order in which they lie in the output.
    const auto at = [&](uint64_t k) { return scatter_ ? places.scattered(k) : k; };
    const Verdict words = oracle::check_pieces<uint32_t>(
        "word", intervals(n), [&](uint64_t k) { return places.count(at(k)) / items_per_word; },
        [&](uint64_t k, uint64_t j) { return input[places.gather()[at(k)] / items_per_word + j]; }, reader.fetcher());
    return oracle::first_bad(oracle::same_count(n, *total), words);
  }

 private:
  static constexpr Data kItems = Data::noise(11);

  uint64_t words(uint64_t n) const { return n * size_of(type_) / sizeof(uint32_t); }
  uint64_t intervals(uint64_t n) const { return IntervalCounts::number(spread_, n); }
  /// Kept until it is asked for another n.
  const IntervalPlaces& places(uint64_t n) const {
    if (places_.id() != IntervalCounts::id_of(spread_, n)) places_ = IntervalPlaces(spread_, n);
    return places_;
  }

  Spread spread_;
  bool scatter_;
  Type type_;
  std::optional<IntervalMove> move_;
  mutable IntervalPlaces places_;
};

}  // namespace

Cases interval_move_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](const Spread& spread, bool scatter, Type type, const std::vector<uint64_t>& sizes) {
    cases.push_back(std::make_unique<IntervalMoveCase>(spread, scatter, type, sizes));
  };
  add_spreads(matrix, [&](const Spread& spread, const std::vector<uint64_t>& sizes) {
    add(spread, false, Type::u32, sizes);
    if (spread.kind == Spread::Kind::uniform) add(spread, true, Type::u32, sizes);
  });
  for (const Spread& buffers : batched_copy_spreads(matrix.essential))
    add(buffers, true, Type::u8, sizes_for(buffers.mean == 1024 ? matrix.sizes : some_sizes(matrix), 1));
  return cases;
}

}  // namespace weft::bench
