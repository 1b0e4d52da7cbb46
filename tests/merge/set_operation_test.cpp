// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/set_operation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>

#include "merge/set_operation_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/merge_run.hpp"
#include "support/refusals.hpp"
#include "support/scored_record.hpp"
#include "support/sizes.hpp"
#include "weft_kernels/merge_by_score.hpp"
#include "weft_kernels/set_operation_by_residue.hpp"
#include "weft_kernels/set_operation_by_score.hpp"

namespace weft::test::set_operation_tests {
namespace {

constexpr std::array kSetOperators = {SetOperator::set_union, SetOperator::set_intersection,
                                      SetOperator::set_difference, SetOperator::set_symmetric_difference};

struct SetOptions {
  VkDeviceSize a_misalignment = 0, b_misalignment = 0, out_misalignment = 0;
  VkDeviceSize values_misalignment = 0;  ///< as in MergeOptions
  std::optional<DeviceCount> count_a{}, count_b{};
  std::optional<uint64_t> max_output{};  ///< else outputs have room for all there can be
  uint32_t total_bytes = 4;
  bool sorted = true;  ///< as in MergeOptions
  uint8_t dirt = 0xdb;
};

/// Indices of what the standard library's algorithm takes of the first `count_a` keys of `a`
/// and the first `count_b` of `b`.
template <class T, class Less>
std::vector<uint32_t> set_origins(SetOperator operation, const Less& less, const std::vector<T>& a, uint64_t count_a,
                                  const std::vector<T>& b, uint64_t count_b) {
  std::vector<uint32_t> of_a(count_a), of_b(count_b), taken;
  std::iota(of_a.begin(), of_a.end(), 0u);
  std::iota(of_b.begin(), of_b.end(), static_cast<uint32_t>(count_a));
  const auto key = [&](uint32_t i) -> const T& { return i < count_a ? a[i] : b[i - count_a]; };
  const auto before = [&](uint32_t i, uint32_t j) { return less(key(i), key(j)); };
  const auto out = std::back_inserter(taken);
  switch (operation) {
    case SetOperator::set_union: std::ranges::set_union(of_a, of_b, out, before); break;
    case SetOperator::set_intersection: std::ranges::set_intersection(of_a, of_b, out, before); break;
    case SetOperator::set_difference: std::ranges::set_difference(of_a, of_b, out, before); break;
    case SetOperator::set_symmetric_difference: std::ranges::set_symmetric_difference(of_a, of_b, out, before); break;
  }
  return taken;
}

/// Gives what is wrong, or nothing; `found`: the bytes of all keys, or, where they are not written, of all indices.
/// `key_is_less`: the order of ascending keys.
template <class T, class Less>
std::string wrong_set_operation_by(const Less& key_is_less, Gpu& gpu, const SetOperation& operation,
                                   const SetOperationConfig& config, const std::vector<T>& a, const std::vector<T>& b,
                                   const SetOptions& options, Bytes* found = nullptr) {
  const uint64_t most = config.operation == SetOperator::set_intersection ? std::min(a.size(), b.size())
                        : config.operation == SetOperator::set_difference ? a.size()
                                                                          : a.size() + b.size();
  const uint64_t room = std::min(options.max_output.value_or(most), most);
  PrimitiveCall call(gpu, options.dirt);
  SetOperationArgs args = pair_args<SetOperationArgs>(call, config, a, b, room, options);
  args.total = call.output("total", options.total_bytes, 4);
  args.status = call.output("status", 4, 8);
  args.scratch = call.scratch(operation.scratch_size(a.size(), b.size()));
  if (options.max_output) args.max_output = *options.max_output;
  const auto less = [&](const T& x, const T& y) {
    return config.order == SortOrder::descending ? key_is_less(y, x) : key_is_less(x, y);
  };
  const uint64_t count_a = obeyed(options.count_a, a.size()), count_b = obeyed(options.count_b, b.size());
  std::vector<uint32_t> origins;
  if (options.sorted) {
    origins = set_origins(config.operation, less, a, count_a, b, count_b);
    call.expect("total", bytes_of_lengths(std::vector<uint64_t>{origins.size()},
                                          options.total_bytes == 4 ? Type::u32 : Type::u64));
    call.expect("status", std::vector{origins.size() > room ? 1u : 0u});
    expect_pair(call, config, a, count_a, b, std::span(origins).first(std::min(origins.size(), room)));
  } else {
    // The algorithms look at sequences in order only.
    expect_any_items<T>(call, config, room);
    call.expect_any("total", options.total_bytes);
    call.expect_any("status", 4);
  }
  std::string wrong = call.wrong(operation, args);
  uint64_t total = 0;
  std::memcpy(&total, call.found("total").data(), options.total_bytes);
  const uint64_t written = std::min(total, room);
  if (wrong.empty() && items_of<uint32_t>(call.found("status"))[0] != (total > room ? 1u : 0u))
    wrong = "the status is wrong of a total of " + std::to_string(total);
  const auto has_tail = [&](const char* name, uint64_t item_bytes) {
    if (wrong.empty() && std::ranges::any_of(std::span(call.found(name)).subspan(written * item_bytes),
                                             [&](std::byte byte) { return byte != std::byte{options.dirt}; }))
      wrong = std::string(name) + " was written to after its last item";
  };
  if (config.keys) has_tail("keys_out", sizeof(T));
  if (config.indices) has_tail("indices_out", 4);
  if (config.value_bytes != 0) has_tail("values_out", config.value_bytes);
  if (found != nullptr) *found = found_outputs(call, config);
  return wrong_indices(call, config, wrong, written, count_a + count_b);
}

template <class T>
std::string wrong_set_operation(Gpu& gpu, const SetOperation& operation, const SetOperationConfig& config,
                                const std::vector<T>& a, const std::vector<T>& b, const SetOptions& options,
                                Bytes* found = nullptr) {
  return wrong_set_operation_by(merge_less<T>, gpu, operation, config, a, b, options, found);
}

/// Runs it, and fails the running test where anything is wrong. Gives the outputs' bytes.
template <class T>
Bytes check_set_operation(Backend& backend, SetOperationConfig config, const std::vector<T>& a, const std::vector<T>& b,
                          const SetOptions& options = {}) {
  config.key = item_type<T>();
  CAPTURE(backend.name());
  CAPTURE(config_text(config));
  Bytes found;
  CHECK(wrong_set_operation<T>(backend.gpu(), create<SetOperation>(backend, config), config, a, b, options, &found) ==
        "");
  return found;
}

template <class T>
std::vector<T> ordered(uint64_t count, uint64_t seed, uint64_t values = 0, bool descending = false) {
  return in_merge_order(drawn_keys<T>(count, seed, values), descending);
}

/// Tiles are alike, whatever the operation.
template <class T = uint32_t>
uint64_t tile_of(Backend& backend, SetOperator operation = SetOperator::set_union) {
  return create<SetOperation>(backend, {.operation = operation, .key = item_type<T>()}).tile_keys();
}

/// Hashes of the words of a text, each as often as it is there, in order.
std::vector<uint64_t> word_hashes(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint64_t> hashes;
  for (std::istream_iterator<std::string> word(file), end; word != end; ++word) {
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : *word) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    hashes.push_back(hash);
  }
  return in_merge_order(std::move(hashes), false);
}

template <class T>
FuzzSubject subject_of(SetOperationConfig given, const char* tuning = "") {
  given.key = item_type<T>();
  const auto draw_case = [](Backend& backend, const SetOperationConfig& config, Draws& draw) {
    const uint64_t total = draw.count(create<SetOperation>(backend, config).tile_keys());
    SetOptions options;
    const auto [a, b] = drawn_pair<T>(draw, config, total, 1 + draw.below(3), options);
    if (draw.one_in(3)) options.max_output = draw.below(total + 1);
    options.total_bytes = draw.one_in(2) ? 8 : 4;
    check_set_operation(backend, config, a, b, options);
  };
  return {given, tuning, draw_case};
}

const FuzzSubjects fuzzed("set_operation", [] {
  return std::vector{
      subject_of<uint32_t>({.operation = SetOperator::set_union}),
      subject_of<uint8_t>({.operation = SetOperator::set_intersection, .value_bytes = 4}, "set_operation.groups=3"),
      subject_of<float>({.operation = SetOperator::set_difference, .order = SortOrder::descending},
                        "set_operation.workgroup=256,set_operation.keys=3"),
      subject_of<int64_t>({.operation = SetOperator::set_symmetric_difference, .value_bytes = 1, .indices = true},
                          "set_operation.keys_wide=2"),
  };
});

}  // namespace

