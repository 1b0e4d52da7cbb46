// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Rows of searches: needles and a haystack of random unsigned keys, which the haystack and some needles have in order.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <weft/types.hpp>

#include "support/bench_case.hpp"
#include "support/compaction_oracle.hpp"
#include "support/output_reader.hpp"

namespace weft::bench {

/// Of `n` keys in all, one in `needle_share` is a needle. Whoever derives records the search.
class SearchCase : public BenchCase {
 public:
  SearchCase(std::string primitive, std::string variant, Bound bound, Type key, uint32_t needle_share,
             bool needles_are_sorted, std::vector<uint64_t> sizes)
      : BenchCase(std::move(primitive), std::move(variant), key, std::move(sizes)),
        bound_(bound),
        key_(key),
        needle_share_(needle_share),
        needles_are_sorted_(needles_are_sorted) {}

  std::string data() const override { return needles_are_sorted_ ? "sorted" : "sorted haystack"; }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    const Data needles = needles_are_sorted_ ? Data::sorted(1) : Data::noise(1);
    return {source.array(needles, item_bytes(), needles_of(n)),
            source.array(Data::sorted(2), item_bytes(), n - needles_of(n))};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {needles_of(n) * kOutputBytes}; }
  uint64_t moved_bytes(uint64_t n) const override { return n * item_bytes() + needles_of(n) * kOutputBytes; }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    const std::vector<HostArray> keys = inputs(source, n);
    OutputReader reader(gpu, buffers.outputs[0], kOutputBytes, buffers.sampled);
    return item_bytes() == 4 ? check<uint32_t>(keys, reader.fetcher()) : check<uint64_t>(keys, reader.fetcher());
  }

 protected:
  Bound bound() const { return bound_; }
  Type key() const { return key_; }
  uint32_t needle_share() const { return needle_share_; }
  uint64_t needles_of(uint64_t n) const { return n / needle_share_; }

 private:
  static constexpr uint64_t kOutputBytes = 4;
  template <class T>
  Verdict check(const std::vector<HostArray>& keys, const FetchOutputs& fetch) const {
    const std::span<const T> needles = items_of<T>(keys[0].bytes), haystack = items_of<T>(keys[1].bytes);
    const auto position = [&](uint64_t i) {
      const auto at = bound_ == Bound::lower ? std::lower_bound(haystack.begin(), haystack.end(), needles[i])
                                             : std::upper_bound(haystack.begin(), haystack.end(), needles[i]);
      return static_cast<uint32_t>(at - haystack.begin());
    };
    return oracle::check_each<uint32_t>("position", needles.size(), position, fetch);
  }

  Bound bound_;
  Type key_;
  uint32_t needle_share_;
  bool needles_are_sorted_;
};

/// Any needles are searched for by binary_search_bench.cpp.
std::unique_ptr<BenchCase> binary_search_case(std::string variant, Bound bound, Type key, uint32_t needle_share,
                                              bool needles_are_sorted, std::vector<uint64_t> sizes);

}  // namespace weft::bench
