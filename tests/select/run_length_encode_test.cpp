// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/run_length_encode.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "select/run_length_encode_calls.hpp"
#include "support/config_text.hpp"
#include "support/faults.hpp"
#include "support/fuzz_subject.hpp"
#include "support/item_runs.hpp"
#include "support/oracle.hpp"
#include "support/primitive_call.hpp"
#include "support/random.hpp"
#include "support/refusals.hpp"
#include "support/sizes.hpp"

namespace weft::test::run_length_encode_tests {
namespace {

template <class T>
struct Runs {
  std::vector<T> symbols;
  std::vector<uint64_t> lengths, offsets;
};

template <class T>
Runs<T> runs_in(const std::vector<T>& items, bool non_trivial = false) {
  Runs<T> runs;
  for (uint64_t i = 0; i < items.size(); ++i) {
    if (i == 0 || !same_bits(items[i], items[i - 1])) {
      runs.symbols.push_back(items[i]);
      runs.lengths.push_back(0);
      runs.offsets.push_back(i);
    }
    ++runs.lengths.back();
  }
  if (!non_trivial) return runs;
  Runs<T> longer;
  for (size_t r = 0; r < runs.lengths.size(); ++r) {
    if (runs.lengths[r] < 2) continue;
    longer.symbols.push_back(runs.symbols[r]);
    longer.lengths.push_back(runs.lengths[r]);
    longer.offsets.push_back(runs.offsets[r]);
  }
  return longer;
}

struct EncodeOptions {
  VkDeviceSize input_misalignment = 0;
  VkDeviceSize symbols_misalignment = 0, lengths_misalignment = 4, offsets_misalignment = 12;
  std::optional<DeviceCount> device_count{};
  bool wide_count = false;
  uint32_t items_per_workgroup = 64;  ///< of what is dispatched; 0: nothing
  uint8_t dirt = 0xdb;
};

/// The first thing that is not as expected.
template <class T>
std::string check_encoding(Gpu& gpu, const RunLengthEncode& encode, const RunLengthEncodeConfig& config,
                           const std::vector<T>& items, const EncodeOptions& options) {
  const uint64_t n = items.size(), room = config.non_trivial ? n / 2 : n, length_bytes = size_of(config.length);
  const auto end = items.begin() + static_cast<ptrdiff_t>(obeyed(options.device_count, n));
  const Runs<T> runs = runs_in(std::vector<T>(items.begin(), end), config.non_trivial);
  PrimitiveCall call(gpu, options.dirt);
  const RunLengthEncodeArgs args{call.input("input", items, options.input_misalignment),
                                 call.output("symbols", room * sizeof(T), options.symbols_misalignment),
                                 call.output("lengths", room * length_bytes, options.lengths_misalignment),
                                 call.output("offsets", room * length_bytes, options.offsets_misalignment),
                                 call.output("run_count", options.wide_count ? 8 : 4, 4),
                                 call.scratch(encode.scratch_size(n)),
                                 call.count(options.device_count, n),
                                 Value{},
                                 Value{},
                                 call.expect_dispatch(runs.symbols.size(), options.items_per_workgroup),
                                 options.items_per_workgroup};
  call.expect("run_count",
              bytes_of_lengths(std::vector<uint64_t>{runs.symbols.size()}, options.wide_count ? Type::u64 : Type::u32));
  if (config.symbols) call.expect("symbols", runs.symbols);
  if (config.lengths) call.expect("lengths", bytes_of_lengths(runs.lengths, config.length), length_bytes);
  if (config.offsets) call.expect("offsets", bytes_of_lengths(runs.offsets, config.length), length_bytes);
  return call.wrong(encode, args);
}

template <class T>
RunLengthEncodeConfig config_of() {
  RunLengthEncodeConfig config;
  config.symbol = type_of<T>;
  return config;
}

template <class T>
RunLengthEncodeConfig non_trivial_of() {
  RunLengthEncodeConfig config = config_of<T>();
  config.offsets = true;
  config.non_trivial = true;
  return config;
}

template <class T>
void check(const Device& device, const std::vector<T>& items, const RunLengthEncodeConfig& config = config_of<T>(),
           const EncodeOptions& options = {}) {
  CAPTURE(device.name());
  CAPTURE(std::string(name_of(config.symbol)));
  CAPTURE(items.size());
  CHECK(check_encoding(device.gpu(), create<RunLengthEncode>(device, config), config, items, options) == "");
}

/// Runs of up to `longest` items, one more, 15 and three tiles, so that they break anywhere.
template <class T>
void check_breaks(const Device& device, const RunLengthEncodeConfig& config, uint64_t longest) {
  const uint64_t tile = create<RunLengthEncode>(device, config).tile_items();
  for (const uint64_t items : {longest, longest + 1, uint64_t{15}, 3 * tile})
    for (const uint64_t n : {uint64_t{2}, tile - 1, tile + 1, 3 * tile + 5})
      check(device, items_in_runs<T>(n, n + items, items), config,
            {.input_misalignment = items * sizeof(T) % 16, .symbols_misalignment = 3 * sizeof(T) % 16});
}

/// L: of lengths and offsets.
template <class T, class L = uint32_t>
FuzzSubject subject_of(bool offsets, Strategy strategy, const char* tuning = "", bool non_trivial = false) {
  const auto draw_case = [](Backend& backend, const RunLengthEncodeConfig& config, Draws& draw) {
    const RunLengthEncode& encode = create<RunLengthEncode>(backend, config);
    const uint64_t n = draw.count(encode.tile_items());
    const EncodeOptions options{draw.misalignment(sizeof(T)),
                                draw.misalignment(sizeof(T)),
                                draw.misalignment(4),
                                draw.misalignment(4),
                                draw.device_count(n),
                                draw.one_in(3),
                                static_cast<uint32_t>(draw.below(1000)),
                                draw.dirt()};
    CHECK(check_encoding(backend.gpu(), encode, config, draw.items<T>(n), options) == "");
  };
  return {RunLengthEncodeConfig{.symbol = item_type<T>(),
                                .offsets = offsets,
                                .non_trivial = non_trivial,
                                .length = item_type<L>(),
                                .strategy = strategy},
          tuning, draw_case};
}

const FuzzSubjects fuzzed("run_length_encode", [] {
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan, kLookBack = Strategy::look_back;
  return std::vector{
      subject_of<uint32_t>(false, kLookBack, "subgroup.shuffled_sums=1,select.rows_ahead=1"),
      subject_of<uint8_t>(true, kLookBack, "select.rows=1,subgroup.shuffled_sums=1"),
      subject_of<uint16_t, uint64_t>(true, kReduceThenScan, "select.chunk_tiles=2"),
      subject_of<U32x2>(false, kReduceThenScan, "select.groups=3"),
      subject_of<uint32_t>(true, kLookBack, "select.chunk_tiles=2,select.rows_ahead=1", true),
      subject_of<uint8_t>(true, kReduceThenScan, "select.groups=3", true),
      subject_of<uint16_t, uint64_t>(true, kLookBack, "select.rows=1,select.spin_limit=1", true),
      subject_of<U32x2, uint64_t>(false, kLookBack, "select.rows_ahead=1,select.direct_rows=2", true),
  };
});

}  // namespace

TEST_SUITE("run_length_encode") {
  TEST_CASE("PARLE: eight items in five runs, no items, and one") {
    for (const Device& device : every_device()) {
      const std::vector<uint32_t> items = {1, 2, 3, 6, 6, 6, 5, 5};
      const Runs<uint32_t> runs = runs_in(items);
      CHECK(runs.symbols == std::vector<uint32_t>{1, 2, 3, 6, 5});
      CHECK(runs.lengths == std::vector<uint64_t>{1, 1, 1, 3, 2});
      check(device, items);
      check(device, std::vector<uint32_t>{});
      check(device, std::vector<uint32_t>{7});
    }
  }

  TEST_CASE("PARLE: one run of ten million items, and all items distinct [huge] [slow]") {
    for (const Device& device : every_device()) {
      if (device.backend().is_emulated()) continue;
      check(device, std::vector<uint32_t>(10'000'000, 5));
      std::vector<uint32_t> distinct(1'000'003);
      for (uint32_t i = 0; i < distinct.size(); ++i) distinct[i] = i;
      check(device, distinct);
    }
  }

  TEST_CASE("runs of symbols of every size are encoded, wherever they break [forms]") {
    for (const Device& device : every_device()) {
      check_breaks<uint32_t>(device, config_of<uint32_t>(), 1);
      if (device.backend().is_emulated()) continue;
      check_breaks<uint8_t>(device, config_of<uint8_t>(), 1);
      check_breaks<uint16_t>(device, config_of<uint16_t>(), 1);
      check_breaks<uint64_t>(device, config_of<uint64_t>(), 1);
    }
  }

  TEST_CASE("counts at and around every edge are encoded whole [widths]") {
    for (const Device& device : every_device()) {
      const uint64_t tile = create<RunLengthEncode>(device, config_of<uint32_t>()).tile_items();
      for (const uint64_t n : edges(device.backend(), tile, 4)) check(device, items_in_runs<uint32_t>(n, n, 7));
      // Symbols of less than a word are stored another way.
      const RunLengthEncodeConfig bytes = config_of<uint8_t>();
      const uint64_t of_bytes = 2 * create<RunLengthEncode>(device, bytes).tile_items() + 1;
      check(device, items_in_runs<uint8_t>(of_bytes, 1, 7), bytes);
    }
  }

  TEST_CASE("a run that spans tiles is closed by whichever tile the next one begins in [widths]") {
    for (const Device& device : every_device()) {
      const uint64_t tile = create<RunLengthEncode>(device, config_of<uint32_t>()).tile_items();
      for (const uint64_t length : {tile - 1, tile, tile + 1, 2 * tile, 4 * tile + 3}) {
        std::vector<uint32_t> items(6 * tile + 11, 1);
        std::fill_n(items.begin() + 5, length, 2u);
        check(device, items);
        std::fill_n(items.begin(), 5, 2u);
        check(device, items);
      }
    }
  }

  TEST_CASE("each output is written where it is wanted, lengths and offsets in either width [forms]") {
    for (const Device& device : every_device())
      for (const Type length : {Type::u32, Type::u64})
        for (const uint32_t wanted : {1u, 4u, 7u}) {
          if (device.backend().is_emulated() && wanted != 7) continue;
          RunLengthEncodeConfig config = config_of<uint16_t>();
          config.length = length;
          config.symbols = (wanted & 1) != 0;
          config.lengths = (wanted & 2) != 0;
          config.offsets = (wanted & 4) != 0;
          check(device, items_in_runs<uint16_t>(9000, 4, 5), config, {.input_misalignment = 6, .wide_count = true});
        }
  }

  TEST_CASE("counts on the device are taken up to the declared maximum") {
    for (const Device& device : every_device())
      for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{4097}, uint64_t{9000}, uint64_t{1} << 33})
        check(device, items_in_runs<uint32_t>(9000, 1, 6), config_of<uint32_t>(),
              {.input_misalignment = 4, .device_count = DeviceCount{value, 8}});
  }

  TEST_CASE("chunks carry the open run on") {
    for (const char* tuning : {"select.chunk_tiles=1", "select.chunk_tiles=2"}) {
      const ScopedTuning overrides(tuning);
      for (const Device& device : every_device()) {
        RunLengthEncodeConfig config = config_of<uint32_t>();
        config.offsets = true;
        const uint64_t tile = create<RunLengthEncode>(device, config).tile_items();
        for (const uint64_t longest : {uint64_t{3}, 3 * tile, 20 * tile})
          check(device, items_in_runs<uint32_t>(7 * tile + 9, longest, longest), config, {.input_misalignment = 8});
        check(device, std::vector<uint32_t>(7 * tile, 3), config, {.device_count = DeviceCount{3 * tile}});
      }
    }
  }

  TEST_CASE("tiles that publish with delay, or never, and blocks left open change nothing [faults]") {
    using Kind = LookBackFault::Kind;
    uint32_t combination = 0;
    for (const Device& device : every_look_back())
      for (const auto& [kind, every] :
           {std::pair(Kind::delay, 3u), std::pair(Kind::omit, 1u), std::pair(Kind::open, 1u)}) {
        if (!takes_turn(combination++)) continue;
        const RunLengthEncodeConfig config = config_of<uint32_t>();
        const auto encode = with_fault<RunLengthEncode>(device.backend(), config, {kind, every});
        const uint64_t n = (device.backend().is_emulated() ? 9 : 70) * encode.tile_items() + 5;
        CAPTURE(device.name());
        CAPTURE(every);
        CHECK(check_encoding(device.gpu(), encode, config, items_in_runs<uint32_t>(n, 3, n / 20), {}) == "");
      }
  }

  TEST_CASE("results do not depend on what scratch and outputs held, nor on the run, nor on the tuning [tuning]") {
    for (const char* tuning : {"select.rows=4", "select.rows=1,select.groups=3,select.spin_limit=1"}) {
      const ScopedTuning overrides(tuning);
      for (const Device& device : every_device())
        for (const uint8_t dirt : {uint8_t{0}, uint8_t{0xff}, uint8_t{0xff}})
          check(device, items_in_runs<uint32_t>(30001, 3, 4), config_of<uint32_t>(), {.dirt = dirt});
    }
  }

  TEST_CASE("rows that lanes count before a tile waits change nothing [widths]") {
    for (const char* tuning : {"select.rows_ahead=1,select.direct_rows=1", "select.rows_ahead=1"}) {
      const ScopedTuning overrides(tuning);
      for (const Device& device : every_look_back())
        for (const uint64_t longest : {3, 70, 2000}) {
          check(device, items_in_runs<uint32_t>(9001, longest, longest), config_of<uint32_t>());
          check(device, items_in_runs<uint64_t>(9001, longest, longest), non_trivial_of<uint64_t>());
        }
    }
  }

  TEST_CASE(
      "non-trivial runs: the one of eight items in five runs that is longer than one, no items, and one to three") {
    for (const Device& device : every_device()) {
      const std::vector<uint32_t> items = {1, 2, 3, 6, 6, 6, 5, 5};
      const Runs<uint32_t> runs = runs_in(items, true);
      CHECK(runs.symbols == std::vector<uint32_t>{6, 5});
      CHECK(runs.lengths == std::vector<uint64_t>{3, 2});
      CHECK(runs.offsets == std::vector<uint64_t>{3, 6});
      const RunLengthEncodeConfig config = non_trivial_of<uint32_t>();
      for (const VkDeviceSize misalignment : {VkDeviceSize{0}, VkDeviceSize{4}, VkDeviceSize{12}})
        for (const auto& list : {items, {}, {7}, {7, 7}, {7, 8}, {7, 7, 8}, {7, 8, 8}, {7, 7, 7}, {7, 8, 9}})
          check(device, list, config, {.input_misalignment = misalignment});
    }
  }

  TEST_CASE(
      "non-trivial runs: none of items that are all distinct or alternate, and one of ten million equal items [huge]") {
    for (const Device& device : every_device()) {
      if (device.backend().is_emulated()) continue;
      const auto run = [&]<class T>() {
        const uint64_t n = 300'007;
        std::vector<T> distinct(n), alternating(n);
        for (uint64_t i = 0; i < n; ++i) {
          distinct[i] = static_cast<T>(i);
          alternating[i] = static_cast<T>(i % 2);
        }
        REQUIRE(runs_in(distinct, true).lengths.empty());
        check(device, distinct, non_trivial_of<T>());
        check(device, alternating, non_trivial_of<T>());
        // A last pair, and a first one.
        distinct.back() = distinct[n - 2];
        check(device, distinct, non_trivial_of<T>());
        alternating.front() = alternating[1];
        check(device, alternating, non_trivial_of<T>());
      };
      run.operator()<uint32_t>();
      run.operator()<uint8_t>();
      check(device, std::vector<uint32_t>(10'000'000, 5), non_trivial_of<uint32_t>());
      check(device, std::vector<uint8_t>(10'000'000, 5), non_trivial_of<uint8_t>());
    }
  }

  TEST_CASE("non-trivial runs of symbols of every size are found, wherever they break [forms]") {
    for (const Device& device : every_device()) {
      check_breaks<uint32_t>(device, non_trivial_of<uint32_t>(), 2);
      check_breaks<uint8_t>(device, non_trivial_of<uint8_t>(), 2);
      if (device.backend().is_emulated()) continue;
      check_breaks<uint16_t>(device, non_trivial_of<uint16_t>(), 2);
      check_breaks<uint64_t>(device, non_trivial_of<uint64_t>(), 2);
    }
  }

  TEST_CASE("non-trivial runs: a pair at every position around the edges of subgroups and tiles") {
    for (const Device& device : every_device()) {
      const auto run = [&]<class T>(uint64_t misalignment) {
        const uint64_t tile = create<RunLengthEncode>(device, non_trivial_of<T>()).tile_items();
        const uint64_t n = 2 * tile + 7;
        // Pairs and runs of three near every multiple of a lane's vector, so near every edge there is.
        for (uint64_t shift = 0; shift < 4; ++shift) {
          std::vector<T> items(n);
          for (uint64_t i = 0; i < n; ++i) items[i] = static_cast<T>(i % 251);
          for (uint64_t i = 16 + shift; i < n; i += 16) items[i] = items[i - 1];
          for (uint64_t i = 48 + shift; i < n; i += 48) items[i - 2] = items[i - 1];
          check(device, items, non_trivial_of<T>(), {.input_misalignment = misalignment * sizeof(T)});
        }
      };
      run.operator()<uint32_t>(0);
      if (device.backend().is_emulated()) continue;
      run.operator()<uint32_t>(3);
      run.operator()<uint8_t>(0);
      run.operator()<uint8_t>(1);
      run.operator()<uint16_t>(7);
      run.operator()<uint64_t>(1);
    }
  }

  TEST_CASE("non-trivial runs: counts at and around every edge, values and on the device [widths]") {
    for (const Device& device : every_device()) {
      const RunLengthEncodeConfig config = non_trivial_of<uint32_t>();
      const uint64_t tile = create<RunLengthEncode>(device, config).tile_items();
      for (const uint64_t n : edges(device.backend(), tile, 4)) {
        // What the last item ends: a run of its own, or a longer one.
        std::vector<uint32_t> items = items_in_runs<uint32_t>(n, n, 3);
        check(device, items, config);
        if (n < 2) continue;
        items[n - 1] = items[n - 2] + (items[n - 1] == items[n - 2] ? 1 : 0);
        check(device, items, config);
      }
      for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{4097}, uint64_t{1} << 33})
        check(device, items_in_runs<uint32_t>(9000, 1, 2), config,
              {.input_misalignment = 4, .device_count = DeviceCount{value, 8}});
      const RunLengthEncodeConfig bytes = non_trivial_of<uint8_t>();
      const uint64_t of_bytes = 2 * create<RunLengthEncode>(device, bytes).tile_items() + 1;
      check(device, items_in_runs<uint8_t>(of_bytes, 1, 3), bytes);
    }
  }

  TEST_CASE("non-trivial runs: each output where it is wanted, in either width, and a run over tiles [forms]") {
    for (const Device& device : every_device()) {
      const auto run = [&]<class T>(Type length, uint32_t wanted) {
        if (device.backend().is_emulated() && wanted != 7) return;
        RunLengthEncodeConfig config = non_trivial_of<T>();
        config.length = length;
        config.symbols = (wanted & 1) != 0;
        config.lengths = (wanted & 2) != 0;
        config.offsets = (wanted & 4) != 0;
        check(device, items_in_runs<T>(9000, 4, 3), config, {.input_misalignment = 8, .wide_count = true});
        const uint64_t tile = create<RunLengthEncode>(device, config).tile_items();
        std::vector<T> items(4 * tile + 11, T{1});
        for (uint64_t i = 0; i < 5; ++i) items[i] = static_cast<T>(2 + i);
        for (uint64_t i = 3 * tile; i < items.size(); ++i) items[i] = static_cast<T>(2 + i % 3);
        check(device, items, config);
      };
      // Nothing but the count, one output each, and all as wide as they get; narrow symbols are written another way.
      for (const uint32_t wanted : {0u, 1u, 4u}) run.operator()<uint32_t>(Type::u32, wanted);
      run.operator()<uint32_t>(Type::u64, 7);
      run.operator()<uint16_t>(Type::u32, 2);
      run.operator()<uint16_t>(Type::u64, 7);
    }
  }

  TEST_CASE("non-trivial runs: chunks carry the open run on, and write no end before there is one") {
    for (const char* tuning : {"select.chunk_tiles=1", "select.chunk_tiles=2"}) {
      const ScopedTuning overrides(tuning);
      for (const Device& device : every_device()) {
        const auto run = [&]<class T>() {
          const RunLengthEncodeConfig config = non_trivial_of<T>();
          const uint64_t tile = create<RunLengthEncode>(device, config).tile_items();
          for (const uint64_t longest : {uint64_t{2}, 3 * tile, 20 * tile})
            check(device, items_in_runs<T>(7 * tile + 9, longest, longest), config, {.input_misalignment = 8});
          check(device, std::vector<T>(7 * tile, T{3}), config, {.device_count = DeviceCount{3 * tile}});
          // No runs at all, though each chunk ends in an item that may begin one.
          std::vector<T> distinct(5 * tile + 1);
          for (uint64_t i = 0; i < distinct.size(); ++i) distinct[i] = static_cast<T>(i % 255);
          check(device, distinct, config);
        };
        run.operator()<uint32_t>();
        if (!device.backend().is_emulated()) run.operator()<uint8_t>();
      }
    }
  }

  TEST_CASE("non-trivial runs: tiles that publish with delay, or never, and blocks left open change nothing [faults]") {
    using Kind = LookBackFault::Kind;
    uint32_t combination = 0;
    for (const Device& device : every_look_back())
      for (const auto& [kind, every] :
           {std::pair(Kind::delay, 3u), std::pair(Kind::omit, 1u), std::pair(Kind::open, 1u)}) {
        if (!takes_turn(combination++)) continue;
        CAPTURE(device.name());
        CAPTURE(every);
        const auto run = [&, kind = kind, every = every]<class T>() {
          const RunLengthEncodeConfig config = non_trivial_of<T>();
          const auto encode = with_fault<RunLengthEncode>(device.backend(), config, {kind, every});
          const uint64_t n = (device.backend().is_emulated() ? 9 : 40) * encode.tile_items() + 5;
          for (const uint64_t longest : {uint64_t{2}, n / 20})
            CHECK(check_encoding(device.gpu(), encode, config, items_in_runs<T>(n, 3, longest), {}) == "");
        };
        run.operator()<uint32_t>();
        if (!device.backend().is_emulated() && every == 3) run.operator()<uint8_t>();
      }
  }

  TEST_CASE("lengths and offsets are u32 or u64") {
    RunLengthEncodeConfig config = config_of<uint32_t>();
    config.length = Type::u16;
    const Result<RunLengthEncode> encode = RunLengthEncode::create(first_backend().context(), config);
    REQUIRE(!encode);
    CHECK(encode.error().code == ErrorCode::unsupported);
  }

  TEST_CASE("an encoding refuses arguments by name and records nothing [refusal]") {
    check_refusals_of_strategies<RunLengthEncode>({.offsets = true}, [](const auto&) -> RefusalsOf<RunLengthEncode> {
      return {{"count", "of more than 2^31 tiles", [](auto& a) { a.count = uint64_t{1} << 60; }},
              {"items_per_workgroup", "none", [](auto& a) { a.items_per_workgroup = 0; }},
              {"count", "of more groups than there can be", [](auto& a) {
                 a.items_per_workgroup = 1;
                 a.count = uint64_t{1} << 32;
               }}};
    });
  }
}

}  // namespace weft::test::run_length_encode_tests

// Faults that these tests catch: tests/mutants.
// why: of 16 lanes eight take the wrong left neighbour, which 8 lanes do not show
// file: shaders/select/run_length_encode_tile.glsl
// find: subgroup_shuffle(vector_last(words), (subgroup_lane() - 1u) & (kSubgroupSize - 1u));
// with: subgroup_shuffle(vector_last(words), (subgroup_lane() - 1u) & 7u);
// run: native16 --test-suite=run_length_encode --test-case=*[widths]*
//
// why: a run's length is stored before any run has begun
// file: shaders/select/run_length_encode_tile.glsl
// find: const bool ends = head && has_run_before;
// with: const bool ends = head;
// run: native --test-suite=run_length_encode
//
// why: what lanes count of a row counts as before it
// file: shaders/select/run_length_encode_tile.glsl
// find: weft_encode_ahead.y = mix(0u, before, subgroup_lane() != 0u);
// with: weft_encode_ahead.y = last;
// run: native --test-suite=run_length_encode
