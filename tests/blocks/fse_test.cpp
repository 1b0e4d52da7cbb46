// SPDX-License-Identifier: MIT OR Apache-2.0
//
// shaders/weft/fse.glsl by itself: whole tables against a build that follows the words of RFC 8878, section 4.1.1, one
// state after the other.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "shaders/self_test.h"
#include "support/device.hpp"
#include "support/draws.hpp"
#include "support/guarded_buffer.hpp"
#include "support/kernel.hpp"

namespace weft::test::fse_tests {
namespace {

/// Normalized counts of symbols 0, 1, ..., and how many states they are to share: 2^accuracy.
struct Distribution {
  uint32_t accuracy;
  std::vector<int32_t> counts;
};

/// What a state stands for.
struct Entry {
  uint32_t symbol, bits, baseline;
  bool operator==(const Entry&) const = default;
};

/// In 64 bits, in which the counts of 256 symbols cannot wrap.
bool is_valid(const Distribution& distribution) {
  if (distribution.accuracy < 5 || distribution.accuracy > 12 || distribution.counts.size() > 256) return false;
  int64_t states = 0;
  for (const int32_t count : distribution.counts) {
    if (count < -1) return false;
    states += count == -1 ? 1 : count;
  }
  return states == int64_t{1} << distribution.accuracy;
}

/// The table of a valid distribution.
std::vector<Entry> table_of(const Distribution& distribution) {
  const uint32_t size = 1u << distribution.accuracy;
  std::vector<Entry> table(size);
  // Symbols less than one have a cell each: in their natural order, from the end of the table back.
  uint32_t end = size;
  for (uint32_t symbol = 0; symbol < distribution.counts.size(); ++symbol)
    if (distribution.counts[symbol] == -1) table[--end].symbol = symbol;
  // All others are spread, and positions that are occupied are skipped.
  uint32_t position = 0;
  for (uint32_t symbol = 0; symbol < distribution.counts.size(); ++symbol)
    for (int32_t i = 0; i < distribution.counts[symbol]; ++i) {
      table[position].symbol = symbol;
      do position = (position + (size >> 1) + (size >> 3) + 3) & (size - 1);
      while (position >= end);
    }
  // The table is cut into as many shares as the next power of two of a symbol's states. The lowest states count double,
  // so that there are so many, and baselines begin at the first state that does not.
  for (uint32_t symbol = 0; symbol < distribution.counts.size(); ++symbol) {
    std::vector<uint32_t> states;
    for (uint32_t state = 0; state < size; ++state)
      if (table[state].symbol == symbol) states.push_back(state);
    const auto count = static_cast<uint32_t>(states.size());
    const uint32_t shares = std::bit_ceil(count);
    const uint32_t doubled = shares - count;
    uint32_t baseline = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t order = (doubled + i) % count;
      const uint32_t width = size / shares * (order < doubled ? 2 : 1);
      table[states[order]].bits = static_cast<uint32_t>(std::countr_zero(width));
      table[states[order]].baseline = baseline;
      baseline += width;
    }
  }
  return table;
}

// The predefined distributions of RFC 8878, section 3.1.1.3.2.2, and their tables, as its appendix A has them.
Distribution literal_lengths() {
  return {6, {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,  2,  2,
              2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}};
}
constexpr std::array<Entry, 64> kLiteralLengthTable{
    {{0, 4, 0},   {0, 4, 16},  {1, 5, 32},  {3, 5, 0},   {4, 5, 0},   {6, 5, 0},   {7, 5, 0},   {9, 5, 0},
     {10, 5, 0},  {12, 5, 0},  {14, 6, 0},  {16, 5, 0},  {18, 5, 0},  {19, 5, 0},  {21, 5, 0},  {22, 5, 0},
     {24, 5, 0},  {25, 5, 32}, {26, 5, 0},  {27, 6, 0},  {29, 6, 0},  {31, 6, 0},  {0, 4, 32},  {1, 4, 0},
     {2, 5, 0},   {4, 5, 32},  {5, 5, 0},   {7, 5, 32},  {8, 5, 0},   {10, 5, 32}, {11, 5, 0},  {13, 6, 0},
     {16, 5, 32}, {17, 5, 0},  {19, 5, 32}, {20, 5, 0},  {22, 5, 32}, {23, 5, 0},  {25, 4, 0},  {25, 4, 16},
     {26, 5, 32}, {28, 6, 0},  {30, 6, 0},  {0, 4, 48},  {1, 4, 16},  {2, 5, 32},  {3, 5, 32},  {5, 5, 32},
     {6, 5, 32},  {8, 5, 32},  {9, 5, 32},  {11, 5, 32}, {12, 5, 32}, {15, 6, 0},  {17, 5, 32}, {18, 5, 32},
     {20, 5, 32}, {21, 5, 32}, {23, 5, 32}, {24, 5, 32}, {35, 6, 0},  {34, 6, 0},  {33, 6, 0},  {32, 6, 0}}};
Distribution match_lengths() {
  return {6, {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}};
}
constexpr std::array<Entry, 64> kMatchLengthTable{
    {{0, 6, 0},  {1, 4, 0},  {2, 5, 32}, {3, 5, 0},  {5, 5, 0},  {6, 5, 0},  {8, 5, 0},  {10, 6, 0},
     {13, 6, 0}, {16, 6, 0}, {19, 6, 0}, {22, 6, 0}, {25, 6, 0}, {28, 6, 0}, {31, 6, 0}, {33, 6, 0},
     {35, 6, 0}, {37, 6, 0}, {39, 6, 0}, {41, 6, 0}, {43, 6, 0}, {45, 6, 0}, {1, 4, 16}, {2, 4, 0},
     {3, 5, 32}, {4, 5, 0},  {6, 5, 32}, {7, 5, 0},  {9, 6, 0},  {12, 6, 0}, {15, 6, 0}, {18, 6, 0},
     {21, 6, 0}, {24, 6, 0}, {27, 6, 0}, {30, 6, 0}, {32, 6, 0}, {34, 6, 0}, {36, 6, 0}, {38, 6, 0},
     {40, 6, 0}, {42, 6, 0}, {44, 6, 0}, {1, 4, 32}, {1, 4, 48}, {2, 4, 16}, {4, 5, 32}, {5, 5, 32},
     {7, 5, 32}, {8, 5, 32}, {11, 6, 0}, {14, 6, 0}, {17, 6, 0}, {20, 6, 0}, {23, 6, 0}, {26, 6, 0},
     {29, 6, 0}, {52, 6, 0}, {51, 6, 0}, {50, 6, 0}, {49, 6, 0}, {48, 6, 0}, {47, 6, 0}, {46, 6, 0}}};
Distribution offsets() {
  return {5, {1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}};
}
constexpr std::array<Entry, 32> kOffsetTable{
    {{0, 5, 0},  {6, 4, 0},  {9, 5, 0},  {15, 5, 0}, {21, 5, 0}, {3, 5, 0},  {7, 4, 0},  {12, 5, 0},
     {18, 5, 0}, {23, 5, 0}, {5, 5, 0},  {8, 4, 0},  {14, 5, 0}, {20, 5, 0}, {2, 5, 0},  {7, 4, 16},
     {11, 5, 0}, {17, 5, 0}, {22, 5, 0}, {4, 5, 0},  {8, 4, 16}, {13, 5, 0}, {19, 5, 0}, {1, 5, 0},
     {6, 4, 16}, {10, 5, 0}, {16, 5, 0}, {28, 5, 0}, {27, 5, 0}, {26, 5, 0}, {25, 5, 0}, {24, 5, 0}}};

/// Its example: symbol 1 has states 1, 39, 77, 84 and 122 of 128.
Distribution five_states() { return {7, {91, 5, 32}}; }

/// Valid, of up to `most_symbols` symbols: some have no states, some less than one, the others one at least, and what
/// is left over is cut at random, evenly or in ever smaller parts.
Distribution random_distribution(Draws& draws, uint32_t accuracy, uint32_t most_symbols) {
  const uint32_t size = 1u << accuracy;
  Distribution distribution{accuracy, std::vector<int32_t>(1 + draws.below(most_symbols))};
  const uint64_t zeros = draws.below(4), less = draws.below(4);
  uint32_t left = size;
  std::vector<uint32_t> placed;
  for (uint32_t symbol = 0; symbol < distribution.counts.size() && left != 0; ++symbol) {
    const uint64_t kind = draws.below(8);
    if (kind < zeros) continue;
    distribution.counts[symbol] = kind < zeros + less ? -1 : 1;
    if (distribution.counts[symbol] == 1) placed.push_back(symbol);
    --left;
  }
  if (placed.empty() && left != 0) {
    // The last gives way to one that takes all that is left.
    int32_t& last = distribution.counts.back();
    left += last == -1 ? 1 : 0;
    last = 0;
    placed.push_back(static_cast<uint32_t>(distribution.counts.size()) - 1);
  }
  const bool evenly = draws.one_in(2);
  while (left != 0) {
    const auto part = static_cast<uint32_t>(1 + draws.below(evenly ? 1 + left / (2 * placed.size()) : left));
    distribution.counts[placed[draws.below(placed.size())]] += static_cast<int32_t>(part);
    left -= part;
  }
  return distribution;
}

/// Distributions at the ends of what there can be.
void add_extremes(std::vector<Distribution>& all, uint32_t accuracy, uint32_t most_symbols) {
  const int32_t size = 1 << accuracy;
  const auto add = [&](std::vector<int32_t> counts) { all.push_back({accuracy, std::move(counts)}); };
  // One symbol, the first or the last, has all states, or all but one.
  add({size});
  std::vector<int32_t> counts(most_symbols);
  counts.back() = size;
  add(counts);
  counts.front() = 1;
  counts.back() = size - 1;
  add(counts);
  counts.front() = -1;
  add(counts);
  std::swap(counts.front(), counts.back());
  add(counts);
  // As many symbols as there can be, of one state each, of less than one, or of both in
  // turns; what is over is the last's.
  const auto symbols = std::min(static_cast<int32_t>(most_symbols), size);
  for (const int kind : {0, 1, 2}) {
    counts.assign(static_cast<size_t>(symbols), 1);
    for (size_t i = 0; i < counts.size(); ++i) counts[i] = kind == 1 || (kind == 2 && i % 2 == 0) ? -1 : 1;
    if (symbols < size) counts.back() = size - symbols + 1;
    add(counts);
  }
  // Two symbols that meet everywhere, and counts at powers of two.
  for (int32_t first = 1; first < size; first *= 2) add({first, size - first});
}

/// What is not a distribution.
void add_invalid(std::vector<Distribution>& all, uint32_t most_symbols, uint32_t most_accuracy) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();
  for (uint32_t accuracy = 5; accuracy <= most_accuracy; ++accuracy) {
    const int32_t size = 1 << accuracy;
    for (const auto& counts : std::initializer_list<std::vector<int32_t>>{{},
                                                                          {0, 0, 0},
                                                                          {size - 1},
                                                                          {size + 1},
                                                                          {size, 1},
                                                                          {size, -1},
                                                                          {-1, size},
                                                                          {size - 2, -1, -1, -1},
                                                                          {size - 2, -1},
                                                                          {-size},
                                                                          {-2, size - 2},
                                                                          {-2, size + 2},
                                                                          {2, -2, size},
                                                                          {size + 1, -1, -1},
                                                                          {-1, size / 2, -3, size / 2 + 2},
                                                                          {kMin, kMin, size},
                                                                          {size, kMin, kMin},
                                                                          {kMin},
                                                                          {kMax, kMax, size + 2},
                                                                          {kMax, kMin, size + 1},
                                                                          {1 << 30, 1 << 30, 1 << 30, 1 << 30, size},
                                                                          std::vector<int32_t>(most_symbols, kMax),
                                                                          std::vector<int32_t>(most_symbols, -1 << 24),
                                                                          std::vector<int32_t>(most_symbols, size)})
      all.push_back({accuracy, counts});
  }
  // Right sums of a number of states that there is no table for.
  for (const uint32_t accuracy : {0u, 1u, 4u, most_accuracy + 1, 13u, 16u, 30u})
    all.push_back({accuracy, {int32_t{1} << accuracy}});
  for (const uint32_t accuracy : {31u, 32u, 37u, 0x80000005u, ~0u}) all.push_back({accuracy, {32}});
}