TEST_SUITE("set_operation") {
  TEST_CASE("two small sets become what is taught of them") {
    const std::vector<uint32_t> a{1, 2, 2, 2, 5, 7, 7, 9}, b{2, 2, 3, 5, 5, 7};
    const std::vector<uint32_t> expected[] = {
        {1, 2, 2, 2, 3, 5, 5, 7, 7, 9}, {2, 2, 5, 7}, {1, 2, 7, 9}, {1, 2, 3, 5, 7, 9}};
    for (Backend* backend : every_backend())
      for (size_t i = 0; i < 4; ++i) {
        const auto found = check_set_operation(*backend, {.operation = kSetOperators[i]}, a, b);
        const std::vector<uint32_t> keys = items_of<uint32_t>(found);
        REQUIRE(keys.size() >= expected[i].size());
        CHECK(std::equal(expected[i].begin(), expected[i].end(), keys.begin()));
      }
  }

  TEST_CASE("results are right at every edge of both counts [widths]") {
    for (Backend* backend : every_backend()) {
      const SetOperation& operation = create<SetOperation>(*backend);
      const uint64_t tile = operation.tile_keys();
      std::vector<uint64_t> totals =
          around({0, operation.lane_keys(), backend->context().subgroup_size(), tile / 2, tile, 2 * tile});
      for (const uint64_t total : {3 * tile + 1, (backend->is_emulated() ? 4 : 33) * tile}) totals.push_back(total);
      size_t turn = 0;
      for (const uint64_t total : totals) {
        const uint64_t few = std::min<uint64_t>(total, 3);
        for (const uint64_t a : std::set{uint64_t{0}, few, total / 2, total - few, total})
          check_set_operation(*backend, {.operation = kSetOperators[turn++ % 4]}, ordered<uint32_t>(a, total, total),
                              ordered<uint32_t>(total - a, total + 1, total));
      }
    }
  }

  TEST_CASE("runs of equal keys of any lengths, also of many tiles, are paired") {
    for (Backend* backend : every_backend()) {
      const uint64_t tile = tile_of(*backend), most = backend->is_emulated() ? tile + 3 : 3 * tile + 5;
      size_t turn = 0;
      for (const uint64_t m : {uint64_t{0}, uint64_t{1}, tile / 2, tile, most})
        for (const uint64_t n : {uint64_t{0}, uint64_t{2}, tile / 2 + 1, most - 1})
          for (const uint64_t in_front : {0, 1, 5}) {
            std::vector<uint32_t> a, b;
            for (uint32_t i = 0; i < in_front; ++i) (i % 3 == 0 ? b : a).push_back(i);
            a.insert(a.end(), m, 70);
            b.insert(b.end(), n, 70);
            a.insert(a.end(), n / 2, 80);
            b.insert(b.end(), m / 2, 80);
            check_set_operation(*backend, {.operation = kSetOperators[turn++ % 4]}, a, b);
          }
    }
  }

  TEST_CASE("equal sets, wherever cuts would divide their pairs") {
    for (Backend* backend : every_backend()) {
      const uint64_t tile = tile_of(*backend);
      for (const SetOperator operation : kSetOperators)
        for (const uint64_t in_front : {0, 1})
          for (const uint64_t copies : {1, 3}) {
            std::vector<uint32_t> a(in_front, 0), b;
            for (uint32_t i = 0; i < 2 * tile + 3; ++i) b.push_back(1 + i / static_cast<uint32_t>(copies));
            a.insert(a.end(), b.begin(), b.end());
            check_set_operation(*backend, {.operation = operation}, a, b);
          }
    }
  }

  TEST_CASE("keys of every type are taken in both orders, whatever the keys are [types]") {
    for (Backend* backend : every_backend()) {
      uint32_t combination = 0;
      for_every_key([&]<class T>() {
        for (const bool descending : {false, true}) {
          const uint32_t index = combination++;
          if (backend->is_emulated() ? index != 2 && index != 9 : !takes_turn(index)) continue;
          const SetOperationConfig config{.operation = kSetOperators[index % 4],
                                          .key = item_type<T>(),
                                          .order = descending ? SortOrder::descending : SortOrder::ascending};
          const uint64_t tile = create<SetOperation>(*backend, config).tile_keys();
          for (const auto& [a, b] : hard_sequences<T>(tile + 19, tile / 2 - 7, descending))
            check_set_operation(*backend, config, a, b);
        }
      });
    }
  }

  TEST_CASE("-0 is not 0, and NaN is equal to the same NaN") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float nan = std::copysign(std::numeric_limits<float>::quiet_NaN(), 1.0f);
    for (Backend* backend : every_backend())
      for (const SetOperator operation : {SetOperator::set_union, SetOperator::set_difference}) {
        check_set_operation<float>(*backend, {.operation = operation},
                                   {-nan, -1, -0.0f, -0.0f, 0.0f, kInfinity, nan, nan},
                                   {-kInfinity, -0.0f, 0.0f, 0.0f, 1, nan});
        check_set_operation<float>(*backend, {.operation = operation}, {0.0f}, {-0.0f});
        check_set_operation<float>(*backend, {.operation = operation}, {-nan}, {nan});
      }
  }

  TEST_CASE("keys of less than a word are taken, wherever they begin [types]") {
    const auto of = []<class T>(Backend& backend, SetOperator operation, bool descending) {
      const SetOperationConfig config{.operation = operation,
                                      .key = item_type<T>(),
                                      .order = descending ? SortOrder::descending : SortOrder::ascending};
      const uint64_t tile = create<SetOperation>(backend, config).tile_keys();
      for (const auto& [n, m] : {std::pair{tile / 2, tile / 2 + 3}, {tile + 5, tile / 3}, {uint64_t{3}, uint64_t{2}}})
        for (VkDeviceSize off = 0; off < 4; off += sizeof(T)) {
          const auto a = ordered<T>(n, off, 0, descending), b = ordered<T>(m, off + 9, 0, descending);
          check_set_operation(backend, config, a, b,
                              {.a_misalignment = 5 * off % 16, .b_misalignment = 4 + 3 * off, .out_misalignment = off});
          check_set_operation(backend, config, a, b, {.out_misalignment = off, .max_output = n / 3});
          check_set_operation(backend, config, drawn_keys<T>(n, 1), b, {.out_misalignment = off, .sorted = false});
        }
    };
    for (Backend* backend : every_backend()) {
      of.operator()<uint8_t>(*backend, SetOperator::set_symmetric_difference, false);
      if (!backend->is_emulated() && takes_turn(0)) of.operator()<F16>(*backend, SetOperator::set_union, true);
    }
  }

  TEST_CASE("values and indices go with their keys, and show which copies are taken [widths]") {
    const auto of = []<class T>(Backend& backend, SetOperationConfig config) {
      config.key = item_type<T>();
      const uint64_t tile = create<SetOperation>(backend, config).tile_keys();
      VkDeviceSize step = 4;
      if (config.value_bytes == 1 || config.value_bytes == 2) step = config.value_bytes;
      VkDeviceSize off = 0;
      for (const auto& [n, m] : {std::pair{uint64_t{1}, uint64_t{0}},
                                 {uint64_t{2}, uint64_t{5}},
                                 {tile / 2, tile / 2 + 1},
                                 {tile + 9, tile / 3},
                                 {uint64_t{7}, 2 * tile + 1}})
        for (const uint64_t values : {0, 5, 200}) {
          const bool descending = config.order == SortOrder::descending;
          const auto a = ordered<T>(n, off, values, descending), b = ordered<T>(m, off + 1, values, descending);
          check_set_operation(backend, config, a, b, {.values_misalignment = off});
          check_set_operation(
              backend, config, a, b,
              {.out_misalignment = 4, .values_misalignment = off, .count_a = DeviceCount{n / 2, 4}, .max_output = n});
          off = (off + step) % 16;
        }
      // Whatever order there is, each index is some key's.
      check_set_operation(backend, config, drawn_keys<T>(tile / 2 + 3, 1), drawn_keys<T>(tile - 9, 2),
                          {.sorted = false});
    };
    using enum SetOperator;
    for (Backend* backend : every_backend()) {
      uint32_t combination = 0;
      const auto shared = [&]<class T>(const SetOperationConfig& config) {
        const uint32_t index = combination++;
        if (backend->is_emulated() ? index == 0 : takes_turn(index)) of.operator()<T>(*backend, config);
      };
      shared.operator()<uint32_t>({.operation = set_symmetric_difference, .value_bytes = 4, .indices = true});
      shared.operator()<uint8_t>({.operation = set_union, .order = SortOrder::descending, .value_bytes = 2});
      shared.operator()<float>({.operation = set_difference, .keys = false, .indices = true});
      shared.operator()<uint64_t>({.operation = set_intersection, .value_bytes = 8, .indices = true});
      shared.operator()<uint16_t>({.operation = set_union, .value_bytes = 1});
      shared.operator()<int32_t>({.operation = set_symmetric_difference, .keys = false, .value_bytes = 12});
    }
  }

  TEST_CASE("keys of the caller's own go by the caller's order; those of which neither is less are equal [widths]") {
    const auto of = [](Backend& backend, const SetOperationConfig& config, const auto& drawn, const auto& less) {
      const SetOperation& operation = create<SetOperation>(backend, config);
      CAPTURE(backend.name());
      CAPTURE(config_text(config));
      check_pairs_by(less, drawn, operation.tile_keys(), {}, [&](const auto& a, const auto& b, bool sorted) {
        return wrong_set_operation_by(less, backend.gpu(), operation, config, a, b,
                                      {.a_misalignment = 4, .out_misalignment = 8, .sorted = sorted});
      });
    };
    for (Backend* backend : every_backend()) {
      if (takes_turn(0))
        of(*backend, {.operation = SetOperator::set_symmetric_difference, .own_kernels = own::set_operation_by_score()},
           scored_record, is_ahead_by_score);
      if (backend->is_emulated() || !takes_turn(1)) continue;
      of(
          *backend,
          {.operation = SetOperator::set_intersection,
           .value_bytes = 2,
           .indices = true,
           .own_kernels = own::set_operation_by_residue()},
          [](uint64_t seed, uint64_t i) { return static_cast<uint32_t>(random_word(seed, i)); },
          [](uint32_t a, uint32_t b) { return a % 100 < b % 100; });
    }
    CHECK(own::set_operation_by_score().item_bytes() == 12);
    CHECK(SetOperation::create(first_backend().context(), {.own_kernels = own::merge_by_score()})
              .status()
              .error()
              .message == "SetOperation: own_kernels 'merge_by_score' are made for merge, and not for set_operation");
  }

  TEST_CASE("what has no room is not written, and reported [bounds]") {
    for (Backend* backend : every_backend())
      for (const SetOperator operation : {SetOperator::set_union, SetOperator::set_intersection}) {
        const uint64_t tile = tile_of(*backend, operation);
        const auto a = ordered<uint32_t>(2 * tile, 1, 3 * tile), b = ordered<uint32_t>(tile + 9, 2, 3 * tile);
        const uint64_t total = set_origins(operation, std::less<>(), a, a.size(), b, b.size()).size();
        REQUIRE(total > 20);
        for (const uint64_t room :
             {uint64_t{0}, uint64_t{1}, total / 2, total - 1, total, total + 1, uint64_t{1} << 32})
          for (const uint32_t bytes : {4u, 8u}) {
            CAPTURE(room);
            check_set_operation(*backend, {.operation = operation}, a, b, {.max_output = room, .total_bytes = bytes});
          }
      }
  }

  TEST_CASE("counts on the device are obeyed, and never exceed their maxima") {
    for (Backend* backend : every_backend()) {
      const uint64_t maximum = 2 * tile_of(*backend) + 11;
      const auto a = ordered<uint32_t>(maximum, 3, 500), b = ordered<uint32_t>(maximum + 100, 4, 500);
      size_t turn = 0;
      for (const DeviceCount& count : edge_counts(maximum)) {
        CAPTURE(count.value);
        const DeviceCount half{maximum / 2, 12 - count.bytes}, none{0, count.bytes};
        const SetOperationConfig config{.operation = kSetOperators[turn++ % 4]};
        check_set_operation(*backend, config, a, b, {.count_a = count, .total_bytes = count.bytes});
        check_set_operation(*backend, config, a, b, {.count_b = count});
        check_set_operation(*backend, config, a, b, {.count_a = count, .count_b = half});
        check_set_operation(*backend, config, a, b, {.count_a = none, .count_b = count});
      }
    }
  }

  TEST_CASE("keys that are not in order touch no other memory") {
    for (Backend* backend : every_backend())
      for (const uint64_t values : {0, 2, 50}) {
        const auto disordered = [&]<class T>(SetOperator operation) {
          const uint64_t tile = tile_of<T>(*backend, operation);
          const auto a = drawn_keys<T>(3 * tile + 3, 1, values), b = drawn_keys<T>(2 * tile + 9, 2, values);
          const auto order_a = in_merge_order(a, false), order_b = in_merge_order(b, false);
          auto falling = order_a;
          std::ranges::reverse(falling);
          const SetOperationConfig config{.operation = operation};
          check_set_operation(*backend, config, a, b, {.sorted = false});
          check_set_operation(*backend, config, order_a, b, {.sorted = false});
          check_set_operation(*backend, config, falling, order_b, {.sorted = false});
          check_set_operation(*backend, config, order_b, falling, {.max_output = tile, .sorted = false});
          check_set_operation(*backend, config, falling, falling, {.sorted = false});
        };
        disordered.operator()<uint32_t>(SetOperator::set_union);
        disordered.operator()<uint64_t>(SetOperator::set_symmetric_difference);
      }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning :
         {"set_operation.workgroup=256,set_operation.keys=12,set_operation.keys_wide=6,set_operation.groups=2",
          "set_operation.workgroup=128,set_operation.keys=1,set_operation.keys_wide=1"}) {
      const ScopedTuning overrides(tuning);
      for (Backend* backend : every_backend()) {
        const auto same = [&]<class T>(SetOperator operation) {
          const uint64_t tile = tile_of<T>(*backend, operation);
          for (const uint64_t values : {0, 9})
            check_set_operation(*backend, {.operation = operation}, ordered<T>(3 * tile + 5, 1, values),
                                ordered<T>(3 * tile + 30, 2, values));
        };
        if (std::string_view(tuning).find("keys=1,") != std::string_view::npos)
          same.operator()<uint64_t>(SetOperator::set_difference);
        else if (!backend->is_emulated())
          same.operator()<uint32_t>(SetOperator::set_union);
      }
    }
  }

  TEST_CASE("equal calls give equal bits, whatever lay in output and scratch") {
    for (Backend* backend : every_backend()) {
      const auto a = ordered<uint32_t>(3000, 1, 100), b = ordered<uint32_t>(5000, 2, 100);
      const auto kept = [](std::vector<std::byte> bytes) {
        bytes.resize(4 * 5000);  // so much the union has at least
        return bytes;
      };
      CHECK(kept(check_set_operation(*backend, {}, a, b, {.dirt = 0xff})) ==
            kept(check_set_operation(*backend, {}, a, b, {.dirt = 0})));
    }
  }

  TEST_CASE("the words of two licences: all, those of both, of one, and of one only") {
    const auto a = word_hashes("/usr/share/common-licenses/GPL-2"),
               b = word_hashes("/usr/share/common-licenses/LGPL-2.1");
    if (a.empty() || b.empty()) {
      const char* ci = std::getenv("CI");
      if (ci != nullptr && std::string_view(ci) == "true") FAIL("there are no licences (Debian: base-files)");
      MESSAGE("no licences (Debian: base-files): words are left out");
      return;
    }
    REQUIRE(a.size() > 2000);
    REQUIRE(b.size() > 3000);
    for (Backend* backend : every_backend())
      for (const SetOperator operation : kSetOperators) {
        if (backend->is_emulated() && operation != SetOperator::set_intersection) continue;
        check_set_operation(*backend, {.operation = operation, .value_bytes = 8, .indices = true}, a, b);
        check_set_operation(*backend, {.operation = operation, .value_bytes = 8, .indices = true}, b, a);
      }
  }

  TEST_CASE("scratch grows with both counts and is never nothing") {
    const SetOperation& operation = create<SetOperation>(first_backend());
    check_scratch_grows_with_both(operation);
  }

  TEST_CASE("other keys and values, and no output at all, are refused [refusal]") {
    for (const SetOperationConfig& config :
         {SetOperationConfig{.key = Type::u32x2}, SetOperationConfig{.value_bytes = 3},
          SetOperationConfig{.value_bytes = 10}, SetOperationConfig{.value_bytes = 260},
          SetOperationConfig{.keys = false}, SetOperationConfig{.operation = static_cast<SetOperator>(4)}})
      CHECK(SetOperation::create(first_backend().context(), config).status().error().code == ErrorCode::unsupported);
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<SetOperation> test;
    test.check({{"count_a", "of 2^32", [](auto& a) { a.count_a = uint64_t{1} << 32; }},
                {"count_b", "2^32 with A", [](auto& a) { a.count_b = (uint64_t{1} << 32) - kCalled; }},
                {"keys_out", "too small for max_output", [](auto& a) { a.max_output = 100, a.keys_out.size = 399; }}});
    const auto nothing = [](auto& a) {
      a.count_a = a.count_b = 0;
      a.keys_a = a.keys_b = a.keys_out = a.values_a = a.values_b = a.values_out = a.indices_out = {};
    };
    test.check_taken(nothing);
    test.check_taken([](auto& a) { a.keys_b = a.keys_a; });
    SetOperationArgs args = test.sound;
    nothing(args);
    args.total.buffer = VK_NULL_HANDLE;
    CHECK(test.recording.record(test.primitive, args));

    // No value of B's is ever in an intersection.
    const Result<SetOperation> intersection =
        SetOperation::create(test.recording.context(), {.operation = SetOperator::set_intersection, .value_bytes = 2});
    REQUIRE(intersection);
    args = test.sound;
    args.values_b = {};
    args.keys_out.size = 4 * kCalled;
    CHECK(!test.recording.record(*intersection, args));
  }
}

}  // namespace weft::test::set_operation_tests

// Faults that these tests catch: tests/mutants.
// why: of the second sequence indices are counted from its own begin
// file: shaders/merge/set_operation_write.comp
// find: indices_out.at[i] = of_a ? tile.first_a + position : total_a + tile.first_b + (position - tile.count_a);
// with: indices_out.at[i] = of_a ? tile.first_a + position : tile.first_b + (position - tile.count_a);
// run: native --test-suite=set_operation
