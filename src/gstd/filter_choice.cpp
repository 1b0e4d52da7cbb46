// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/filter_choice.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::gstd {

namespace {

constexpr size_t kSampleBytes = 4096, kSamples = 4;
constexpr size_t kStrides = 4;  // that differences are small at

// Entropy of differences at a stride, of samples all over the tile.
Cost difference_cost(std::span<const std::byte> tile, uint32_t stride) {
  Cost cost = 0;
  const size_t samples = std::min(kSamples, tile.size() / kSampleBytes + 1);
  for (size_t s = 0; s < samples; ++s) {
    std::array<uint32_t, 256> counts{};
    const size_t begin = tile.size() / samples * s, end = std::min(begin + kSampleBytes, tile.size());
    for (size_t i = begin + stride; i < end; ++i)
      ++counts[(static_cast<uint32_t>(tile[i]) - static_cast<uint32_t>(tile[i - stride])) & 255];
    cost += entropy_cost(counts);
  }
  return cost;
}

}  // namespace

void FilterScout::candidates(std::span<const std::byte> tile, std::vector<FilterChoice>& choices) const {
  const auto add = [&](Filter filter, uint32_t stride) {
    if (!is_filter(static_cast<uint32_t>(filter), stride)) return;
    for (const FilterChoice& choice : choices)
      if (choice.filter == filter && choice.stride == stride) return;
    choices.push_back({filter, stride, 0});
  };
  add(Filter::none, 1);
  for (const uint32_t stride : {2u, 4u})
    for (const Filter filter : {Filter::zigzag_planes, Filter::zigzag_planes_2, Filter::zigzag_planes_3})
      add(filter, stride);
  for (const uint32_t stride : {3u, 4u})
    for (const Filter filter : {Filter::colour_planes, Filter::delta_planes, Filter::delta}) add(filter, stride);
  std::array<std::pair<Cost, uint32_t>, kMaxStride> strides;
  for (uint32_t stride = 1; stride <= kMaxStride; ++stride)
    strides[stride - 1] = {difference_cost(tile, stride), stride};
  std::partial_sort(strides.begin(), strides.begin() + kStrides, strides.end());
  for (size_t i = 0; i < kStrides; ++i)
    for (const Filter filter : {Filter::delta, Filter::planes, Filter::delta_planes, Filter::zigzag_planes})
      add(filter, strides[i].second);
  for (const uint32_t stride : {2u, 4u, 8u}) add(Filter::planes, stride);
  for (const Filter filter : {Filter::bc1, Filter::bc2, Filter::bc3, Filter::bc4, Filter::bc5, Filter::bc7})
    add(filter, 1);
}

uint64_t FilterScout::estimate(const FilterChoice& choice, std::span<const std::byte> tile) {
  filtered_.resize(tile.size());
  scratch_.resize(tile.size());
  apply_filter(choice.filter, choice.stride, tile, filtered_, scratch_);
  parser_.parse(filtered_, matches_);
  return planner_.plan(filtered_, matches_, true, sequences_, blocks_);
}

void FilterScout::choose(std::span<const std::byte> tile, size_t count, std::vector<FilterChoice>& choices) {
  choices.clear();
  candidates(tile, choices);
  for (FilterChoice& choice : choices) choice.bits = estimate(choice, tile);
  std::stable_sort(choices.begin(), choices.end(), [](const auto& a, const auto& b) { return a.bits < b.bits; });
  choices.resize(std::min(count, choices.size()));
}

}  // namespace weft::gstd
