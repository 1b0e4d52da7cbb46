// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/table_choice.hpp"

#include <algorithm>
#include <utility>

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

// The bytes that occur, by ascending count. A count of ~0 ends them.
struct Leaves {
  std::array<uint64_t, 257> counts;
  std::array<uint8_t, 256> bytes;
  uint32_t size = 0;
};

void sort_bytes(const Counts& counts, Leaves& leaves) {
  // Most counts are small, and have a row each. The others are sorted, as numbers: counts above bytes.
  constexpr uint32_t kRows = 512;
  std::array<uint32_t, kRows> next{};
  std::array<uint64_t, 256> large;
  uint32_t larger = 0, rows = 1;
  for (const uint32_t count : counts)
    if (count < kRows) {
      ++next[count];
      rows = std::max(rows, count + 1);
    }
  uint32_t size = next[0] = 0;
  for (uint32_t row = 0; row < rows; ++row) size += std::exchange(next[row], size);
  for (uint32_t s = 0; s < 256; ++s) {
    if (counts[s] >= kRows) {
      large[larger++] = uint64_t{counts[s]} << 8 | s;
    } else if (counts[s] != 0) {
      const uint32_t at = next[counts[s]]++;
      leaves.counts[at] = counts[s];
      leaves.bytes[at] = static_cast<uint8_t>(s);
    }
  }
  std::sort(large.begin(), large.begin() + larger);
  for (uint32_t i = 0; i < larger; ++i, ++size) {
    leaves.counts[size] = large[i] >> 8;
    leaves.bytes[size] = static_cast<uint8_t>(large[i]);
  }
  leaves.counts[size] = ~uint64_t{0};
  leaves.size = size;
}

// Leaves of each length in a row: those of length l are numbers begin[l] to begin[l - 1].
using LengthRows = std::array<uint32_t, kMaxCodeLength + 1>;

// By Huffman's tree of at least two leaves, of which those that are too deep get the longest code. Nodes come out in
// ascending order, like leaves: the two smallest are at the heads of two queues.
LengthRows rows_of(const Leaves& leaves) {
  std::array<uint64_t, 257> nodes;
  std::array<uint32_t, 512> parents;  // of leaves, then of nodes
  const uint32_t inner = leaves.size - 1;
  std::fill_n(nodes.begin(), inner + 1, ~uint64_t{0});
  uint32_t leaf = 0, node = 0;
  for (uint32_t made = 0; made < inner; ++made) {
    uint64_t sum = 0;
    // Without branches, which could not be predicted.
    for (uint32_t child = 0; child < 2; ++child) {
      const uint64_t of_leaf = leaves.counts[leaf], of_node = nodes[node];
      const uint32_t takes_leaf = of_leaf <= of_node ? 1 : 0;
      parents[takes_leaf != 0 ? leaf : 256 + node] = made;
      sum += std::min(of_leaf, of_node);
      leaf += takes_leaf;
      node += 1 - takes_leaf;
    }
    nodes[made] = sum;
  }
  std::array<uint8_t, 256> depths;
  depths[inner - 1] = 0;
  for (uint32_t n = inner - 1; n-- != 0;) depths[n] = static_cast<uint8_t>(depths[parents[256 + n]] + 1);
  LengthRows begin{};
  for (uint32_t l = 0; l < leaves.size; ++l) ++begin[std::min(depths[parents[l]] + 1u, kMaxCodeLength)];
  uint32_t at = 0;
  for (uint32_t length = kMaxCodeLength; length != 0; --length) at += std::exchange(begin[length], at);
  begin[0] = at;
  return begin;
}

