// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/select.hpp>

#include "support/bench_case.hpp"
#include "support/select_works.hpp"

namespace weft::bench {
namespace {

const Rows partition_rows("partition", 21, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](const std::string& variant, const ItemType& item, const Bounds& bounds, const Sizes& sizes,
                       std::optional<Strategy> forced = {}) {
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      PartitionArgs args;
      args.input = buffers.inputs[0];
      std::copy_n(buffers.outputs.begin(), bounds.parts, std::begin(args.outputs));
      args.counts = buffers.outputs.back();
      args.scratch = buffers.scratch;
      args.count = n;
      args.a.bits = bounds.low.value;
      if (bounds.parts == 3) args.b.bits = bounds.high.value - 1;
      return args;
    };
    PartitionConfig config;
    config.partitions = bounds.parts;
    config.criterion = bounds.parts == 2 ? Criterion::less : Criterion::inside;
    config.item = unsigned_type(bounds.low.tested_bytes);
    if (item.bytes > 8) config.member.stride = item.bytes;
    cases.add<Partition>(partition_work(variant, item, bounds, bounds.parts), {config, arguments}, sizes, forced);
  };
  const auto below = [&](const ItemType& item, double share) { return BelowBound(*matrix.source, item, share); };
  const auto two_ways = [&](const ItemType& item, double share, const Sizes& sizes,
                            std::optional<Strategy> forced = {}) {
    add(kept_name(share), item, {2, below(item, share), below(item, share)}, sizes, forced);
  };
  const Sizes some = some_sizes(matrix);
  two_ways(Type::u32, 0.5, matrix.sizes);
  if (matrix.essential) return;
  if (matrix.other_strategy) two_ways(Type::u32, 0.5, matrix.sizes, matrix.other_strategy);
  for (const double share : {0.1, 0.9}) two_ways(Type::u32, share, some);
  for (const ItemType& item : other_items()) two_ways(item, 0.5, some);
  add("3-way", Type::u32, {3, below(Type::u32, 1.0 / 3), below(Type::u32, 2.0 / 3)}, matrix.sizes);
});

}  // namespace
}  // namespace weft::bench