/// What the kernel is made for: the first `tables` groups of 32 lanes of a workgroup build tables.
struct Shape {
  uint32_t workgroup, tables, most_symbols, most_accuracy;
};

/// Builds the tables of all, three in turn by each group, and compares all that each group's
/// table can hold after each turn.
void check_tables(Backend& backend, const Shape& shape, std::vector<Distribution> all) {
  constexpr uint32_t kTurns = 3, kCounts = 256, kDirt = 0xdbdbdbdb;
  const std::array constants{shape.most_symbols, shape.most_accuracy, shape.tables};
  const Kernel kernel(backend.gpu(), std::string("fse_self_test") + (backend.is_emulated() ? ".emulated" : ".native"),
                      shape.workgroup, backend.context().subgroup_size(), constants);

  // The last turns may have nothing to build.
  while (all.size() % (kTurns * shape.tables) != 0) all.push_back({0, {}});
  std::vector<uint32_t> inputs;
  for (const Distribution& distribution : all) {
    inputs.push_back(distribution.accuracy);
    inputs.push_back(static_cast<uint32_t>(distribution.counts.size()));
    // Counts of symbols that are not there would make a difference.
    for (size_t symbol = 0; symbol < kCounts; ++symbol)
      inputs.push_back(symbol < distribution.counts.size() ? static_cast<uint32_t>(distribution.counts[symbol]) : 1u);
  }
  const size_t turns = all.size() / shape.tables;  // of all workgroups
  const size_t most_states = size_t{1} << shape.most_accuracy;
  const size_t result_words = turns * (shape.workgroup + shape.tables * most_states);
  GuardedBuffer given(backend.gpu(), inputs.size() * 4, 4, std::as_bytes(std::span(inputs)));
  GuardedBuffer results(backend.gpu(), result_words * 4, 8, {});
  shader::SelfTestPush push{};
  push.inputs = given.address();
  push.results = results.address();
  push.delta = kTurns;
  push.lane = kCounts;
  push.mask = kDirt;
  const auto ran = run_timed(backend.gpu(), [&](VkCommandBuffer commands) {
    kernel.record(commands, push, static_cast<uint32_t>(turns / kTurns));
    return Status{};
  });
  if (!ran) FAIL(ran.error().message);
  std::vector<std::byte> bytes;
  CHECK(results.read(bytes) == "");
  const std::vector<uint32_t> found = items_of<uint32_t>(bytes);

  std::vector<uint32_t> expected;
  std::vector<std::vector<uint32_t>> tables;
  for (size_t turn = 0; turn < turns; ++turn) {
    if (turn % kTurns == 0) tables.assign(shape.tables, std::vector<uint32_t>(most_states, kDirt));
    for (uint32_t group = 0; group < shape.workgroup / 32; ++group) {
      bool built = false;
      if (group < shape.tables) {
        const Distribution& distribution = all[turn * shape.tables + group];
        built = is_valid(distribution) && distribution.accuracy <= shape.most_accuracy &&
                distribution.counts.size() <= shape.most_symbols;
        if (built)
          std::ranges::transform(table_of(distribution), tables[group].begin(), [](const Entry& entry) {
            return entry.symbol | entry.bits << 8 | entry.baseline << 16;
          });
      }
      expected.insert(expected.end(), 32, built ? 1 : 0);
    }
    for (const std::vector<uint32_t>& table : tables) expected.insert(expected.end(), table.begin(), table.end());
  }
  REQUIRE(expected.size() == found.size());
  const auto word = static_cast<size_t>(std::ranges::mismatch(found, expected).in1 - found.begin());
  if (word == found.size()) return;
  const size_t turn = word / (result_words / turns), slot = word % (result_words / turns);
  const bool is_verdict = slot < shape.workgroup;
  const size_t state = is_verdict ? 0 : (slot - shape.workgroup) % most_states;
  const size_t group = is_verdict ? slot / 32 : (slot - shape.workgroup) / most_states;
  const Distribution& distribution = all[turn * shape.tables + std::min<size_t>(group, shape.tables - 1)];
  CAPTURE(turn);
  CAPTURE(group);
  CAPTURE(distribution.accuracy);
  CAPTURE(distribution.counts.size());
  CAPTURE(is_verdict);
  CAPTURE(state);
  CHECK(found[word] == expected[word]);
}

}  // namespace

