// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/filter_choice.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::gstd {

namespace {

constexpr size_t kSampleBytes = 2048, kSamples = 4;
constexpr size_t kLikelyStrides = 16, kStrides = 4;  // with small differences
// Estimates use the middle of each piece of a tile: a little of it for all filters, a quarter for the best of them.
// They are no worse than with all of it.
constexpr size_t kPieceBytes = 65536, kFirstEstimated = 4096, kEstimatedBytes = 16384;
// First estimates err by less: filters are dropped that take more than the best by this part of it.
constexpr uint64_t kFirstSlack = 1;

// Calls `use` with samples from all of a tile, each of kSampleBytes bytes unless the tile has fewer.
template <class Use>
void each_stride_sample(std::span<const std::byte> tile, const Use& use) {
  const size_t samples = std::min(kSamples, tile.size() / kSampleBytes + 1);
  for (size_t s = 0; s < samples; ++s) {
    const size_t begin = tile.size() / samples * s;
    use(tile.subspan(begin, std::min(kSampleBytes, tile.size() - begin)));
  }
}

// The size of the difference of two bytes.
uint8_t size_of(uint8_t a, uint8_t b) {
  const uint8_t difference = static_cast<uint8_t>(a - b);
  return std::min(difference, static_cast<uint8_t>(-difference));
}

// Sum of the sizes of differences at a stride: a loop for vector instructions, to sort out most strides.
uint64_t difference_size(std::span<const std::byte> tile, uint32_t stride) {
  constexpr size_t kPart = 256;  // whose sum has 16 bits, of which a vector has more
  static_assert(kPart * 128 < 1u << 16);
  uint64_t sum = 0;
  each_stride_sample(tile, [&](std::span<const std::byte> sample) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(sample.data());
    for (size_t begin = stride; begin < sample.size(); begin += kPart) {
      uint16_t of_part = 0;
      for (size_t i = begin, end = std::min(begin + kPart, sample.size()); i < end; ++i)
        of_part = static_cast<uint16_t>(of_part + size_of(bytes[i], bytes[i - stride]));
      sum += of_part;
    }
  });
  return sum;
}

// Entropy of differences at a stride.
Cost difference_cost(std::span<const std::byte> tile, uint32_t stride) {
  Cost cost = 0;
  each_stride_sample(tile, [&](std::span<const std::byte> sample) {
    std::array<uint32_t, 256> counts{};
    for (size_t i = stride; i < sample.size(); ++i)
      ++counts[(static_cast<uint32_t>(sample[i]) - static_cast<uint32_t>(sample[i - stride])) & 255];
    cost += entropy_cost(counts);
  });
  return cost;
}

// Of rows: words that all distances are tried on, the distances that are tried on more bytes, and the least, in words:
// differences at a stride do what shorter ones would.
constexpr size_t kRowSamples = 16, kLikelyRows = 8, kRowBytes = 2048, kShortestRow = 16;
constexpr size_t kWithRows = 6;  // filters with rows that are estimated
constexpr size_t kRowStep = 16;  // bytes of a vector
// Rows are dropped whose differences cost more than kRowCost / kStrideCost of those at a stride.
constexpr Cost kRowCost = 13, kStrideCost = 10;

constexpr size_t kFewBytes = 512, kFewSamples = 4;  // for quick estimates
constexpr uint32_t kMaxPlanes = 4;                  // of a quickly chosen filter
constexpr size_t kPartBytes = 4096;                 // of a tile, to try a filter on
constexpr size_t kFewMatches = 4;                   // part of the bytes that they have less than
constexpr uint64_t kMatchBits = 12;                 // of a sequence, without extra bits of its offset

constexpr uint64_t kUnseenMatches = 12;  // part of the bits that they save
constexpr size_t kEstimatedParts = 8;
constexpr uint64_t kSequenceBits = 3;  // of a sequence, beside its symbols and their extra bits

// Small samples underestimate entropy: this adds half a nat for each value but one.
Cost sample_cost(std::span<const uint32_t> counts) {
  return entropy_cost(counts) + count_present(counts) * (kBit * 46 / 64);
}

