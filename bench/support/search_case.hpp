// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Rows of searches: needles and a haystack of random unsigned keys, which the haystack and some needles have in order.
#pragma once

#include <weft/binary_search.hpp>
#include <weft/sorted_search.hpp>

#include "support/bench_case.hpp"

namespace weft::bench {

/// Of `n` keys in all, one in `needle_share` is a needle.
inline Work search_work(const char* primitive, const char* variant, Type key, Bound bound, uint32_t needle_share,
                        bool needles_are_sorted) {
  const uint32_t key_bytes = size_of(key);
  return {primitive,
          variant,
          key,
          [=](ItemSource& source, uint64_t n) {
            const Data needles = needles_are_sorted ? Data::sorted(1) : Data::noise(1);
            return Arrays{source.array(needles, key_bytes, n / needle_share),
                          source.array(Data::sorted(2), key_bytes, n - n / needle_share)};
          },
          [=](uint64_t n) { return Sizes{n / needle_share * 4}; },
          [=](uint64_t n) { return n * key_bytes + n / needle_share * 4; },
          [=](const Inputs& in, Outputs& out) {
            return with_key(key_bytes, [&]<class T>(T*) {
              const auto needles = in.as<T>(0), haystack = in.as<T>(1);
              const auto position = [&](uint64_t i) {
                const auto at = bound == Bound::lower ? std::lower_bound(haystack.begin(), haystack.end(), needles[i])
                                                      : std::upper_bound(haystack.begin(), haystack.end(), needles[i]);
                return static_cast<uint32_t>(at - haystack.begin());
              };
              return oracle::check_each<uint32_t>("position", needles.size(), position, out.fetch(0));
            });
          },
          needles_are_sorted ? "sorted" : "sorted haystack"};
}

/// Search: BinarySearch or SortedSearch, which BinarySearch checks.
template <class Search>
std::unique_ptr<BenchCase> search_case(const Work& work, Type key, Bound bound, uint32_t needle_share,
                                       const Sizes& sizes) {
  Call<Search> call{{key, bound}, [=](const CaseBuffers& buffers, uint64_t n) {
                      typename Call<Search>::Args args{};
                      args.needles = buffers.inputs[0];
                      args.haystack = buffers.inputs[1];
                      args.output = buffers.outputs[0];
                      if constexpr (requires { args.scratch; }) args.scratch = buffers.scratch;
                      args.needle_count = n / needle_share;
                      args.haystack_count = n - n / needle_share;
                      return args;
                    }};
  if constexpr (std::is_same_v<Search, SortedSearch>) {
    call.scratch = [=](const Search& search, uint64_t n) {
      return search.scratch_size(n / needle_share, n - n / needle_share);
    };
    call.other = [=] { return search_case<BinarySearch>(work, key, bound, needle_share, {}); };
  }
  return std::make_unique<CaseOf<Search>>(work, std::move(call), sizes);
}

}  // namespace weft::bench
