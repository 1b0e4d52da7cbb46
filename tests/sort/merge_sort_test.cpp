// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/merge_sort.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <numeric>

#include "sort/merge_sort_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/merge_run.hpp"
#include "support/refusals.hpp"
#include "support/scored_record.hpp"
#include "support/sizes.hpp"
#include "support/sort_run.hpp"
#include "support/text_hashes.hpp"
#include "weft_kernels/sort_by_residue.hpp"
#include "weft_kernels/sort_by_score.hpp"
#include "weft_kernels/sort_never_in_order.hpp"
#include "weft_kernels/transform_tally_ranks.hpp"

namespace weft::test::merge_sort_tests {
namespace {

struct MergeSortOptions {
  VkDeviceSize keys_misalignment = 0, out_misalignment = 0;
  VkDeviceSize values_misalignment = 0;  ///< the output's is another, a multiple of this one's lowest bit
  std::optional<DeviceCount> device_count{};
  bool ordered = true;  ///< whether the order is one; else outputs are only to be some of the inputs
  uint8_t dirt = 0xdb;
};

/// Gives what is wrong, or nothing; `found`: all keys, or, where they are not written, all indices. `key_is_less`: the
/// order of ascending keys.
template <class T, class Less>
std::string wrong_merge_sort_by(const Less& key_is_less, Gpu& gpu, const MergeSort& sort, const MergeSortConfig& config,
                                const std::vector<T>& keys, const MergeSortOptions& options, Bytes* found = nullptr) {
  const uint64_t n = keys.size(), count = obeyed(options.device_count, n);
  const VkDeviceSize off = options.values_misalignment;
  const Bytes values = random_bytes(n * config.value_bytes, 7);
  PrimitiveCall call(gpu, options.dirt);
  MergeSortArgs args{.keys = call.input("keys", keys, options.keys_misalignment),
                     .scratch = call.scratch(sort.scratch_size(n)),
                     .count = call.count(options.device_count, n)};
  // From where each output comes.
  std::vector<uint32_t> origins(count);
  std::iota(origins.begin(), origins.end(), 0u);
  if (options.ordered)
    std::ranges::stable_sort(origins, [&](uint32_t a, uint32_t b) {
      return config.order == SortOrder::descending ? key_is_less(keys[b], keys[a]) : key_is_less(keys[a], keys[b]);
    });
  if (config.keys) {
    args.keys_out = call.output("keys_out", n * sizeof(T), options.out_misalignment);
    call.expect("keys_out", gathered(std::as_bytes(std::span(keys)), sizeof(T), origins), sizeof(T));
  }
  if (config.indices) {
    args.indices_out = call.output("indices_out", n * 4, options.out_misalignment / 4 * 4);
    call.expect("indices_out", origins);
  }
  if (config.value_bytes != 0) {
    args.values = call.input("values", values, off);
    args.values_out = call.output("values_out", values.size(), 5 * off % 16);
    call.expect("values_out", gathered(values, config.value_bytes, origins), config.value_bytes);
  }
  if (!options.ordered) expect_any_items<T>(call, config, count);
  const std::string wrong = wrong_indices(call, config, call.wrong(sort, args), count, count);
  if (found != nullptr) *found = found_outputs(call, config);
  return wrong;
}

template <class T>
std::string wrong_merge_sort(Gpu& gpu, const MergeSort& sort, const MergeSortConfig& config, const std::vector<T>& keys,
                             const MergeSortOptions& options, Bytes* found = nullptr) {
  return wrong_merge_sort_by(merge_less<T>, gpu, sort, config, keys, options, found);
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class T>
Bytes check_merge_sort(Backend& backend, MergeSortConfig config, const std::vector<T>& keys,
                       const MergeSortOptions& options = {}) {
  config.key = item_type<T>();
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  Bytes found;
  CHECK(wrong_merge_sort<T>(backend.gpu(), create<MergeSort>(backend, config), config, keys, options, &found) == "");
  return found;
}

template <class T = uint32_t>
uint64_t block_keys(Backend& backend) {
  return create<MergeSort>(backend, {.key = item_type<T>()}).block_keys();
}

template <class T>
FuzzSubject subject_of(MergeSortConfig given, const char* tuning = "") {
  given.key = item_type<T>();
  const auto draw_case = [](Backend& backend, const MergeSortConfig& config, Draws& draw) {
    const MergeSort& sort = create<MergeSort>(backend, config);
    const uint64_t n = draw.count(draw.one_in(2) ? sort.block_keys() : sort.subgroup_keys());
    std::vector<T> keys = draw.items<T>(n);
    // Some come again.
    for (uint64_t i = 0; i < n; i += 3) keys[i] = keys[draw.below(n)];
    check_merge_sort(backend, config, keys,
                     {.keys_misalignment = draw.misalignment(sizeof(T)),
                      .out_misalignment = draw.misalignment(sizeof(T)),
                      .values_misalignment = config.value_bytes == 0 ? 0 : draw.misalignment(config.value_bytes),
                      .device_count = draw.device_count(n),
                      .dirt = draw.dirt()});
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("merge_sort", [] {
  return std::vector{
      subject_of<uint32_t>({}),
      subject_of<int32_t>({.value_bytes = 4}, "merge_sort.few=4294967295,merge_sort.few_keys=4"),
      subject_of<uint64_t>(
          {.order = SortOrder::descending, .indices = true},
          "merge_sort.few=700,merge_sort.direct_tiles=4294967295,merge_sort.direct_tiles_wide=4294967295"),
      subject_of<float>({.order = SortOrder::descending, .value_bytes = 4}, "merge_sort.merge_keys_wide=8"),
      subject_of<uint16_t>({.keys = false, .value_bytes = 2, .indices = true}, "merge_sort.keys=8"),
  };
});

}  // namespace

TEST_SUITE("merge_sort") {
  TEST_CASE("keys are sorted at every edge of the count [widths]") {
    for (Backend* backend : every_backend()) {
      const MergeSort& sort = create<MergeSort>(*backend);
      const uint64_t block = sort.block_keys(), tile = sort.tile_keys();
      std::set<uint64_t> counts;
      for (const uint64_t n : around({0, sort.subgroup_keys(), 2 * sort.subgroup_keys(), block - sort.subgroup_keys(),
                                      block, tile, 2 * block, 3 * block, 4 * block + tile}))
        counts.insert(n);
      if (!backend->is_emulated())
        for (const uint64_t n : around({5 * block, 8 * block, 11 * tile, 16 * block, 33 * block})) counts.insert(n);
      for (const uint64_t n : counts) check_merge_sort(*backend, {}, drawn_keys<uint32_t>(n, n, n % 2 * n));
    }
  }

  TEST_CASE("keys are sorted whatever they are, and equal ones keep their order [types]") {
    for (Backend* backend : every_backend())
      for (const auto& keys : hard_sort_keys<uint32_t>(3 * block_keys(*backend) + 77)) {
        check_merge_sort(*backend, {}, keys);
        if (backend->is_emulated() || takes_turn(2)) check_merge_sort(*backend, {.value_bytes = 4}, keys);
        if (!backend->is_emulated() && takes_turn(0))
          check_merge_sort(*backend, {.order = SortOrder::descending, .keys = false, .indices = true}, keys);
      }
  }

  TEST_CASE("keys of every type are sorted both ways [types]") {
    uint32_t combination = 0;
    const auto of = [&]<class T>(Backend& backend) {
      for (const bool descending : {false, true}) {
        if (!takes_turn(combination++)) continue;
        const MergeSortConfig config{.order = descending ? SortOrder::descending : SortOrder::ascending};
        check_merge_sort(backend, config, drawn_keys<T>(2 * block_keys<T>(backend) + 19, 1));
        check_merge_sort(backend, config, drawn_keys<T>(block_keys<T>(backend) + 7, 2, 30));
      }
    };
    for (Backend* backend : every_backend()) {
      combination = 0;
      of.operator()<double>(*backend);
      if (backend->is_emulated()) continue;
      of.operator()<uint8_t>(*backend);
      of.operator()<F16>(*backend);
      of.operator()<uint16_t>(*backend);
      of.operator()<int32_t>(*backend);
      of.operator()<float>(*backend);
      of.operator()<uint64_t>(*backend);
      of.operator()<int64_t>(*backend);
    }
  }

  TEST_CASE("-0 is before 0, and NaN lies outside of all numbers [forms]") {
    const auto of = []<class T>(Backend& backend) {
      using Limits = std::numeric_limits<T>;
      const T nan = std::copysign(Limits::quiet_NaN(), T{1});
      const std::vector<T> ordered{-nan, -Limits::infinity(),  -1, -Limits::denorm_min(), -0.0,
                                   0.0,  Limits::denorm_min(), 1,  Limits::infinity(),    nan};
      std::vector<T> keys = ordered;
      std::ranges::reverse(keys);
      std::swap(keys[3], keys[7]);
      const std::vector<std::byte> found = check_merge_sort(backend, {.value_bytes = 8}, keys);
      CHECK(std::ranges::equal(found, std::as_bytes(std::span(ordered))));
    };
    for (Backend* backend : every_backend()) {
      if (backend->is_emulated()) continue;
      of.operator()<float>(*backend);
      of.operator()<double>(*backend);
    }
  }

  TEST_CASE("values and indices go with their keys, wherever both begin [widths]") {
    const auto of = []<class T>(Backend& backend, MergeSortConfig config) {
      config.key = item_type<T>();
      const MergeSort& sort = create<MergeSort>(backend, config);
      const uint64_t block = sort.block_keys(), subgroup = sort.subgroup_keys();
      const VkDeviceSize step = std::min<VkDeviceSize>(sizeof(T), 4);
      const VkDeviceSize value_step = config.value_bytes == 1 || config.value_bytes == 2 ? config.value_bytes : 4;
      VkDeviceSize i = 0;
      // As many dispatches as are odd and even, and none but the first.
      for (const uint64_t n : {uint64_t{1}, subgroup + 3, block - 1, 2 * block - 9, 3 * block + 5}) {
        for (const uint64_t values : {0, 1, 5, 200}) {
          if (backend.is_emulated() && values != 5) continue;
          ++i;
          check_merge_sort(backend, config, drawn_keys<T>(n, i, values),
                           {.keys_misalignment = i * step % 16,
                            .out_misalignment = 3 * i * step % 16,
                            .values_misalignment = i * value_step % 16});
        }
        if (!backend.is_emulated())
          check_merge_sort(backend, config, drawn_keys<T>(n, i, 9),
                           {.out_misalignment = 4, .device_count = DeviceCount{n / 2, 4}});
      }
    };
    for (Backend* backend : every_backend()) {
      of.operator()<uint32_t>(*backend, {.value_bytes = 4});
      if (!backend->is_emulated() || takes_turn(1))
        of.operator()<uint8_t>(*backend, {.order = SortOrder::descending, .value_bytes = 2, .indices = true});
      if (backend->is_emulated()) continue;
      if (takes_turn(0)) of.operator()<uint64_t>(*backend, {.value_bytes = 8});
      if (takes_turn(0)) of.operator()<F16>(*backend, {.keys = false, .value_bytes = 2});
      if (takes_turn(1))
        of.operator()<float>(*backend, {.order = SortOrder::descending, .keys = false, .indices = true});
      if (takes_turn(1)) of.operator()<double>(*backend, {.value_bytes = 1});
      if (takes_turn(2)) of.operator()<uint16_t>(*backend, {.value_bytes = 12, .indices = true});
      if (takes_turn(2)) of.operator()<int32_t>(*backend, {.keys = false, .value_bytes = 16});
    }
  }

  TEST_CASE("items of the caller's own go by the caller's order, and equal ones keep theirs [forms]") {
    const auto of = [](Backend& backend, const MergeSortConfig& config, const auto& drawn, const auto& less,
                       bool ordered = true) {
      using T = decltype(drawn(uint64_t{0}, uint64_t{0}));
      const MergeSort& sort = create<MergeSort>(backend, config);
      const uint64_t block = sort.block_keys(), subgroup = sort.subgroup_keys();
      for (const uint64_t n : {uint64_t{0}, uint64_t{3}, subgroup + 1, block, 2 * block + 9, 5 * block - 2}) {
        CAPTURE(backend.name());
        CAPTURE(config_text(config));
        const uint64_t count = n;  // that CAPTURE can name
        CAPTURE(count);
        std::vector<T> keys;
        for (uint64_t i = 0; i < n; ++i) keys.push_back(drawn(n, i));
        CHECK(wrong_merge_sort_by(less, backend.gpu(), sort, config, keys,
                                  {.keys_misalignment = 4, .out_misalignment = 8, .ordered = ordered}) == "");
      }
    };
    const auto number = [](uint64_t seed, uint64_t i) { return static_cast<uint32_t>(random_word(seed, i)); };
    const auto never = [](uint32_t, uint32_t) { return false; };
    const char* const cut_before = "merge_sort.few=0,merge_sort.direct_tiles=0,merge_sort.direct_tiles_wide=0";
    for (const char* tuning : {cut_before, "merge_sort.few=4294967295"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend()) {
        if (backend->is_emulated() && tuning == cut_before) continue;
        of(*backend, {.own_kernels = own::sort_by_score()}, scored_record, is_ahead_by_score);
        if (backend->is_emulated()) continue;
        of(*backend, {.value_bytes = 2, .indices = true, .own_kernels = own::sort_by_residue()}, number,
           [](uint32_t a, uint32_t b) { return a % 100 < b % 100; });
        of(*backend, {.value_bytes = 8, .indices = true, .own_kernels = own::sort_never_in_order()}, number, never,
           false);
      }
    }
    CHECK(own::sort_by_score().item_bytes() == 12);
    CHECK(MergeSort::create(first_backend().context(), {.own_kernels = own::transform_tally_ranks()})
              .status()
              .error()
              .message ==
          "MergeSort: own_kernels 'transform_tally_ranks' are made for transform_lbs, and not for merge_sort");
  }

  TEST_CASE("few keys, more and many are sorted alike, by counts around both switches too [forms]") {
    const ScopedTuning overrides(
        "merge_sort.workgroup=128,merge_sort.keys=4,merge_sort.keys_wide=2,merge_sort.merge_keys=4,"
        "merge_sort.merge_keys_wide=4,merge_sort.few_keys=2,merge_sort.few_keys_wide=1,"
        "merge_sort.few=3000,merge_sort.direct_tiles=10,merge_sort.direct_tiles_wide=10");
    for (Backend* backend : every_backend()) {
      const uint64_t most_direct = 10 * create<MergeSort>(*backend).tile_keys();
      REQUIRE(most_direct == 5120);
      for (const uint64_t n : around({3000, most_direct})) {
        check_merge_sort(*backend, {}, drawn_keys<uint32_t>(n, n, n % 2 * 50), {.out_misalignment = 4});
        if (backend->is_emulated()) continue;
        check_merge_sort(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(n, n, n % 2 * 50));
        check_merge_sort(*backend, {.order = SortOrder::descending, .keys = false, .indices = true},
                         drawn_keys<uint8_t>(n, n));
        check_merge_sort(*backend, {.value_bytes = 8}, drawn_keys<double>(n, n, n % 2 * 50));
      }
      if (backend->is_emulated()) continue;
      // The form goes by the maximum, whatever there is.
      for (const uint64_t maximum : {uint64_t{2900}, most_direct, most_direct + 700})
        for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{600}, uint64_t{2700}})
          check_merge_sort(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(maximum, 3),
                           {.device_count = DeviceCount{value, 4}});
    }
  }

  TEST_CASE("one dispatch a pass finds its cuts wherever they are in long runs") {
    const ScopedTuning overrides("merge_sort.few=4294967295,merge_sort.few_keys=4,merge_sort.few_keys_wide=4");
    for (Backend* backend : every_backend()) {
      if (backend->is_emulated()) continue;
      for (const auto& keys : hard_sort_keys<uint32_t>(131 * block_keys(*backend) + 77)) {
        check_merge_sort(*backend, {}, keys);
        check_merge_sort(*backend, {.value_bytes = 4}, keys);
      }
    }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum") {
    for (Backend* backend : every_backend()) {
      const uint64_t block = block_keys(*backend), maximum = 4 * block + 11;
      const auto keys = drawn_keys<uint32_t>(maximum, 3);
      for (const DeviceCount& count : edge_counts(maximum, {block, block + 1})) {
        if (backend->is_emulated() && count.bytes == 8) continue;
        CAPTURE(count.value);
        check_merge_sort(*backend, {.value_bytes = 4}, keys, {.device_count = count});
      }
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    // Tiles of half a block and of two, cut before and by themselves.
    for (const char* tuning : {"merge_sort.workgroup=256,merge_sort.keys=8,merge_sort.merge_keys=4,merge_sort.few=0",
                               "merge_sort.keys=2,merge_sort.merge_keys=32,merge_sort.few=0,merge_sort.direct_tiles=99,"
                               "merge_sort.direct_tiles_wide=99",
                               "merge_sort.keys=8,merge_sort.few=4294967295,merge_sort.few_keys=1"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend()) {
        if (backend->is_emulated()) continue;  // builds these for long
        for (const uint64_t values : {0, 9})
          check_merge_sort(*backend, {}, drawn_keys<uint32_t>(5 * block_keys(*backend) + 3, 1, values));
      }
    }
  }

  TEST_CASE("more tiles than a dispatch has workgroups along one axis are sorted [huge]") {
    // The smallest tiles there are.
    const ScopedTuning small_tiles("merge_sort.workgroup=128,merge_sort.keys=1,merge_sort.merge_keys=1");
    Backend& backend = first_backend();
    if (backend.gpu().info().kind == GpuKind::software) {
      MESSAGE("millions of keys, many times: too long for a software device");
      return;
    }
    const uint64_t groups = workgroups_along_x(backend);
    if (groups == 0) return;
    check_merge_sort(backend, {}, drawn_keys<uint32_t>((groups + 3) * block_keys(backend), 1));
  }

  TEST_CASE("words and lines of texts are sorted by their hashes") {
    for (const char* path : kTexts)
      for (const bool lines : {false, true}) {
        const std::vector<uint64_t> hashes = hashes_of_text(path, lines);
        if (hashes.empty()) {
          MESSAGE(path, " is not there");
          continue;
        }
        CAPTURE(path);
        CAPTURE(lines);
        for (Backend* backend : every_backend())
          if (!backend->is_emulated()) check_merge_sort(*backend, {.value_bytes = 4, .indices = true}, hashes);
      }
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend()) {
      const auto keys = drawn_keys<uint32_t>(5000, 1, 100);
      CHECK(check_merge_sort(*backend, {.value_bytes = 4}, keys, {.dirt = 0xff}) ==
            check_merge_sort(*backend, {.value_bytes = 4}, keys, {.dirt = 0}));
    }
  }

  TEST_CASE("scratch grows with the count and is never nothing") {
    for (const MergeSortConfig& config :
         {MergeSortConfig{}, MergeSortConfig{.value_bytes = 4}, MergeSortConfig{.keys = false, .value_bytes = 8}}) {
      const MergeSort& sort = create<MergeSort>(first_backend(), config);
      CHECK(sort.scratch_size(0) != 0);
      for (uint64_t n = 1; n != 0; n *= 2) CHECK(sort.scratch_size(n - 1) <= sort.scratch_size(n));
      const uint64_t block = sort.block_keys();
      for (const uint64_t n : {block, 2 * block, 4 * block}) CHECK(sort.scratch_size(n) <= sort.scratch_size(n + 1));
    }
  }

  TEST_CASE("other keys and values, and no output at all, are refused [refusal]") {
    for (const MergeSortConfig& config :
         {MergeSortConfig{.key = Type::u32x2}, MergeSortConfig{.value_bytes = 3}, MergeSortConfig{.value_bytes = 10},
          MergeSortConfig{.value_bytes = 260}, MergeSortConfig{.keys = false}})
      CHECK(MergeSort::create(first_backend().context(), config).status().error().code == ErrorCode::unsupported);
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<MergeSort> test;
    test.check({{"count", "of 2^32", [](auto& a) { a.count = uint64_t{1} << 32; }}});
    test.check_taken([](auto& a) {
      a.count = 0;
      a.keys = a.values = a.keys_out = a.values_out = a.indices_out = {};
    });
  }
}

TEST_SUITE("refusal") {
  TEST_CASE("a pass of MergeSort takes one dispatch, or two of many keys, which need scratch for their cuts") {
    const ScopedTuning overrides(
        "merge_sort.workgroup=128,merge_sort.keys=4,merge_sort.merge_keys=4,"
        "merge_sort.few_keys=2,merge_sort.few=1000,merge_sort.direct_tiles=4,merge_sort.direct_tiles_wide=4");
    RecordingGpu recording;
    const Result<MergeSort> sort = MergeSort::create(recording.context(), {});
    REQUIRE(sort);
    const Buffer input = recording.create(1 << 16), output = recording.create(1 << 16),
                 scratch = recording.create(1 << 17);
    REQUIRE(recording.gpu().fill(input.range(), 0).ok());
    for (const auto& [n, dispatches] : {std::pair{uint64_t{1}, 1},
                                        {uint64_t{512}, 1},
                                        {uint64_t{513}, 2},
                                        {uint64_t{1000}, 2},
                                        {uint64_t{1001}, 2},
                                        {uint64_t{2048}, 3},
                                        {uint64_t{2049}, 7}}) {
      CAPTURE(n);
      std::string recorded;
      const auto ran = recording.gpu().run([&](VkCommandBuffer commands) {
        take_recorded();
        const Status status = sort->record(commands, {.keys = input.range(0, 4 * n),
                                                      .keys_out = output.range(),
                                                      .scratch = scratch.range(0, sort->scratch_size(n)),
                                                      .count = n});
        recorded = take_recorded();
        return status;
      });
      if (!ran) FAIL(ran.error().message);
      CHECK(std::ranges::count(recorded, 'd') == dispatches);
      CHECK(!lacks_barrier(recorded));
    }
    // Keys once, in whole vectors, and a vector for splits, or one and a word more.
    CHECK(sort->scratch_size(2048) == 16 + 4 * 2048);
    CHECK(sort->scratch_size(2049) == 32 + 4 * 2052);
  }
}

}  // namespace weft::test::merge_sort_tests

// Faults that these tests catch: tests/mutants.
// why: a piece of the second run begins too late
// file: shaders/sort/merge_sort_merge.comp
// find: run_b += begin - tile_a;
// with: run_b += begin;
// run: native --test-suite=merge_sort
//
// why: a lane that has no output writes one
// file: shaders/sort/merge_sort_blocks.comp
// find: const uint count = min(keys - min(diagonal + lane, keys), kSubgroupMergeKeys - lane);
// with: const uint count = min(keys - min(diagonal, keys), kSubgroupMergeKeys - lane);
// run: native --test-suite=merge_sort
//
// why: the lower bits of a key and its position count for more than they are
// file: shaders/merge/merge_element.glsl
// find: return high * float(1u << (kSplitBits + kPositionBits))
// with: return high * float(1u << kPositionBits)
// run: native --test-suite=merge_sort