// Moves leaves between rows until the code is complete.
void complete(const Leaves& leaves, LengthRows& begin) {
  const auto is_empty = [&](uint32_t length) { return begin[length] == begin[length - 1]; };
  int64_t excess = -(int64_t{1} << kMaxCodeLength);  // in codes of the greatest length
  for (uint32_t length = 1; length <= kMaxCodeLength; ++length)
    excess += int64_t{begin[length - 1] - begin[length]} << (kMaxCodeLength - length);
  // Lengthens codes, those first that cost least for what is needed of what they free.
  while (excess > 0) {
    uint32_t best = 0;
    uint64_t cost = 0, freed = 0;
    for (uint32_t length = 1; length < kMaxCodeLength; ++length) {
      if (is_empty(length)) continue;
      const uint64_t more = leaves.counts[begin[length]];
      const uint64_t frees = std::min(uint64_t{1} << (kMaxCodeLength - length - 1), static_cast<uint64_t>(excess));
      if (best != 0 && more * freed >= cost * frees) continue;
      best = length, cost = more, freed = frees;
    }
    ++begin[best];
    excess -= int64_t{1} << (kMaxCodeLength - best - 1);
  }
  // Shortens codes by what is left. One of the longest always can be.
  while (excess < 0) {
    uint32_t best = 0;
    uint64_t gain = 0, taken = 1;
    for (uint32_t length = 2; length <= kMaxCodeLength; ++length) {
      const int64_t takes = int64_t{1} << (kMaxCodeLength - length);
      if (is_empty(length) || takes > -excess) continue;
      const uint64_t less = leaves.counts[begin[length - 1] - 1];
      if (less * taken <= gain * static_cast<uint64_t>(takes)) continue;
      best = length, gain = less, taken = static_cast<uint64_t>(takes);
    }
    --begin[best - 1];
    excess += static_cast<int64_t>(taken);
  }
}

}  // namespace

