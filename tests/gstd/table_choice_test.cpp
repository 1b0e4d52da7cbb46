// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The encoder's tables are the best by their own costs, and the costs are what things take.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "gstd/costs.hpp"
#include "gstd/models.hpp"
#include "gstd/table_choice.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

uint32_t skewed(Random& random) { return random.next() >> random.below(32); }

// The least bits of any code of at most kMaxCodeLength bits. Level by level from the root: of `open` nodes, some become
// leaves of the bytes that are the most frequent left, and all bytes below get one bit more.
class ShortestCode {
 public:
  explicit ShortestCode(const Counts& counts) {
    for (const uint32_t count : counts)
      if (count != 0) counts_.push_back(count);
    std::sort(counts_.rbegin(), counts_.rend());
  }
  uint64_t bits() { return counts_.size() < 2 ? 0 : of(0, 0, 1); }

 private:
  uint64_t of(uint32_t level, size_t done, size_t open) {
    if (done == counts_.size()) return open == 0 ? 0 : kNone;
    if (level == kMaxCodeLength + 1 || open == 0) return kNone;
    // More open nodes than bytes cannot all have one below.
    if (open > counts_.size() - done) return kNone;
    const auto [known, is_new] = known_.try_emplace({level, done, open}, kNone);
    if (!is_new) return known->second;
    uint64_t best = kNone;
    for (size_t leaves = 0; leaves <= open && done + leaves <= counts_.size(); ++leaves) {
      const uint64_t below = of(level + 1, done + leaves, 2 * (open - leaves));
      if (below == kNone) continue;
      uint64_t deeper = 0;
      for (size_t i = done + leaves; i < counts_.size(); ++i) deeper += counts_[i];
      best = std::min(best, below + deeper);
    }
    known_[{level, done, open}] = best;
    return best;
  }

  static constexpr uint64_t kNone = ~uint64_t{0};
  std::vector<uint64_t> counts_;
  std::map<std::tuple<uint32_t, size_t, size_t>, uint64_t> known_;
};

double bits_of(Cost cost) { return static_cast<double>(cost) / static_cast<double>(kBit); }

// Counts of a field's symbols: of one in so many, by chance, and of one at least.
template <class Draw>
std::vector<uint32_t> counts_of(Random& random, uint32_t field, uint32_t one_in, const Draw& draw) {
  std::vector<uint32_t> counts(kFieldSymbols[field]);
  for (uint32_t& count : counts)
    if (random.one_in(one_in)) count = draw();
  counts[random.below(static_cast<uint32_t>(counts.size()))] += 1;
  return counts;
}

}  // namespace

