// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan_by_key.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "by_key/scan_by_key_calls.hpp"
#include "support/config_text.hpp"
#include "support/faults.hpp"
#include "support/fuzz_subject.hpp"
#include "support/random.hpp"
#include "support/refusals.hpp"
#include "support/run.hpp"
#include "support/segments.hpp"
#include "support/sizes.hpp"

namespace weft::test::scan_by_key_tests {
namespace {

constexpr ScanKind kBothKinds[] = {ScanKind::exclusive, ScanKind::inclusive};

/// Every form of keys and flags.
struct Marks {
  SegmentsBy segments = SegmentsBy::keys;
  Type key = Type::u32;
};
constexpr Marks kAllMarks[] = {{SegmentsBy::keys, Type::u8},       {SegmentsBy::keys, Type::u16},
                               {SegmentsBy::keys, Type::f32},      {SegmentsBy::keys, Type::u64},
                               {SegmentsBy::head_bits, Type::u32}, {SegmentsBy::head_bytes, Type::u32},
                               {SegmentsBy::head_words, Type::u32}};

constexpr Marks kNarrow{SegmentsBy::keys, Type::u16};  // beside values of 1 byte
constexpr Marks kWide{SegmentsBy::keys, Type::u64};    // beside values of 8

/// Whether the device, one of each backend's two, takes the marks beside u32 values: u32 keys always, the others with
/// one strategy each, on the emulated backend two of them. Pipelines are what takes the time.
bool has_marks(const Device& device, const Marks& marks) {
  const auto index = static_cast<size_t>(&marks - kAllMarks);
  const bool look_back = device.strategy() == Strategy::look_back;
  if (is_slow(device))
    return !device.backend().is_emulated() && (index == 0 || marks.segments == SegmentsBy::head_bits);
  if (marks.segments == SegmentsBy::keys && size_of(marks.key) == 4) return true;
  if (device.backend().is_emulated() && index != 0 && marks.segments != SegmentsBy::head_bits) return false;
  return (index % 2 == 0) == look_back;
}

template <class T, class A = T>
ScanByKeyConfig config_of(ScanKind kind, Op op, const Marks& marks = {}) {
  return {kind, op, marks.segments, marks.key, item_type<T>(), item_type<A>(), Strategy::automatic};
}

struct ByKeyOptions {
  Runs runs = Runs::mixed;
  VkDeviceSize key_misalignment = 0;  ///< of the addresses, modulo 16
  VkDeviceSize value_misalignment = 0;
  VkDeviceSize output_misalignment = 0;  ///< in place, the values' holds
  bool in_place = false;
  std::optional<DeviceCount> device_count{};
  uint8_t dirt = 0xdb;
};

/// Runs the scan once, in guarded buffers and on dirty scratch.
template <class A, class T>
std::vector<A> scan_by_key_on(Gpu& gpu, const ScanByKey& scan, const ScanByKeyConfig& config,
                              const std::vector<T>& items, const std::vector<bool>& heads,
                              const ByKeyOptions& options = {}, std::optional<Value> initial = {}) {
  const uint64_t n = items.size();
  PrimitiveCall call(gpu, options.dirt);
  ScanByKeyArgs args{
      call.input("keys", marks_of(heads, config.segments, size_of(config.key)), options.key_misalignment),
      call.input("values", items, options.value_misalignment),
      {},
      call.scratch(scan.scratch_size(n)),
      call.count(options.device_count, n),
      initial};
  const char* const output = options.in_place ? "values" : "output";
  if (!options.in_place) call.output(output, n * sizeof(A), options.output_misalignment);
  args.output = call.expect_any(output, n * sizeof(A));
  CHECK(call.wrong(scan, args) == "");
  return items_of<A>(call.found(output));
}

template <class T, class A>
void check_scan(const Device& device, const ScanByKey& scan, const ScanByKeyConfig& config, uint64_t n,
                const ByKeyOptions& options = {}, std::optional<A> initial = {}) {
  CAPTURE(device.name());
  CAPTURE(config_text(config));
  CAPTURE(n);
  CAPTURE(text_of(options.runs));
  const auto items = random_items<T>(n, n + 17 * static_cast<uint64_t>(config.op), config.op);
  const auto heads = heads_of(n, options.runs, n);
  const std::optional<Value> value = initial ? std::optional(Value::of(*initial)) : std::nullopt;
  const auto actual = scan_by_key_on<A>(device.gpu(), scan, config, items, heads, options, value);
  CHECK(difference(actual, scan_by_key_of<A>(items, heads, config.kind, config.op, initial)) == "");
}

template <class T, class A = T>
void check_scan(const Device& device, ScanKind kind, Op op, uint64_t n, const ByKeyOptions& options = {},
                const Marks& marks = {}, std::optional<A> initial = {}) {
  const ScanByKeyConfig config = config_of<T, A>(kind, op, marks);
  check_scan<T, A>(device, create<ScanByKey>(device, config), config, n, options, initial);
}

using Fault = LookBackFault::Kind;

ScanByKey faulty_scan(const Device& device, const ScanByKeyConfig& config, Fault kind, uint32_t every) {
  return with_fault<ScanByKey>(device.backend(), config, {kind, every});
}

/// `key` is of keys alone.
template <class T, class A = T>
FuzzSubject subject_of(ScanKind kind, Op op, const Marks& marks, Strategy strategy, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const ScanByKeyConfig& config, Draws& draw) {
    const ScanByKey& scan = create<ScanByKey>(backend, config);
    const uint64_t n = draw.count(scan.tile_items());
    const auto items = draw.items<T>(n);
    const auto heads = drawn_heads(draw, n);
    const auto initial = drawn_initial<A>(draw, config.op);
    const uint64_t mark_bytes = config.segments == SegmentsBy::keys         ? size_of(config.key)
                                : config.segments == SegmentsBy::head_bytes ? 1
                                                                            : 4;
    const ByKeyOptions options{.key_misalignment = draw.misalignment(mark_bytes),
                               .value_misalignment = draw.misalignment(sizeof(T)),
                               .output_misalignment = draw.misalignment(sizeof(A)),
                               .in_place = std::is_same_v<T, A> && draw.one_in(5),
                               .device_count = draw.device_count(n),
                               .dirt = draw.dirt()};
    auto expected = dirty_items<A>(n, options.dirt);
    if constexpr (std::is_same_v<T, A>)
      if (options.in_place) expected = items;
    const auto scanned = scan_by_key_of<A>(items, heads, config.kind, config.op, initial);
    std::ranges::copy(std::span(scanned).first(obeyed(options.device_count, n)), expected.begin());
    const auto found = scan_by_key_on<A>(backend.gpu(), scan, config, items, heads, options,
                                         initial ? std::optional(Value::of(*initial)) : std::nullopt);
    CHECK(difference(found, expected) == "");
  };
  ScanByKeyConfig config = config_of<T, A>(kind, op, marks);
  config.strategy = strategy;
  return {config, tuning, draw_case};
}

const FuzzSubjects fuzzed("scan_by_key", [] {
  constexpr auto kExclusive = ScanKind::exclusive, kInclusive = ScanKind::inclusive;
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan, kLookBack = Strategy::look_back;
  return std::vector{
      subject_of<uint32_t>(kExclusive, Op::add, {}, kLookBack),
      subject_of<uint16_t>(kInclusive, Op::bit_xor, {SegmentsBy::keys, Type::u8}, kReduceThenScan,
                           "scan_by_key.groups=3"),
      subject_of<uint8_t, uint32_t>(kInclusive, Op::add, {SegmentsBy::head_bits}, kLookBack,
                                    "scan_by_key.rows=1,scan_by_key.spin_limit=1"),
      subject_of<uint64_t>(kExclusive, Op::max, {SegmentsBy::head_bytes}, kReduceThenScan),
  };
});

}  // namespace

