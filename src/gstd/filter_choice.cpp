// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/filter_choice.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::gstd {

namespace {

constexpr size_t kSampleBytes = 4096, kSamples = 4;
constexpr size_t kStrides = 4;  // with small differences
// Estimates use the middle of each piece of a tile, and are no worse than with all of it.
constexpr size_t kPieceBytes = 65536, kEstimatedBytes = 16384;

// Entropy of differences at a stride, by samples of the whole tile.
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

constexpr size_t kFewBytes = 512, kFewSamples = 4;  // for quick estimates
constexpr uint32_t kMaxPlanes = 4;                  // of a quickly chosen filter
constexpr size_t kPartBytes = 4096;                 // of a tile, to try a filter on
constexpr uint64_t kMatchBits = 12;                 // of a sequence, without extra bits of its offset

// Bytes counted by plane.
struct PlaneCounts {
  std::array<std::array<uint32_t, 256>, kMaxPlanes> counts{};

  // Small samples underestimate entropy: this adds half a nat for each value but one.
  Cost cost(uint32_t planes) const {
    Cost cost = 0;
    for (uint32_t plane = 0; plane < planes; ++plane) {
      cost += entropy_cost(counts[plane]);
      for (const uint32_t count : counts[plane]) cost += count != 0 ? kBit * 46 / 64 : 0;
    }
    return cost;
  }
};

// Calls `use` with each sample of kFewBytes bytes, at even positions.
template <class Use>
void each_sample(std::span<const std::byte> tile, const Use& use) {
  for (size_t s = 0; s < kFewSamples; ++s)
    use(tile.subspan((tile.size() - kFewBytes) * s / (kFewSamples - 1) / 16 * 16, kFewBytes));
}

// Stride 0: bytes without differences. `planes` is a power of two.
Cost sampled_cost(std::span<const std::byte> tile, uint32_t stride, uint32_t planes) {
  PlaneCounts counted;
  each_sample(tile, [&](std::span<const std::byte> sample) {
    for (size_t i = kMaxPlanes; i < kFewBytes; ++i) {
      const uint32_t before = stride == 0 ? 0 : static_cast<uint32_t>(sample[i - stride]);
      ++counted.counts[i & (planes - 1)][(static_cast<uint32_t>(sample[i]) - before) & 255];
    }
  });
  return counted.cost(planes);
}

// Cost of 16-bit numbers' differences of `order`, in planes.
Cost sampled_cost_of_numbers(std::span<const std::byte> tile, uint32_t order) {
  constexpr size_t kSkipped = kMaxPlanes / 2;
  PlaneCounts counted;
  std::array<uint32_t, kFewBytes / 2> numbers;
  each_sample(tile, [&](std::span<const std::byte> sample) {
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<uint32_t>(sample[2 * i]) | static_cast<uint32_t>(sample[2 * i + 1]) << 8;
    for (uint32_t o = 0; o < order; ++o)
      for (size_t i = numbers.size(); i-- > 1;) numbers[i] -= numbers[i - 1];
    for (size_t i = std::max<size_t>(kSkipped, order); i < numbers.size(); ++i) {
      const uint32_t folded = numbers[i] << 1 ^ (numbers[i] >> 15 & 1) * 0xffff;
      ++counted.counts[0][folded & 255];
      ++counted.counts[1][folded >> 8 & 255];
    }
  });
  return counted.cost(2);
}

}  // namespace

uint32_t plane_bytes(const FilterChoice& choice, size_t size) {
  switch (choice.filter) {
    case Filter::planes:
    case Filter::delta_planes:
    case Filter::zigzag_planes:
    case Filter::zigzag_planes_2:
    case Filter::zigzag_planes_3:
    case Filter::colour_planes:
      return choice.stride > kMaxPlanes ? 0 : static_cast<uint32_t>((size + choice.stride - 1) / choice.stride);
    default: return 0;
  }
}

