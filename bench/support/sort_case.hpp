// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Rows of sorts: keys alone, or with values of 4 bytes, of any distribution.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/merge_sort.hpp>
#include <weft/radix_sort.hpp>

#include "support/bench_case.hpp"
#include "support/output_reader.hpp"
#include "support/sort_keys.hpp"

namespace weft::bench {

/// Sort: RadixSort or MergeSort, with the type of its args.
template <class Sort, class Args>
class SortCase : public BenchCase {
 public:
  SortCase(std::string primitive, std::string variant, Type key, bool pairs, Keys kind, std::vector<uint64_t> sizes)
      : BenchCase(std::move(primitive), std::move(variant), key, std::move(sizes)),
        key_(key),
        pairs_(pairs),
        kind_(kind) {}

  Status prepare(Gpu& gpu) override {
    auto sort = made(gpu);
    if (!sort) return sort.error();
    sort_ = std::move(sort).value();
    return {};
  }
  void release() override {
    sort_.reset();
    input_.clear();
  }
  std::string data() const override { return name_of(kind_); }
  std::unique_ptr<BenchCase> other_means() const override {
    const auto sorted_by = [&]<class OtherSort, class OtherArgs>(OtherSort*, OtherArgs*) {
      return std::make_unique<SortCase<OtherSort, OtherArgs>>(primitive(), variant(), key_, pairs_, kind_, sizes());
    };
    if constexpr (std::is_same_v<Sort, RadixSort>)
      return sorted_by(static_cast<MergeSort*>(nullptr), static_cast<MergeSortArgs*>(nullptr));
    else
      return sorted_by(static_cast<RadixSort*>(nullptr), static_cast<RadixSortArgs*>(nullptr));
  }
  std::vector<HostArray> inputs(ItemSource&, uint64_t n) const override {
    std::vector<HostArray> arrays{input_.keys(kind_, item_bytes(), n)};
    if (pairs_) arrays.push_back(input_.values(n));
    return arrays;
  }
  std::vector<uint64_t> outputs(uint64_t n) const override {
    std::vector<uint64_t> bytes{n * item_bytes()};
    if (pairs_) bytes.push_back(n * kValueBytes);
    return bytes;
  }
  uint64_t scratch_bytes(uint64_t n) const override { return sort_->scratch_size(n); }
  // Of one pass: it takes more, as many as the sort makes.
  uint64_t moved_bytes(uint64_t n) const override { return 2 * n * (item_bytes() + (pairs_ ? kValueBytes : 0)); }

  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    Args args{};
    args.keys = buffers.inputs[0];
    args.keys_out = buffers.outputs[0];
    args.scratch = buffers.scratch;
    args.count = n;
    if (pairs_) {
      args.values = buffers.inputs[1];
      args.values_out = buffers.outputs[1];
    }
    return sort_->record(commands, args);
  }

  Result<std::optional<Mismatch>> verify(Gpu& gpu, ItemSource&, const CaseBuffers& buffers, uint64_t n) const override {
    input_.keys(kind_, item_bytes(), n);
    OutputReader keys(gpu, buffers.outputs[0], item_bytes(), buffers.sampled);
    if (!pairs_)
      return item_bytes() == 4 ? input_.check_keys<uint32_t>(keys.fetcher())
                               : input_.check_keys<uint64_t>(keys.fetcher());
    OutputReader values(gpu, buffers.outputs[1], kValueBytes, buffers.sampled);
    return item_bytes() == 4 ? input_.check_pairs<uint32_t>(keys.fetcher(), values.fetcher())
                             : input_.check_pairs<uint64_t>(keys.fetcher(), values.fetcher());
  }

 protected:
  static constexpr uint32_t kValueBytes = 4;

  virtual Result<Sort> made(Gpu& gpu) const {
    return Sort::create(gpu.context(), {.key = key_, .value_bytes = pairs_ ? kValueBytes : 0});
  }

  Type key_;
  bool pairs_;
  std::optional<Sort> sort_;

 private:
  Keys kind_;
  mutable SortInput input_;
};

/// The rows that both sorts have; `make` makes one of key, pairs, kind and sizes.
template <class Make>
Cases sort_cases(const Matrix& matrix, const Make& make) {
  Cases cases;
  const auto add = [&](Type key, bool pairs, Keys kind, const std::vector<uint64_t>& sizes) {
    cases.push_back(make(key, pairs, kind, sizes));
  };
  const auto some = some_sizes(matrix);
  add(Type::u32, false, Keys::random, matrix.sizes);
  add(Type::u32, true, Keys::random, matrix.sizes);
  if (matrix.essential) return cases;
  add(Type::u64, false, Keys::random, some);
  add(Type::u64, true, Keys::random, some);
  for (const Keys kind : kSkewedKeys) {
    add(Type::u32, false, kind, some);
    add(Type::u32, true, kind, some);
  }
  return cases;
}

}  // namespace weft::bench
