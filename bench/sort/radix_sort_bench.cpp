// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/radix_sort.hpp>

#include "support/sort_case.hpp"

namespace weft::bench {
namespace {

class RadixSortCase : public SortCase<RadixSort, RadixSortArgs> {
 public:
  RadixSortCase(std::string variant, Type key, bool pairs, Keys kind, std::vector<uint64_t> sizes, Strategy strategy)
      : SortCase("radix_sort", std::move(variant), key, pairs, kind, std::move(sizes)), strategy_(strategy) {}

  std::string strategy() const override { return name_of(sort_->strategy()); }

 protected:
  Result<RadixSort> made(Gpu& gpu) const override {
    return RadixSort::create(gpu.context(),
                             {.key = key_, .value_bytes = pairs_ ? kValueBytes : 0, .strategy = strategy_});
  }

 private:
  Strategy strategy_;
};

}  // namespace

Cases radix_sort_cases(const Matrix& matrix) {
  const auto make = [&](Type key, bool pairs, Keys kind, const std::vector<uint64_t>& sizes,
                        std::optional<Strategy> forced = std::nullopt) {
    std::string variant = sort_variant(pairs, kind);
    if (forced) variant += std::string(" ") + name_of(*forced);
    return std::make_unique<RadixSortCase>(std::move(variant), key, pairs, kind, sizes,
                                           forced.value_or(matrix.strategy));
  };
  Cases cases = sort_cases(matrix, make);
  if (matrix.other_strategy)
    for (const bool pairs : {false, true})
      cases.push_back(make(Type::u32, pairs, Keys::random, matrix.sizes, matrix.other_strategy));
  return cases;
}

}  // namespace weft::bench
