// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "merge/merge_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/merge_run.hpp"
#include "support/refusals.hpp"
#include "support/scored_record.hpp"
#include "support/sizes.hpp"
#include "support/text_hashes.hpp"
#include "weft_kernels/merge_by_residue.hpp"
#include "weft_kernels/merge_by_score.hpp"
#include "weft_kernels/transform_tally_ranks.hpp"

namespace weft::test::merge_tests {
namespace {

template <class T>
std::vector<T> ordered(uint64_t count, uint64_t seed, uint64_t values = 0, bool descending = false) {
  return in_merge_order(drawn_keys<T>(count, seed, values), descending);
}

template <class T = uint32_t>
const Merge& merge_of(Backend& backend) {
  return create<Merge>(backend, {.key = type_of<T>});
}

constexpr const char* kCutBefore = "merge.form=0,merge.direct_tiles=0,merge.direct_tiles_wide=0,merge.few=0";
constexpr const char* kDirect =
    "merge.form=0,merge.direct_tiles=4294967295,merge.direct_tiles_wide=4294967295,merge.few=0";
constexpr const char* kStreaming = "merge.form=1";

bool is_direct() { return current_tuning().find("direct_tiles=4294967295") != std::string::npos; }
bool is_streaming() { return current_tuning().find(kStreaming) != std::string::npos; }

/// Those that a form is tested on. Of subgroups the streaming form has no more than the stores of what is less than a
/// word, and the tests of these take every backend.
std::vector<Backend*> backends_of_form() {
  std::vector<Backend*> backends;
  for (Backend* backend : every_backend())
    if ((!is_direct() && !is_streaming()) || !backend->is_emulated()) backends.push_back(backend);
  return backends;
}

// A test of each form.
#define MERGE_TEST_CASE_OF(body, name)          \
  static void body();                           \
  TEST_CASE(name ", in registers") {            \
    const ScopedTuning tuning(kCutBefore);      \
    body();                                     \
  }                                             \
  TEST_CASE(name ", in one dispatch [types]") { \
    const ScopedTuning tuning(kDirect);         \
    body();                                     \
  }                                             \
  TEST_CASE(name ", streaming") {               \
    const ScopedTuning tuning(kStreaming);      \
    body();                                     \
  }                                             \
  static void body()
#define MERGE_TEST_CASE(name) MERGE_TEST_CASE_OF(DOCTEST_ANONYMOUS(merge_test_), name)

template <class T>
FuzzSubject subject_of(MergeConfig given, const char* tuning = "") {
  given.key = item_type<T>();
  const auto draw_case = [](Backend& backend, const MergeConfig& config, Draws& draw) {
    const Merge& merge = create<Merge>(backend, config);
    const uint64_t total = draw.count(draw.one_in(2) ? merge.tile_keys() : merge.subgroup_keys());
    MergeOptions options;
    const auto [a, b] = drawn_pair<T>(draw, config, total, 3, options);
    check_merge(backend, config, a, b, options);
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("merge", [] {
  return std::vector{
      subject_of<uint32_t>({}),
      subject_of<float>({.value_bytes = 4}, "merge.few=4294967295,merge.few_keys=4"),
      subject_of<uint64_t>({.indices = true},
                           "merge.few=700,merge.direct_tiles=4294967295,merge.direct_tiles_wide=4294967295"),
      subject_of<float>({.order = SortOrder::descending}, "merge.workgroup=256,merge.keys=1"),
      subject_of<int64_t>({.value_bytes = 4}, "merge.keys_wide=16"),
      subject_of<uint8_t>({.order = SortOrder::descending, .value_bytes = 1, .indices = true}, "merge.keys_indices=2"),
      subject_of<uint16_t>({.value_bytes = 12}, "merge.form=1"),
      subject_of<double>({.indices = true}, "merge.form=1,merge.stream_keys=3,merge.stream_steps=2"),
  };
});

}  // namespace

TEST_SUITE("merge") {
  MERGE_TEST_CASE("odd and even numbers become all numbers") {
    for (Backend* backend : backends_of_form()) {
      const std::vector<uint32_t> odd{1, 3, 5, 7, 9}, even{2, 4, 6, 8, 10};
      CHECK(items_of<uint32_t>(check_merge(*backend, {}, odd, even)) ==
            std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
      check_merge(*backend, {}, even, odd);
    }
  }

  MERGE_TEST_CASE("merges are right at every edge of both counts [bounds] [widths]") {
    for (Backend* backend : every_backend()) {
      const Merge& merge = merge_of(*backend);
      std::vector<uint64_t> totals = edges(*backend, merge.tile_keys(), 4);
      for (const uint64_t total : around({merge.subgroup_keys(), merge.tile_keys() - merge.subgroup_keys()}))
        totals.push_back(total);
      for (const uint64_t total : totals) {
        const uint64_t few = std::min<uint64_t>(total, 3);
        for (const uint64_t a : std::set{uint64_t{0}, few, total / 2, total - few, total})
          check_merge(*backend, {}, ordered<uint32_t>(a, total, total), ordered<uint32_t>(total - a, total + 1, total));
      }
    }
  }

  MERGE_TEST_CASE("keys of every type are merged in both orders, whatever the keys are [types]") {
    for (Backend* backend : backends_of_form()) {
      uint32_t combination = 0;
      for_every_key([&]<class T>() {
        for (const bool descending : {false, true}) {
          if (!takes_turn(combination++)) continue;
          if ((backend->is_emulated() || is_streaming()) && (sizeof(T) == 8) == descending) continue;
          const MergeConfig config{.key = type_of<T>,
                                   .order = descending ? SortOrder::descending : SortOrder::ascending};
          const uint64_t tile = create<Merge>(*backend, config).tile_keys();
          for (const auto& [a, b] : hard_sequences<T>(2 * tile + 19, 3 * tile - 7, descending))
            check_merge(*backend, config, a, b);
        }
      });
    }
  }

  MERGE_TEST_CASE("-0 is before 0, and NaN lies outside of all numbers [forms]") {
    const auto of = []<class T>(Backend& backend, bool descending) {
      constexpr T kInfinity = std::numeric_limits<T>::infinity();
      const T nan = std::copysign(std::numeric_limits<T>::quiet_NaN(), T{1});
      const std::vector<T> keys =
          in_merge_order<T>({-nan, -kInfinity, -1, -std::numeric_limits<T>::denorm_min(), -0.0, -0.0, 0.0, 0.0,
                             std::numeric_limits<T>::denorm_min(), 1, kInfinity, nan},
                            descending);
      const MergeConfig config{.order = descending ? SortOrder::descending : SortOrder::ascending};
      check_merge<T>(backend, config, keys, keys);
      check_merge<T>(backend, config, {0.0}, {-0.0});
      check_merge<T>(backend, config, {-0.0}, {0.0});
      check_merge<T>(backend, config, in_merge_order<T>({-nan, 0.0, nan}, descending), keys);
    };
    for (Backend* backend : backends_of_form())
      for (const bool descending : {false, true}) {
        of.operator()<float>(*backend, descending);
        if (!backend->is_emulated()) of.operator()<double>(*backend, descending);
      }
  }

  MERGE_TEST_CASE("keys of less than a word are merged, wherever they begin [forms]") {
    const auto of = []<class T>(Backend& backend, bool descending) {
      const MergeConfig config{.key = item_type<T>(),
                               .order = descending ? SortOrder::descending : SortOrder::ascending};
      const uint64_t subgroup = create<Merge>(backend, config).subgroup_keys();
      for (const auto& [n, m] :
           {std::pair{subgroup, subgroup + 1}, {3 * subgroup + 5, subgroup / 2}, {uint64_t{3}, uint64_t{2}}})
        for (VkDeviceSize off = 0; off < 4; off += sizeof(T)) {
          const auto a = ordered<T>(n, off, 0, descending), b = ordered<T>(m, off + 9, 0, descending);
          check_merge(backend, config, a, b,
                      {.a_misalignment = 5 * off % 16, .b_misalignment = 4 + 3 * off, .out_misalignment = off});
          check_merge(backend, config, a, b, {.out_misalignment = off, .count_b = DeviceCount{m / 2 + off, 4}});
          check_merge(backend, config, drawn_keys<T>(n, 1), b, {.out_misalignment = off, .sorted = false});
        }
    };
    for (Backend* backend : every_backend()) {
      of.operator()<uint8_t>(*backend, false);
      if (backend->is_emulated()) continue;
      of.operator()<uint16_t>(*backend, true);
      of.operator()<F16>(*backend, false);
    }
  }

  MERGE_TEST_CASE("values and indices go with their keys, and equal keys keep their order [widths]") {
    const auto of = []<class T>(Backend& backend, MergeConfig config) {
      config.key = item_type<T>();
      const Merge& merge = create<Merge>(backend, config);
      const uint64_t subgroup = merge.subgroup_keys(), tile = merge.tile_keys();
      VkDeviceSize step = 4;
      if (config.value_bytes == 1 || config.value_bytes == 2) step = config.value_bytes;
      VkDeviceSize off = 0;
      for (const auto& [n, m] : {std::pair{uint64_t{1}, uint64_t{0}},
                                 {uint64_t{2}, uint64_t{5}},
                                 {subgroup - 3, subgroup + 3},
                                 {tile / 2, tile / 2 + 1},
                                 {2 * tile + 9, tile / 3},
                                 {uint64_t{7}, 2 * tile + 1}})
        for (const uint64_t values : {0, 1, 5, 200}) {
          const auto a = ordered<T>(n, off, values, config.order == SortOrder::descending),
                     b = ordered<T>(m, off + 1, values, config.order == SortOrder::descending);
          check_merge(backend, config, a, b, {.values_misalignment = off});
          check_merge(backend, config, a, b,
                      {.out_misalignment = 4, .values_misalignment = off, .count_a = DeviceCount{n / 2, 4}});
          off = (off + step) % 16;
        }
      // Whatever order there is, each index is some key's.
      check_merge(backend, config, drawn_keys<T>(tile / 2 + 3, 1), drawn_keys<T>(tile - 9, 2), {.sorted = false});
      check_merge(backend, config, ordered<T>(tile / 2 + 3, 1, 0, config.order == SortOrder::ascending),
                  drawn_keys<T>(tile - 9, 2), {.sorted = false});
    };
    for (Backend* backend : every_backend()) {
      of.operator()<uint32_t>(*backend, {.value_bytes = 4});
      if (backend->is_emulated() || takes_turn(2))
        of.operator()<uint8_t>(*backend, {.order = SortOrder::descending, .value_bytes = 2, .indices = true});
      if (backend->is_emulated()) continue;
      if (takes_turn(0))
        of.operator()<float>(*backend, {.order = SortOrder::descending, .keys = false, .indices = true});
      if (takes_turn(2)) of.operator()<uint64_t>(*backend, {.value_bytes = 8});
      if (is_streaming()) continue;
      if (takes_turn(0)) of.operator()<double>(*backend, {.value_bytes = 1, .indices = true});
      if (takes_turn(0)) of.operator()<uint16_t>(*backend, {.value_bytes = 12});
      if (takes_turn(2)) of.operator()<int32_t>(*backend, {.keys = false, .value_bytes = 16});
    }
  }

  MERGE_TEST_CASE("keys of the caller's own go by the caller's order, and equal ones keep theirs [widths]") {
    const auto of = [](Backend& backend, const MergeConfig& config, const auto& drawn, const auto& less) {
      const Merge& merge = create<Merge>(backend, config);
      const uint64_t subgroup = merge.subgroup_keys(), tile = merge.tile_keys();
      CAPTURE(backend.name());
      CAPTURE(config_text(config));
      check_pairs_by(less, drawn, tile, {{subgroup - 3, subgroup + 3}}, [&](const auto& a, const auto& b, bool sorted) {
        return wrong_merge_by(less, backend.gpu(), merge, config, a, b,
                              {.a_misalignment = 4, .out_misalignment = 8, .sorted = sorted});
      });
    };
    for (Backend* backend : backends_of_form()) {
      of(*backend, {.own_kernels = own::merge_by_score()}, scored_record, is_ahead_by_score);
      if (backend->is_emulated() || !takes_turn(2)) continue;
      of(
          *backend, {.value_bytes = 2, .indices = true, .own_kernels = own::merge_by_residue()},
          [](uint64_t seed, uint64_t i) { return static_cast<uint32_t>(random_word(seed, i)); },
          [](uint32_t a, uint32_t b) { return a % 100 < b % 100; });
    }
    CHECK(own::merge_by_score().item_bytes() == 12);
    CHECK(Merge::create(first_backend().context(), {.own_kernels = own::transform_tally_ranks()})
              .status()
              .error()
              .message == "Merge: own_kernels 'transform_tally_ranks' are made for transform_lbs, and not for merge");
  }

  TEST_CASE("words and lines of two texts, each sorted by their hashes, are merged with where they stand") {
    for (const bool lines : {false, true}) {
      // Values are positions in the sorted sequence: what stands where equal hashes do.
      std::vector<uint64_t> keys[2];
      std::vector<uint32_t> values[2];
      for (size_t t = 0; t < 2; ++t) {
        keys[t] = hashes_of_text(kTexts[t], lines);
        std::ranges::sort(keys[t]);
        for (uint32_t i = 0; i < keys[t].size(); ++i) values[t].push_back(static_cast<uint32_t>(t) << 31 | i);
      }
      if (keys[0].empty() || keys[1].empty()) {
        MESSAGE("the texts are not there");
        return;
      }
      CAPTURE(lines);
      std::vector<std::pair<uint64_t, uint32_t>> pairs[2], merged;
      for (size_t t = 0; t < 2; ++t)
        for (size_t i = 0; i < keys[t].size(); ++i) pairs[t].emplace_back(keys[t][i], values[t][i]);
      std::ranges::merge(pairs[0], pairs[1], std::back_inserter(merged), {}, &std::pair<uint64_t, uint32_t>::first,
                         &std::pair<uint64_t, uint32_t>::first);
      for (Backend* backend : every_backend()) {
        CAPTURE(backend->name());
        const Merge& merge = create<Merge>(*backend, {.key = Type::u64, .value_bytes = 4});
        PrimitiveCall call(backend->gpu());
        const MergeArgs args{call.input("keys_a", keys[0]),
                             call.input("keys_b", keys[1]),
                             call.output("keys_out", merged.size() * 8),
                             call.input("values_a", values[0]),
                             call.input("values_b", values[1]),
                             call.output("values_out", merged.size() * 4),
                             {},
                             call.scratch(merge.scratch_size(keys[0].size(), keys[1].size())),
                             keys[0].size(),
                             keys[1].size()};
        std::vector<uint64_t> merged_keys;
        std::vector<uint32_t> merged_values;
        for (const auto& [key, value] : merged) merged_keys.push_back(key), merged_values.push_back(value);
        call.expect("keys_out", merged_keys);
        call.expect("values_out", merged_values);
        CHECK(call.wrong(merge, args) == "");
      }
    }
  }

  MERGE_TEST_CASE("a sequence may be much longer than the other") {
    for (Backend* backend : backends_of_form())
      for (const uint64_t few : {1, 2, 50})
        for (const uint64_t values : {0, 7}) {
          const uint64_t many = (backend->is_emulated() ? 5 : 40) * merge_of(*backend).tile_keys() + few;
          check_merge(*backend, {}, ordered<uint32_t>(few, 1, values), ordered<uint32_t>(many, 2, values));
          check_merge(*backend, {}, ordered<uint32_t>(many, 3, values), ordered<uint32_t>(few, 4, values));
        }
  }

  MERGE_TEST_CASE("runs of one sequence alternate with runs of the other") {
    for (Backend* backend : backends_of_form()) {
      const uint64_t subgroup = merge_of(*backend).subgroup_keys(), tile = merge_of(*backend).tile_keys();
      for (const uint64_t run : {uint64_t{2}, subgroup - 1, subgroup, tile / 2 + 1, tile, tile + 1}) {
        std::vector<uint32_t> sequences[2];
        for (uint32_t i = 0; i < 5 * tile; ++i) sequences[i / run % 2].push_back(i);
        check_merge(*backend, {}, sequences[0], sequences[1]);
        check_merge(*backend, {}, sequences[1], sequences[0]);
      }
    }
  }

  MERGE_TEST_CASE("keys begin at any multiple of 4 bytes") {
    for (Backend* backend : backends_of_form())
      for (VkDeviceSize a = 0; a < 16; a += 4)
        for (VkDeviceSize b = 0; b < 16; b += 4) {
          const MergeOptions options{.a_misalignment = a, .b_misalignment = b, .out_misalignment = (3 * a + b) % 16};
          const auto at = [&]<class T>() {
            const uint64_t tile = merge_of<T>(*backend).tile_keys();
            check_merge(*backend, {}, ordered<T>(tile, a), ordered<T>(tile + 5, b), options);
            check_merge(*backend, {}, ordered<T>(3 + a, 1), ordered<T>(2 + b, 2), options);
          };
          at.operator()<uint32_t>();
          at.operator()<uint64_t>();
        }
  }

  MERGE_TEST_CASE("counts on the device are obeyed, and never exceed their maxima") {
    for (Backend* backend : backends_of_form()) {
      const uint64_t maximum = 2 * merge_of(*backend).tile_keys() + 11;
      const auto a = ordered<uint32_t>(maximum, 3), b = ordered<uint32_t>(maximum + 100, 4);
      for (const DeviceCount& count : edge_counts(maximum)) {
        CAPTURE(count.value);
        const DeviceCount half{maximum / 2, 12 - count.bytes};
        check_merge(*backend, {}, a, b, {.count_a = count});
        check_merge(*backend, {}, a, b, {.count_b = count});
        check_merge(*backend, {}, a, b, {.count_a = count, .count_b = half});
      }
    }
  }

  MERGE_TEST_CASE("keys that are not in order touch no other memory") {
    for (Backend* backend : backends_of_form())
      for (const uint64_t values : {0, 2, 50}) {
        const auto disordered = [&]<class T>() {
          const uint64_t tile = merge_of<T>(*backend).tile_keys();
          const auto a = drawn_keys<T>(4 * tile + 3, 1, values), b = drawn_keys<T>(3 * tile + 9, 2, values);
          const auto order_a = in_merge_order(a, false), order_b = in_merge_order(b, false);
          auto falling = order_a;
          std::ranges::reverse(falling);
          check_merge(*backend, {}, a, b, {.sorted = false});
          check_merge(*backend, {}, order_a, b, {.sorted = false});
          check_merge(*backend, {}, a, order_b, {.sorted = false});
          check_merge(*backend, {}, falling, order_b, {.sorted = false});
          check_merge(*backend, {}, order_b, falling, {.sorted = false});
        };
        disordered.operator()<uint32_t>();
        disordered.operator()<uint64_t>();
      }
  }

  MERGE_TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* sizes : {",merge.workgroup=256,merge.keys=16,merge.keys_indices=16,merge.keys_wide=8,merge.stream_"
                              "keys=7,merge.stream_steps=5",
                              ",merge.workgroup=128,merge.keys=1,merge.keys_indices=1,merge.keys_wide=1,merge.stream_"
                              "keys=1,merge.stream_steps=1"}) {
      const std::string tuning = current_tuning() + sizes;
      const ScopedTuning overrides(tuning);
      CAPTURE(tuning);
      for (Backend* backend : backends_of_form()) {
        const auto same = [&]<class T>() {
          const uint64_t tile = merge_of<T>(*backend).tile_keys();
          for (const uint64_t values : {0, 9})
            check_merge(*backend, {}, ordered<T>(2 * tile + 5, 1, values), ordered<T>(2 * tile + 30, 2, values));
        };
        same.operator()<uint32_t>();
        same.operator()<uint64_t>();
      }
    }
  }

  TEST_CASE("few keys, more and many are merged alike, by counts around both switches too [widths]") {
    // On the first two counts one dispatch, with small tiles and with large ones.
    const ScopedTuning overrides(
        "merge.workgroup=128,merge.keys=4,merge.keys_indices=4,merge.keys_wide=4,merge.few_keys=2,"
        "merge.few_keys_wide=1,merge.few=1000,merge.direct_tiles=4,merge.direct_tiles_wide=4");
    for (Backend* backend : every_backend()) {
      const uint64_t most_direct = 4 * merge_of(*backend).tile_keys();
      REQUIRE(most_direct == 2048);
      for (const uint64_t total : around({1000, most_direct}))
        for (const uint64_t a : std::set{uint64_t{3}, total / 2, total - 900}) {
          const auto of = [&]<class T>(const MergeConfig& config) {
            const bool descending = config.order == SortOrder::descending;
            check_merge(*backend, config, ordered<T>(a, total, total % 2 * 40, descending),
                        ordered<T>(total - a, total + 1, total % 2 * 40, descending), {.out_misalignment = 4});
          };
          of.operator()<uint32_t>({});
          if (backend->is_emulated()) continue;
          if (takes_turn(2)) of.operator()<uint32_t>({.value_bytes = 4});
          if (takes_turn(0)) of.operator()<uint16_t>({.order = SortOrder::descending, .indices = true});
          if (takes_turn(0)) of.operator()<double>({.value_bytes = 8});
        }
      if (backend->is_emulated() || !takes_turn(2)) continue;
      // The form goes by maxima, whatever there is.
      const auto a = ordered<uint32_t>(1500, 5), b = ordered<uint32_t>(1600, 6);
      for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{700}, uint64_t{1500}})
        check_merge(*backend, {.value_bytes = 4}, a, b,
                    {.count_a = DeviceCount{value, 4}, .count_b = DeviceCount{value, 8}});
    }
  }

