// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Rows of searches: needles and a haystack of random unsigned keys, which the haystack and some needles have in order.
#pragma once

#include <weft/binary_search.hpp>
#include <weft/sorted_search.hpp>

#include "support/bench_case.hpp"

namespace weft::bench {

/// Search: BinarySearch or SortedSearch. Of `n` keys in all, one in `needle_share` is a needle.
template <class Search>
class SearchCase : public CaseOf<SearchCase<Search>, Search> {
  using Base = CaseOf<SearchCase, Search>;

 public:
  SearchCase(std::string primitive, std::string variant, Type key, Bound bound, uint32_t needle_share,
             bool needles_are_sorted, Sizes sizes)
      : Base(std::move(primitive), std::move(variant), key, {key, bound}, std::move(sizes)),
        needle_share_(needle_share),
        needles_are_sorted_(needles_are_sorted) {}

  std::string data() const override { return needles_are_sorted_ ? "sorted" : "sorted haystack"; }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    const Data needles = needles_are_sorted_ ? Data::sorted(1) : Data::noise(1);
    return {source.array(needles, this->item_bytes(), needles_of(n)),
            source.array(Data::sorted(2), this->item_bytes(), n - needles_of(n))};
  }
  Sizes outputs(uint64_t n) const override { return {needles_of(n) * sizeof(uint32_t)}; }
  uint64_t scratch_size(uint64_t n) const override {
    if constexpr (kIsSorted) return this->call().scratch_size(needles_of(n), n - needles_of(n));
    return 0;
  }
  uint64_t moved_bytes(uint64_t n) const override { return n * this->item_bytes() + needles_of(n) * sizeof(uint32_t); }
  typename Base::Args args(const CaseBuffers& buffers, uint64_t n) const override {
    typename Base::Args args{};
    args.needles = buffers.inputs[0];
    args.haystack = buffers.inputs[1];
    args.output = buffers.outputs[0];
    if constexpr (kIsSorted) args.scratch = buffers.scratch;
    args.needle_count = needles_of(n);
    args.haystack_count = n - needles_of(n);
    return args;
  }
  std::unique_ptr<BenchCase> other_means() const override {
    if constexpr (kIsSorted)
      return std::make_unique<SearchCase<BinarySearch>>(this->primitive(), this->variant(), this->config().key,
                                                        this->config().bound, needle_share_, true, this->sizes());
    return nullptr;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_key(this->item_bytes(), [&]<class T>(T*) {
      const std::vector<HostArray> keys = inputs(source, n);
      const auto needles = items_of<T>(keys[0].bytes), haystack = items_of<T>(keys[1].bytes);
      const bool is_lower = this->config().bound == Bound::lower;
      const auto position = [&](uint64_t i) {
        const auto at = is_lower ? std::lower_bound(haystack.begin(), haystack.end(), needles[i])
                                 : std::upper_bound(haystack.begin(), haystack.end(), needles[i]);
        return static_cast<uint32_t>(at - haystack.begin());
      };
      return oracle::check_each<uint32_t>("position", needles.size(), position, found.fetch(0, sizeof(uint32_t)));
    });
  }

 private:
  static constexpr bool kIsSorted = std::is_same_v<Search, SortedSearch>;
  uint64_t needles_of(uint64_t n) const { return n / needle_share_; }

  uint32_t needle_share_;
  bool needles_are_sorted_;
};

}  // namespace weft::bench
