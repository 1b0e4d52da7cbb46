// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/select.hpp>

#include <array>
#include <cstring>

#include "support/bench_case.hpp"

namespace weft::bench {
namespace {

struct PartitionSpec {
  std::string variant;
  ItemType item;
  PartitionConfig config{};
  uint64_t low = 0;   ///< PartitionArgs::a
  uint64_t high = 0;  ///< PartitionArgs::b
};

class PartitionCase : public CaseOf<PartitionCase, Partition> {
 public:
  PartitionCase(const PartitionSpec& spec, const Sizes& sizes, std::optional<Strategy> forced)
      : CaseOf("partition", spec.variant, spec.item, spec.config, sizes_for(sizes, spec.item.bytes), forced),
        low_(spec.low),
        high_(spec.high) {}

  Sizes outputs(uint64_t n) const override {
    Sizes bytes(config().partitions, n * item_bytes());
    bytes.push_back(config().partitions * sizeof(uint32_t));
    return bytes;
  }
  uint64_t moved_bytes(uint64_t n) const override { return 2 * n * item_bytes(); }
  PartitionArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    PartitionArgs args;
    args.input = buffers.inputs[0];
    for (uint32_t partition = 0; partition < config().partitions; ++partition)
      args.outputs[partition] = buffers.outputs[partition];
    args.counts = buffers.outputs.back();
    args.scratch = buffers.scratch;
    args.count = n;
    args.a.bits = low_;
    args.b.bits = high_;
    return args;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    std::array<FetchOutputs, 3> fetch;
    for (uint32_t partition = 0; partition < config().partitions; ++partition)
      fetch[partition] = found.fetch(partition, item_bytes());
    const auto counts = found.read<std::array<uint32_t, 3>>(config().partitions);
    const Verdict total = oracle::same_count(n, uint64_t{counts[0]} + counts[1] + counts[2]);
    return with_item(item_bytes(), [&]<class T>(T*) -> Verdict {
      const auto items = items_of<T>(inputs(source, n)[0].bytes);
      const auto number = [&](uint64_t i) {
        uint64_t value = 0;
        std::memcpy(&value, &items[i], std::min<size_t>(size_of(config().item), sizeof(T)));
        return value;
      };
      const auto below = [&](uint64_t i) { return number(i) < low_; };
      if (config().partitions == 2)
        return oracle::first_bad(check_partition(items, below, fetch[0], fetch[1], false, counts[0]), total);
      if constexpr (std::is_same_v<T, uint32_t>) {
        const auto part = [&](uint64_t i) { return below(i) ? 0u : number(i) <= high_ ? 1u : 2u; };
        return oracle::first_bad(check_three_way_partition(items, part, fetch, {counts[0], counts[1]}), total);
      }
      return oracle::no_oracle();
    });
  }

 private:
  uint64_t low_, high_;
};

PartitionSpec two_ways(const ItemSource& source, const ItemType& item, double share) {
  const bool is_struct = item.bytes > 8;
  const uint32_t tested = is_struct ? 4 : item.bytes;
  PartitionSpec spec{kept_name(share), item, {}, source.bound_below(share, tested, item.bytes).value, 0};
  spec.config.criterion = Criterion::less;
  spec.config.item = unsigned_type(tested);
  if (is_struct) spec.config.member.stride = item.bytes;
  return spec;
}

PartitionSpec three_ways(const ItemSource& source) {
  PartitionSpec spec{"3-way", Type::u32, {}, source.bound_below(1.0 / 3).value, source.bound_below(2.0 / 3).value - 1};
  spec.config.partitions = 3;
  spec.config.criterion = Criterion::inside;
  return spec;
}

const Rows partition_rows("partition", 21, [](const Matrix& matrix, Cases& cases) {
  const ItemSource& source = *matrix.source;
  const auto add = [&](const PartitionSpec& spec, const Sizes& sizes, std::optional<Strategy> forced = {}) {
    cases.add<PartitionCase>(spec, sizes, forced);
  };
  const Sizes some = some_sizes(matrix);
  add(two_ways(source, Type::u32, 0.5), matrix.sizes);
  if (matrix.essential) return;
  if (matrix.other_strategy) add(two_ways(source, Type::u32, 0.5), matrix.sizes, matrix.other_strategy);
  for (const double share : {0.1, 0.9}) add(two_ways(source, Type::u32, share), some);
  for (const ItemType& item : other_items()) add(two_ways(source, item, 0.5), some);
  add(three_ways(source), matrix.sizes);
});

}  // namespace
}  // namespace weft::bench
