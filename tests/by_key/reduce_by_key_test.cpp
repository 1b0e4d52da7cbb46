// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/reduce_by_key.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "by_key/reduce_by_key_calls.hpp"
#include "support/config_text.hpp"
#include "support/faults.hpp"
#include "support/fuzz_subject.hpp"
#include "support/random.hpp"
#include "support/refusals.hpp"
#include "support/run.hpp"
#include "support/segments.hpp"
#include "support/sizes.hpp"

namespace weft::test::reduce_by_key_tests {
namespace {

template <class T, class A = T>
ReduceByKeyConfig config_of(Op op, Type key = Type::u32) {
  return {op, key, item_type<T>(), item_type<A>(), Strategy::automatic};
}

struct ByKeyOptions {
  Runs runs = Runs::mixed;
  VkDeviceSize key_misalignment = 0;  ///< of the addresses, modulo 16
  VkDeviceSize value_misalignment = 0;
  VkDeviceSize keys_out_misalignment = 0;
  VkDeviceSize values_out_misalignment = 0;
  uint32_t count_out_bytes = 4;
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

/// Runs the reduction once. Outputs may be anything.
template <class A, class T>
Reduced<A> reduce_by_key_on(Gpu& gpu, const ReduceByKey& reduce, const std::vector<T>& items, const Bytes& keys,
                            const ByKeyOptions& options = {}) {
  const uint64_t n = items.size();
  PrimitiveCall call(gpu, options.dirt);
  const ReduceByKeyArgs args{call.input("keys", keys, options.key_misalignment),
                             call.input("values", items, options.value_misalignment),
                             call.output("keys_out", keys.size(), options.keys_out_misalignment),
                             call.output("values_out", n * sizeof(A), options.values_out_misalignment),
                             call.output("count_out", options.count_out_bytes, 4),
                             call.scratch(reduce.scratch_size(n)),
                             call.count(options.device_count, n)};
  for (const char* const name : {"keys_out", "values_out", "count_out"}) call.expect_any(name, call.bytes(name));
  CHECK(call.wrong(reduce, args) == "");
  Reduced<A> result{call.found("keys_out"), items_of<A>(call.found("values_out")), 0};
  std::memcpy(&result.count, call.found("count_out").data(), options.count_out_bytes);
  return result;
}

template <class A>
void check_equal(const Reduced<A>& actual, const Reduced<A>& expected) {
  CHECK(actual.count == expected.count);
  CHECK(difference(items_of<uint8_t>(actual.keys), items_of<uint8_t>(expected.keys)) == "");
  CHECK(difference(actual.values, expected.values) == "");
}

template <class T, class A>
void check_reduce(const Device& device, const ReduceByKey& reduce, const ReduceByKeyConfig& config, uint64_t n,
                  const ByKeyOptions& options = {}) {
  CAPTURE(device.name());
  CAPTURE(config_text(config));
  CAPTURE(n);
  CAPTURE(text_of(options.runs));
  const auto items = random_items<T>(n, n + 17 * static_cast<uint64_t>(config.op), config.op);
  const auto heads = heads_of(n, options.runs, n);
  const auto keys = keys_of(heads, size_of(config.key));
  check_equal(reduce_by_key_on<A>(device.gpu(), reduce, items, keys, options),
              reduce_by_key_of<A>(items, heads, keys, size_of(config.key), config.op, obeyed(options.device_count, n),
                                  options.dirt));
}

template <class T, class A = T>
void check_reduce(const Device& device, Op op, uint64_t n, const ByKeyOptions& options = {}, Type key = Type::u32) {
  const ReduceByKeyConfig config = config_of<T, A>(op, key);
  check_reduce<T, A>(device, create<ReduceByKey>(device, config), config, n, options);
}

using Fault = LookBackFault::Kind;

ReduceByKey faulty_reduce(const Device& device, const ReduceByKeyConfig& config, Fault kind, uint32_t every) {
  return with_fault<ReduceByKey>(device.backend(), config, {kind, every});
}

template <class T, class A = T>
FuzzSubject subject_of(Op op, Type key, Strategy strategy, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const ReduceByKeyConfig& config, Draws& draw) {
    const ReduceByKey& reduce = create<ReduceByKey>(backend, config);
    const uint64_t n = draw.count(reduce.tile_items());
    const uint32_t key_bytes = size_of(config.key);
    const auto items = draw.items<T>(n);
    const auto heads = drawn_heads(draw, n);
    const Bytes keys = keys_of(heads, key_bytes, draw.word());
    const ByKeyOptions options{.key_misalignment = draw.misalignment(key_bytes),
                               .value_misalignment = draw.misalignment(sizeof(T)),
                               .keys_out_misalignment = draw.misalignment(key_bytes),
                               .values_out_misalignment = draw.misalignment(sizeof(A)),
                               .count_out_bytes = draw.one_in(3) ? 8u : 4u,
                               .device_count = draw.device_count(n),
                               .dirt = draw.dirt()};
    check_equal(
        reduce_by_key_on<A>(backend.gpu(), reduce, items, keys, options),
        reduce_by_key_of<A>(items, heads, keys, key_bytes, config.op, obeyed(options.device_count, n), options.dirt));
  };
  ReduceByKeyConfig config = config_of<T, A>(op, key);
  config.strategy = strategy;
  return {config, tuning, draw_case};
}

const FuzzSubjects fuzzed("reduce_by_key", [] {
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan, kLookBack = Strategy::look_back;
  return std::vector{
      subject_of<uint32_t>(Op::add, Type::u32, kReduceThenScan, "reduce_by_key.groups=3"),
      subject_of<uint8_t>(Op::max, Type::u16, kLookBack),
      subject_of<uint32_t>(Op::add, Type::u32, kLookBack, "reduce_by_key.rows=8,subgroup.shuffled_sums=1"),
      subject_of<uint16_t, uint32_t>(Op::add, Type::u64, kReduceThenScan,
                                     "reduce_by_key.workgroup=256,reduce_by_key.rows=4"),
      subject_of<float>(Op::add, Type::u8, kLookBack, "reduce_by_key.rows=1,reduce_by_key.spin_limit=1"),
  };
});

}  // namespace

TEST_SUITE("reduce_by_key") {
  TEST_CASE("every operator and every type of values is combined by key [types]") {
    // u32 takes every operator, and every type one, each on one device in turn.
    const std::vector<Device> devices = every_device();
    for_every_value_in_turn([&]<class T, class A>(Op op, uint32_t turn) {
      const Device& device = devices[turn % devices.size()];
      if (!takes_turn(turn) || !device.supports({item_type<T>(), item_type<A>()})) return false;
      const uint64_t tile = create<ReduceByKey>(device, config_of<T, A>(op)).tile_items();
      check_reduce<T, A>(device, op, tile / 2 + 3, {.runs = Runs::mixed});
      check_reduce<T, A>(device, op, 3 * tile + 5, {.runs = Runs::long_});
      check_reduce<T, A>(device, op, 3 * tile + 5, {.runs = Runs::ones});
      return true;
    });
  }

  TEST_CASE("counts at and around every edge are reduced whole [widths]") {
    for (const Device& device : every_device()) {
      uint32_t turn = 0;
      for (const uint64_t n :
           edges(device.backend(), create<ReduceByKey>(device, config_of<uint32_t>(Op::add)).tile_items(), 4))
        for (const Runs runs : {Runs::ones, kAllRuns[1 + turn++ % 5]})
          check_reduce<uint32_t>(device, Op::add, n, {.runs = runs});
    }
  }

  TEST_CASE("runs of every length are given by keys of every width, beside values of every width [widths]") {
    uint32_t combination = 0;
    for (const Device& device : every_device()) {
      const auto every_length = [&]<class T>(Type key) {
        if (!takes_turn(combination++)) return;
        const uint64_t tile = create<ReduceByKey>(device, config_of<T>(Op::add, key)).tile_items();
        uint64_t turn = 0;
        for (const Runs runs : kAllRuns)
          check_reduce<T>(device, Op::add, 9 * tile + 30 + 3 * turn++,
                          {.runs = runs, .count_out_bytes = turn % 2 == 0 ? 8u : 4u}, key);
      };
      every_length.operator()<uint32_t>(Type::u32);
      const bool look_back = device.strategy() == Strategy::look_back;
      if (look_back || (is_slow(device) && !device.backend().is_emulated()))
        every_length.operator()<uint8_t>(Type::u16);
      if (device.backend().is_emulated() || is_slow(device)) continue;
      if (!look_back) every_length.operator()<uint32_t>(Type::u8);
      if (device.supports({Type::u64})) every_length.operator()<uint64_t>(Type::f64);
    }
  }

  TEST_CASE("more runs in a tile than shared memory has room for are written whole [slow]") {
    // A subgroup has room for as many runs as a row has items; for half of them if keys and values are wide.
    const ScopedTuning large_tiles("reduce_by_key.rows=4,reduce_by_key.workgroup=256");
    for (const Strategy strategy : strategies_of(first_backend().context())) {
      const Device device(first_backend(), strategy);
      const ReduceByKeyConfig config = config_of<uint32_t>(Op::add);
      const ReduceByKey& reduce = create<ReduceByKey>(device, config);
      const uint64_t tile = reduce.tile_items();
      for (const Runs runs : {Runs::ones, Runs::twos})
        for (const uint64_t n : {uint64_t{1023}, uint64_t{1024}, uint64_t{1025}, 2 * tile - 1, 3 * tile + 5})
          check_reduce<uint32_t, uint32_t>(device, reduce, config, n, {.runs = runs});
      check_reduce<uint32_t, uint32_t>(device, reduce, config, 2 * tile + 5,
                                       {.runs = Runs::ones, .value_misalignment = 4});
      // Rows whose items are all heads go straight to outputs that begin anywhere.
      for (const uint32_t words : {1u, 2u, 3u})
        for (const VkDeviceSize absent : {0u, 4u})
          check_reduce<uint32_t, uint32_t>(device, reduce, config, 2 * tile + 5,
                                           {.runs = Runs::ones,
                                            .key_misalignment = absent,
                                            .value_misalignment = absent,
                                            .keys_out_misalignment = 4 * words,
                                            .values_out_misalignment = 4 * (4 - words)});
      const ReduceByKeyConfig floats = config_of<float>(Op::max);
      check_reduce<float, float>(device, create<ReduceByKey>(device, floats), floats, 2 * tile + 5,
                                 {.runs = Runs::ones, .values_out_misalignment = 4});
      if (!device.supports({Type::u64})) continue;
      const ReduceByKeyConfig wide = config_of<uint64_t>(Op::add, Type::u64);
      const ReduceByKey& reduce_wide = create<ReduceByKey>(device, wide);
      for (const Runs runs : {Runs::ones, Runs::twos})
        check_reduce<uint64_t, uint64_t>(device, reduce_wide, wide, 2 * reduce_wide.tile_items() + 5, {.runs = runs});
    }
  }

  TEST_CASE("heads of rows that are counted together are all counted [tuning]") {
    for (const char* tuning : {"reduce_by_key.rows=3", "reduce_by_key.rows=8,subgroup.shuffled_sums=1"}) {
      const ScopedTuning rows(tuning);
      for (const Device& device : every_device()) {
        if (is_slow(device) && device.backend().is_emulated()) continue;
        const ReduceByKeyConfig config = config_of<uint32_t>(Op::add);
        const ReduceByKey& reduce = create<ReduceByKey>(device, config);
        for (const Runs runs : {Runs::ones, Runs::mixed})
          check_reduce<uint32_t, uint32_t>(device, reduce, config, 2 * reduce.tile_items() + 5, {.runs = runs});
      }
    }
  }

  TEST_CASE("runs of many tiles a workgroup are reduced whole [slow]") {
    const ScopedTuning few_groups("reduce_by_key.groups=3");
    for (Backend* backend : every_backend()) {
      const Device device(*backend, Strategy::reduce_then_scan);
      if (is_slow(device) && backend->is_emulated()) continue;
      const ReduceByKeyConfig config = config_of<uint32_t>(Op::add);
      const ReduceByKey& reduce = create<ReduceByKey>(device, config);
      const uint64_t tile = reduce.tile_items();
      for (const uint64_t n : around({3 * tile, 4 * tile, 7 * tile, 30 * tile}))
        for (const Runs runs : {Runs::long_, Runs::ones})
          check_reduce<uint32_t, uint32_t>(device, reduce, config, n, {.runs = runs});
    }
  }

  TEST_CASE("a long range is reduced whole [slow]") {
    for (const Device& device : every_device()) {
      const uint64_t n =
          device.backend().is_software() ? (device.backend().is_emulated() ? 1 << 17 : 1 << 20) + 7 : (1 << 26) + 7;
      for (const Runs runs : {Runs::long_, Runs::eights}) check_reduce<uint32_t>(device, Op::add, n, {.runs = runs});
    }
  }

  TEST_CASE("keys, values and outputs begin at any item, independently [widths]") {
    for (const Device& device : every_device()) {
      const auto every_start = [&]<class T>(Type key_type) {
        const uint64_t tile = create<ReduceByKey>(device, config_of<T>(Op::add, key_type)).tile_items();
        const uint32_t key_step = std::min(size_of(key_type), 4u);
        const uint32_t value_step = std::min<uint32_t>(sizeof(T), 4);
        const uint64_t counts[] = {13, 700, tile + 9};
        uint64_t turn = 0;
        for (VkDeviceSize key = 0; key < 16; key += key_step)
          for (VkDeviceSize value = 0; value < 16; value += value_step) {
            ++turn;
            if (device.backend().is_emulated() && turn % 13 != 0) continue;
            check_reduce<T>(device, Op::add, counts[turn % 3],
                            {.runs = turn % 2 == 0 ? Runs::mixed : Runs::twos,
                             .key_misalignment = key,
                             .value_misalignment = value,
                             .keys_out_misalignment = key_step * (turn * 5 % (16 / key_step)),
                             .values_out_misalignment = value_step * (turn * 7 % (16 / value_step))},
                            key_type);
            // All displaced alike: the fast way, with absent items in front.
            if (sizeof(T) == 4 && key_step == 4)
              check_reduce<T>(device, Op::add, 2 * tile + 9, {.key_misalignment = value, .value_misalignment = value},
                              key_type);
          }
      };
      every_start.template operator()<uint32_t>(Type::u32);
      const bool look_back = device.strategy() == Strategy::look_back;
      if (look_back || (is_slow(device) && !device.backend().is_emulated()))
        every_start.template operator()<uint8_t>(Type::u16);
      if (device.backend().is_emulated() || is_slow(device)) continue;
      if (!look_back) every_start.template operator()<uint32_t>(Type::u8);
      if (device.supports({Type::u64})) every_start.template operator()<uint64_t>(Type::f64);
    }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum") {
    for (const Device& device : every_device()) {
      const uint64_t maximum =
          4 * uint64_t{create<ReduceByKey>(device, config_of<uint32_t>(Op::add)).tile_items()} + 11;
      for (const DeviceCount& count : edge_counts(maximum)) {
        CAPTURE(count.value);
        check_reduce<uint32_t>(device, Op::add, maximum, {.count_out_bytes = 12 - count.bytes, .device_count = count});
      }
    }
  }

  TEST_CASE("whatever scratch and outputs held before, the result is the same") {
    for (const Device& device : every_device())
      for (const uint8_t dirt : std::initializer_list<uint8_t>{0x00, 0x01, 0x80, 0xff})
        check_reduce<uint32_t>(device, Op::add, 9000, {.dirt = dirt});
  }

  TEST_CASE("float sums have the same bits on every run and however long earlier tiles delay [faults]") {
    for (const Device& device : every_device()) {
      if (is_slow(device) || (device.backend().is_emulated() && device.strategy() != Strategy::look_back)) continue;
      const ReduceByKeyConfig config = config_of<float>(Op::add);
      const ReduceByKey& reduce = create<ReduceByKey>(device, config);
      const uint64_t n = 21 * uint64_t{reduce.tile_items()} + 77;
      const auto items = rough_floats(n, 3);
      for (const Runs runs : {Runs::long_, Runs::one}) {
        const auto keys = keys_of(heads_of(n, runs), 4);
        const auto first = reduce_by_key_on<float>(device.gpu(), reduce, items, keys);
        CAPTURE(device.name());
        check_equal(reduce_by_key_on<float>(device.gpu(), reduce, items, keys), first);
        if (device.strategy() != Strategy::look_back) continue;
        for (const auto& [fault, every] : {std::pair(Fault::delay, 1u), std::pair(Fault::omit, 3u)}) {
          if (device.backend().is_emulated() && fault == Fault::delay) continue;
          CAPTURE(every);
          CAPTURE(static_cast<int>(fault));
          const ReduceByKey faulty = faulty_reduce(device, config, fault, every);
          check_equal(reduce_by_key_on<float>(device.gpu(), faulty, items, keys), first);
        }
      }
    }
  }

  TEST_CASE("tiles that publish with delay or never do not change the result [faults]") {
    uint32_t combination = 0;
    for (const Device& device : every_look_back())
      for (const Fault fault : {Fault::delay, Fault::omit})
        for (const uint32_t every : {1u, 7u}) {
          if (!takes_turn(combination++)) continue;
          if (device.backend().is_emulated() && (every != 7 || fault == Fault::delay)) continue;
          const ReduceByKeyConfig config = config_of<uint32_t>(Op::add);
          const ReduceByKey reduce = faulty_reduce(device, config, fault, every);
          CAPTURE(every);
          CAPTURE(static_cast<int>(fault));
          for (const uint64_t tiles : {2, 21})
            for (const Runs runs : {Runs::ones, Runs::eights, Runs::long_, Runs::one})
              check_reduce<uint32_t, uint32_t>(device, reduce, config, tiles * reduce.tile_items() + 5, {.runs = runs});
        }
  }

  TEST_CASE("blocks that nobody closes are closed by the second dispatch, however many tiles were deferred [slow]") {
    const ScopedTuning small_tiles("reduce_by_key.workgroup=128,reduce_by_key.rows=1");
    for (const Device& device : every_look_back()) {
      const ReduceByKeyConfig config = config_of<uint32_t>(Op::add);
      const ReduceByKey reduce = faulty_reduce(device, config, Fault::open, 1);
      const uint64_t tiles = device.backend().is_emulated() ? 300 : 20000;
      check_reduce<uint32_t, uint32_t>(device, reduce, config, tiles * reduce.tile_items() + 5, {.runs = Runs::long_});
    }
  }

  TEST_CASE("scratch never shrinks with the count and is never nothing") {
    for (const Device& device : every_device()) {
      const ReduceByKey& reduce = create<ReduceByKey>(device, config_of<uint32_t>(Op::add));
      CHECK(reduce.strategy() == device.strategy());
      check_scratch_grows([&](uint64_t n) { return reduce.scratch_size(n); }, uint64_t{1} << 32);
    }
  }

  TEST_CASE("operators and types that are not for reductions by key are unsupported") {
    const Context& context = first_backend().context();
    for (const ReduceByKeyConfig& config :
         {ReduceByKeyConfig{Op::arg_min, Type::u32, Type::u32, Type::u32, Strategy::automatic},
          ReduceByKeyConfig{Op::affine, Type::u32, Type::u32x2, Type::u32x2, Strategy::automatic},
          ReduceByKeyConfig{Op::bit_or, Type::u32, Type::f32, Type::f32, Strategy::automatic},
          ReduceByKeyConfig{Op::add, Type::u32, Type::f16, Type::f32, Strategy::automatic},
          ReduceByKeyConfig{Op::add, Type::u32, Type::u32, Type::u8, Strategy::automatic}}) {
      CAPTURE(name_of(config.op));
      CAPTURE(name_of(config.item));
      const Result<ReduceByKey> reduce = ReduceByKey::create(context, config);
      REQUIRE(!reduce);
      CHECK(reduce.error().code == ErrorCode::unsupported);
      CHECK(reduce.error().message.find("ReduceByKey") != std::string::npos);
    }
  }

  TEST_CASE("arguments that break a precondition are refused by name, and nothing is recorded [refusal]") {
    check_refusals_of_strategies<ReduceByKey>({}, [](const auto&) -> RefusalsOf<ReduceByKey> {
      return {{"count", "of 2^32", [](auto& a) { a.count = uint64_t{1} << 32; }}};
    });
  }
}

}  // namespace weft::test::reduce_by_key_tests

