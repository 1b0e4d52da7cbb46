// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/set_operation.hpp>

#include "support/bench_case.hpp"
#include "support/merge_input.hpp"

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

/// `n`: keys of both sequences together. Values, which pairs have beside keys, are u32.
class SetOperationCase : public CaseOf<SetOperationCase, SetOperation> {
 public:
  SetOperationCase(SetOperator operation, Overlap overlap, Type key, bool pairs, const Sizes& sizes)
      : CaseOf(name_of(operation) + std::string(pairs ? "_pairs" : "_keys"), name_of(overlap), key,
               {.operation = operation, .key = key, .value_bytes = pairs ? kValueBytes : 0}, sizes),
        overlap_(overlap) {}

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return merge_arrays(source, spread_of(overlap_), item_bytes(), 2 * count_of(n), pairs(),
                        overlap_ == Overlap::equal);
  }
  Sizes outputs(uint64_t n) const override {
    const uint64_t most = adds_b() ? 2 * count_of(n) : count_of(n);
    Sizes bytes{4, 4, most * item_bytes()};
    if (pairs()) bytes.push_back(most * kValueBytes);
    return bytes;
  }
  uint64_t scratch_size(uint64_t n) const override { return call().scratch_size(count_of(n), count_of(n)); }
  /// Each key is read once, and each output's key and value as often as they have to be. Of random keys none counts as
  /// being in both.
  uint64_t moved_bytes(uint64_t n) const override {
    const bool in_both = overlap_ == Overlap::many_ties || overlap_ == Overlap::equal;
    const uint64_t kept = in_both ? (keeps_both() ? 1 : 0) : (keeps_a() ? 1 : 0) + (adds_b() ? 1 : 0);
    return count_of(n) * (2 * item_bytes() + kept * (item_bytes() + (pairs() ? 2 * kValueBytes : 0)));
  }
  SetOperationArgs args(const CaseBuffers& buffers, uint64_t n) const override {
    SetOperationArgs args{.keys_a = buffers.inputs[0],
                          .keys_b = buffers.inputs[1],
                          .keys_out = buffers.outputs[2],
                          .total = buffers.outputs[0],
                          .status = buffers.outputs[1],
                          .scratch = buffers.scratch,
                          .count_a = count_of(n),
                          .count_b = count_of(n)};
    if (pairs()) {
      args.values_a = buffers.inputs[2];
      args.values_b = buffers.inputs[3];
      args.values_out = buffers.outputs[3];
    }
    return args;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_key(item_bytes(), [&]<class T>(T*) { return check<T>(inputs(source, n), found); });
  }

 private:
  static constexpr uint32_t kValueBytes = 4;
  /// Of either sequence.
  static uint64_t count_of(uint64_t n) { return n / 2; }
  bool pairs() const { return config().value_bytes != 0; }
  // Whether keys that only b has, only a has, and both have are written.
  bool adds_b() const {
    return config().operation == SetOperator::set_union || config().operation == SetOperator::set_symmetric_difference;
  }
  bool keeps_a() const { return config().operation != SetOperator::set_intersection; }
  bool keeps_both() const {
    return config().operation == SetOperator::set_union || config().operation == SetOperator::set_intersection;
  }

  template <class T>
  Verdict check(const std::vector<HostArray>& arrays, Outputs& found) const {
    const std::span<const T> a = items_of<T>(arrays[0].bytes), b = items_of<T>(arrays[1].bytes);
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
        if (of_a && of_b ? keeps_both() : of_a ? keeps_a() : adds_b()) output(of_a, of_a ? i : j);
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
    const auto check_array = [&]<class Item>(const char* what, const Item*, size_t input, size_t output) {
      const auto of_a = items_of<Item>(arrays[input].bytes), of_b = items_of<Item>(arrays[input + 1].bytes);
      const auto write = [&](uint64_t begin, uint64_t end, oracle::Position, Item* out) {
        walk(begin, end, [&](bool from_a, uint64_t at) { *out++ = (from_a ? of_a : of_b)[at]; });
      };
      return oracle::check_blocks<Item>(what, a.size(), oracle::Position{}, number, oracle::after, write,
                                        found.fetch(output, sizeof(Item)), &count);
    };
    Verdict outputs = check_array("key", a.data(), 0, 2);
    if (pairs()) outputs = oracle::first_bad(outputs, check_array("value", static_cast<uint32_t*>(nullptr), 2, 3));
    return oracle::first_bad(oracle::same_count(count, found.count(0)), outputs);
  }

  Overlap overlap_;
};

const Rows set_operation_rows("set_operation", 71, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](SetOperator operation, Overlap overlap, Type key, bool pairs, const Sizes& sizes) {
    cases.add<SetOperationCase>(operation, overlap, key, pairs, sizes);
  };
  const Sizes some = some_sizes(matrix);
  add(SetOperator::set_union, Overlap::few_ties, Type::u32, false, matrix.sizes);
  if (matrix.essential) return;
  for (const SetOperator operation : {SetOperator::set_union, SetOperator::set_intersection,
                                      SetOperator::set_difference, SetOperator::set_symmetric_difference}) {
    for (const Overlap overlap : {Overlap::few_ties, Overlap::many_ties, Overlap::disjoint, Overlap::equal})
      if (operation != SetOperator::set_union || overlap != Overlap::few_ties)
        add(operation, overlap, Type::u32, false, some);
    add(operation, Overlap::few_ties, Type::u64, false, some);
    for (const Overlap overlap : {Overlap::few_ties, Overlap::many_ties})
      add(operation, overlap, Type::u32, true, some);
  }
});

}  // namespace
}  // namespace weft::bench