// Bytes counted by plane.
struct PlaneCounts {
  std::array<std::array<uint32_t, 256>, kMaxPlanes> counts{};

  Cost cost(uint32_t planes) const {
    Cost cost = 0;
    for (uint32_t plane = 0; plane < planes; ++plane) cost += sample_cost(counts[plane]);
    return cost;
  }
};

// Calls `use` with each sample of kFewBytes bytes, at even positions.
template <class Use>
void each_sample(std::span<const std::byte> tile, const Use& use) {
  for (size_t s = 0; s < kFewSamples; ++s)
    use(tile.subspan((tile.size() - kFewBytes) * s / (kFewSamples - 1) / 16 * 16, kFewBytes));
}

// Stride 0: bytes without differences.
template <uint32_t stride, uint32_t planes>
Cost sampled_cost(std::span<const std::byte> tile) {
  PlaneCounts counted;
  each_sample(tile, [&](std::span<const std::byte> sample) {
    for (size_t i = kMaxPlanes; i < kFewBytes; i += planes)
      for (size_t plane = 0; plane < planes; ++plane) {
        const uint32_t before = stride == 0 ? 0 : static_cast<uint32_t>(sample[i + plane - stride]);
        ++counted.counts[plane][(static_cast<uint32_t>(sample[i + plane]) - before) & 255];
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

// Adds to the score of each of `count` bytes what a word's bytes, in turn, differ from it: from 0, for nothing, to 4.
void score_rows(const std::byte* __restrict before, size_t count, uint32_t word, uint8_t* __restrict scores) {
  std::array<uint8_t, kRowStep> of;
  for (uint32_t i = 0; i < kRowStep; ++i) of[i] = static_cast<uint8_t>(word >> (8 * (i % 4)));
  for (size_t at = 0; at < count; at += kRowStep)
    for (uint32_t i = 0; i < kRowStep; ++i) {
      const uint8_t size = size_of(static_cast<uint8_t>(before[at + i]), of[i]);
      const uint8_t score = static_cast<uint8_t>((size >= 1) + (size >= 4) + (size >= 16) + (size >= 64));
      scores[at + i] = static_cast<uint8_t>(scores[at + i] + score);
    }
}

// Entropy of differences at a distance, of some bytes of a tile.
Cost row_cost(std::span<const std::byte> tile, size_t distance) {
  std::array<uint32_t, 256> counts{};
  const size_t step = ((tile.size() - distance) / kRowBytes - 1) | 1;  // odd: all bytes of a pixel are among them
  for (size_t i = 0, at = distance; i < kRowBytes; ++i, at += step)
    ++counts[(static_cast<uint32_t>(tile[at]) - static_cast<uint32_t>(tile[at - distance])) & 255];
  return entropy_cost(counts);
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

void FilterScout::candidates(std::span<const std::byte> tile, std::vector<FilterChoice>& choices) {
  const auto add = [&](Filter filter, uint32_t stride) {
    if (!is_filter(static_cast<uint32_t>(filter), stride)) return;
    for (const FilterChoice& choice : choices)
      if (choice.filter == filter && choice.stride == stride) return;
    choices.push_back({{filter, stride}});
  };
  add(Filter::none, 1);
  for (const uint32_t stride : {2u, 4u})
    for (const Filter filter : {Filter::zigzag_planes, Filter::zigzag_planes_2, Filter::zigzag_planes_3})
      add(filter, stride);
  for (const uint32_t stride : {3u, 4u})
    for (const Filter filter : {Filter::colour_planes, Filter::delta_planes, Filter::delta}) add(filter, stride);
  std::array<std::pair<Cost, uint32_t>, kMaxStride> strides;
  for (uint32_t stride = 1; stride <= kMaxStride; ++stride)
    strides[stride - 1] = {difference_size(tile, stride), stride};
  std::partial_sort(strides.begin(), strides.begin() + kLikelyStrides, strides.end());
  for (size_t i = 0; i < kLikelyStrides; ++i) strides[i].first = difference_cost(tile, strides[i].second);
  std::partial_sort(strides.begin(), strides.begin() + kStrides, strides.begin() + kLikelyStrides);
  for (size_t i = 0; i < kStrides; ++i)
    for (const Filter filter : {Filter::delta, Filter::planes, Filter::delta_planes, Filter::zigzag_planes})
      add(filter, strides[i].second);
  for (const uint32_t stride : {2u, 4u, 8u}) add(Filter::planes, stride);
  if (tile.size() >= kPartBytes) add_rows(tile, strides[0].second, choices);
  for (const Filter filter : {Filter::bc1, Filter::bc2, Filter::bc3, Filter::bc4, Filter::bc5, Filter::bc7})
    add(filter, 1);
}

// The distance in words at which bytes differ least, up to half the tile.
uint32_t FilterScout::find_row(std::span<const std::byte> tile) {
  constexpr size_t kWords = kRowStep / 4;
  const size_t words = tile.size() / 4, longest = words / 2 / kWords * kWords;
  row_scores_.assign(4 * longest, 0);
  for (size_t sample = 0; sample < kRowSamples; ++sample) {
    const size_t at = longest + (words - longest - kRowSamples) * sample / (kRowSamples - 1) + sample;
    const auto word = tile.subspan(4 * at, 4);
    uint32_t value = 0;
    for (uint32_t i = 0; i < 4; ++i) value |= static_cast<uint32_t>(word[i]) << (8 * i);
    score_rows(&tile[4 * (at - longest)], 4 * longest, value, row_scores_.data());
  }
  std::array<std::pair<Cost, uint32_t>, kLikelyRows + 1> best;
  best.fill({~Cost{0}, 0});
  for (size_t i = longest - kShortestRow + 1; i-- != 0;) {
    const uint8_t* const of = &row_scores_[4 * i];
    const Cost score = Cost{of[0]} + of[1] + of[2] + of[3];
    if (score >= best[kLikelyRows - 1].first) continue;
    best[kLikelyRows] = {score, static_cast<uint32_t>(longest - i)};
    std::rotate(std::ranges::upper_bound(best.begin(), best.end() - 1, score, {}, &std::pair<Cost, uint32_t>::first),
                best.end() - 1, best.end());
  }
  for (size_t i = 0; i < kLikelyRows; ++i) best[i].first = row_cost(tile, 4 * size_t{best[i].second});
  return std::min_element(best.begin(), best.end() - 1)->second;
}

void FilterScout::add_rows(std::span<const std::byte> tile, uint32_t stride, std::vector<FilterChoice>& choices) {
  const uint32_t row_words = find_row(tile);
  if (kStrideCost * row_cost(tile, 4 * size_t{row_words}) > kRowCost * row_cost(tile, stride)) return;
  for (const Filter filter : {Filter::delta, Filter::zigzag_planes}) {
    std::vector<std::byte>& rows = rows_[is_of_numbers(filter) ? 1 : 0];
    rows.resize(tile.size());
    apply_rows({filter, 1, row_words}, tile, rows);
  }
  with_rows_.clear();
  const auto add = [&](Filter filter, uint32_t of) { with_rows_.push_back({{filter, of, row_words}}); };
  // These leave matches, which entropies do not show.
  add(Filter::none, 1);
  add(Filter::planes, 2);
  const size_t kept = with_rows_.size();
  for (const uint32_t of : {1u, 3u, 4u, 8u}) add(Filter::delta, of);
  for (const uint32_t of : {3u, 4u, 8u}) add(Filter::delta_planes, of);
  for (const uint32_t of : {3u, 4u}) add(Filter::colour_planes, of);
  for (const uint32_t of : {3u, 4u, 8u}) add(Filter::planes, of);
  for (const uint32_t of : {2u, 4u, 8u}) add(Filter::zigzag_planes, of);
  for (const uint32_t of : {2u, 8u}) add(Filter::zigzag_planes_2, of);
  for (size_t i = kept; i < with_rows_.size(); ++i) with_rows_[i].bits = entropy(with_rows_[i], tile);
  keep_cheapest(with_rows_, kWithRows);
  choices.insert(choices.end(), with_rows_.begin(), with_rows_.end());
}

// Entropies of literals by context and of fields: no block is planned and no table is made.
uint64_t FilterScout::estimate(const FilterChoice& choice, std::span<const std::byte> part) {
  filtered_.resize(part.size());
  scratch_.resize(part.size());
  apply_filter({choice.filter, choice.stride}, part, filtered_, scratch_);
  parser_.parse(filtered_, matches_);
  // By context, and by where they are in the filter's result, whose parts may get blocks of their own.
  std::array<Counts, kLiteralContexts> by_context{};
  std::array<Counts, kEstimatedParts> by_part{};
  std::array<std::array<uint32_t, kMaxFieldSymbols>, kLowBits> fields{};
  uint64_t bits = matches_.size() * kSequenceBits;
  History history(false);
  uint32_t previous = 0;
  const size_t size = filtered_.size();
  size_t at = 0, parts = 0, part_end = 0;
  const auto count = [&](size_t run) {
    for (const size_t end = at + run; at != end;) {
      for (; at >= part_end; ++parts) part_end = ((parts + 1) * size + kEstimatedParts - 1) / kEstimatedParts;
      for (const size_t now = std::min(end, part_end); at != now; ++at) {
        const uint32_t byte = static_cast<uint32_t>(filtered_[at]);
        ++by_context[kContextOfNext[previous]][byte];
        ++by_part[parts - 1][byte];
        previous = byte;
      }
    }
  };
  for (const Match& match : matches_) {
    count(match.literals);
    at += match.length;
    const Coded run = literal_length_symbols(false).code(match.literals);
    const Coded length = match_length_symbols(false).code(match.length - kMinMatch);
    const uint32_t offset = history.push(match.offset, match.literals);
    ++fields[kLiteralLength][run.symbol];
    ++fields[kOffset][offset];
    ++fields[kMatchLength][length.symbol];
    bits += run.extra_bits + length.extra_bits + (offset < kRepeats ? 0 : offset_extra_bits(offset));
  }
  count(size - at);
  Cost of_contexts = 0, of_parts = 0;
  for (const Counts& counts : by_context) of_contexts += sample_cost(counts);
  for (const Counts& counts : by_part) of_parts += sample_cost(counts);
  Cost cost = std::min(of_contexts, of_parts);
  for (const auto& of_field : fields) cost += entropy_cost(of_field);
  bits += cost >> kCostLog;
  // These leave matches that the whole tile and a better search have more of.
  return choice.filter == Filter::none || choice.filter == Filter::planes ? bits - bits / kUnseenMatches : bits;
}

void FilterScout::choose(std::span<const std::byte> tile, const FilterSearch& search,
                         std::vector<FilterChoice>& choices) {
  choices.clear();
  candidates(tile, choices);
  if (tile.size() >= kPartBytes) {
    for (FilterChoice& choice : choices) choice.bits = choice == FilterSteps{} ? 0 : entropy(choice, tile);
    keep_cheapest(choices, search.likely);
  }
  narrow(tile, kFirstEstimated, search.narrowed, kFirstSlack, choices);
  narrow(tile, kEstimatedBytes, search.most, search.slack, choices);
  if (std::ranges::count(choices, 0u, &FilterChoice::row_words) != 0) return;
  // The tile as it is may have far matches, as from frame to frame, that parts do not show.
  choices.emplace_back();
  if (search.most == 1) narrow(tile, kPieceBytes, 1, search.slack, choices);
}

// Entropy of samples' bytes by plane.
uint64_t FilterScout::entropy(const FilterChoice& choice, std::span<const std::byte> tile) {
  filtered_.resize(kSampleBytes / 2);
  scratch_.resize(kSampleBytes / 2);
  const auto input = input_of(choice, tile);
  const bool is_in_planes = choice.filter != Filter::delta && choice.filter != Filter::none;
  const size_t planes = !is_in_planes ? 1 : choice.filter >= Filter::bc1 ? 4 : std::min<size_t>(choice.stride, 8);
  std::array<Counts, 8> counts{};
  for (size_t s = 0; s < kFewSamples; ++s) {
    const size_t begin = (tile.size() - filtered_.size()) * s / (kFewSamples - 1) / 16 * 16;
    apply_filter({choice.filter, choice.stride}, input.subspan(begin, filtered_.size()), filtered_, scratch_);
    for (size_t plane = 0, i = 0; plane < planes; ++plane)
      for (; i < filtered_.size() * (plane + 1) / planes; ++i) ++counts[plane][static_cast<uint8_t>(filtered_[i])];
  }
  Cost cost = 0;
  for (size_t plane = 0; plane < planes; ++plane) cost += sample_cost(counts[plane]);
  return cost >> kCostLog;
}

void FilterScout::narrow(std::span<const std::byte> tile, size_t estimated, size_t count, uint64_t slack,
                         std::vector<FilterChoice>& choices) {
  for (FilterChoice& choice : choices) choice.bits = 0;
  const size_t pieces = std::max<size_t>(tile.size() / kPieceBytes, 1);
  for (size_t piece = 0; piece < pieces; ++piece) {
    const size_t begin = tile.size() * piece / pieces, size = tile.size() * (piece + 1) / pieces - begin;
    const size_t of_piece = std::min(size, estimated);
    const size_t at = begin + (size - of_piece) / 32 * 16;
    for (FilterChoice& choice : choices) {
      const uint64_t bits = estimate(choice, input_of(choice, tile).subspan(at, of_piece));
      choice.bits += with_price_of_rows(bits, choice.row_words);
    }
  }
  keep_cheapest(choices, count);
  std::erase_if(choices, [most = choices[0].bits + choices[0].bits / slack](const FilterChoice& choice) {
    return choice.bits > most;
  });
}

void FilterScout::estimate_quickly(std::span<const std::byte> part, FilterChoice& choice) {
  std::span<const std::byte> bytes = part;
  if (choice.filter != Filter::none) {
    filtered_.resize(part.size());
    scratch_.resize(part.size());
    apply_filter(choice, part, filtered_, scratch_);
    bytes = filtered_;
  }
  const size_t plane = plane_bytes(choice, bytes.size());
  greedy_parser_.parse(bytes, kSearchOfFew, matches_);
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
  size_t matched = 0;
  for (const Match& match : matches_) {
    count(match.literals);
    position += match.length;
    matched += match.length;
    bits += kMatchBits + code_offset(match.offset).extra_bits;
  }
  count(bytes.size() - position);
  choice.bits = bits + (counted.cost(plane == 0 ? 1 : choice.stride) >> kCostLog);
  choice.has_few_matches = matched < part.size() / kFewMatches;
}

FilterChoice FilterScout::choose_quickly(std::span<const std::byte> tile) {
  if (tile.size() < kPartBytes) return {};
  const Cost plain = sampled_cost<0, 1>(tile);
  FilterChoice best;
  Cost best_cost = plain - plain / 8;  // the gain has to be worth the time
  const auto consider = [&](Filter filter, uint32_t stride, Cost cost) {
    if (cost >= best_cost) return;
    best_cost = cost;
    best = {{filter, stride}};
  };
  consider(Filter::delta, 1, sampled_cost<1, 1>(tile));
  consider(Filter::delta, 3, sampled_cost<3, 1>(tile));
  consider(Filter::delta_planes, 4, sampled_cost<4, 4>(tile));
  consider(Filter::delta_planes, 2, sampled_cost<2, 2>(tile));
  if (best.filter == Filter::delta_planes && best.stride == 2)
    for (uint32_t order = 1; order <= 3; ++order)
      consider(static_cast<Filter>(static_cast<uint32_t>(Filter::zigzag_planes) + order - 1), 2,
               sampled_cost_of_numbers(tile, order));
  if (best.filter == Filter::none) return best;
  const std::span<const std::byte> part = tile.subspan((tile.size() - kPartBytes) / 32 * 16, kPartBytes);
  FilterChoice none;
  estimate_quickly(part, best);
  estimate_quickly(part, none);
  return best.bits < none.bits ? best : none;
}

}  // namespace weft::gstd