// Faults that these tests catch: tests/mutants.
// why: every run of a subgroup takes what lies before the subgroup
// file: shaders/by_key/reduce_by_key_tile.glsl
// find: i == 0u ? combine(before.value, value) : value
// with: combine(before.value, value)
// run: native --test-suite=reduce_by_key

// why: what finds no room beside the first runs of a row is lost
// file: shaders/by_key/reduce_by_key_tile.glsl
// find: first = min(end, first + kStageRuns);
// with: first = end;
// run: native --test-suite=reduce_by_key
//
// why: rows of 64 lanes have more heads than a byte counts
// file: shaders/weft/tile_segments.glsl
// find: kSubgroupSize <= 32u ? 8u : 16u;
// with: 8u;
// run: emulated64 --test-suite=reduce_by_key --test-case=*[tuning]*
//
// why: a vector of two heads or more counts too many
// file: shaders/weft/tile_segments.glsl
// find: own -= (own >> 1) & 0x5555u;
// with: own -= (own >> 1) & 0x1111u;
// run: native --test-suite=reduce_by_key
//
// why: a row's first key is compared with the key before the subgroup's first row
// file: shaders/weft/tile_heads.glsl
// find: edge = found;
// with: edge = edge;
// run: native --test-suite=reduce_by_key
//
// why: totals of more than four subgroups are not all added
// file: shaders/weft/segment.glsl
// find: segment_with_earlier(segment_with_earlier(segment_with_earlier(v, 1u), 2u), 4u)
// with: segment_with_earlier(segment_with_earlier(v, 1u), 2u)
// run: native16 --test-suite=reduce_by_key
//
// why: where the items all begin a run, what a row hands on to the next is lost
// file: shaders/by_key/reduce_by_key_tile.glsl
// find: const uvec3 earlier = subgroup_lane() == 0u ? stream.last : rotated;
// with: const uvec3 earlier = rotated;
// run: native --test-suite=reduce_by_key --test-case=*[slow]*
//
// why: and so are the last row's last words
// file: shaders/by_key/reduce_by_key_tile.glsl
// find: if (i + late >= 3u) end.at[i + late - 3u] = stream.last[i];
// with: if (i + late > 3u) end.at[i + late - 3u] = stream.last[i];
// run: native --test-suite=reduce_by_key --test-case=*[slow]*
//
// why: lanes before a subgroup's first head have no run
// file: shaders/weft/subgroup.glsl
// find: (ballot.x & ((2u << lane) - 1u)) | 1u
// with: ballot.x & ((2u << lane) - 1u)
// run: native --test-suite=subgroup
