// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Rows of sorts: keys alone, or with values of 4 bytes, of any distribution.
#pragma once

#include <type_traits>

#include <weft/merge_sort.hpp>
#include <weft/radix_sort.hpp>

#include "support/bench_case.hpp"
#include "support/sort_keys.hpp"

namespace weft::bench {

inline constexpr uint32_t kSortedValueBytes = 4;

/// Keys, and values if the config says so, to both in order: of sorts and of sorts of segments.
template <class Case, class Sort>
class SortingCase : public CaseOf<Case, Sort> {
  using Base = CaseOf<Case, Sort>;

 public:
  SortingCase(const char* primitive, const std::string& variant, Type key, Keys kind,
              const typename Base::Config& config, const Sizes& sizes, std::optional<Strategy> forced = {})
      : Base(primitive, variant, key, config, sizes, forced), kind_(kind) {}

  std::string data() const override { return name_of(kind_); }
  Sizes outputs(uint64_t n) const override {
    Sizes bytes{n * this->item_bytes()};
    if (pairs()) bytes.push_back(n * kSortedValueBytes);
    return bytes;
  }
  /// Of one pass; a sort makes more.
  uint64_t moved_bytes(uint64_t n) const override {
    return 2 * n * (this->item_bytes() + (pairs() ? kSortedValueBytes : 0));
  }
  typename Base::Args args(const CaseBuffers& buffers, uint64_t) const override {
    typename Base::Args args{};
    args.keys = buffers.inputs[0];
    args.keys_out = buffers.outputs[0];
    args.scratch = buffers.scratch;
    if (pairs()) args.values = buffers.inputs.back();
    if (pairs()) args.values_out = buffers.outputs[1];
    return args;
  }

 protected:
  bool pairs() const { return this->config().value_bytes != 0; }
  Keys kind() const { return kind_; }
  SortInput& input(ItemSource& source, uint64_t n) const {
    return source.cached<SortInput>(kind_, this->item_bytes(), n);
  }
  FetchOutputs values_in(Outputs& found) const { return found.fetch(1, kSortedValueBytes); }

 private:
  Keys kind_;
};

/// Sort: RadixSort or MergeSort.
template <class Sort>
class SortCase : public SortingCase<SortCase<Sort>, Sort> {
  using Base = SortingCase<SortCase, Sort>;

 public:
  using Base::Base;

  std::unique_ptr<BenchCase> other_means() const override {
    using Other = std::conditional_t<std::is_same_v<Sort, RadixSort>, MergeSort, RadixSort>;
    typename SortCase<Other>::Config config{};
    config.key = this->config().key;
    config.value_bytes = this->config().value_bytes;
    return std::make_unique<SortCase<Other>>("", "", config.key, this->kind(), config, this->sizes());
  }
  std::vector<HostArray> inputs(ItemSource& source, uint64_t n) const override {
    SortInput& input = this->input(source, n);
    std::vector<HostArray> arrays{input.keys(this->kind(), this->item_bytes(), n)};
    if (this->pairs()) arrays.push_back(input.values(n));
    return arrays;
  }
  typename Base::Args args(const CaseBuffers& buffers, uint64_t n) const override {
    auto args = Base::args(buffers, n);
    args.count = n;
    return args;
  }
  Verdict verify(Outputs& found, ItemSource& source, uint64_t n) const override {
    return with_key(this->item_bytes(), [&]<class T>(T*) {
      SortInput& input = this->input(source, n);
      return this->pairs() ? input.check_pairs<T>(found.fetch(0, sizeof(T)), this->values_in(found))
                           : input.check_keys<T>(found.fetch(0, sizeof(T)));
    });
  }
};

/// The rows that both sorts have.
template <class Sort>
void add_sorts(const char* primitive, const Matrix& matrix, Cases& cases) {
  const auto add = [&](Type key, Keys kind, const Sizes& sizes, std::optional<Strategy> forced = {}) {
    for (const bool pairs : {false, true}) {
      typename SortCase<Sort>::Config config{};
      config.key = key;
      config.value_bytes = pairs ? kSortedValueBytes : 0;
      cases.add<SortCase<Sort>>(primitive, sort_variant(pairs, kind), key, kind, config, sizes, forced);
    }
  };
  add(Type::u32, Keys::random, matrix.sizes);
  if (!matrix.essential) {
    add(Type::u64, Keys::random, some_sizes(matrix));
    for (const Keys kind : kSkewedKeys) add(Type::u32, kind, some_sizes(matrix));
  }
  if (std::is_same_v<Sort, RadixSort> && matrix.other_strategy)
    add(Type::u32, Keys::random, matrix.sizes, matrix.other_strategy);
}

}  // namespace weft::bench
