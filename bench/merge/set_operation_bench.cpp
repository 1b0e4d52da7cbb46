// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/set_operation.hpp>

#include "support/bench_case.hpp"
#include "support/merge_input.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {
namespace {

/// What both sequences have in common: next to nothing, all keys, each often, or nothing, or all keys, each once.
enum class Overlap : uint8_t { few_ties, many_ties, disjoint, equal };

const char* name_of(Overlap overlap) {
  switch (overlap) {
    case Overlap::few_ties: return "random";
    case Overlap::many_ties: return "ties";
    case Overlap::disjoint: return "disjoint";
    case Overlap::equal: return "equal";
  }
  return "?";
}

MergeSpread spread_of(Overlap overlap) {
  switch (overlap) {
    case Overlap::few_ties: return MergeSpread::random;
    case Overlap::many_ties: return MergeSpread::ties;
    case Overlap::disjoint: return MergeSpread::disjoint;
    case Overlap::equal: break;
  }
  return MergeSpread::interleaved;
}

std::string row_name(SetOperator operation, bool pairs) {
  return name_of(operation) + std::string(pairs ? "_pairs" : "_keys");
}

/// `n`: keys of both sequences together. Values, which pairs have beside keys, are u32.
class SetOperationCase : public BenchCase {
 public:
  SetOperationCase(SetOperator operation, Overlap overlap, Type key, bool pairs, std::vector<uint64_t> sizes)
      : BenchCase(row_name(operation, pairs), name_of(overlap), key, std::move(sizes)),
        operator_(operation),
        overlap_(overlap),
        key_(key),
        pairs_(pairs) {}