void choose_lengths(const Counts& counts, CodeLengths& lengths) {
  lengths.fill(0);
  Leaves leaves;
  sort_bytes(counts, leaves);
  if (leaves.size <= 1) {
    lengths[leaves.size == 0 ? 0 : leaves.bytes[0]] = 1;
    return;
  }
  LengthRows begin = rows_of(leaves);
  complete(leaves, begin);
  for (uint32_t length = kMaxCodeLength; length != 0; --length)
    for (uint32_t l = begin[length]; l < begin[length - 1]; ++l)
      lengths[leaves.bytes[l]] = static_cast<uint8_t>(length);
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

namespace {

// Of the description of a length after another.
const std::array<std::array<DescriptionCosts, kLengthSymbols>, kSetModels> kLengthCosts = [] {
  std::array<std::array<DescriptionCosts, kLengthSymbols>, kSetModels> table{};
  for (uint32_t before = 0; before < kSetModels; ++before)
    for (uint32_t length = 0; length < kLengthSymbols; ++length)
      for (uint32_t set = 0; set < kLengthSets; ++set)
        table[before][length][set] =
            static_cast<uint32_t>(rans_cost(kLengthFrequencies[length_model(set, before)][length]));
  return table;
}();

}  // namespace

DescriptionCosts description_costs(const CodeLengths& lengths, uint32_t lanes_log) {
  const uint32_t steps = 256u >> lanes_log;
  DescriptionCosts costs{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const uint32_t before = (byte & (steps - 1)) == 0 ? kNoLength : lengths[byte - 1];
    const DescriptionCosts& of = kLengthCosts[before][lengths[byte]];
    for (uint32_t set = 0; set < kLengthSets; ++set) costs[set] += of[set];
  }
  return costs;
}

namespace {

constexpr uint32_t kCodeSpace = 1u << kMaxCodeLength;  // of all codes
constexpr uint32_t space_of(uint32_t length) { return length == 0 ? 0 : kCodeSpace >> length; }

// A code of counted bytes whose description counts too.
class DescribedCode {
 public:
  DescribedCode(const Counts& counts, uint32_t lanes_log, uint32_t set, bool tries_all, const CodeLengths& near)
      : counts_(counts), steps_(256u >> lanes_log), set_(set) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t length = near[byte];
      if (tries_all) {
        for (uint32_t other = counts[byte] != 0 ? 1 : 0; other <= kMaxCodeLength; ++other) add(byte, other);
      } else if (counts[byte] != 0) {
        for (uint32_t other = std::max(length, 2u) - 1; other <= std::min(length + 1, kMaxCodeLength); ++other)
          add(byte, other);
      } else {
        add(byte, 0);
        const uint32_t before = byte == 0 ? 0 : near[byte - 1], after = byte == 255 ? 0 : near[byte + 1];
        if (before != 0) add(byte, before);
        if (after != 0 && after != before) add(byte, after);
      }
    }
  }

  // The cheapest lengths where a code's space has a price. Returns the space of all.
  uint32_t choose(Cost price, CodeLengths& lengths) {
    std::array<std::array<Cost, kTried>, 2> costs{};  // of all bytes so far, by the length of the last, in turns
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const std::array<Cost, kTried>& so_far = costs[byte % 2];
      for (uint32_t l = 0; l < tried_[byte]; ++l) {
        const uint32_t length = lengths_[byte][l];
        Cost best = so_far[0] + described(byte, byte == 0 ? 0 : lengths_[byte - 1][0], length);
        uint8_t before = 0;
        for (uint8_t b = 1; byte != 0 && b < tried_[byte - 1]; ++b) {
          const Cost cost = so_far[b] + described(byte, lengths_[byte - 1][b], length);
          if (cost >= best) continue;
          best = cost;
          before = b;
        }
        before_[byte][l] = before;
        costs[1 - byte % 2][l] = best + counts_[byte] * Cost{length} * kBit + price * space_of(length);
      }
    }
    auto last =
        static_cast<uint32_t>(std::min_element(costs[0].begin(), costs[0].begin() + tried_[255]) - costs[0].begin());
    uint32_t space = 0;
    for (uint32_t byte = 256; byte-- != 0; last = before_[byte][last]) {
      lengths[byte] = lengths_[byte][last];
      space += space_of(lengths[byte]);
    }
    return space;
  }

  // Shortens codes, where it costs least, until none of `space` is left. Returns false if it cannot.
  bool fill(uint32_t space, CodeLengths& lengths) const {
    struct Shorter {
      int64_t gain;  // for the space that the shorter code takes more
      uint32_t byte;
    };
    constexpr uint32_t kChanged = 3;                        // gains, by a step
    std::array<Shorter, 256 + kChanged * kCodeSpace> heap;  // the best first; of a byte the last is valid
    std::array<int64_t, 256> gains{};
    size_t count = 0;
    const auto add = [&](uint32_t byte) {
      gains[byte] = gain_of_shorter(byte, lengths);
      heap[count++] = {gains[byte], byte};
    };
    const auto is_worse = [](const Shorter& a, const Shorter& b) {
      return a.gain != b.gain ? a.gain < b.gain : a.byte > b.byte;
    };
    for (uint32_t byte = 0; byte < 256; ++byte)
      if (lengths[byte] >= 2) add(byte);
    std::make_heap(heap.begin(), heap.begin() + count, is_worse);
    while (space != 0) {
      if (count == 0) return false;
      std::pop_heap(heap.begin(), heap.begin() + count, is_worse);
      const auto [gain, best] = heap[--count];
      if (gain != gains[best] || lengths[best] < 2 || space_of(lengths[best]) > space) continue;
      space -= space_of(lengths[best]--);
      for (uint32_t byte = std::max(best, 1u) - 1; byte <= std::min(best + 1, 255u); ++byte) {
        if (lengths[byte] < 2) continue;
        add(byte);
        std::push_heap(heap.begin(), heap.begin() + count, is_worse);
      }
    }
    return true;
  }

 private:
  static constexpr uint32_t kTried = kLengthSymbols;

  void add(uint32_t byte, uint32_t length) { lengths_[byte][tried_[byte]++] = static_cast<uint8_t>(length); }
  Cost described(uint32_t byte, uint32_t before, uint32_t length) const {
    return kLengthCosts[(byte & (steps_ - 1)) == 0 ? kNoLength : before][length][set_];
  }
  // Of the description of a byte and of the one after it, and the literals.
  Cost cost_at(uint32_t byte, uint32_t length, const CodeLengths& lengths) const {
    return described(byte, byte == 0 ? 0 : lengths[byte - 1], length) +
           (byte == 255 ? 0 : described(byte + 1, length, lengths[byte + 1])) + Cost{counts_[byte]} * length * kBit;
  }
  // Of a code of two bits or more.
  int64_t gain_of_shorter(uint32_t byte, const CodeLengths& lengths) const {
    const uint32_t length = lengths[byte];
    const int64_t gain =
        static_cast<int64_t>(cost_at(byte, length, lengths)) - static_cast<int64_t>(cost_at(byte, length - 1, lengths));
    // Rounds to 0, as a division would.
    const uint32_t log = kMaxCodeLength - length;
    return gain < 0 ? -(-gain >> log) : gain >> log;
  }

  const Counts& counts_;
  uint32_t steps_;                                                     // bytes of a lane: a power of two
  uint32_t set_;                                                       // of models
  std::array<std::array<uint8_t, kTried>, 256> lengths_{}, before_{};  // that are tried; with which before
  std::array<uint8_t, 256> tried_{};                                   // how many
};

}  // namespace