TEST_SUITE("scan_by_key") {
  TEST_CASE("every operator and every type of values scans segments [types]") {
    // As for scans: type, operator and kind meet inside a lane. So u32 takes every operator, and every type one, each
    // on one device in turn.
    const std::vector<Device> devices = every_device();
    for_every_value_in_turn([&]<class T, class A>(Op op, uint32_t turn) {
      const Device& device = devices[turn % devices.size()];
      if (!takes_turn(turn) || !device.supports({item_type<T>(), item_type<A>()})) return false;
      const ScanKind kind = kBothKinds[turn / 2 % 2];
      const uint64_t tile = create<ScanByKey>(device, config_of<T, A>(kind, op)).tile_items();
      check_scan<T, A>(device, kind, op, tile / 2 + 3, {.runs = Runs::mixed});
      check_scan<T, A>(device, kind, op, 3 * tile + 5, {.runs = Runs::long_}, {},
                       std::optional(distinct_initial<A>(op)));
      return true;
    });
  }

  TEST_CASE("counts at and around every edge are scanned whole [widths]") {
    for (const Device& device : every_device())
      for (const ScanKind kind : kBothKinds) {
        if ((is_slow(device) || device.backend().is_emulated()) && kind == ScanKind::inclusive) continue;
        uint32_t turn = 0;
        for (const uint64_t n :
             edges(device.backend(), create<ScanByKey>(device, config_of<uint32_t>(kind, Op::add)).tile_items(), 4))
          for (const Runs runs : {Runs::ones, kAllRuns[1 + turn++ % 5]})
            check_scan<uint32_t>(device, kind, Op::add, n, {.runs = runs});
      }
  }

  TEST_CASE("segments of every length are given by keys of every width and by flags of every form [types]") {
    uint32_t combination = 0;
    for (const Device& device : every_device())
      for (const Marks& marks : kAllMarks) {
        if (!has_marks(device, marks) || !takes_turn(combination++)) continue;
        const uint64_t tile =
            create<ScanByKey>(device, config_of<uint32_t>(ScanKind::inclusive, Op::add, marks)).tile_items();
        uint64_t turn = 0;
        for (const Runs runs : kAllRuns)
          check_scan<uint32_t>(device, ScanKind::inclusive, Op::add, 9 * tile + 30 + 3 * turn++, {.runs = runs}, marks);
      }
  }

  TEST_CASE("narrow and wide values beside narrow and wide keys are scanned whole [forms] [slow]") {
    for (const Device& device : every_device()) {
      if (is_slow(device) || (device.backend().is_emulated() && device.strategy() != Strategy::look_back)) continue;
      const uint64_t tile =
          create<ScanByKey>(device, config_of<uint8_t>(ScanKind::exclusive, Op::add, kNarrow)).tile_items();
      for (const uint64_t n : few_edges(tile))
        check_scan<uint8_t>(device, ScanKind::exclusive, Op::add, n, {}, kNarrow);
      if (device.backend().is_emulated() || !device.supports({Type::u64})) continue;
      const uint64_t wide =
          create<ScanByKey>(device, config_of<uint64_t>(ScanKind::inclusive, Op::max, kWide)).tile_items();
      for (const uint64_t n : few_edges(wide)) check_scan<uint64_t>(device, ScanKind::inclusive, Op::max, n, {}, kWide);
    }
  }

  TEST_CASE("runs of many tiles a workgroup are scanned whole [slow]") {
    const ScopedTuning few_groups("scan_by_key.groups=3");
    for (Backend* backend : every_backend()) {
      const Device device(*backend, Strategy::reduce_then_scan);
      if (is_slow(device) && backend->is_emulated()) continue;
      const ScanByKeyConfig config = config_of<uint32_t>(ScanKind::exclusive, Op::add);
      const ScanByKey& scan = create<ScanByKey>(device, config);
      const uint64_t tile = scan.tile_items();
      for (const uint64_t n : around({3 * tile, 4 * tile, 7 * tile, 30 * tile}))
        check_scan<uint32_t, uint32_t>(device, scan, config, n, {.runs = Runs::long_});
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const auto& [tuning, strategy] :
         {std::pair("scan_by_key.rows=3", Strategy::look_back),
          std::pair("scan_by_key.rows=8,scan_by_key.workgroup=256", Strategy::reduce_then_scan),
          std::pair("scan_by_key.rows=1,scan_by_key.spin_limit=1", Strategy::look_back)}) {
      const ScopedTuning overrides(tuning);
      if (!has_look_back(first_backend().context())) return;
      const Device device(first_backend(), strategy);
      const ScanByKeyConfig config = config_of<uint32_t>(ScanKind::inclusive, Op::add, {SegmentsBy::keys, Type::u16});
      const ScanByKey& scan = create<ScanByKey>(device, config);
      for (const uint64_t n : few_edges(scan.tile_items()))
        check_scan<uint32_t, uint32_t>(device, scan, config, n, {.runs = Runs::eights});
    }
  }

  TEST_CASE("a long range is scanned whole [slow]") {
    for (const Device& device : every_device()) {
      const uint64_t n =
          device.backend().is_software() ? (device.backend().is_emulated() ? 1 << 17 : 1 << 20) + 7 : (1 << 26) + 7;
      check_scan<uint32_t>(device, ScanKind::exclusive, Op::add, n, {.runs = Runs::long_});
    }
  }

  TEST_CASE("an initial value comes before each segment's first item [forms]") {
    for (const Device& device : every_device())
      for (const ScanKind kind : kBothKinds) {
        if (is_slow(device) && kind == ScanKind::inclusive) continue;
        const uint64_t tile = create<ScanByKey>(device, config_of<uint32_t>(kind, Op::add)).tile_items();
        for (const uint64_t n : {uint64_t{1}, tile, 3 * tile + 5})
          for (const Runs runs : {Runs::mixed, Runs::long_, Runs::one})
            check_scan<uint32_t>(device, kind, Op::add, n, {.runs = runs}, {}, std::optional<uint32_t>(37));
      }
  }

  TEST_CASE("outputs may replace the values") {
    for (const Device& device : every_device()) {
      const auto in_place = [&]<class T>(ScanKind kind, Op op, const Marks& marks) {
        ByKeyOptions options{.in_place = true};
        const uint64_t tile = create<ScanByKey>(device, config_of<T>(kind, op, marks)).tile_items();
        for (const uint64_t n : {uint64_t{1}, tile + 1, 20 * tile + 3})
          check_scan<T>(device, kind, op, n, options, marks);
        options.value_misalignment = sizeof(T) == 8 ? 4 : sizeof(T);
        check_scan<T>(device, kind, op, 3 * tile + 3, options, marks);
      };
      in_place.template operator()<uint32_t>(ScanKind::exclusive, Op::add, {});
      if (is_slow(device) || (device.backend().is_emulated() && device.strategy() != Strategy::look_back)) continue;
      in_place.template operator()<uint8_t>(ScanKind::exclusive, Op::add, kNarrow);
      if (device.backend().is_emulated() || !device.supports({Type::u64})) continue;
      in_place.template operator()<uint64_t>(ScanKind::inclusive, Op::max, kWide);
    }
  }

  TEST_CASE("keys, values and outputs begin at any item, independently [widths]") {
    for (const Device& device : every_device()) {
      const auto every_start = [&]<class T>(ScanKind kind, Op op, const Marks& marks) {
        const uint64_t tile = create<ScanByKey>(device, config_of<T>(kind, op, marks)).tile_items();
        const uint32_t key_step = marks.segments == SegmentsBy::keys         ? std::min(size_of(marks.key), 4u)
                                  : marks.segments == SegmentsBy::head_bytes ? 1
                                                                             : 4;
        const uint32_t value_step = std::min<uint32_t>(sizeof(T), 4);
        const uint64_t counts[] = {13, 700, tile + 9};
        uint64_t turn = 0;
        for (VkDeviceSize key = 0; key < 16; key += key_step)
          for (VkDeviceSize value = 0; value < 16; value += value_step) {
            // Every third of the finest, and few of emulated widths, which change nothing in loads and stores.
            ++turn;
            if (key_step * value_step < 4 && turn % 3 != 0) continue;
            if (device.backend().is_emulated() && turn % 13 != 0) continue;
            check_scan<T>(device, kind, op, counts[turn % 3],
                          {.key_misalignment = key,
                           .value_misalignment = value,
                           .output_misalignment = value_step * (turn * 7 % (16 / value_step))},
                          marks);
            // All displaced alike: the fast way, with absent items in front.
            if (sizeof(T) == 4 && key_step == 4)
              check_scan<T>(device, kind, op, 2 * tile + 9,
                            {.key_misalignment = value, .value_misalignment = value, .output_misalignment = value},
                            marks);
          }
      };
      every_start.template operator()<uint32_t>(ScanKind::exclusive, Op::add, {});
      for (const Marks& marks : kAllMarks)
        if (has_marks(device, marks)) every_start.template operator()<uint32_t>(ScanKind::inclusive, Op::add, marks);
      if (is_slow(device) || (device.backend().is_emulated() && device.strategy() != Strategy::look_back)) continue;
      every_start.template operator()<uint8_t>(ScanKind::exclusive, Op::add, kNarrow);
      if (device.backend().is_emulated() || !device.supports({Type::u64})) continue;
      every_start.template operator()<uint64_t>(ScanKind::inclusive, Op::max, kWide);
    }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum") {
    for (const Device& device : every_device()) {
      const ScanByKeyConfig config = config_of<uint32_t>(ScanKind::exclusive, Op::add);
      const uint64_t maximum = 4 * uint64_t{create<ScanByKey>(device, config).tile_items()} + 11;
      const auto items = random_items<uint32_t>(maximum, 5);
      const auto heads = heads_of(maximum, Runs::mixed);
      const auto whole = scan_by_key_of<uint32_t>(items, heads, config.kind, config.op, std::optional<uint32_t>{});
      for (const DeviceCount& count : edge_counts(maximum)) {
        CAPTURE(device.name());
        CAPTURE(count.value);
        const auto actual = scan_by_key_on<uint32_t>(device.gpu(), create<ScanByKey>(device, config), config, items,
                                                     heads, {.device_count = count});
        auto expected = whole;
        for (uint64_t i = std::min(count.value, maximum); i < maximum; ++i) expected[i] = 0xdbdbdbdb;  // as it was
        CHECK(difference(actual, expected) == "");
      }
    }
  }

  TEST_CASE("whatever scratch and output held before, the result is the same") {
    for (const Device& device : every_device())
      for (const uint8_t dirt : std::initializer_list<uint8_t>{0x00, 0x01, 0x80, 0xff})
        check_scan<uint32_t>(device, ScanKind::exclusive, Op::add, 9000, {.dirt = dirt});
  }

  TEST_CASE(
      "float sums have the same bits on every run and however long earlier tiles delay, and small errors [faults]") {
    for (const Device& device : every_device()) {
      if (is_slow(device) || (device.backend().is_emulated() && device.strategy() != Strategy::look_back)) continue;
      const ScanByKeyConfig config = config_of<float>(ScanKind::inclusive, Op::add);
      const ScanByKey& scan = create<ScanByKey>(device, config);
      const uint64_t n = 21 * uint64_t{scan.tile_items()} + 77;
      const auto items = rough_floats(n, 3);
      for (const Runs runs : {Runs::long_, Runs::one}) {
        const auto heads = heads_of(n, runs);
        const auto first = scan_by_key_on<float>(device.gpu(), scan, config, items, heads);
        CAPTURE(device.name());
        CHECK(difference(scan_by_key_on<float>(device.gpu(), scan, config, items, heads), first) == "");
        const double additions = 64.0 + static_cast<double>(n) / scan.tile_items();
        double exact = 0;
        uint64_t far = 0;
        for (uint64_t i = 0; i < n; ++i) {
          exact = heads[i] ? items[i] : exact + items[i];
          if (std::abs(first[i] - exact) > exact * additions * 0x1p-24) ++far;
        }
        CHECK(far == 0);
        if (device.strategy() != Strategy::look_back) continue;
        for (const auto& [fault, every] : {std::pair(Fault::delay, 1u), std::pair(Fault::omit, 3u)}) {
          if (device.backend().is_emulated() && fault == Fault::delay) continue;
          CAPTURE(every);
          CAPTURE(static_cast<int>(fault));
          const ScanByKey faulty = faulty_scan(device, config, fault, every);
          CHECK(difference(scan_by_key_on<float>(device.gpu(), faulty, config, items, heads), first) == "");
        }
      }
    }
  }

  TEST_CASE("tiles that publish with delay do not change the result, in place neither [faults]") {
    for (const Device& device : every_look_back())
      for (const uint32_t every : {1u, 7u}) {
        if (device.backend().is_emulated() && every != 7) continue;
        const ScanByKeyConfig config = config_of<uint32_t>(ScanKind::exclusive, Op::add);
        const ScanByKey scan = faulty_scan(device, config, Fault::delay, every);
        CAPTURE(every);
        for (const uint64_t tiles : {2, 21})
          for (const Runs runs : {Runs::eights, Runs::long_, Runs::one})
            check_scan<uint32_t, uint32_t>(device, scan, config, tiles * scan.tile_items() + 5,
                                           {.runs = runs, .in_place = runs != Runs::eights});
      }
  }

  TEST_CASE("tiles that never publish are recomputed by those that wait for them [faults]") {
    for (const Device& device : every_look_back())
      for (const uint32_t every : {1u, 7u}) {
        if (device.backend().is_emulated() && every != 7) continue;
        const ScanByKeyConfig config = config_of<uint32_t>(ScanKind::inclusive, Op::add);
        const ScanByKey scan = faulty_scan(device, config, Fault::omit, every);
        CAPTURE(every);
        for (const uint64_t tiles : {2, 21})
          check_scan<uint32_t, uint32_t>(device, scan, config, tiles * scan.tile_items() + 5,
                                         {.runs = Runs::long_, .value_misalignment = 8}, std::optional<uint32_t>(37));
      }
  }

  TEST_CASE(
      "blocks that nobody closes are closed by the second dispatch, however many tiles were deferred [slow] [widths]") {
    const ScopedTuning small_tiles("scan_by_key.workgroup=128,scan_by_key.rows=1");
    uint32_t combination = 0;
    for (const Device& device : every_look_back())
      for (const uint32_t every : {1u, 5u}) {
        if (!takes_turn(combination++) || (device.backend().is_emulated() && every != 1)) continue;
        const ScanByKeyConfig config = config_of<uint32_t>(ScanKind::exclusive, Op::add);
        const ScanByKey scan = faulty_scan(device, config, Fault::open, every);
        CAPTURE(every);
        const uint64_t tiles = device.backend().is_emulated() ? 300 : 20000;
        check_scan<uint32_t, uint32_t>(device, scan, config, tiles * scan.tile_items() + 5,
                                       {.runs = Runs::long_, .in_place = true});
      }
  }

  TEST_CASE("the strategy asked for is the one in use, and automatic is decided by the Context") {
    for (const Device& device : every_device()) {
      const ScanByKeyConfig config = config_of<uint32_t>(ScanKind::exclusive, Op::add);
      CHECK(create<ScanByKey>(device, config).strategy() == device.strategy());
      const Result<ScanByKey> automatic = ScanByKey::create(device.context(), config);
      REQUIRE(automatic);
      CHECK(automatic->strategy() == device.context().strategy());
    }
  }

  TEST_CASE("scratch never shrinks with the count and is never nothing") {
    for (const Device& device : every_device()) {
      const ScanByKey& scan = create<ScanByKey>(device, config_of<uint32_t>(ScanKind::exclusive, Op::add));
      check_scratch_grows([&](uint64_t n) { return scan.scratch_size(n); });
    }
  }

  TEST_CASE("operators and types that are not for scans by key are unsupported") {
    const Context& context = first_backend().context();
    const auto with = [](Op op, Type item, Type accumulator) {
      ScanByKeyConfig config;
      config.op = op;
      config.item = item;
      config.accumulator = accumulator;
      return config;
    };
    for (const ScanByKeyConfig& config :
         {with(Op::arg_min, Type::u32, Type::u32), with(Op::affine, Type::u32x2, Type::u32x2),
          with(Op::add, Type::u32x2, Type::u32x2), with(Op::bit_xor, Type::f32, Type::f32),
          with(Op::add, Type::f16, Type::f16), with(Op::add, Type::u8, Type::u16),
          with(Op::add, Type::u32, Type::u8)}) {
      CAPTURE(name_of(config.op));
      CAPTURE(name_of(config.item));
      const Result<ScanByKey> scan = ScanByKey::create(context, config);
      REQUIRE(!scan);
      CHECK(scan.error().code == ErrorCode::unsupported);
      CHECK(scan.error().message.find("ScanByKey") != std::string::npos);
    }
  }

  TEST_CASE("arguments that break a precondition are refused by name, and nothing is recorded [refusal]") {
    check_refusals_of_strategies<ScanByKey>({}, [](const ScanByKey& scan) -> RefusalsOf<ScanByKey> {
      return {{"count", "of more than 2^31 tiles", [&](auto& a) { a.count = uint64_t{scan.tile_items()} << 31; }}};
    });
  }
}

}  // namespace weft::test::scan_by_key_tests