  TEST_CASE("one dispatch finds its cuts wherever they are in long sequences") {
    const ScopedTuning overrides("merge.few=4294967295,merge.few_keys=4,merge.few_keys_wide=2");
    for (Backend* backend : every_backend()) {
      if (backend->is_emulated()) continue;
      const auto of = [&]<class T>(const MergeConfig& config) {
        for (const uint64_t n : {uint64_t{70}, uint64_t{9000}, uint64_t{60000}}) {
          const uint64_t m = 65000 - n / 2;
          for (const uint64_t values : {0, 1, 7, 3000})
            check_merge(*backend, config, ordered<T>(n, 1, values), ordered<T>(m, 2, values));
          // One before the other, and both within it.
          auto whole = ordered<T>(n + m, 3);
          const std::vector<T> front(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)),
              behind(whole.begin() + static_cast<std::ptrdiff_t>(n), whole.end());
          check_merge(*backend, config, front, behind);
          check_merge(*backend, config, behind, front);
          const auto middle = static_cast<std::ptrdiff_t>(m / 3);
          const std::vector<T> inner(whole.begin() + middle, whole.begin() + middle + static_cast<std::ptrdiff_t>(n));
          whole.erase(whole.begin() + middle, whole.begin() + middle + static_cast<std::ptrdiff_t>(n));
          check_merge(*backend, config, inner, whole);
          check_merge(*backend, config, whole, inner);
        }
      };
      of.operator()<uint32_t>({});
      of.operator()<uint32_t>({.value_bytes = 4});
      of.operator()<int64_t>({.indices = true});
    }
  }

  TEST_CASE("more tiles than a dispatch has workgroups along one axis are merged [huge]") {
    // The smallest tiles there are.
    const ScopedTuning small_tiles(
        "merge.workgroup=128,merge.keys=1,merge.keys_indices=1,merge.keys_wide=1,merge."
        "stream_keys=1,merge.stream_steps=1");
    Backend& backend = first_backend();
    const uint64_t groups = workgroups_along_x(backend);
    if (groups == 0) return;
    const uint64_t keys = (groups + 3) * merge_of(backend).tile_keys();
    check_merge(backend, {}, ordered<uint32_t>(keys / 3, 1), ordered<uint32_t>(keys - keys / 3, 2));
  }

  MERGE_TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : backends_of_form()) {
      const auto a = ordered<uint32_t>(5000, 1, 100), b = ordered<uint32_t>(9000, 2, 100);
      CHECK(check_merge(*backend, {}, a, b, {.dirt = 0xff}) == check_merge(*backend, {}, a, b, {.dirt = 0}));
    }
  }

  MERGE_TEST_CASE("scratch grows with both counts and is never nothing") {
    const Merge& merge = merge_of(first_backend());
    check_scratch_grows_with_both(merge);
  }

  TEST_CASE("a streaming merge cuts fewer tiles") {
    const auto scratch_of = [](const char* tuning) {
      const ScopedTuning overrides(std::string(tuning) + ",merge.workgroup=128,merge.keys=4");
      return merge_of(first_backend()).scratch_size(1 << 24, 1 << 24);
    };
    CHECK(scratch_of(kStreaming) < scratch_of(kCutBefore));
  }

  TEST_CASE("other keys and values, and no output at all, are refused [refusal]") {
    for (const MergeConfig& config :
         {MergeConfig{.key = Type::u32x2}, MergeConfig{.value_bytes = 3}, MergeConfig{.value_bytes = 10},
          MergeConfig{.value_bytes = 260}, MergeConfig{.keys = false}})
      CHECK(Merge::create(first_backend().context(), config).status().error().code == ErrorCode::unsupported);
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<Merge> test;
    test.check({{"count_a", "of 2^32", [](auto& a) { a.count_a = uint64_t{1} << 32; }},
                {"count_b", "2^32 with A", [](auto& a) { a.count_b = (uint64_t{1} << 32) - kCalled; }}});
    const auto nothing = [](auto& a) {
      a.count_a = a.count_b = 0;
      a.keys_a = a.keys_b = a.keys_out = a.values_a = a.values_b = a.values_out = a.indices_out = {};
    };
    test.check_taken(nothing);
    test.check_taken([](auto& a) { a.keys_b = a.keys_a; });
  }
}