TEST_SUITE("fse") {
  TEST_CASE("the oracle's tables are those that RFC 8878 prints") {
    CHECK(std::ranges::equal(table_of(literal_lengths()), kLiteralLengthTable));
    CHECK(std::ranges::equal(table_of(match_lengths()), kMatchLengthTable));
    CHECK(std::ranges::equal(table_of(offsets()), kOffsetTable));
    const std::vector<Entry> table = table_of(five_states());
    CHECK(std::ranges::count(table, 1u, &Entry::symbol) == 5);
    CHECK(table[1] == Entry{1, 5, 32});
    CHECK(table[39] == Entry{1, 5, 64});
    CHECK(table[77] == Entry{1, 5, 96});
    CHECK(table[84] == Entry{1, 4, 0});
    CHECK(table[122] == Entry{1, 4, 16});
  }

  TEST_CASE("random distributions are valid and of every kind") {
    uint32_t with_less = 0, without = 0, with_zeros = 0, single = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
      Draws draws(8878, i);
      const auto distribution = random_distribution(draws, 5 + static_cast<uint32_t>(i % 8), i % 2 == 0 ? 53 : 256);
      REQUIRE(is_valid(distribution));
      const auto zeros = std::ranges::count(distribution.counts, 0);
      ++(std::ranges::count(distribution.counts, -1) != 0 ? with_less : without);
      with_zeros += zeros != 0 ? 1 : 0;
      single += std::ssize(distribution.counts) - zeros == 1 ? 1 : 0;
    }
    CHECK(std::min({with_less, without, with_zeros}) > 200);
    CHECK(single > 5);
  }

  TEST_CASE("thousands of distributions of up to 53 symbols, as sequences have, give the tables of RFC 8878 [bounds]") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      // Three tables, as a block has, where subgroups allow for it.
      const uint32_t width = backend->context().subgroup_size();
      const uint32_t workgroup = (96 + width - 1) / width * width;
      const Shape shape{workgroup, workgroup / 32, 53, 9};
      std::vector<Distribution> all{literal_lengths(), offsets(), match_lengths(), five_states()};
      for (uint32_t accuracy = 5; accuracy <= shape.most_accuracy; ++accuracy)
        add_extremes(all, accuracy, shape.most_symbols);
      add_invalid(all, shape.most_symbols, shape.most_accuracy);
      // A symbol more than there is room for: its count is what the next group has of its first.
      Distribution wide{6, std::vector<int32_t>(shape.most_symbols + 1, 1)};
      wide.counts.front() = wide.counts.back() = 6;
      REQUIRE(is_valid(wide));
      all.insert(all.end(), 2 * shape.tables, wide);
      // Groups of a workgroup have tables of one accuracy, and in the last sixth of any. Emulation is slow.
      const uint32_t of_each = backend->is_emulated() ? 150 : 500;
      for (uint32_t i = 0; i < 6 * of_each; ++i) {
        Draws draws(1, i);
        const auto accuracy = static_cast<uint32_t>(i < 5 * of_each ? i / of_each : draws.below(5));
        all.push_back(random_distribution(draws, 5 + accuracy, shape.most_symbols));
      }
      check_tables(*backend, shape, std::move(all));
    }
  }

  TEST_CASE("distributions of up to 256 symbols, of every accuracy, give the tables of RFC 8878 [bounds]") {
    for (Backend* backend : every_backend()) {
      CAPTURE(backend->name());
      // One table: two of accuracy 12 are more than the shared memory of some devices. Wide
      // subgroups have groups without one.
      const Shape shape{std::max(backend->context().subgroup_size(), 32u), 1, 256, 12};
      std::vector<Distribution> all{match_lengths(), five_states(), literal_lengths(), offsets()};
      for (uint32_t accuracy = 5; accuracy <= shape.most_accuracy; ++accuracy)
        add_extremes(all, accuracy, shape.most_symbols);
      add_invalid(all, shape.most_symbols, shape.most_accuracy);
      all.push_back({9, std::vector<int32_t>(512, 1)});
      for (uint32_t accuracy = 5; accuracy <= shape.most_accuracy; ++accuracy)
        for (uint32_t i = 0; i < (accuracy < 10 ? 5u : 1u) * (backend->is_emulated() ? 10 : 20); ++i) {
          Draws draws(accuracy, i);
          all.push_back(random_distribution(draws, accuracy, shape.most_symbols));
        }
      check_tables(*backend, shape, std::move(all));
    }
  }
}

}  // namespace weft::test::fse_tests
