// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/top_k.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "sort/top_k_calls.hpp"
#include "support/faults.hpp"
#include "support/fuzz_subject.hpp"
#include "support/refusals.hpp"
#include "support/search_run.hpp"
#include "support/sizes.hpp"
#include "support/sort_run.hpp"

namespace weft::test::top_k_tests {
namespace {

/// Positions of the keys that are found, in the order of the output.
template <class T>
std::vector<uint32_t> found_positions(const std::vector<T>& keys, uint64_t count, const TopKConfig& config,
                                      uint32_t k) {
  std::vector<uint32_t> positions = sorted_positions(keys, count, {.order = config.order});
  positions.resize(std::min<uint64_t>(k, count));
  if (positions.empty()) return positions;
  const uint64_t last = ordered_bits(keys[positions.back()]);
  const auto ties =
      std::ranges::find_if(positions, [&](uint32_t position) { return ordered_bits(keys[position]) == last; });
  std::sort(positions.begin(), ties);
  return positions;
}

/// Gives what is wrong, or nothing; `found`: the keys that came out.
template <class T>
std::string wrong_top_k(Gpu& gpu, const TopK& top_k, const TopKConfig& config, const std::vector<T>& keys, uint32_t k,
                        const SortOptions& options, Bytes* found = nullptr) {
  const uint64_t n = keys.size(), room = std::min<uint64_t>(k, n);
  const std::vector<uint32_t> positions = found_positions(keys, obeyed(options.device_count, n), config, k);
  PrimitiveCall call(gpu, options.dirt);
  TopKArgs args{call.input("keys", keys, options.keys_misalignment),
                {},
                call.output("keys_out", room * sizeof(T), options.keys_out_misalignment),
                {},
                call.scratch(top_k.scratch_size(n)),
                call.count(options.device_count, n),
                k};
  call.expect("keys_out", gathered(std::as_bytes(std::span(keys)), sizeof(T), positions), sizeof(T));
  if (config.value_bytes != 0) {
    const Bytes values = numbered_values(n, config.value_bytes);
    if (!config.positions) args.values = call.input("values", values, options.values_misalignment);
    args.values_out = call.output("values_out", room * config.value_bytes, options.values_out_misalignment);
    call.expect("values_out", gathered(values, config.value_bytes, positions), config.value_bytes);
  }
  const std::string wrong = call.wrong(top_k, args);
  if (found != nullptr) *found = call.found("keys_out");
  return wrong;
}

/// Runs it, by both strategies where the config leaves the choice. Gives the keys that came out.
template <class T>
Bytes check_top_k(Backend& backend, TopKConfig config, const std::vector<T>& keys, uint32_t k,
                  const SortOptions& options = {}) {
  config.key = type_of<T>;
  if (config.strategy == Strategy::automatic) {
    if (has_look_back(backend.context())) {
      config.strategy = Strategy::look_back;
      check_top_k(backend, config, keys, k, options);
    }
    config.strategy = Strategy::reduce_then_scan;
  }
  CAPTURE(backend.name());
  CAPTURE(name_of(config.key));
  CAPTURE(name_of(config.strategy));
  CAPTURE((config.order == SortOrder::descending));
  CAPTURE(config.value_bytes);
  CAPTURE(keys.size());
  CAPTURE(k);
  Bytes found;
  CHECK(wrong_top_k(backend.gpu(), create<TopK>(backend, config), config, keys, k, options, &found) == "");
  return found;
}

template <class T = uint32_t>
uint64_t tile_keys(Backend& backend) {
  return create<TopK>(backend, TopKConfig{.key = type_of<T>}).tile_keys();
}

template <class T>
FuzzSubject subject_of(TopKConfig given, const char* tuning = "") {
  given.key = type_of<T>;
  const auto draw_case = [](Backend& backend, const TopKConfig& config, Draws& draw) {
    const uint64_t n = draw.count(create<TopK>(backend, config).tile_keys());
    const auto keys = drawn_sort_keys<T>(draw, n);
    const auto k = static_cast<uint32_t>(draw.one_in(4) ? draw.word() : draw.below(n + 2));
    check_top_k(backend, config, keys, k, drawn_sort_options<T>(draw, n));
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("top_k", [] {
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan, kLookBack = Strategy::look_back;
  return std::vector{
      subject_of<uint32_t>({.strategy = kReduceThenScan}, "top_k.groups=3"),
      subject_of<int64_t>({.value_bytes = 8, .order = SortOrder::ascending, .strategy = kReduceThenScan}),
      subject_of<float>({.value_bytes = 4, .positions = true, .strategy = kLookBack}, "top_k.spin_limit=1"),
      subject_of<double>({.value_bytes = 4, .strategy = kLookBack}, "top_k.copies=4"),
  };
});

}  // namespace

TEST_SUITE("top_k") {
  TEST_CASE("the first k are found at every edge of the count, for every edge of k [widths]") {
    for (Backend* backend : every_backend())
      for (const uint64_t n : edges(*backend, tile_keys(*backend), 4)) {
        const auto keys = drawn_keys<uint32_t>(n, n);
        for (const uint64_t k : {uint64_t{1}, n / 2, n - 1, n, n + 1, uint64_t{~0u}})
          check_top_k<uint32_t>(*backend, {.value_bytes = 4}, keys, static_cast<uint32_t>(k));
      }
  }

  TEST_CASE("the first k are found whatever the keys are, the earliest of equal ones") {
    for (Backend* backend : every_backend()) {
      const uint64_t n = 3 * tile_keys(*backend) + 77;
      for (const auto& keys : hard_sort_keys<uint32_t>(n))
        for (const uint64_t k : {uint64_t{1}, uint64_t{2}, uint64_t{100}, n / 3, n / 2 + 1, n - 1})
          for (const SortOrder order : {SortOrder::ascending, SortOrder::descending})
            check_top_k<uint32_t>(*backend, {.value_bytes = 4, .positions = k % 2 == 0, .order = order}, keys,
                                  static_cast<uint32_t>(k));
    }
  }

  TEST_CASE("keys of every type are found both ways, with values of both sizes [types]") {
    for (Backend* backend : every_backend())
      for_every_key_in_turn(*backend, [&]<class T>(SortOrder order, uint32_t value_bytes) {
        const uint64_t n = tile_keys<T>(*backend) + 19;
        for (const auto& keys : hard_sort_keys<T>(n))
          check_top_k<T>(*backend, {.value_bytes = value_bytes, .order = order}, keys, static_cast<uint32_t>(n / 3));
      });
  }

  TEST_CASE("-0 is before 0, and NaN lies outside of all numbers") {
    for (Backend* backend : every_backend()) {
      const float nan = std::copysign(std::numeric_limits<float>::quiet_NaN(), 1.0f);
      const float infinity = std::numeric_limits<float>::infinity();
      const std::vector<float> keys{0.0f, -nan, 1.0f, nan, -0.0f, -infinity, infinity, -1.0f};
      for (uint32_t k = 1; k <= keys.size(); ++k)
        for (const SortOrder order : {SortOrder::ascending, SortOrder::descending})
          check_top_k<float>(*backend, {.order = order}, keys, k);
    }
  }

  TEST_CASE("candidates are gathered by one pass or another, or by none") {
    // Of 20,000 keys, so many share their highest digits with the k-th.
    for (Backend* backend : every_backend())
      for (const uint32_t shared_bits : {8u, 16u, 24u, 32u})
        for (const uint64_t share : {2, 7, 8, 9, 100}) {
          std::vector<uint32_t> keys = drawn_keys<uint32_t>(20'000, shared_bits + share);
          const uint32_t mask = static_cast<uint32_t>(~uint64_t{0} << (32 - shared_bits));
          for (uint64_t i = 0; i < keys.size(); ++i)
            keys[i] = i % share == 0 ? (keys[i] & ~mask) | (0x87654321 & mask) : keys[i] / 8;
          check_top_k<uint32_t>(*backend, {}, keys, static_cast<uint32_t>(keys.size() / share / 2 + 1));
        }
  }

  TEST_CASE("keys and values begin at any multiple of 4 bytes") {
    for (Backend* backend : every_backend()) {
      if (backend->is_emulated()) continue;
      for (VkDeviceSize keys = 0; keys < 16; keys += 4)
        for (VkDeviceSize out = 0; out < 16; out += 4) {
          const SortOptions options{.keys_misalignment = keys,
                                    .values_misalignment = (keys + out + 4) % 16,
                                    .keys_out_misalignment = out,
                                    .values_out_misalignment = (3 * keys + out) % 16};
          check_top_k<uint32_t>(*backend, {.value_bytes = 8}, drawn_keys<uint32_t>(800, keys), 99, options);
          check_top_k<uint64_t>(*backend, {.value_bytes = 4}, drawn_keys<uint64_t>(800, out), 500, options);
        }
    }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum") {
    for (Backend* backend : every_backend()) {
      const uint64_t maximum = 2 * tile_keys(*backend) + 11;
      const auto keys = drawn_keys<uint32_t>(maximum, 3);
      for (const DeviceCount& count : edge_counts(maximum)) {
        CAPTURE(count.value);
        for (const uint32_t k : {1u, 300u, ~0u})
          check_top_k<uint32_t>(*backend, {.value_bytes = 4}, keys, k, {.device_count = count});
      }
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning : {"top_k.groups=3,top_k.copies=8,top_k.count_workgroup=256",
                               "top_k.workgroup=256,top_k.spin_limit=1,top_k.groups=1"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend()) {
        if (backend->is_emulated()) continue;
        const uint64_t tile = tile_keys(*backend);
        check_top_k<uint32_t>(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(9 * tile + 99, 1), 1000);
        check_top_k<uint32_t>(*backend, {.value_bytes = 4}, drawn_keys<uint32_t>(2 * tile, 1, 5), 1000);
      }
    }
  }

  TEST_CASE("states published with delay, or never, do not change the result [faults]") {
    const ScopedTuning few_polls("top_k.spin_limit=2");
    uint32_t combination = 0;
    for (Backend* backend : every_backend()) {
      if (!has_look_back(backend->context())) continue;
      for (const auto kind : {LookBackFault::Kind::delay, LookBackFault::Kind::omit, LookBackFault::Kind::open})
        for (const uint32_t every : {1u, 2u, 7u}) {
          if (!takes_turn(combination++)) continue;
          CAPTURE(static_cast<int>(kind));
          CAPTURE(every);
          const TopKConfig config{.value_bytes = 4, .strategy = Strategy::look_back};
          const TopK top_k = with_fault<TopK>(*backend, config, {kind, every});
          for (const uint64_t tiles : {2, 21, 70}) {
            const auto keys = drawn_keys<uint32_t>(tiles * top_k.tile_keys() + 5, tiles, 1000);
            CAPTURE(backend->name());
            CAPTURE(tiles);
            CHECK(wrong_top_k(backend->gpu(), top_k, config, keys, static_cast<uint32_t>(keys.size() / 2),
                              {.device_count = DeviceCount{keys.size() - 3, 4}}) == "");
          }
        }
    }
  }

  TEST_CASE("the strategy asked for is the one in use, and automatic is decided by the Context") {
    for (Backend* backend : every_backend()) {
      CHECK(create<TopK>(*backend, TopKConfig{.strategy = Strategy::reduce_then_scan}).strategy() ==
            Strategy::reduce_then_scan);
      CHECK(create<TopK>(*backend, TopKConfig{}).strategy() == backend->context().strategy());
    }
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend()) {
      const auto keys = drawn_keys<uint32_t>(30'000, 1, 100);
      CHECK(check_top_k<uint32_t>(*backend, {.value_bytes = 4}, keys, 700, {.dirt = 0xff}) ==
            check_top_k<uint32_t>(*backend, {.value_bytes = 4}, keys, 700, {.dirt = 0}));
    }
  }

  TEST_CASE("scratch grows with the count and is never nothing") {
    const TopK& top_k = create<TopK>(first_backend(), TopKConfig{});
    CHECK(top_k.scratch_size(0) != 0);
    for (uint64_t n = 1; n != 0; n *= 2) CHECK(top_k.scratch_size(n - 1) <= top_k.scratch_size(n));
  }

  TEST_CASE("other keys and values are refused [refusal]") {
    const auto is_refused = [](const TopKConfig& config) {
      CHECK(TopK::create(first_backend().context(), config).status().error().code == ErrorCode::unsupported);
    };
    for (const Type key : {Type::u8, Type::u16, Type::f16, Type::u32x2}) is_refused({.key = key});
    for (const uint32_t bytes : {1u, 2u, 3u, 5u, 12u, 16u}) is_refused({.value_bytes = bytes});
    for (const uint32_t bytes : {0u, 8u}) is_refused({.value_bytes = bytes, .positions = true});
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<TopK> test;
    test.check({{"count", "of 2^32", [](auto& a) { a.count = uint64_t{1} << 32; }}});
    test.check_taken([](auto& a) {
      a.count = 0;
      a.keys = a.values = a.keys_out = a.values_out = {};
    });
    test.check_taken([](auto& a) {
      a.k = 0;
      a.keys_out = a.values_out = {};
    });
  }
}

}  // namespace weft::test::top_k_tests

// Faults that these tests catch: tests/mutants.
// why: TopK forgets candidates that an earlier pass gathered
// file: shaders/sort/top_k.comp
// find: const uint length = subgroup_uniform(state.gathered != 0u ? state.gathered : count);
// with: const uint length = subgroup_uniform(state.gathered != 0u ? state.gathered - 1u : count);
// run: native --test-suite=top_k
//
// why: TopK takes one tie too many
// file: shaders/sort/top_k.comp
// find: if ((is_first || is_tie) && to < found) {
// with: if ((is_first || is_tie) && to <= found) {
// run: native --test-suite=top_k