// Insertion sort: there are few, and std::stable_sort allocates.
void keep_cheapest(std::vector<FilterChoice>& choices, size_t count) {
  for (auto choice = choices.begin(); choice != choices.end(); ++choice)
    std::rotate(std::ranges::upper_bound(choices.begin(), choice, choice->bits, {}, &FilterChoice::bits), choice,
                choice + 1);
  choices.resize(std::min(count, choices.size()));
}

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
  return planner_.plan(filtered_, matches_, segment_bytes_of(tile.size()), sequences_, blocks_);
}

void FilterScout::choose(std::span<const std::byte> tile, size_t count, std::vector<FilterChoice>& choices) {
  choices.clear();
  candidates(tile, choices);
  const size_t pieces = std::max<size_t>(tile.size() / kPieceBytes, 1);
  for (size_t piece = 0; piece < pieces; ++piece) {
    const size_t begin = tile.size() * piece / pieces, size = tile.size() * (piece + 1) / pieces - begin;
    const size_t of_piece = std::min(size, kEstimatedBytes);
    const auto part = tile.subspan(begin + (size - of_piece) / 32 * 16, of_piece);
    for (FilterChoice& choice : choices) choice.bits += estimate(choice, part);
  }
  keep_cheapest(choices, count);
}

uint64_t FilterScout::estimate_quickly(const FilterChoice& choice, std::span<const std::byte> part) {
  std::span<const std::byte> bytes = part;
  if (choice.filter != Filter::none) {
    filtered_.resize(part.size());
    scratch_.resize(part.size());
    apply_filter(choice.filter, choice.stride, part, filtered_, scratch_);
    bytes = filtered_;
  }
  const size_t plane = plane_bytes(choice, bytes.size());
  (plane != 0 ? plane_parser_ : parser_).parse(bytes, matches_);
  PlaneCounts counted;
  size_t position = 0;
  uint64_t bits = 0;
  const auto count = [&](size_t literals) {
    while (literals != 0) {
      const size_t of_plane = plane == 0 ? 0 : position / plane;
      const size_t now = plane == 0 ? literals : std::min(literals, (of_plane + 1) * plane - position);
      for (size_t i = position; i < position + now; ++i) ++counted.counts[of_plane][static_cast<uint8_t>(bytes[i])];
      position += now;
      literals -= now;
    }
  };
  for (const Match& match : matches_) {
    count(match.literals);
    position += match.length;
    bits += kMatchBits + code_offset(match.offset).extra_bits;
  }
  count(bytes.size() - position);
  return bits + (counted.cost(plane == 0 ? 1 : choice.stride) >> kCostLog);
}

FilterChoice FilterScout::choose_quickly(std::span<const std::byte> tile) {
  if (tile.size() < kPartBytes) return {};
  const Cost plain = sampled_cost(tile, 0, 1);
  FilterChoice best;
  Cost best_cost = plain - plain / 8;  // the gain has to be worth the time
  const auto consider = [&](Filter filter, uint32_t stride, Cost cost) {
    if (cost >= best_cost) return;
    best_cost = cost;
    best = {filter, stride, 0};
  };
  for (const uint32_t stride : {1u, 3u}) consider(Filter::delta, stride, sampled_cost(tile, stride, 1));
  consider(Filter::delta_planes, 4, sampled_cost(tile, 4, 4));
  consider(Filter::delta_planes, 2, sampled_cost(tile, 2, 2));
  if (best.filter == Filter::delta_planes && best.stride == 2)
    for (uint32_t order = 1; order <= 3; ++order)
      consider(static_cast<Filter>(static_cast<uint32_t>(Filter::zigzag_planes) + order - 1), 2,
               sampled_cost_of_numbers(tile, order));
  if (best.filter == Filter::none) return best;
  const std::span<const std::byte> part = tile.subspan((tile.size() - kPartBytes) / 32 * 16, kPartBytes);
  return estimate_quickly(best, part) < estimate_quickly({}, part) ? best : FilterChoice{};
}

}  // namespace weft::gstd
