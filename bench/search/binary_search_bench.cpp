// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/binary_search.hpp>

#include "support/search_case.hpp"

namespace weft::bench {
namespace {

class BinarySearchCase : public SearchCase {
 public:
  BinarySearchCase(std::string variant, Bound bound, Type key, uint32_t needle_share, bool needles_are_sorted,
                   std::vector<uint64_t> sizes)
      : SearchCase("binary_search", std::move(variant), bound, key, needle_share, needles_are_sorted,
                   std::move(sizes)) {}

  Status prepare(Gpu& gpu) override {
    auto search = BinarySearch::create(gpu.context(), {key(), bound()});
    if (!search) return search.error();
    search_ = std::move(search).value();
    return {};
  }
  void release() override { search_.reset(); }
  Status record(VkCommandBuffer commands, const CaseBuffers& buffers, uint64_t n) const override {
    return search_->record(
        commands, {buffers.inputs[0], buffers.inputs[1], buffers.outputs[0], needles_of(n), n - needles_of(n)});
  }

 private:
  std::optional<BinarySearch> search_;
};

}  // namespace

std::unique_ptr<BenchCase> binary_search_case(std::string variant, Bound bound, Type key, uint32_t needle_share,
                                              bool needles_are_sorted, std::vector<uint64_t> sizes) {
  return std::make_unique<BinarySearchCase>(std::move(variant), bound, key, needle_share, needles_are_sorted,
                                            std::move(sizes));
}

Cases binary_search_cases(const Matrix& matrix) {
  Cases cases;
  // n: needles and haystack together.
  const auto add = [&](Bound bound, Type key, bool needles_are_sorted, std::vector<uint64_t> sizes) {
    cases.push_back(binary_search_case(std::string(name_of(bound)) + (needles_are_sorted ? " sorted needles" : ""),
                                       bound, key, 2, needles_are_sorted, std::move(sizes)));
  };
  add(Bound::lower, Type::u32, false, matrix.sizes);
  if (matrix.essential) return cases;
  add(Bound::upper, Type::u64, false, some_sizes(matrix));
  add(Bound::lower, Type::u32, true, some_sizes(matrix));
  return cases;
}

}  // namespace weft::bench