TEST_SUITE("gstd choice of tables") {
  TEST_CASE("no code of the lengths allowed is shorter, or by little if there are codes of the greatest length") {
    Random random(1);
    uint32_t limited = 0;
    for (uint32_t run = 0; run < 300; ++run) {
      Counts counts{};
      const uint32_t symbols = 1 + random.below(run % 10 == 0 ? 80 : 24);
      // Counts that grow as fast as Fibonacci's make the longest codes.
      uint32_t a = 1, b = 1;
      for (uint32_t s = 0; s < symbols; ++s) {
        uint32_t& count = counts[random.below(256)];
        count = run % 3 == 0 ? a : 1 + skewed(random) / 4096;
        if (b < 1u << 24) a = std::exchange(b, a + b);
      }
      CodeLengths lengths;
      choose_lengths(counts, lengths);
      CHECK(is_complete(lengths));
      for (uint32_t s = 0; s < 256; ++s) CHECK((lengths[s] != 0) == (counts[s] != 0));
      const bool is_limited = *std::max_element(lengths.begin(), lengths.end()) == kMaxCodeLength;
      const uint64_t bits = literals_cost(counts, lengths) / kBit, shortest = ShortestCode(counts).bits();
      CHECK(bits >= shortest);
      CHECK(bits <= shortest + (is_limited ? shortest / 64 : 0));
      limited += is_limited ? 1 : 0;
    }
    CHECK(limited > 20);
  }

  TEST_CASE("nothing counted makes the code of byte 0 alone") {
    CodeLengths lengths;
    choose_lengths(Counts{}, lengths);
    CHECK(single_symbol(lengths) == 0);
    CHECK(literals_cost(Counts{}, lengths) == 0);
  }

  TEST_CASE("a code that lacks a byte has no cost") {
    Counts counts{};
    counts[7] = 3;
    CodeLengths lengths;
    choose_lengths(counts, lengths);
    CHECK(literals_cost(counts, lengths) == 0);
    counts[8] = 1;
    CHECK(literals_cost(counts, lengths) == ~Cost{0});
    counts[9] = 1;
    choose_lengths(counts, lengths);
    CHECK(literals_cost(counts, lengths) == 7 * kBit);
    counts[10] = 1;
    CHECK(literals_cost(counts, lengths) == ~Cost{0});
  }

  TEST_CASE("a description costs what its symbols have in the models") {
    Random random(2);
    for (uint32_t run = 0; run < 200; ++run) {
      Counts counts{};
      for (uint32_t s = random.below(256); s < 256; s += 1 + random.below(6)) counts[s] = 1 + skewed(random) / 4096;
      CodeLengths lengths;
      choose_lengths(counts, lengths);
      for (uint32_t lanes_log = 0; lanes_log <= kMaxLanesLog; ++lanes_log) {
        const uint32_t per_lane = 256u >> lanes_log;
        const DescriptionCosts costs = description_costs(lengths, lanes_log);
        for (uint32_t set = 0; set < kLengthSets; ++set) {
          double bits = 0;
          for (uint32_t byte = 0; byte < 256; ++byte) {
            const uint32_t before = byte % per_lane == 0 ? kNoLength : lengths[byte - 1];
            bits -= std::log2(kLengthFrequencies[length_model(set, before)][lengths[byte]] / 512.0);
          }
          CHECK(bits_of(costs[set]) == doctest::Approx(bits).epsilon(2e-4));
        }
      }
    }
  }

  TEST_CASE("a code that is fitted to its description is complete, has all bytes, and takes no more bits") {
    Random random(4);
    Cost before = 0, after = 0;
    for (uint32_t run = 0; run < 300; ++run) {
      Counts counts{};
      for (uint32_t s = random.below(256); s < 256; s += 1 + random.below(1 + run % 9))
        counts[s] = random.below(1 + run % 40);
      CodeLengths lengths;
      choose_lengths(counts, lengths);
      const CodeLengths shortest = lengths;
      const uint32_t lanes_log = run % (kMaxLanesLog + 1), set = run % kLengthSets;
      fit_to_description(counts, lanes_log, set, run % 8 < 4, lengths);
      CHECK((single_symbol(lengths) != 256 || is_complete(lengths)));
      for (uint32_t s = 0; s < 256; ++s) CHECK((lengths[s] != 0 || counts[s] == 0 || single_symbol(lengths) == s));
      const Cost fitted = literals_cost(counts, lengths) + description_costs(lengths, lanes_log)[set];
      const Cost given = literals_cost(counts, shortest) + description_costs(shortest, lanes_log)[set];
      CHECK(fitted <= given);
      before += given;
      after += fitted;
    }
    CHECK(after < before * 199 / 200);
  }

  TEST_CASE("a field's frequencies that are fitted to their description are described, and take no more bits") {
    Random random(5);
    Cost before = 0, after = 0;
    for (uint32_t run = 0; run < 400; ++run) {
      const uint32_t field = run % kFields, set = run / kFields % kWeightSets;
      const std::vector<uint32_t> counts =
          counts_of(random, field, 1 + run % 7, [&] { return random.below(1 + run % 40); });
      FieldChoice choice;
      choose_frequencies(choose_slots(counts), run % 3, choice);
      const Cost given = field_cost(counts, choice.frequencies) + description_cost(field, set, choice);
      const Cost fitted = fit_to_description(field, set, counts, choice);
      CHECK(fitted == field_cost(counts, choice.frequencies) + description_cost(field, set, choice));
      CHECK(fitted <= given);
      FieldChoice described;
      REQUIRE(frequencies_of({choice.weights.data(), counts.size()}, described.frequencies));
      CHECK(described.frequencies == choice.frequencies);
      before += given;
      after += fitted;
    }
    CHECK(after < before * 199 / 200);
  }

  TEST_CASE("frequencies of a field sum to all slots, are described, and cost no more than others") {
    Random random(3);
    for (uint32_t run = 0; run < 2000; ++run) {
      const uint32_t field = run % kFields;
      const uint32_t some = 1 + random.below(8);
      const std::vector<uint32_t> counts = counts_of(random, field, some, [&] { return skewed(random) >> 12; });
      FieldChoice choice;
      choose_frequencies(choose_slots(counts), 0, choice);
      uint32_t slots = 0, present = 0;
      uint64_t sum = 0;
      for (size_t s = 0; s < counts.size(); ++s) {
        slots += choice.frequencies[s];
        present += counts[s] != 0 ? 1 : 0;
        sum += counts[s];
        CHECK((choice.frequencies[s] != 0 || counts[s] == 0));
      }
      CHECK(slots == kRansSlots);
      std::array<uint16_t, kMaxFieldSymbols> described{};
      REQUIRE(
          frequencies_of(std::span(choice.weights).first(counts.size()), std::span(described).first(counts.size())));
      CHECK(described == choice.frequencies);

      const Cost cost = field_cost(counts, choice.frequencies);
      double naive = 0, entropy = 0;
      for (size_t s = 0; s < counts.size(); ++s) {
        if (counts[s] == 0) continue;
        naive -= counts[s] * std::log2(choice.frequencies[s] / 512.0);
        entropy -= counts[s] * std::log2(counts[s] / static_cast<double>(sum));
      }
      CHECK(bits_of(cost) == doctest::Approx(naive).epsilon(1e-4).scale(static_cast<double>(sum)));
      CHECK(bits_of(cost) >= entropy - 1e-4 * static_cast<double>(sum));
      // Of what is present all alike, and the given table.
      std::array<uint16_t, kMaxFieldSymbols> alike{};
      uint32_t left = kRansSlots, of = present;
      for (size_t s = 0; s < counts.size(); ++s) {
        if (counts[s] == 0) continue;
        alike[s] = static_cast<uint16_t>(left / of);
        left -= alike[s];
        --of;
      }
      // Weights have few bits: they may be that much off.
      const Cost weight_error = sum * kBit / 32;
      CHECK(cost <= field_cost(counts, alike) + weight_error);
      if (field != kLowBits) CHECK(cost <= field_cost(counts, kGivenFrequencies[field]) + weight_error);
    }
  }

  TEST_CASE("coarser frequencies of a field still have every symbol that is counted, and shorter descriptions") {
    Random random(23);
    Cost fine = 0, coarse = 0;
    for (uint32_t run = 0; run < 500; ++run) {
      const uint32_t field = run % kFields;
      const std::vector<uint32_t> counts = counts_of(random, field, 3, [&] { return skewed(random) >> 12; });
      for (uint32_t coarseness = 0; coarseness <= 9; ++coarseness) {
        FieldChoice choice;
        choose_frequencies(choose_slots(counts), coarseness, choice);
        uint32_t slots = 0;
        for (size_t s = 0; s < counts.size(); ++s) {
          slots += choice.frequencies[s];
          CHECK((choice.frequencies[s] != 0 || counts[s] == 0));
        }
        CHECK(slots == kRansSlots);
        if (coarseness == 0) fine += description_cost(field, 0, choice);
        if (coarseness == 4) coarse += description_cost(field, 0, choice);
      }
    }
    CHECK(coarse < fine * 19 / 20);
  }

  TEST_CASE("a field's table without a symbol that is counted has no cost") {
    std::vector<uint32_t> counts(kFieldSymbols[kLiteralLength]);
    counts[3] = 5;
    FieldChoice choice;
    choose_frequencies(choose_slots(counts), 0, choice);
    CHECK(field_cost(counts, choice.frequencies) < kBit);
    counts[41] = 1;
    CHECK((choice.frequencies[41] != 0 || field_cost(counts, choice.frequencies) == ~Cost{0}));
    counts[3] = 0;
    choice.frequencies[41] = 0;
    CHECK(field_cost(counts, choice.frequencies) == ~Cost{0});
  }

  TEST_CASE("logarithms are near to what they are") {
    for (uint32_t value = 1; value < 100000; value += 1 + value / 300)
      CHECK(bits_of(log2_cost(value)) == doctest::Approx(std::log2(value)).epsilon(1e-4).scale(10));
    CHECK(log2_cost(1) == 0);
    CHECK(log2_cost(512) == 9 * kBit);
    CHECK(rans_cost(512) == 0);
  }
}

}  // namespace weft::gstd::test
