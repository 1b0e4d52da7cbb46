// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Rows of searches: needles and a haystack of random unsigned keys, which the haystack and some needles have in order.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include <weft/types.hpp>

#include "support/bench_case.hpp"
#include "support/bucket_sort.hpp"
#include "support/output_reader.hpp"
#include "support/parallel.hpp"

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

  void release() override { sorted_ = {}; }
  std::string data() const override { return needles_are_sorted_ ? "sorted" : "sorted haystack"; }

  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    const HostArray needles = source.array(Data::noise(1), item_bytes(), needles_of(n));
    return {needles_are_sorted_ ? sorted(needles, 0) : needles,
            sorted(source.array(Data::noise(2), item_bytes(), n - needles_of(n)), 1)};
  }
  std::vector<uint64_t> outputs(uint64_t n) const override { return {needles_of(n) * kOutputBytes}; }
  uint64_t moved_bytes(uint64_t n) const override { return n * item_bytes() + needles_of(n) * kOutputBytes; }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource& source, const CaseBuffers& buffers,
                                         uint64_t n) const override {
    const std::vector<HostArray> keys = inputs(source, n);
    OutputReader reader(gpu, buffers.outputs[0], kOutputBytes);
    return item_bytes() == 4 ? check<uint32_t>(keys, reader) : check<uint64_t>(keys, reader);
  }

 protected:
  Bound bound() const { return bound_; }
  Type key() const { return key_; }
  uint64_t needles_of(uint64_t n) const { return n / needle_share_; }

 private:
  static constexpr uint64_t kOutputBytes = 4;
  struct Sorted {
    uint64_t id = 0;
    std::vector<std::byte> keys;
  };

  HostArray sorted(const HostArray& keys, size_t which) const {
    // No array of the source has the highest bit in its id. Of each number of keys the sorted ones begin differently.
    const uint64_t id = uint64_t{1} << 63 | uint64_t{item_bytes()} << 56 | keys.id << 40 | keys.bytes.size();
    Sorted& own = sorted_[which];
    if (own.id != id) {
      own.id = id;
      if (item_bytes() == 4)
        sort_keys<uint32_t>(items_of<uint32_t>(keys.bytes), own.keys);
      else
        sort_keys<uint64_t>(items_of<uint64_t>(keys.bytes), own.keys);
    }
    return {own.keys, id};
  }

  template <class T>
  static std::span<const T> items_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  template <class T>
  Result<std::optional<Mismatch>> check(const std::vector<HostArray>& keys, OutputReader& reader) const {
    constexpr uint64_t kChunk = uint64_t{1} << 24, kBlock = uint64_t{1} << 16;
    const std::span<const T> needles = items_of<T>(keys[0].bytes), haystack = items_of<T>(keys[1].bytes);
    const auto expected = [&](uint64_t i) {
      const auto at = bound_ == Bound::lower ? std::lower_bound(haystack.begin(), haystack.end(), needles[i])
                                             : std::upper_bound(haystack.begin(), haystack.end(), needles[i]);
      return static_cast<uint32_t>(at - haystack.begin());
    };
    for (uint64_t first = 0; first < needles.size(); first += kChunk) {
      const auto found = reader.fetch(first, std::min<uint64_t>(kChunk, needles.size() - first));
      if (!found) return found.error();
      const auto outputs = items_of<uint32_t>(*found);
      std::atomic<uint64_t> wrong = outputs.size();
      for_each_block((outputs.size() + kBlock - 1) / kBlock, [&](uint64_t block) {
        const uint64_t end = std::min<uint64_t>(outputs.size(), (block + 1) * kBlock);
        for (uint64_t i = block * kBlock; i < end; ++i) {
          if (outputs[i] == expected(first + i)) continue;
          uint64_t least = wrong;
          while (i < least && !wrong.compare_exchange_weak(least, i)) {
          }
          break;
        }
      });
      if (const uint64_t i = wrong; i != outputs.size())
        return std::optional(Mismatch{first + i, std::to_string(expected(first + i)), std::to_string(outputs[i])});
    }
    return std::optional<Mismatch>();
  }

  Bound bound_;
  Type key_;
  uint32_t needle_share_;
  bool needles_are_sorted_;
  mutable std::array<Sorted, 2> sorted_;
};

}  // namespace weft::bench