TEST_SUITE("refusal") {
  TEST_CASE("Merge takes one dispatch, or two of many keys, which need scratch for their cuts") {
    for (const bool is_streaming : {false, true}) {
      const ScopedTuning overrides(
          "merge.workgroup=128,merge.keys=4,merge.few_keys=2,merge.few=1000,merge.direct_tiles=4,"
          "merge.direct_tiles_wide=4,merge.form=" +
          std::to_string(is_streaming));
      RecordingGpu recording;
      const Result<Merge> merge = Merge::create(recording.context(), {});
      REQUIRE(merge);
      const Buffer input = recording.create(1 << 16), output = recording.create(1 << 16),
                   scratch = recording.create(1 << 12);
      REQUIRE(recording.gpu().fill(input.range(), 0).ok());
      for (const auto& [total, dispatches] : {std::pair{uint64_t{1}, is_streaming ? 2 : 1},
                                              {uint64_t{1000}, is_streaming ? 2 : 1},
                                              {uint64_t{1001}, is_streaming ? 2 : 1},
                                              {uint64_t{2048}, is_streaming ? 2 : 1},
                                              {uint64_t{2049}, 2}}) {
        const uint64_t a = total / 3, b = total - a;
        CAPTURE(total);
        if (dispatches == 1) CHECK(merge->scratch_size(a, b) == 4);
        if (dispatches == 2) CHECK(merge->scratch_size(a, b) > 4);
        std::string recorded;
        const auto ran = recording.gpu().run([&](VkCommandBuffer commands) {
          take_recorded();
          const Status status = merge->record(commands, {.keys_a = input.range(0, 4 * a),
                                                         .keys_b = input.range(0, 4 * b),
                                                         .keys_out = output.range(),
                                                         .scratch = scratch.range(0, merge->scratch_size(a, b)),
                                                         .count_a = a,
                                                         .count_b = b});
          recorded = take_recorded();
          return status;
        });
        if (!ran) FAIL(ran.error().message);
        CHECK(std::ranges::count(recorded, 'd') == dispatches);
        CHECK(!lacks_barrier(recorded));
      }
    }
  }
}

}  // namespace weft::test::merge_tests

// Faults that these tests catch: tests/mutants.
// why: a cut of two sequences is an item too early
// file: shaders/weft/merge_path.glsl
// find: low = a_first ? a + 1u : low;
// with: low = a_first ? a : low;
// run: native --test-suite=merge
//
// why: what lies between a part's pieces is an element of B
// file: shaders/merge/merge_pieces.glsl
// find: if (!is_of_b && left_a <= int(r * kSubgroupSize)) elements[r] = uvec2(~0u);
// with: if (!is_of_b && left_a < int(r * kSubgroupSize)) elements[r] = uvec2(~0u);
// run: native --test-suite=merge
//
// why: a value of B is looked for behind B's
// file: shaders/merge/merge_tiles.comp
// find: const uvec2 source = is_a ? values_a : behind_a;
// with: const uvec2 source = is_a ? values_a : values_b;
// run: native --test-suite=merge
