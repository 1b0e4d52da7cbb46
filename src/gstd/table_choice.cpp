// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/table_choice.hpp"

#include <algorithm>

#include "gstd/models.hpp"

namespace weft::gstd {

namespace {

// Squares the fraction repeatedly: whenever it reaches 2, the logarithm has a bit.
constexpr std::array<uint32_t, 2049> log2_table() {
  std::array<uint32_t, 2049> table{};
  for (uint32_t i = 0; i < 2048; ++i) {
    uint64_t fraction = (uint64_t{2048} + i) << 20;  // 1 is 2^31
    uint32_t log = 0;
    for (uint32_t bit = 0; bit < kCostLog; ++bit) {
      fraction = fraction * fraction >> 31;
      log <<= 1;
      if (fraction >> 32 != 0) {
        fraction >>= 1;
        log |= 1;
      }
    }
    table[i] = log;
  }
  table[2048] = 1u << kCostLog;
  return table;
}

constexpr std::array<uint32_t, 2049> kLogs = log2_table();

// log2_cost of small numbers at compile time.
constexpr uint32_t small_log2(uint32_t value) {
  const uint32_t top = static_cast<uint32_t>(std::bit_width(value)) - 1;
  return (top << kCostLog) + kLogs[(value << (11 - top)) - 2048];
}

}  // namespace

const std::array<uint32_t, 2049> kLog2Table = kLogs;
const std::array<uint32_t, 2049> kCountCosts = [] {
  std::array<uint32_t, 2049> table{};
  for (uint32_t count = 1; count < 2048; ++count) table[count] = count * small_log2(count);
  table[2048] = 2048 * 11u << kCostLog;
  return table;
}();
const std::array<uint32_t, kRansSlots + 1> kRansCosts = [] {
  std::array<uint32_t, kRansSlots + 1> table{};
  for (uint32_t f = 1; f <= kRansSlots; ++f) table[f] = (kRansLog << kCostLog) - small_log2(f);
  return table;
}();

namespace {

// Counts above bytes, so that they sort as numbers; ascending.
using Leaves = std::array<uint64_t, 256>;
uint64_t count_of(uint64_t leaf) { return leaf >> 8; }
uint32_t byte_of(uint64_t leaf) { return static_cast<uint32_t>(leaf & 255); }

// Huffman's tree of at least two leaves. Nodes come out in ascending order, like leaves: the two smallest are at the
// heads of two queues. Returns false if a code is too long.
bool choose_unlimited(const Leaves& leaves, uint32_t present, CodeLengths& lengths) {
  std::array<uint64_t, 256> weights;
  std::array<uint32_t, 512> parents;  // of leaves, then of nodes
  uint32_t leaf = 0, node = 0;
  for (uint32_t made = 0; made + 1 < present; ++made) {
    uint64_t sum = 0;
    for (uint32_t child = 0; child < 2; ++child) {
      const bool takes_leaf = node == made || (leaf < present && count_of(leaves[leaf]) <= weights[node]);
      sum += takes_leaf ? count_of(leaves[leaf]) : weights[node];
      parents[takes_leaf ? leaf++ : 256 + node++] = made;
    }
    weights[made] = sum;
  }
  std::array<uint8_t, 256> depths;
  depths[present - 2] = 0;
  for (uint32_t n = present - 2; n-- != 0;) depths[n] = static_cast<uint8_t>(depths[parents[256 + n]] + 1);
  if (depths[parents[0]] + 1u > kMaxCodeLength) return false;  // the rarest leaf is among the deepest
  for (uint32_t l = 0; l < present; ++l) lengths[byte_of(leaves[l])] = static_cast<uint8_t>(depths[parents[l]] + 1);
  return true;
}

}  // namespace

// Package-merge, if codes have to be shortened: in each of kMaxCodeLength rounds, pairs of the last round's choice
// compete with the bytes.
void choose_lengths(const Counts& counts, CodeLengths& lengths) {
  lengths.fill(0);
  Leaves leaves;
  uint32_t present = 0;
  for (uint32_t s = 0; s < 256; ++s)
    if (counts[s] != 0) leaves[present++] = uint64_t{counts[s]} << 8 | s;
  if (present <= 1) {
    lengths[present == 0 ? 0 : byte_of(leaves[0])] = 1;
    return;
  }
  std::sort(leaves.begin(), leaves.begin() + present);
  if (choose_unlimited(leaves, present, lengths)) return;

  std::array<uint64_t, 512> weights{}, merged{};
  std::array<std::array<bool, 512>, kMaxCodeLength> is_leaf;
  uint32_t packages = 0;
  for (uint32_t round = 0; round < kMaxCodeLength; ++round) {
    uint32_t leaf = 0, package = 0, size = 0;
    while (leaf < present || package < packages) {
      const bool takes_leaf = package == packages || (leaf < present && count_of(leaves[leaf]) <= weights[package]);
      merged[size] = takes_leaf ? count_of(leaves[leaf++]) : weights[package++];
      is_leaf[round][size++] = takes_leaf;
    }
    packages = size / 2;
    for (uint32_t p = 0; p < packages; ++p) weights[p] = merged[2 * p] + merged[2 * p + 1];
  }
  uint32_t taken = 2 * present - 2;
  for (uint32_t round = kMaxCodeLength; round-- != 0;) {
    uint32_t taken_leaves = 0;
    for (uint32_t i = 0; i < taken; ++i)
      if (is_leaf[round][i]) ++lengths[byte_of(leaves[taken_leaves++])];
    taken = 2 * (taken - taken_leaves);
  }
}

Cost literals_cost(const Counts& counts, const CodeLengths& lengths) {
  uint64_t bits = 0;
  if (const uint32_t single = single_symbol(lengths); single != 256) {
    for (uint32_t s = 0; s < 256; ++s)
      if (counts[s] != 0 && s != single) return ~Cost{0};
    return 0;
  }
  for (uint32_t s = 0; s < 256; ++s) {
    if (counts[s] != 0 && lengths[s] == 0) return ~Cost{0};
    bits += uint64_t{counts[s]} * lengths[s];
  }
  return bits << kCostLog;
}

Cost description_cost(const CodeLengths& lengths, uint32_t lanes_log) {
  const uint32_t steps = 256u >> lanes_log;
  Cost cost = 0;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const uint32_t before = byte % steps == 0 ? kLengthSymbols : lengths[byte - 1];
    cost += rans_cost(kLengthFrequencies[before][lengths[byte]]);
  }
  return cost;
}

