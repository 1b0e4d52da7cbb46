// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/sorted_search.hpp>

#include "support/search_case.hpp"

namespace weft::bench {
namespace {

class SortedSearchCase : public SearchCase {
 public:
  SortedSearchCase(std::string variant, Bound bound, Type key, uint32_t needle_share, std::vector<uint64_t> sizes)
      : SearchCase("sorted_search", std::move(variant), bound, key, needle_share, true, std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto search = SortedSearch::create(gpu.context(), {key(), bound()});
    if (!search) return search.error();
    search_ = std::move(search).value();
    return {};
  }
  void release() override { search_.reset(); }
  std::unique_ptr<BenchCase> other_means() const override {
    return binary_search_case(variant(), bound(), key(), needle_share(), true, sizes());
  }
  uint64_t scratch_bytes(uint64_t n) const override { return search_->scratch_size(needles_of(n), n - needles_of(n)); }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return search_->record(commands, {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], buffers.scratch,
                                      needles_of(n), n - needles_of(n)});
  }

 private:
  std::optional<SortedSearch> search_;
};

}  // namespace

Cases sorted_search_cases(const Matrix& matrix) {
  Cases cases;
  // n: needles and haystack together.
  const auto add = [&](Bound bound, Type key, uint32_t needle_share, std::vector<uint64_t> sizes) {
    std::string variant = name_of(bound);
    if (needle_share != 2) variant += " needles=1/" + std::to_string(needle_share);
    cases.push_back(std::make_unique<SortedSearchCase>(std::move(variant), bound, key, needle_share, std::move(sizes)));
  };
  add(Bound::lower, Type::u32, 2, matrix.sizes);
  if (matrix.essential) return cases;
  add(Bound::upper, Type::u32, 2, some_sizes(matrix));
  add(Bound::lower, Type::u64, 2, some_sizes(matrix));
  add(Bound::lower, Type::u32, 64, some_sizes(matrix));
  return cases;
}

}  // namespace weft::bench
