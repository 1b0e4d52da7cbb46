// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/top_k.hpp>

#include "support/bench_case.hpp"
#include "support/sort_keys.hpp"

namespace weft::bench {
namespace {

/// The largest keys: `k` of them or, where that is 0, one in `share`.
class TopKCase : public CaseOf<TopKCase, TopK> {
 public:
  TopKCase(const std::string& variant, Type key, Keys kind, const TopKConfig& config, uint32_t k, uint32_t share,
           const Sizes& sizes, std::optional<Strategy> forced = {})
      : CaseOf("top_k", variant, key, config, sizes, forced), kind_(kind), k_(k), share_(share) {}

  std::string data() const override { return name_of(kind_); }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    return {input(source, n).keys(kind_, item_bytes(), n)};
  }
  Sizes outputs(uint64_t n) const override {
    Sizes bytes{k(n) * item_bytes()};
    if (config().positions) bytes.push_back(k(n) * 4);
    return bytes;
  }
  uint64_t moved_bytes(uint64_t n) const override {
    return n * item_bytes() + k(n) * (item_bytes() + config().value_bytes);
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return item_bytes() == 4 ? verify_as<uint32_t>(found, source, n) : verify_as<uint64_t>(found, source, n);
  }

 protected:
  Args args(const CaseBuffers& buffers, uint64_t n) const override {
    Args args{};
    args.keys = buffers.inputs[0];
    args.keys_out = buffers.outputs[0];
    if (config().positions) args.values_out = buffers.outputs[1];
    args.scratch = buffers.scratch;
    args.count = n;
    args.k = k(n);
    return args;
  }

 private:
  uint32_t k(uint64_t n) const { return static_cast<uint32_t>(std::min(k_ != 0 ? k_ : n / share_, n)); }
  SortInput& input(ItemSource& source, uint64_t n) const { return source.cached<SortInput>(kind_, item_bytes(), n); }

  template <class T>
  Verdict verify_as(Outputs& found, ItemSource& source, uint64_t n) const {
    const auto keys = input(source, n).template all_keys<T>().first(n);
    std::vector<T> sorted(keys.begin(), keys.end());
    const auto last = sorted.begin() + (k(n) - 1);
    std::nth_element(sorted.begin(), last, sorted.end(), std::greater<T>());
    const T limit = *last;
    std::vector<uint32_t> positions, ties;
    for (uint64_t i = 0; i < n; ++i)
      if (keys[i] >= limit) (keys[i] > limit ? positions : ties).push_back(static_cast<uint32_t>(i));
    positions.insert(positions.end(), ties.begin(), ties.end());
    Verdict verdict = oracle::check_each<T>(
        "key", k(n), [&](uint64_t i) { return keys[positions[i]]; }, found.fetch(0, sizeof(T)));
    if (!verdict || *verdict || !config().positions) return verdict;
    return oracle::check_each<uint32_t>(
        "position", k(n), [&](uint64_t i) { return positions[i]; }, found.fetch(1, 4));
  }

  Keys kind_;
  uint64_t k_, share_;
};

const Rows top_k_rows("top_k", 74, [](const Matrix& matrix, Cases& cases) {
  const auto add = [&](const char* variant, Type key, Keys kind, const TopKConfig& config, uint32_t k, uint32_t share,
                       const Sizes& sizes, std::optional<Strategy> forced = {}) {
    TopKConfig of_key = config;
    of_key.key = key;
    cases.add<TopKCase>(variant, key, kind, of_key, k, share, sizes, forced);
  };
  const TopKConfig pairs{.value_bytes = 4, .positions = true};
  add("k=128", Type::u32, Keys::random, {}, 128, 0, matrix.sizes);
  if (matrix.other_strategy) add("k=128", Type::u32, Keys::random, {}, 128, 0, matrix.sizes, matrix.other_strategy);
  if (matrix.essential) return;
  const Sizes some = some_sizes(matrix);
  add("k=128 positions", Type::u32, Keys::random, pairs, 128, 0, some);
  add("k=n/2 positions", Type::u32, Keys::random, pairs, 0, 2, some);
  add("k=128", Type::u64, Keys::random, {}, 128, 0, some);
  add("k=128 all equal", Type::u32, Keys::equal, {}, 128, 0, some);
  add("k=128 entropy reduced", Type::u32, Keys::reduced, {}, 128, 0, some);
});

}  // namespace
}  // namespace weft::bench