void choose_frequencies(std::span<const uint32_t> counts, uint32_t coarseness, FieldChoice& choice) {
  choice = {};
  uint64_t sum = 0;
  for (const uint32_t count : counts) sum += count;
  if (sum == 0) return;
  // Starts near each symbol's part, at least 1, then moves single slots where they gain most.
  std::array<uint32_t, kMaxFieldSymbols> slots{};
  uint32_t used = 0;
  for (uint32_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    slots[s] = std::max<uint32_t>(1, static_cast<uint32_t>((counts[s] * uint64_t{kRansSlots} + sum / 2) / sum));
    used += slots[s];
  }
  while (used != kRansSlots) {
    const bool more = used < kRansSlots;
    uint32_t best = kMaxFieldSymbols;
    Cost best_cost = 0;
    for (uint32_t s = 0; s < counts.size(); ++s) {
      if (slots[s] == 0 || (!more && slots[s] == 1)) continue;
      const Cost change = counts[s] * (more ? rans_cost(slots[s]) - rans_cost(slots[s] + 1)
                                            : rans_cost(slots[s] - 1) - rans_cost(slots[s]));
      if (best == kMaxFieldSymbols || (more ? change > best_cost : change < best_cost)) {
        best = s;
        best_cost = change;
      }
    }
    slots[best] += more ? 1 : ~0u;
    used += more ? 1 : ~0u;
  }
  uint32_t weight_sum = 0;
  for (uint32_t s = 0; s < counts.size(); ++s) {
    if (slots[s] != 0) choice.weights[s] = weight_of((slots[s] - 1) >> coarseness);
    weight_sum += value_of(choice.weights[s]);
  }
  if (weight_sum == 0) {
    // All of them are rare by these weights.
    const auto most = std::max_element(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(counts.size()));
    choice.weights[static_cast<size_t>(most - slots.begin())] = weight_of(1);
  }
  frequencies_of({choice.weights.data(), counts.size()}, choice.frequencies);
}

Cost least_description_cost(uint32_t field) {
  static const std::array<Cost, kFields> costs = [] {
    std::array<Cost, kFields> least{};
    for (uint32_t f = 0; f < kFields; ++f)
      for (uint32_t s = 0; s < kFieldSymbols[f]; ++s) {
        Cost of_symbol = ~Cost{0};
        for (uint32_t weight_class = 0; weight_class < kWeightClasses; ++weight_class)
          of_symbol = std::min(of_symbol, rans_cost(kWeightFrequencies[weight_model(f, s)][weight_class]) +
                                              kBit * weight_extra_bits(weight_class));
        least[f] += of_symbol;
      }
    return least;
  }();
  return costs[field];
}

Cost field_cost(std::span<const uint32_t> counts, std::span<const uint16_t> frequencies) {
  Cost cost = 0;
  for (uint32_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    if (frequencies[s] == 0) return ~Cost{0};
    cost += counts[s] * rans_cost(frequencies[s]);
  }
  return cost;
}

Cost description_cost(uint32_t field, const FieldChoice& choice) {
  Cost cost = 0;
  for (uint32_t s = 0; s < kFieldSymbols[field]; ++s) {
    const uint32_t weight_class = choice.weights[s].weight_class;
    cost +=
        rans_cost(kWeightFrequencies[weight_model(field, s)][weight_class]) + kBit * weight_extra_bits(weight_class);
  }
  return cost;
}

}  // namespace weft::gstd
