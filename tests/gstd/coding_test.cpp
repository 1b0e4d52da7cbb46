// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tables of both entropy coders beside naive ones, made as docs/gstd-format.md has them.
#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "gstd/coding.hpp"
#include "gstd/table_choice.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

// Complete lengths by chance: leaves are split until there are as many as there shall be.
CodeLengths random_lengths(Random& random, uint32_t symbols) {
  std::vector<uint8_t> leaves = {1, 1};
  while (leaves.size() < symbols) {
    const uint32_t leaf = random.below(static_cast<uint32_t>(leaves.size()));
    if (leaves[leaf] == kMaxCodeLength) continue;
    leaves.push_back(++leaves[leaf]);
  }
  CodeLengths lengths{};
  for (const uint8_t length : leaves) {
    uint32_t byte = random.below(256);
    while (lengths[byte] != 0) byte = (byte + 1) % 256;
    lengths[byte] = length;
  }
  return lengths;
}

std::vector<Weight> every_weight() {
  std::vector<Weight> weights;
  for (uint32_t c = 1; c < kWeightClasses; ++c)
    for (uint32_t extra = 0; extra < 1u << weight_extra_bits(c); ++extra)
      weights.push_back({static_cast<uint8_t>(c), static_cast<uint8_t>(extra)});
  return weights;
}

}  // namespace

TEST_SUITE("gstd coding") {
  TEST_CASE("frequencies sum to all slots, and are what the format says") {
    Random random(1);
    const std::vector<Weight> all = every_weight();
    uint32_t without = 0;
    for (uint32_t run = 0; run < 3000; ++run) {
      std::vector<Weight> weights(1 + random.below(kMaxFieldSymbols));
      const uint32_t some = 1 + random.below(4);
      for (Weight& weight : weights)
        if (random.one_in(some)) weight = all[random.below(random.one_in(3) ? 2 : static_cast<uint32_t>(all.size()))];
      uint64_t sum = 0, present = 0;
      for (const Weight& weight : weights) {
        sum += value_of(weight);
        present += weight.weight_class != 0 ? 1 : 0;
      }
      std::vector<uint16_t> frequencies(weights.size(), 999);
      CHECK(frequencies_of(weights, frequencies) == (sum != 0));
      without += sum == 0 ? 1 : 0;
      if (sum == 0) continue;
      uint64_t slots = 0, below = 0;
      for (size_t s = 0; s < weights.size(); ++s) {
        const uint64_t value = value_of(weights[s]);
        const uint64_t share = (below + value) * (512 - present) / sum - below * (512 - present) / sum;
        CHECK(frequencies[s] == (weights[s].weight_class != 0 ? 1 + share : 0));
        slots += frequencies[s];
        below += value;
      }
      CHECK(slots == kRansSlots);
    }
    CHECK(without > 10);
  }

  TEST_CASE("weights come back from their values") {
    CHECK(value_of({0, 0}) == 0);
    CHECK(value_of({1, 0}) == 0);
    for (const Weight& weight : every_weight()) {
      const Weight again = weight_of(value_of(weight));
      CHECK(again.weight_class == weight.weight_class);
      CHECK(again.extra == weight.extra);
    }
  }

  TEST_CASE("no weight is nearer to a value than its own") {
    const std::vector<Weight> all = every_weight();
    for (uint32_t value = 0; value < 600; ++value) {
      const auto apart = [&](const Weight& weight) {
        return std::abs(static_cast<int>(value_of(weight)) - static_cast<int>(value));
      };
      const Weight weight = weight_of(value);
      CHECK(weight.weight_class >= 1);
      CHECK(weight.weight_class < kWeightClasses);
      for (const Weight& other : all) CHECK(apart(weight) <= apart(other));
    }
  }

  TEST_CASE("a table's slots are its symbols' in order") {
    Random random(2);
    for (uint32_t run = 0; run < 100; ++run) {
      std::vector<uint16_t> frequencies(1 + random.below(kMaxFieldSymbols));
      for (uint32_t left = kRansSlots; left != 0;) {
        const uint32_t more = 1 + random.below(left);
        uint16_t& frequency = frequencies[random.below(static_cast<uint32_t>(frequencies.size()))];
        frequency = static_cast<uint16_t>(frequency + more);
        left -= more;
      }
      RansTable table;
      table.set(frequencies);
      uint32_t slot = 0;
      for (uint32_t s = 0; s < frequencies.size(); ++s) {
        CHECK(table.frequency[s] == frequencies[s]);
        CHECK(table.base[s] == slot);
        for (uint32_t i = 0; i < frequencies[s]; ++i) CHECK(table.symbol[slot++] == s);
      }
      CHECK(slot == kRansSlots);
    }
  }

  TEST_CASE("codes are canonical, and each begins what the table has for it") {
    Random random(3);
    for (const uint32_t symbols : {2u, 3u, 4u, 17u, 100u, 255u, 256u})
      for (uint32_t run = 0; run < 10; ++run) {
        const CodeLengths lengths = random_lengths(random, symbols);
        CHECK(is_complete(lengths));
        CHECK(single_symbol(lengths) == 256);
        std::array<uint16_t, 256> codes;
        assign_codes(lengths, codes);
        LiteralTable table;
        const uint32_t map = random.next() & 0xffff;
        REQUIRE(table.set(lengths, map));
        // By length, then by byte, each takes as much of the range as its length leaves it.
        uint32_t position = 0;
        for (uint32_t length = 1; length <= kMaxCodeLength; ++length)
          for (uint32_t byte = 0; byte < 256; ++byte) {
            if (lengths[byte] != length) continue;
            CHECK(codes[byte] == position >> (kMaxCodeLength - length));
            for (uint32_t i = 0; i < 1u << (kMaxCodeLength - length); ++i, ++position) {
              CHECK(table.entries[position].symbol() == byte);
              CHECK(table.entries[position].length() == length);
              CHECK(table.entries[position].next() == BlockHeader::table_of(map, literal_context(byte)));
            }
          }
        CHECK(position == 1u << kMaxCodeLength);
      }
  }

  TEST_CASE("a byte that is alone takes no bits, and only with length 1") {
    for (const uint32_t byte : {0u, 1u, 128u, 255u})
      for (uint32_t length = 1; length <= kMaxCodeLength; ++length) {
        CodeLengths lengths{};
        lengths[byte] = static_cast<uint8_t>(length);
        CHECK(is_complete(lengths) == (length == 1));
        CHECK(single_symbol(lengths) == (length == 1 ? byte : 256));
        LiteralTable table;
        CHECK(table.set(lengths) == (length == 1));
        if (length != 1) continue;
        for (const LiteralTable::Entry& entry : table.entries) {
          CHECK(entry.symbol() == byte);
          CHECK(entry.length() == 0);
        }
      }
  }

  TEST_CASE("lengths that are not complete make no table") {
    Random random(4);
    for (uint32_t run = 0; run < 300; ++run) {
      CodeLengths lengths = random_lengths(random, 2 + random.below(255));
      uint32_t byte = random.below(256);
      while (lengths[byte] == 0) byte = (byte + 1) % 256;
      const uint32_t before = lengths[byte];
      lengths[byte] = static_cast<uint8_t>((before + 1 + random.below(kMaxCodeLength)) % (kMaxCodeLength + 1));
      // What is left of two bytes may be one alone.
      if (single_symbol(lengths) != 256) continue;
      CHECK_FALSE(is_complete(lengths));
      LiteralTable table;
      CHECK_FALSE(table.set(lengths));
    }
    CHECK_FALSE(is_complete(CodeLengths{}));
  }
}

}  // namespace weft::gstd::test
