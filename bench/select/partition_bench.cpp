// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <cstring>
#include <deque>

#include <fmt/format.h>

#include <weft/select.hpp>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

struct PartitionSpec {
  std::string variant;
  ItemType item;
  PartitionConfig config;
  uint64_t low = 0;   ///< PartitionArgs::a
  uint64_t high = 0;  ///< PartitionArgs::b
};

class PartitionCase : public BenchCase {
 public:
  PartitionCase(PartitionSpec spec, std::vector<uint64_t> sizes)
      : BenchCase("partition", spec.variant, spec.item.name, spec.item.bytes, std::move(sizes)),
        spec_(std::move(spec)) {}

  Status prepare(Gpu& gpu) override {
    auto partition = Partition::create(gpu.context(), spec_.config);
    if (!partition) return partition.error();
    partition_ = std::move(partition).value();
    return {};
  }
  void release() override { partition_.reset(); }
  std::string strategy() const override { return name_of(partition_->strategy()); }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {source.array(Data::stream(), item_bytes(), n)};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override {
    std::vector<uint64_t> sizes(spec_.config.sides, n * item_bytes());
    sizes.push_back(spec_.config.sides * sizeof(uint32_t));
    return sizes;
  }
  std::unique_ptr<BenchCase> other_means() const override {
    PartitionSpec spec = spec_;
    spec.config.strategy = other_than(partition_->strategy());
    return std::make_unique<PartitionCase>(std::move(spec), sizes());
  }
  uint64_t scratch_bytes(uint64_t n) const override { return partition_->scratch_size(n); }
  uint64_t moved_bytes(uint64_t n) const override { return 2 * n * item_bytes(); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    PartitionArgs args;
    args.input = buffers.inputs[0];
    for (uint32_t side = 0; side < spec_.config.sides; ++side) args.outputs[side] = buffers.outputs[side];
    args.counts = buffers.outputs.back();
    args.scratch = buffers.scratch;
    args.count = n;
    args.a.bits = spec_.low;
    args.b.bits = spec_.high;
    return partition_->record(commands, args);
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    std::deque<OutputReader> readers;
    std::array<FetchOutputs, 3> fetch;
    for (uint32_t side = 0; side < spec_.config.sides; ++side)
      fetch[side] = readers.emplace_back(gpu, buffers.outputs[side], item_bytes(), buffers.sampled).fetcher();
    std::array<uint32_t, 3> counts{};
    const Status status = gpu.download(buffers.outputs.back(),
                                       std::as_writable_bytes(std::span(counts)).first(buffers.outputs.back().size));
    if (!status) return status.error();
    return with_item(item_bytes(), [&]<class T>(T*) -> Verdict {
      const auto items = items_of<T>(inputs(source, n)[0].bytes);
      const uint32_t tested = size_of(spec_.config.item);
      const auto number = [&](uint64_t i) {
        uint64_t value = 0;
        std::memcpy(&value, &items[i], std::min<size_t>(tested, sizeof(T)));
        return value;
      };
      const auto below = [&](uint64_t i) { return number(i) < spec_.low; };
      if (spec_.config.sides == 2) {
        const Verdict other_count = oracle::same_count(n, uint64_t{counts[0]} + counts[1]);
        return oracle::first_bad(check_partition(items, below, fetch[0], fetch[1], false, counts[0]), other_count);
      }
      const auto side = [&](uint64_t i) { return below(i) ? 0u : number(i) <= spec_.high ? 1u : 2u; };
      const Verdict other_count = oracle::same_count(n, uint64_t{counts[0]} + counts[1] + counts[2]);
      return oracle::first_bad(check_three_way_partition(items, side, fetch, {counts[0], counts[1]}), other_count);
    });
  }

 private:
  PartitionSpec spec_;
  std::optional<Partition> partition_;
};

PartitionSpec two_ways(const ItemSource& source, const ItemType& item, double share) {
  const bool is_struct = item.bytes > 8;
  const uint32_t tested = is_struct ? 4 : item.bytes;
  PartitionSpec spec{fmt::format("kept={}", share), item, {}, source.bound_below(share, tested, item.bytes).value, 0};
  spec.config.criterion = Criterion::less;
  spec.config.item = unsigned_type(tested);
  if (is_struct) spec.config.member.stride = item.bytes;
  return spec;
}

PartitionSpec three_ways(const ItemSource& source) {
  PartitionSpec spec{
      "3-way", ItemType::of(Type::u32), {}, source.bound_below(1.0 / 3).value, source.bound_below(2.0 / 3).value - 1};
  spec.config.sides = 3;
  spec.config.criterion = Criterion::inside;
  return spec;
}

}  // namespace

Cases partition_cases(const Matrix& matrix) {
  Cases cases;
  const ItemSource& source = *matrix.source;
  const auto add = [&](PartitionSpec spec, const std::vector<uint64_t>& sizes, std::optional<Strategy> forced = {}) {
    spec.config.strategy = forced.value_or(matrix.strategy);
    if (forced) spec.variant += std::string(" ") + name_of(*forced);
    const uint32_t bytes = spec.item.bytes;
    cases.push_back(std::make_unique<PartitionCase>(std::move(spec), sizes_for(sizes, bytes)));
  };
  const auto& sizes = matrix.sizes;
  const auto some = some_sizes(matrix);
  const ItemType u32 = ItemType::of(Type::u32);

  add(two_ways(source, u32, 0.5), sizes);
  if (matrix.essential) return cases;
  if (matrix.other_strategy) add(two_ways(source, u32, 0.5), sizes, matrix.other_strategy);
  for (const double share : {0.1, 0.9}) add(two_ways(source, u32, share), some);
  for (const ItemType& item : {ItemType::of(Type::u8), ItemType::of(Type::u16), ItemType::of(Type::u64),
                               ItemType::words(4), ItemType::words(12)})
    add(two_ways(source, item, 0.5), some);
  add(three_ways(source), sizes);
  return cases;
}

}  // namespace weft::bench
