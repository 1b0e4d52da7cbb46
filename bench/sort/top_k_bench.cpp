// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/top_k.hpp>

#include "support/bench_case.hpp"
#include "support/sort_works.hpp"

namespace weft::bench {
namespace {

/// The `k` largest keys, of equal ones the first; with their positions, if those are written.
template <class T>
Verdict check_largest(std::span<const T> keys, uint64_t k, bool positions, Outputs& out) {
  std::vector<T> sorted(keys.begin(), keys.end());
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<T>());
  const T limit = *last;
  std::vector<uint32_t> expected, ties;
  for (uint64_t i = 0; i < keys.size(); ++i)
    if (keys[i] >= limit) (keys[i] > limit ? expected : ties).push_back(static_cast<uint32_t>(i));
  expected.insert(expected.end(), ties.begin(), ties.end());
  const Verdict found = oracle::check_each<T>(
      "key", k, [&](uint64_t i) { return keys[expected[i]]; }, out.fetch(0, sizeof(T)));
  if (!positions) return found;
  return oracle::first_bad(found,
                           oracle::check_items("position", std::span<const uint32_t>(expected).first(k), out.fetch(1)));
}

const Rows top_k_rows("top_k", 74, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](const char* variant, Type key, Keys kind, bool positions, uint64_t most, const Sizes& sizes,
                       std::optional<Strategy> forced = {}) {
    const uint32_t key_bytes = size_of(key);
    const auto k = [=](uint64_t n) { return static_cast<uint32_t>(std::min(most != 0 ? most : n / 2, n)); };
    Work work = sort_work("top_k", key, kind, false);
    work.variant = variant;
    work.outputs = [=](uint64_t n) { return positions ? Sizes{k(n) * key_bytes, k(n) * 4} : Sizes{k(n) * key_bytes}; };
    work.moved_bytes = [=](uint64_t n) { return n * key_bytes + k(n) * (key_bytes + (positions ? 4 : 0)); };
    work.check = [=](const Inputs& in, Outputs& out) {
      return with_key(key_bytes, [&]<class T>(T*) { return check_largest(in.as<T>(0), k(in.n), positions, out); });
    };
    const auto arguments = [=](const CaseBuffers& buffers, uint64_t n) {
      TopKArgs args{};
      args.keys = buffers.inputs[0];
      args.keys_out = buffers.outputs[0];
      if (positions) args.values_out = buffers.outputs[1];
      args.scratch = buffers.scratch;
      args.count = n;
      args.k = k(n);
      return args;
    };
    TopKConfig config{.value_bytes = positions ? 4u : 0u, .positions = positions};
    config.key = key;
    cases.add<TopK>(work, {config, arguments}, sizes, forced);
  };
  add("k=128", Type::u32, Keys::random, false, 128, matrix.sizes);
  if (matrix.other_strategy) add("k=128", Type::u32, Keys::random, false, 128, matrix.sizes, matrix.other_strategy);
  if (matrix.essential) return;
  const Sizes some = some_sizes(matrix);
  add("k=128 positions", Type::u32, Keys::random, true, 128, some);
  add("k=n/2 positions", Type::u32, Keys::random, true, 0, some);
  add("k=128", Type::u64, Keys::random, false, 128, some);
  add("k=128 all equal", Type::u32, Keys::equal, false, 128, some);
  add("k=128 entropy reduced", Type::u32, Keys::reduced, false, 128, some);
});

}  // namespace
}  // namespace weft::bench