  Status prepare(Gpu& gpu) override {
    auto operation = SetOperation::create(
        gpu.context(), {.operation = operator_, .key = key_, .value_bytes = pairs_ ? kValueBytes : 0});
    if (!operation) return operation.error();
    operation_ = std::move(operation).value();
    return {};
  }
  void release() override {
    operation_.reset();
    made_ = {};
  }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    std::vector<HostArray> arrays;
    for (const uint32_t sequence : {0, 1}) {
      // Of 2 * count keys, half are each sequence's.
      const uint64_t both = 2 * count_of(n);
      const uint32_t drawn = overlap_ == Overlap::equal ? 0 : sequence;
      arrays.push_back(item_bytes() == 4 ? made_.keys<uint32_t>(source, spread_of(overlap_), both, drawn)
                                         : made_.keys<uint64_t>(source, spread_of(overlap_), both, drawn));
    }
    if (pairs_)
      for (const uint32_t sequence : {0, 1})
        arrays.push_back(source.array(merge_values(sequence), kValueBytes, count_of(n)));
    return arrays;
  }
  std::vector<uint64_t> outputs(uint64_t n) const override {
    std::vector<uint64_t> bytes{4, 4, most_outputs(n) * item_bytes()};
    if (pairs_) bytes.push_back(most_outputs(n) * kValueBytes);
    return bytes;
  }
  uint64_t scratch_bytes(uint64_t n) const override { return operation_->scratch_size(count_of(n), count_of(n)); }
  /// Each key read once, and each output's key and value as often as they have to be; of random keys, as if none were in both.
  uint64_t moved_bytes(uint64_t n) const override {
    const bool has_pairs = overlap_ == Overlap::many_ties || overlap_ == Overlap::equal;
    uint64_t kept = 0;
    switch (operator_) {
      case SetOperator::set_union: kept = has_pairs ? 1 : 2; break;
      case SetOperator::set_intersection: kept = has_pairs ? 1 : 0; break;
      case SetOperator::set_difference: kept = has_pairs ? 0 : 1; break;
      case SetOperator::set_symmetric_difference: kept = has_pairs ? 0 : 2; break;
    }
    return count_of(n) * (2 * item_bytes() + kept * (item_bytes() + (pairs_ ? 2 * kValueBytes : 0)));
  }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    SetOperationArgs args{.keys_a = buffers.inputs[0],
                          .keys_b = buffers.inputs[1],
                          .keys_out = buffers.outputs[2],
                          .total = buffers.outputs[0],
                          .status = buffers.outputs[1],
                          .scratch = buffers.scratch,
                          .count_a = count_of(n),
                          .count_b = count_of(n)};
    if (pairs_) {
      args.values_a = buffers.inputs[2];
      args.values_b = buffers.inputs[3];
      args.values_out = buffers.outputs[3];
    }
    return operation_->record(commands, args);
  }
  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    const Result<uint32_t> total = read_count(gpu, buffers.outputs[0]);
    if (!total) return total.error();
    OutputReader keys(gpu, buffers.outputs[2], item_bytes(), buffers.sampled);
    OutputReader values(gpu, buffers.outputs.back(), kValueBytes, buffers.sampled);
    const auto arrays = inputs(source, n);
    return item_bytes() == 4 ? check<uint32_t>(arrays, keys.fetcher(), values.fetcher(), *total)
                             : check<uint64_t>(arrays, keys.fetcher(), values.fetcher(), *total);
  }

 private:
  static constexpr uint32_t kValueBytes = 4;
  /// Of either sequence.
  static uint64_t count_of(uint64_t n) { return n / 2; }
  uint64_t most_outputs(uint64_t n) const {
    return operator_ == SetOperator::set_union || operator_ == SetOperator::set_symmetric_difference ? 2 * count_of(n)
                                                                                                     : count_of(n);
  }

  template <class T>
  Verdict check(const std::vector<HostArray>& arrays, const FetchOutputs& fetch_keys, const FetchOutputs& fetch_values,
                uint64_t total) const {
    const std::span<const T> a = items_of<T>(arrays[0].bytes), b = items_of<T>(arrays[1].bytes);
    const bool one_sided = operator_ == SetOperator::set_union || operator_ == SetOperator::set_symmetric_difference;
    const bool keeps_a = operator_ != SetOperator::set_intersection;
    const bool keeps_both = operator_ == SetOperator::set_union || operator_ == SetOperator::set_intersection;
    // Blocks of a's keys. Equal keys are in one block, with b's that are not below them.
    const auto bounds = [&](uint64_t i) -> std::pair<uint64_t, uint64_t> {
      if (i == 0) return {0, 0};
      if (i == a.size()) return {a.size(), b.size()};
      return {std::lower_bound(a.begin(), a.end(), a[i]) - a.begin(),
              std::lower_bound(b.begin(), b.end(), a[i]) - b.begin()};
    };
    const auto walk = [&](uint64_t begin, uint64_t end, const auto& output) {
      auto [i, j] = bounds(begin);
      const auto [i_end, j_end] = bounds(end);
      while (i < i_end || j < j_end) {
        const bool of_a = j == j_end || (i < i_end && a[i] <= b[j]);
        const bool of_b = i == i_end || (j < j_end && b[j] <= a[i]);
        if (of_a && of_b ? keeps_both : of_a ? keeps_a : one_sided) output(of_a, of_a ? i : j);
        i += of_a ? 1 : 0;
        j += of_b ? 1 : 0;
      }
    };
    const auto number = [&](uint64_t begin, uint64_t end) {
      oracle::Position outputs;
      walk(begin, end, [&](bool, uint64_t) { ++outputs.outputs; });
      return outputs;
    };
    uint64_t count = 0;
    const auto check_array = [&]<class Item>(const char* what, std::span<const Item> of_a, std::span<const Item> of_b,
                                             const FetchOutputs& fetch) {
      const auto write = [&](uint64_t begin, uint64_t end, oracle::Position, Item* out) {
        walk(begin, end, [&](bool from_a, uint64_t at) { *out++ = (from_a ? of_a : of_b)[at]; });
      };
      return oracle::check_blocks<Item>(what, a.size(), oracle::Position{}, number, oracle::behind, write, fetch,
                                        &count);
    };
    Verdict outputs = check_array("key", a, b, fetch_keys);
    if (pairs_)
      outputs = oracle::first_bad(outputs, check_array("value", items_of<uint32_t>(arrays[2].bytes),
                                                       items_of<uint32_t>(arrays[3].bytes), fetch_values));
    return oracle::first_bad(oracle::same_count(count, total), outputs);
  }

  SetOperator operator_;
  Overlap overlap_;
  Type key_;
  bool pairs_;
  std::optional<SetOperation> operation_;
  mutable MergeInput made_;
};

}  // namespace

Cases set_operation_cases(const Matrix& matrix) {
  Cases cases;
  const auto add = [&](SetOperator operation, Overlap overlap, Type key, bool pairs, std::vector<uint64_t> sizes) {
    cases.push_back(std::make_unique<SetOperationCase>(operation, overlap, key, pairs, std::move(sizes)));
  };
  add(SetOperator::set_union, Overlap::few_ties, Type::u32, false, matrix.sizes);
  if (matrix.essential) return cases;
  for (const SetOperator operation : {SetOperator::set_union, SetOperator::set_intersection,
                                      SetOperator::set_difference, SetOperator::set_symmetric_difference}) {
    for (const Overlap overlap : {Overlap::few_ties, Overlap::many_ties, Overlap::disjoint, Overlap::equal})
      if (operation != SetOperator::set_union || overlap != Overlap::few_ties)
        add(operation, overlap, Type::u32, false, some_sizes(matrix));
    add(operation, Overlap::few_ties, Type::u64, false, some_sizes(matrix));
    for (const Overlap overlap : {Overlap::few_ties, Overlap::many_ties})
      add(operation, overlap, Type::u32, true, some_sizes(matrix));
  }
  return cases;
}

}  // namespace weft::bench