// The price of code space at which the cheapest lengths take all of it is mostly between half and twice
// the one of codes that need no description: of n bytes, n / ln 2 bits for the whole space.
void fit_to_description(const Counts& counts, uint32_t lanes_log, uint32_t set, bool tries_all, CodeLengths& lengths) {
  const uint32_t tries = tries_all ? 8 : 3;
  if (single_symbol(lengths) != 256) return;
  uint64_t sum = 0;
  for (const uint32_t count : counts) sum += count;
  const Cost price = sum * kBit * 10 / 7 / kCodeSpace;
  Cost low = price / 2, high = price * 2;
  Cost best = literals_cost(counts, lengths) + description_costs(lengths, lanes_log)[set];
  DescribedCode code(counts, lanes_log, set, tries_all, lengths);
  CodeLengths other;
  for (uint32_t i = 0; i < tries; ++i) {
    const Cost middle = (low + high) / 2;
    const uint32_t space = code.choose(middle, other);
    (space > kCodeSpace ? low : high) = middle;
    if (space > kCodeSpace || !code.fill(kCodeSpace - space, other)) continue;
    const Cost cost = literals_cost(counts, other) + description_costs(other, lanes_log)[set];
    if (cost >= best) continue;
    best = cost;
    lengths = other;
  }
}

Slots choose_slots(std::span<const uint32_t> counts) {
  Slots slots{};
  uint64_t sum = 0;
  for (const uint32_t count : counts) sum += count;
  if (sum == 0) return slots;
  // Starts near each symbol's part, at least 1, then moves single slots where they gain most.
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
  return slots;
}

void choose_frequencies(std::span<const uint32_t> slots, uint32_t coarseness, FieldChoice& choice) {
  choice = {};
  uint32_t weight_sum = 0;
  for (uint32_t s = 0; s < slots.size(); ++s) {
    if (slots[s] != 0) choice.weights[s] = weight_of((slots[s] - 1) >> coarseness);
    weight_sum += value_of(choice.weights[s]);
  }
  if (weight_sum == 0) {
    // All of them are rare by these weights.
    const auto most = std::max_element(slots.begin(), slots.end());
    if (*most == 0) return;
    choice.weights[static_cast<size_t>(most - slots.begin())] = weight_of(1);
  }
  frequencies_of({choice.weights.data(), slots.size()}, choice.frequencies);
}

Cost fit_to_description(uint32_t field, uint32_t set, std::span<const uint32_t> counts, FieldChoice& choice) {
  Cost best = field_cost(counts, choice.frequencies) + description_cost(field, set, choice);
  const auto change = [&](uint32_t s, uint32_t weight_class, uint32_t extra) {
    if (weight_class >= kWeightClasses || extra >> weight_extra_bits(weight_class) != 0) return false;
    FieldChoice other = choice;
    other.weights[s] = {static_cast<uint8_t>(weight_class), static_cast<uint8_t>(extra)};
    if (!frequencies_of({other.weights.data(), counts.size()}, other.frequencies)) return false;
    const Cost coded = field_cost(counts, other.frequencies);
    if (coded == ~Cost{0} || coded + description_cost(field, set, other) >= best) return false;
    best = coded + description_cost(field, set, other);
    choice = other;
    return true;
  };
  bool is_changed = true;
  while (std::exchange(is_changed, false))
    for (uint32_t s = 0; s < counts.size(); ++s) {
      const uint32_t weight_class = choice.weights[s].weight_class, extra = choice.weights[s].extra;
      if (weight_class == 0) continue;
      // The next weights of the same class, and the nearest of the classes beside it.
      is_changed |= change(s, weight_class, extra + 1) || change(s, weight_class, extra - 1) ||
                    change(s, weight_class + 1, 0) ||
                    change(s, weight_class - 1, (1u << weight_extra_bits(weight_class - 1)) - 1);
    }
  return best;
}

Cost least_description_cost(uint32_t field) {
  static const std::array<Cost, kFields> costs = [] {
    std::array<Cost, kFields> least{};
    for (uint32_t f = 0; f < kFields; ++f)
      for (uint32_t s = 0; s < kFieldSymbols[f]; ++s) {
        Cost of_symbol = ~Cost{0};
        for (uint32_t set = 0; set < kWeightSets; ++set)
          for (uint32_t weight_class = 0; weight_class < kWeightClasses; ++weight_class)
            of_symbol = std::min(of_symbol, rans_cost(kWeightFrequencies[weight_model(set, f, s)][weight_class]) +
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

Cost description_cost(uint32_t field, uint32_t set, const FieldChoice& choice) {
  Cost cost = 0;
  for (uint32_t s = 0; s < kFieldSymbols[field]; ++s) {
    const uint32_t weight_class = choice.weights[s].weight_class;
    cost += rans_cost(kWeightFrequencies[weight_model(set, field, s)][weight_class]) +
            kBit * weight_extra_bits(weight_class);
  }
  return cost;
}

}  // namespace weft::gstd
