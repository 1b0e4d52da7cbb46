// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/set_operation.hpp>

#include "support/bench_case.hpp"
#include "support/merge_works.hpp"

namespace weft::bench {
namespace {

/// What both sequences have in common.
struct Overlap {
  const char* name;
  MergeSpread spread;
  bool in_both;       ///< whether most keys are. Of random keys none counts as being.
  bool equal{false};  ///< both are the same
};
constexpr Overlap kFewTies{"random", MergeSpread::random, false}, kManyTies{"ties", MergeSpread::ties, true},
    kDisjoint{"disjoint", MergeSpread::disjoint, false}, kEqual{"equal", MergeSpread::interleaved, true, true};

/// The keys that are written.
struct Kept {
  bool of_a, of_b;  ///< alone
  bool of_both;
};

Kept kept_by(SetOperator operation) {
  switch (operation) {
    case SetOperator::set_union: return {true, true, true};
    case SetOperator::set_intersection: return {false, false, true};
    case SetOperator::set_difference: return {true, false, false};
    case SetOperator::set_symmetric_difference: break;
  }
  return {true, true, false};
}

template <class T>
Verdict check(const Inputs& in, Outputs& out, const Kept& kept, bool pairs) {
  const auto a = in.as<T>(0), b = in.as<T>(1);
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
      if (of_a && of_b ? kept.of_both : of_a ? kept.of_a : kept.of_b) output(of_a, of_a ? i : j);
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
    const auto of_a = in.as<Item>(input), of_b = in.as<Item>(input + 1);
    const auto write = [&](uint64_t begin, uint64_t end, oracle::Position, Item* to) {
      walk(begin, end, [&](bool from_a, uint64_t at) { *to++ = (from_a ? of_a : of_b)[at]; });
    };
    return oracle::check_blocks<Item>(what, a.size(), oracle::Position{}, number, oracle::after, write,
                                      out.fetch(output, sizeof(Item)), &count);
  };
  Verdict outputs = check_array("key", a.data(), 0, 2);
  if (pairs) outputs = oracle::first_bad(outputs, check_array("value", static_cast<uint32_t*>(nullptr), 2, 3));
  return oracle::first_bad(oracle::same_count(count, out.read(0)), outputs);
}

/// `n`: keys of both sequences together. Values, which pairs have beside keys, are u32.
Work set_operation_work(SetOperator operation, const Overlap& overlap, Type key, bool pairs) {
  const uint32_t key_bytes = size_of(key);
  const Kept kept = kept_by(operation);
  return {name_of(operation) + std::string(pairs ? "_pairs" : "_keys"), overlap.name, key,
          [=](ItemSource& source, uint64_t n) {
            return merge_arrays(source, overlap.spread, key_bytes, n / 2 * 2, pairs, overlap.equal);
          },
          [=](uint64_t n) {
            const uint64_t most = kept.of_b ? n / 2 * 2 : n / 2;
            Sizes bytes{4, 4, most * key_bytes};
            if (pairs) bytes.push_back(most * 4);
            return bytes;
          },
          // Each key is read once, and each output's key and value as often as they have to be.
          [=](uint64_t n) {
            const uint64_t outputs = overlap.in_both ? kept.of_both : uint64_t{kept.of_a} + kept.of_b;
            return n / 2 * (2 * key_bytes + outputs * (key_bytes + (pairs ? 8 : 0)));
          },
          [=](const Inputs& in, Outputs& out) {
            return with_key(key_bytes, [&]<class T>(T*) { return check<T>(in, out, kept, pairs); });
          }};
}

const Rows set_operation_rows("set_operation", 71, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](SetOperator operation, const Overlap& overlap, Type key, bool pairs, const Sizes& sizes) {
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      SetOperationArgs args{.keys_a = buffers.inputs[0],
                            .keys_b = buffers.inputs[1],
                            .keys_out = buffers.outputs[2],
                            .total = buffers.outputs[0],
                            .status = buffers.outputs[1],
                            .scratch = buffers.scratch,
                            .count_a = n / 2,
                            .count_b = n / 2};
      if (!pairs) return args;
      args.values_a = buffers.inputs[2];
      args.values_b = buffers.inputs[3];
      args.values_out = buffers.outputs[3];
      return args;
    };
    const auto scratch = [](const SetOperation& call, uint64_t n) { return call.scratch_size(n / 2, n / 2); };
    cases.add<SetOperation>(set_operation_work(operation, overlap, key, pairs),
                            {{.operation = operation, .key = key, .value_bytes = pairs ? 4u : 0u}, arguments, scratch},
                            sizes);
  };
  const Sizes some = some_sizes(matrix);
  add(SetOperator::set_union, kFewTies, Type::u32, false, matrix.sizes);
  if (matrix.essential) return;
  for (const SetOperator operation : {SetOperator::set_union, SetOperator::set_intersection,
                                      SetOperator::set_difference, SetOperator::set_symmetric_difference}) {
    if (operation != SetOperator::set_union) add(operation, kFewTies, Type::u32, false, some);
    for (const Overlap& overlap : {kManyTies, kDisjoint, kEqual}) add(operation, overlap, Type::u32, false, some);
    add(operation, kFewTies, Type::u64, false, some);
    for (const Overlap& overlap : {kFewTies, kManyTies}) add(operation, overlap, Type::u32, true, some);
  }
});

}  // namespace
}  // namespace weft::bench
