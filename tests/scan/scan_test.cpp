// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/scan.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/config_text.hpp"
#include "support/faults.hpp"
#include "support/fuzz_subject.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/sizes.hpp"

namespace weft::test::scan_tests {
namespace {

constexpr ScanKind kBothKinds[] = {ScanKind::exclusive, ScanKind::inclusive};

template <class T, class A = T>
ScanConfig config_of(ScanKind kind, Op op) {
  return {kind, op, item_type<T>(), item_type<A>(), Strategy::automatic};
}

/// Scans `n` items that suit the operator and compares the whole output.
template <class T, class A>
void check_scan(const Device& device, const Scan& scan, const ScanConfig& config, uint64_t n, RunOptions options = {},
                std::optional<A> initial = {}) {
  CAPTURE(device.name());
  CAPTURE(config_text(config));
  CAPTURE(n);
  const auto items = random_items<T>(n, n + 17 * static_cast<uint64_t>(config.op), config.op);
  if (initial) options.initial = Value::of(*initial);
  const auto actual = scan_on<A>(device.gpu(), scan, items, options);
  CHECK(difference(actual, scan_of<A>(std::span<const T>(items), config.kind, config.op, initial)) == "");
}

template <class T, class A = T>
void check_scan(const Device& device, ScanKind kind, Op op, uint64_t n, const RunOptions& options = {},
                std::optional<A> initial = {}) {
  const ScanConfig config = config_of<T, A>(kind, op);
  check_scan<T, A>(device, create<Scan>(device, config), config, n, options, initial);
}

/// A look-back scan with every `every`-th tile at fault.
Scan faulty_scan(const Device& device, const ScanConfig& config, LookBackFault::Kind kind, uint32_t every) {
  return with_fault<Scan>(device.backend(), config, {kind, every});
}

template <class T, class A = T>
FuzzSubject subject_of(ScanKind kind, Op op, Strategy strategy, const char* tuning = "") {
  const auto draw_case = [](Backend& backend, const ScanConfig& config, Draws& draw) {
    const Scan& scan = create<Scan>(backend, config);
    const uint64_t n = draw.count(scan.tile_items());
    const auto items = draw.items<T>(n);
    const auto initial = drawn_initial<A>(draw, config.op);
    RunOptions options = drawn_options<T, A>(draw, n, initial);
    options.in_place = std::is_same_v<T, A> && draw.one_in(5);
    auto expected = dirty_items<A>(n, options.dirt);
    if constexpr (std::is_same_v<T, A>)
      if (options.in_place) expected = items;
    const auto looked_at = std::span<const T>(items).first(obeyed(options.device_count, n));
    std::ranges::copy(scan_of<A>(looked_at, config.kind, config.op, initial), expected.begin());
    CHECK(difference(scan_on<A>(backend.gpu(), scan, items, options), expected) == "");
  };
  return {ScanConfig{kind, op, item_type<T>(), item_type<A>(), strategy}, tuning, draw_case};
}

const FuzzSubjects fuzzed("scan", [] {
  constexpr auto kExclusive = ScanKind::exclusive, kInclusive = ScanKind::inclusive;
  constexpr auto kReduceThenScan = Strategy::reduce_then_scan, kLookBack = Strategy::look_back;
  return std::vector{
      subject_of<uint32_t>(kExclusive, Op::add, kReduceThenScan, "subgroup.shuffled_sums=1"),
      subject_of<uint32_t>(kExclusive, Op::add, kLookBack),
      subject_of<uint32_t>(kInclusive, Op::max, kReduceThenScan, "scan.groups=3,subgroup.shuffled_sums=1"),
      subject_of<uint32_t>(kInclusive, Op::add, kLookBack, "scan.rows=1"),
      subject_of<uint8_t>(kInclusive, Op::add, kLookBack, "scan.spin_limit=1"),
      subject_of<uint8_t>(kExclusive, Op::bit_xor, kReduceThenScan, "scan.workgroup=256"),
      subject_of<uint8_t, uint32_t>(kInclusive, Op::add, kLookBack),
      subject_of<uint16_t, uint32_t>(kExclusive, Op::add, kReduceThenScan, "scan.rows=3"),
      subject_of<uint16_t>(kInclusive, Op::min, kLookBack, "scan.rows=3,look_back.tickets=0"),
      subject_of<uint64_t>(kExclusive, Op::add, kLookBack, "scan.rows=1"),
      subject_of<float>(kExclusive, Op::add, kLookBack, "subgroup.shuffled_sums=1"),
      subject_of<F16, float>(kInclusive, Op::add, kLookBack),
      subject_of<U32x2>(kInclusive, Op::affine, kLookBack, "scan.rows=2"),
      subject_of<U32x2>(kExclusive, Op::affine, kReduceThenScan, "scan.groups=7"),
  };
});

// If it is this process's turn.
template <class T, class A>
void check_omitted(const Device& device, ScanKind kind, Op op, uint32_t every, uint32_t& combination) {
  if (!takes_turn(combination++) || !device.supports({item_type<T>(), item_type<A>()})) return;
  const ScanConfig config = config_of<T, A>(kind, op);
  const Scan scan = faulty_scan(device, config, LookBackFault::Kind::omit, every);
  CAPTURE(every);
  for (const uint64_t tiles : {2, 21})
    check_scan<T, A>(device, scan, config, tiles * scan.tile_items() + 5, {.input_misalignment = 8},
                     std::optional(distinct_initial<A>(op)));
}

/// Calls visit(device, every, combination) for each device that looks back and each share of tiles that is left out.
template <class Visit>
void each_omission(const Visit& visit) {
  uint32_t combination = 0;
  for (const Device& device : every_look_back())
    for (const uint32_t every : {1u, 2u, 7u})
      if (!device.backend().is_emulated() || every == 2) visit(device, every, combination);
}

}  // namespace

TEST_SUITE("scan") {
  TEST_CASE("every operator combines items of every type into every accumulator, in both kinds [types]") {
    const std::vector<Device> devices = every_device();
    uint32_t combination = 0;
    for_every_type([&]<class T, class A>() {
      for (const Op op : operators_of<T>())
        for (const ScanKind kind : kBothKinds) {
          // Type, operator and kind meet in the kernel's registers, strategy and subgroup around them: so each
          // combination runs on one device in turn, natively every other time. u32 runs on all native ones.
          ++combination;
          for (size_t d = 0; d < devices.size(); ++d) {
            const Device& device = devices[d];
            const bool is_native = !device.backend().is_emulated();
            const bool all = is_native && std::is_same_v<T, uint32_t> && std::is_same_v<A, uint32_t>;
            if (!all && d != (combination % 2 == 0 ? combination / 2 % 2 : combination / 2 % devices.size())) continue;
            if (!is_in_share(combination) || !device.supports({item_type<T>(), item_type<A>()})) continue;
            const uint64_t tile = create<Scan>(device, config_of<T, A>(kind, op)).tile_items();
            check_scan<T, A>(device, kind, op, tile / 2 + 3);
            check_scan<T, A>(device, kind, op, 3 * tile + 5);
          }
        }
    });
  }

  TEST_CASE("counts at and around every edge are scanned whole [bounds] [widths]") {
    for (const Device& device : every_device())
      for (const ScanKind kind : kBothKinds)
        for (const uint64_t n :
             edges(device.backend(), create<Scan>(device, config_of<uint32_t>(kind, Op::add)).tile_items(), 4))
          check_scan<uint32_t>(device, kind, Op::add, n);
  }

  TEST_CASE("narrow items at and around every edge are scanned whole [forms] [bounds]") {
    for (const Device& device : every_device())
      for (const uint64_t n :
           edges(device.backend(), create<Scan>(device, config_of<uint8_t>(ScanKind::inclusive, Op::add)).tile_items(),
                 1))
        check_scan<uint8_t>(device, ScanKind::inclusive, Op::add, n);
  }

  TEST_CASE("runs of many tiles a workgroup are scanned whole [widths]") {
    // Three workgroups make small counts what huge ones are by default.
    const ScopedTuning few_groups("scan.groups=3");
    for (Backend* backend : every_backend()) {
      const Device device(*backend, Strategy::reduce_then_scan);
      const ScanConfig config = config_of<uint32_t>(ScanKind::exclusive, Op::add);
      const Scan& scan = create<Scan>(device, config);
      const uint64_t tile = scan.tile_items();
      for (const uint64_t n : around({2 * tile, 3 * tile, 4 * tile, 6 * tile, 7 * tile, 30 * tile}))
        check_scan<uint32_t, uint32_t>(device, scan, config, n);
    }
  }

  TEST_CASE("results do not depend on the tuning [tuning]") {
    for (const char* tuning : {"scan.rows=1", "scan.rows=3,scan.workgroup=256", "scan.rows=8,scan.spin_limit=1"}) {
      const ScopedTuning overrides(tuning);
      for (const Device& device : every_device()) {
        if (device.backend().is_emulated() && device.context().subgroup_size() != 64) continue;
        const ScanConfig config = config_of<uint16_t, uint32_t>(ScanKind::inclusive, Op::add);
        const Scan& scan = create<Scan>(device, config);
        for (const uint64_t n : few_edges(scan.tile_items())) check_scan<uint16_t, uint32_t>(device, scan, config, n);
      }
    }
  }

  TEST_CASE("subgroups that scan by shuffles give the same, by every operator [tuning]") {
    const ScopedTuning by_shuffles("subgroup.shuffled_sums=1");
    for (const Device& device : every_device()) {
      if (device.backend().is_emulated()) continue;
      const auto same = [&]<class T>(std::initializer_list<Op> ops) {
        if (!device.supports({item_type<T>()})) return;
        for (const Op op : ops) {
          CAPTURE(op);
          const ScanConfig config = config_of<T, T>(ScanKind::inclusive, op);
          const Scan& scan = create<Scan>(device, config);
          check_scan<T, T>(device, scan, config, 2 * scan.tile_items() + 5);
        }
      };
      same.operator()<uint32_t>({Op::add, Op::multiply, Op::min, Op::max, Op::bit_and, Op::bit_or, Op::bit_xor});
      same.operator()<int32_t>({Op::add, Op::min});
      // (LLVM 15 fails to compile the maximum of floats so for 16 lanes.)
      same.operator()<float>({Op::add, Op::multiply});
      same.operator()<F16>({Op::add});
      same.operator()<uint8_t>({Op::add, Op::min});
    }
  }

  TEST_CASE("a long range is scanned whole") {
    for (const Device& device : every_device()) {
      const uint64_t n =
          device.backend().is_software() ? (device.backend().is_emulated() ? 1 << 18 : 3 << 19) + 7 : (1 << 26) + 7;
      check_scan<uint32_t>(device, ScanKind::exclusive, Op::add, n);
      check_scan<U32x2>(device, ScanKind::inclusive, Op::affine, n / 2);
    }
  }

  TEST_CASE("more tiles than a dispatch has workgroups along one axis are scanned whole [huge]") {
    // The smallest tile there is: 128 lanes, one vector each.
    const ScopedTuning small_tiles("scan.workgroup=128,scan.rows=1");
    const Device device(first_backend(), strategies_of(first_backend().context()).back());
    const ScanConfig config = config_of<U32x2>(ScanKind::exclusive, Op::affine);
    const Scan& scan = create<Scan>(device, config);
    const uint64_t groups = workgroups_along_x(device.backend());
    if (groups == 0) return;
    check_scan<U32x2, U32x2>(device, scan, config, (groups + 3) * scan.tile_items());
  }

  TEST_CASE("however many tiles are deferred, none is far from a prefix in the fallback pass [huge]") {
    // A device's second thread may begin in the middle of the fallback pass; lavapipe ends loops after 65,535 rounds.
    const ScopedTuning small_tiles("scan.workgroup=128,scan.rows=1,scan.spin_limit=1");
    if (!has_look_back(first_backend().context())) return;
    const Device device(first_backend(), Strategy::look_back);
    const ScanConfig config = config_of<U32x2>(ScanKind::exclusive, Op::affine);
    const Scan scan = faulty_scan(device, config, LookBackFault::Kind::open, 1);
    check_scan<U32x2, U32x2>(device, scan, config, uint64_t{100000} * scan.tile_items());
  }

  TEST_CASE("sums of narrow items do not wrap in a wide accumulator [forms]") {
    for (const Device& device : every_device()) {
      const uint64_t n = 70000;
      const std::vector<uint8_t> items(n, 255);
      const auto sums = scan_on<uint32_t>(
          device.gpu(), create<Scan>(device, config_of<uint8_t, uint32_t>(ScanKind::inclusive, Op::add)), items);
      CAPTURE(device.name());
      CHECK(sums.back() == 255 * n);
      CHECK(difference(sums, scan_of<uint32_t>(std::span(items), ScanKind::inclusive, Op::add)) == "");
      if (!device.supports({Type::u64})) continue;
      const std::vector<uint32_t> large(5000, ~0u);
      const auto wide = scan_on<uint64_t>(
          device.gpu(), create<Scan>(device, config_of<uint32_t, uint64_t>(ScanKind::inclusive, Op::add)), large);
      CHECK(wide.back() == 5000 * uint64_t{~0u});
    }
  }

  TEST_CASE("an initial value comes before the first item [types]") {
    uint32_t combination = 0;
    for (const Device& device : every_device())
      for_every_type([&]<class T, class A>() {
        if (!takes_turn(combination++) || !device.supports({item_type<T>(), item_type<A>()})) return;
        if (device.backend().is_emulated() && !std::is_same_v<T, U32x2> && !std::is_same_v<T, uint32_t>) return;
        const Op op = operators_of<T>().front();
        // Each kind with one of the strategies.
        const ScanKind kind = kBothKinds[(sizeof(T) + static_cast<size_t>(device.strategy())) % 2];
        for (const uint64_t n : few_edges(create<Scan>(device, config_of<T, A>(kind, op)).tile_items()))
          check_scan<T, A>(device, kind, op, n, {}, std::optional(distinct_initial<A>(op)));
      });
  }

  TEST_CASE("an initial value is combined by every operator [types]") {
    uint32_t combination = 0;
    for (const Device& device : every_device()) {
      if (device.backend().is_emulated()) continue;
      for (const Op op : operators_of<uint32_t>())
        if (takes_turn(combination++))
          check_scan<uint32_t>(device, ScanKind::exclusive, op, 9000, {},
                               std::optional(distinct_initial<uint32_t>(op)));
      for (const Op op : operators_of<F16>())
        if (takes_turn(combination++))
          check_scan<F16>(device, ScanKind::inclusive, op, 9000, {}, std::optional(distinct_initial<F16>(op)));
    }
  }

  TEST_CASE("outputs may replace the inputs [types]") {
    uint32_t combination = 0;
    for (const Device& device : every_device())
      for_every_type([&]<class T, class A>() {
        if (!std::is_same_v<T, A> || !takes_turn(combination++) || !device.supports({item_type<T>()})) return;
        if (device.backend().is_emulated() && sizeof(T) != 1 && sizeof(T) != 4) return;
        const Op op = operators_of<T>().front();
        RunOptions options{.in_place = true};
        const uint64_t tile = create<Scan>(device, config_of<T, A>(ScanKind::exclusive, op)).tile_items();
        for (const uint64_t n : few_edges(tile)) check_scan<T, A>(device, ScanKind::exclusive, op, n, options);
        options.input_misalignment = sizeof(T) == 8 ? 4 : sizeof(T);
        check_scan<T, A>(device, ScanKind::exclusive, op, 20 * tile + 3, options);
      });
  }

  TEST_CASE("in place, neighbouring tiles that share a word do not disturb each other [widths]") {
    for (const Device& device : every_device())
      for (VkDeviceSize misalignment = 0; misalignment < 16; misalignment += device.backend().is_emulated() ? 5 : 1) {
        const uint64_t tile = create<Scan>(device, config_of<uint8_t>(ScanKind::inclusive, Op::add)).tile_items();
        check_scan<uint8_t>(device, ScanKind::inclusive, Op::add, 3 * tile + 2,
                            {.input_misalignment = misalignment, .in_place = true});
      }
  }

  TEST_CASE("input and output begin at any item, independently [widths]") {
    uint32_t combination = 0;
    for (const Device& device : every_device()) {
      const auto every_start = [&]<class T, class A>() {
        if (!takes_turn(combination++) || !device.supports({item_type<T>(), item_type<A>()})) return;
        const Op op = operators_of<T>().front();
        const uint64_t tile = create<Scan>(device, config_of<T, A>(ScanKind::exclusive, op)).tile_items();
        const VkDeviceSize input_step = std::min<size_t>(sizeof(T), 4), output_step = std::min<size_t>(sizeof(A), 4);
        // Less than a vector, a good part of a tile, more than one.
        const uint64_t counts[] = {13, 700, tile + 9};
        uint64_t turn = 0;
        for (VkDeviceSize input = 0; input < 16; input += input_step)
          for (VkDeviceSize output = 0; output < 16; output += output_step) {
            // Of emulated widths, which change nothing in loads and stores, each takes some.
            if (++turn % 11 != 0 && device.backend().is_emulated()) continue;
            check_scan<T, A>(device, ScanKind::exclusive, op, counts[turn % 3],
                             {.input_misalignment = input, .output_misalignment = output});
          }
      };
      every_start.operator()<uint8_t, uint8_t>();
      every_start.operator()<uint16_t, uint16_t>();
      every_start.operator()<uint8_t, uint32_t>();
      every_start.operator()<uint32_t, uint32_t>();
      every_start.operator()<U32x2, U32x2>();
      if (device.backend().is_emulated()) continue;
      every_start.operator()<uint8_t, uint16_t>();
      every_start.operator()<F16, float>();
      every_start.operator()<uint32_t, uint64_t>();
      every_start.operator()<double, double>();
    }
  }

  TEST_CASE("a count on the device is obeyed, and never exceeds its maximum [bounds]") {
    for (const Device& device : every_device()) {
      const ScanConfig config = config_of<uint32_t>(ScanKind::inclusive, Op::add);
      const uint64_t maximum = 4 * uint64_t{create<Scan>(device, config).tile_items()} + 11;
      const auto items = random_items<uint32_t>(maximum, 5);
      const auto whole = scan_of<uint32_t>(std::span(items), config.kind, config.op);
      for (const DeviceCount& count : edge_counts(maximum, {7, uint64_t{1} << 40})) {
        CAPTURE(device.name());
        CAPTURE(count.value);
        const auto actual =
            scan_on<uint32_t>(device.gpu(), create<Scan>(device, config), items, {.device_count = count});
        auto expected = whole;
        for (uint64_t i = std::min(count.value, maximum); i < maximum; ++i) expected[i] = 0xdbdbdbdb;  // as it was
        CHECK(difference(actual, expected) == "");
      }
    }
  }

  TEST_CASE("a count on the device leaves narrow outputs after it as they were [forms] [bounds]") {
    for (const Device& device : every_device()) {
      const ScanConfig config = config_of<uint8_t>(ScanKind::inclusive, Op::add);
      const auto items = random_items<uint8_t>(5000, 6);
      const auto whole = scan_of<uint8_t>(std::span(items), config.kind, config.op);
      for (uint64_t on_device = 0; on_device < 20; ++on_device) {
        CAPTURE(device.name());
        CAPTURE(on_device);
        const auto actual =
            scan_on<uint8_t>(device.gpu(), create<Scan>(device, config), items,
                             {.output_misalignment = on_device % 5, .device_count = DeviceCount{on_device}});
        auto expected = whole;
        for (uint64_t i = on_device; i < expected.size(); ++i) expected[i] = 0xdb;
        CHECK(difference(actual, expected) == "");
      }
    }
  }

  TEST_CASE("whatever scratch and output held before, the result is the same [bounds]") {
    for (const Device& device : every_device())
      for (const uint8_t dirt : std::initializer_list<uint8_t>{0x00, 0x01, 0x02, 0x7f, 0x80, 0xde, 0xff})
        check_scan<uint32_t>(device, ScanKind::exclusive, Op::add, 9000, {.dirt = dirt});
  }

  TEST_CASE("one scratch serves scans that follow one another in a command buffer") {
    for (const Device& device : every_device()) {
      const Scan& scan = create<Scan>(device, config_of<uint32_t>(ScanKind::exclusive, Op::add));
      const uint64_t n = 5 * uint64_t{scan.tile_items()} + 1;
      const auto items = random_items<uint32_t>(n, 8);
      Gpu& gpu = device.gpu();
      auto first = gpu.create_buffer(n * 4), second = gpu.create_buffer(n * 4), third = gpu.create_buffer(n * 4);
      auto scratch = gpu.create_buffer(scan.scratch_size(n));
      REQUIRE((first && second && third && scratch));
      REQUIRE(gpu.upload(first->range(), std::as_bytes(std::span(items))).ok());
      const auto barrier = device_function<PFN_vkCmdPipelineBarrier>(gpu, "vkCmdPipelineBarrier");
      const auto ran = gpu.run([&](VkCommandBuffer commands) -> Status {
        if (Status status = scan.record(commands, {first->range(), second->range(), scratch->range(), n, {}}); !status)
          return status;
        const VkMemoryBarrier between{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT,
                                      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
        barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &between, 0,
                nullptr, 0, nullptr);
        return scan.record(commands, {second->range(), third->range(), scratch->range(), n, {}});
      });
      if (!ran) FAIL(ran.error().message);
      std::vector<uint32_t> actual(n);
      REQUIRE(gpu.download(third->range(), std::as_writable_bytes(std::span(actual))).ok());
      const auto once = scan_of<uint32_t>(std::span(items), ScanKind::exclusive, Op::add);
      CAPTURE(device.name());
      CHECK(difference(actual, scan_of<uint32_t>(std::span(once), ScanKind::exclusive, Op::add)) == "");
    }
  }

  TEST_CASE("float sums have the same bits on every run, and small errors") {
    for (const Device& device : every_device()) {
      const ScanConfig config = config_of<float>(ScanKind::inclusive, Op::add);
      const Scan& scan = create<Scan>(device, config);
      const uint64_t n = 30 * uint64_t{scan.tile_items()} + 77;
      const auto items = rough_floats(n, 3);
      const auto first = scan_on<float>(device.gpu(), scan, items);
      CAPTURE(device.name());
      for (int again = 0; again < 4; ++again) CHECK(difference(scan_on<float>(device.gpu(), scan, items), first) == "");
      // Each sum is a tree over a lane's items and a workgroup, and a chain over tiles; every
      // addition may add half an ulp.
      const double additions = 64.0 + static_cast<double>(n) / scan.tile_items();
      double exact = 0;
      uint64_t far = 0;
      for (uint64_t i = 0; i < n; ++i) {
        exact += items[i];
        if (std::abs(first[i] - exact) > exact * additions * 0x1p-24) ++far;
      }
      CHECK(far == 0);
    }
  }

  TEST_CASE("float sums have the same bits however long earlier tiles delay [faults]") {
    uint32_t combination = 0;
    for (const Device& device : every_look_back()) {
      const ScanConfig config = config_of<float>(ScanKind::exclusive, Op::add);
      const Scan& punctual = create<Scan>(device, config);
      const auto items = rough_floats(20 * uint64_t{punctual.tile_items()} + 5, 4);
      const auto expected = scan_on<float>(device.gpu(), punctual, items);
      for (const uint32_t every : {1u, 3u})
        for (const auto fault : {LookBackFault::Kind::delay, LookBackFault::Kind::omit}) {
          if (!takes_turn(combination++)) continue;
          CAPTURE(device.name());
          CAPTURE(every);
          CAPTURE(static_cast<int>(fault));
          CHECK(difference(scan_on<float>(device.gpu(), faulty_scan(device, config, fault, every), items), expected) ==
                "");
        }
    }
  }

  TEST_CASE("tiles that publish with delay do not change the result, in place neither [faults]") {
    uint32_t combination = 0;
    for (const Device& device : every_look_back())
      for (const uint32_t every : {1u, 2u, 7u}) {
        if (device.backend().is_emulated() && every != 2) continue;
        const auto late = [&]<class T, class A>(ScanKind kind, Op op) {
          if (!takes_turn(combination++)) return;
          if (!device.supports({item_type<T>(), item_type<A>()})) return;
          const ScanConfig config = config_of<T, A>(kind, op);
          const Scan scan = faulty_scan(device, config, LookBackFault::Kind::delay, every);
          CAPTURE(every);
          for (const uint64_t tiles : {2, 21}) {
            const uint64_t n = tiles * scan.tile_items() + 5;
            check_scan<T, A>(device, scan, config, n);
            if (std::is_same_v<T, A>) check_scan<T, A>(device, scan, config, n, {.in_place = true});
          }
        };
        late.operator()<uint32_t, uint32_t>(ScanKind::exclusive, Op::add);
        late.operator()<U32x2, U32x2>(ScanKind::inclusive, Op::affine);
        if (device.backend().is_emulated()) continue;
        late.operator()<uint8_t, uint8_t>(ScanKind::exclusive, Op::add);
        late.operator()<uint64_t, uint64_t>(ScanKind::inclusive, Op::max);
        late.operator()<uint8_t, uint32_t>(ScanKind::inclusive, Op::add);
      }
  }

  TEST_CASE("tiles that never publish are recomputed by those that wait for them [faults] [bounds]") {
    each_omission([](const Device& device, uint32_t every, uint32_t& combination) {
      check_omitted<uint32_t, uint32_t>(device, ScanKind::inclusive, Op::add, every, combination);
      if (device.backend().is_emulated()) return;
      check_omitted<uint8_t, uint16_t>(device, ScanKind::exclusive, Op::bit_xor, every, combination);
    });
  }

  TEST_CASE("tiles of other types that never publish are recomputed too [faults]") {
    each_omission([](const Device& device, uint32_t every, uint32_t& combination) {
      check_omitted<U32x2, U32x2>(device, ScanKind::exclusive, Op::affine, every, combination);
      if (device.backend().is_emulated()) return;
      check_omitted<uint16_t, uint16_t>(device, ScanKind::inclusive, Op::min, every, combination);
      check_omitted<int64_t, int64_t>(device, ScanKind::exclusive, Op::add, every, combination);
      ++combination;  // so that a process has each type once
    });
  }

  TEST_CASE("blocks that nobody closes are closed by the second dispatch, however many tiles were deferred") {
    const ScopedTuning small_tiles("scan.workgroup=128,scan.rows=1");
    for (const Device& device : every_look_back())
      for (const uint32_t every : {1u, 5u}) {
        if (device.backend().is_emulated() && every != 1) continue;
        const ScanConfig config = config_of<uint32_t, uint32_t>(ScanKind::exclusive, Op::add);
        const Scan scan = faulty_scan(device, config, LookBackFault::Kind::open, every);
        CAPTURE(every);
        // Many for lavapipe's sake, which ends long loops.
        const uint64_t tiles = device.backend().is_emulated() ? 300 : 40000;
        check_scan<uint32_t, uint32_t>(device, scan, config, tiles * scan.tile_items() + 5, {.in_place = true});
      }
  }

  TEST_CASE("the strategy asked for is the one in use, and automatic is decided by the Context") {
    for (const Device& device : every_device()) {
      CHECK(create<Scan>(device, config_of<uint32_t>(ScanKind::exclusive, Op::add)).strategy() == device.strategy());
      const Result<Scan> automatic = Scan::create(device.context(), config_of<uint32_t>(ScanKind::exclusive, Op::add));
      REQUIRE(automatic);
      CHECK(automatic->strategy() == device.context().strategy());
      CHECK(automatic->strategy() != Strategy::automatic);
    }
  }

  TEST_CASE("scratch never shrinks with the count and is never nothing") {
    for (const Device& device : every_device()) {
      const Scan& scan = create<Scan>(device, config_of<uint32_t>(ScanKind::exclusive, Op::add));
      check_scratch_grows([&](uint64_t n) { return scan.scratch_size(n); });
    }
  }

  TEST_CASE("operators and accumulators that do not go with the item are unsupported") {
    const Context& context = first_backend().context();
    const ScanConfig nonsense[] = {
        {ScanKind::exclusive, Op::arg_min, Type::u32, Type::u32, Strategy::automatic},
        {ScanKind::exclusive, Op::arg_max, Type::f32, Type::f32, Strategy::automatic},
        {ScanKind::exclusive, Op::affine, Type::u32, Type::u32, Strategy::automatic},
        {ScanKind::exclusive, Op::add, Type::u32x2, Type::u32x2, Strategy::automatic},
        {ScanKind::exclusive, Op::bit_and, Type::f32, Type::f32, Strategy::automatic},
        {ScanKind::exclusive, Op::bit_xor, Type::f16, Type::f16, Strategy::automatic},
        {ScanKind::exclusive, Op::add, Type::u32, Type::u8, Strategy::automatic},
        {ScanKind::exclusive, Op::add, Type::u32, Type::f32, Strategy::automatic},
        {ScanKind::exclusive, Op::add, Type::u8, Type::i32, Strategy::automatic},
        {ScanKind::exclusive, Op::add, Type::f32, Type::f16, Strategy::automatic},
    };
    for (const ScanConfig& config : nonsense) {
      CAPTURE(config_text(config));
      const Result<Scan> scan = Scan::create(context, config);
      REQUIRE(!scan);
      CHECK(scan.error().code == ErrorCode::unsupported);
      CHECK(scan.error().message != "");
    }
  }

  TEST_CASE("types the device lacks are refused by the name of the missing feature [refusal]") {
    for (Backend* backend : every_backend())
      for (const auto& [type, feature] : {std::pair(Type::u64, "shaderInt64"), std::pair(Type::i64, "shaderInt64"),
                                          std::pair(Type::f64, "shaderFloat64")}) {
        const Result<Scan> scan =
            Scan::create(backend->context(), {ScanKind::exclusive, Op::add, type, type, Strategy::automatic});
        CAPTURE(backend->name());
        CHECK(scan.ok() == backend->context().supports(type));
        if (scan) continue;
        CHECK(scan.error().code == ErrorCode::missing_feature);
        CHECK(scan.error().message.find(feature) != std::string::npos);
      }
  }

  TEST_CASE("more than 4 GiB and more than 2^32 items are scanned on a hardware GPU") {
    Backend& backend = first_backend();
    if (backend.is_software()) {
      MESSAGE("skipped: ", backend.name(), " is software");
      return;
    }
    const uint64_t n = (uint64_t{1} << 32) + (1 << 20) + 3;
    for (const Strategy strategy : strategies_of(backend.context())) {
      const Device device(backend, strategy);
      const Scan& scan = create<Scan>(device, config_of<uint8_t>(ScanKind::inclusive, Op::add));
      auto input = device.gpu().create_buffer((n + 15) / 16 * 16),
           output = device.gpu().create_buffer((n + 15) / 16 * 16);
      auto scratch = device.gpu().create_buffer(scan.scratch_size(n));
      if (!input || !output || !scratch) {
        MESSAGE("skipped: no memory for 2 x 4 GiB");
        return;
      }
      // Every item 1: output i is i + 1 modulo 256. The device's memory is compared in pieces.
      REQUIRE(device.gpu().fill(input->range(), 0x01010101).ok());
      const auto ran = device.gpu().run([&](VkCommandBuffer commands) {
        return scan.record(commands, {input->range(0, n), output->range(0, n), scratch->range(), n, {}});
      });
      if (!ran) FAIL(ran.error().message);
      constexpr uint64_t kPiece = uint64_t{1} << 28;
      std::vector<uint8_t> piece(kPiece);
      uint64_t wrong = 0;
      for (uint64_t first = 0; first < n; first += kPiece) {
        const uint64_t bytes = std::min(kPiece, n - first);
        REQUIRE(device.gpu()
                    .download(output->range(first, bytes), std::as_writable_bytes(std::span(piece).first(bytes)))
                    .ok());
        for (uint64_t i = 0; i < bytes; ++i) wrong += piece[i] != static_cast<uint8_t>(first + i + 1);
      }
      CAPTURE(device.name());
      CHECK(wrong == 0);
    }
  }
}

}  // namespace weft::test::scan_tests

// Faults that these tests catch: tests/mutants.
// why: a deferred tile is done without what its workgroup's earlier subgroups have
// file: shaders/scan/scan_look_back.comp
// find: tile_scan_store_by_rows(scan, combine(prefix, subgroups_before));
// with: tile_scan_store_by_rows(scan, prefix);
// run: native --test-suite=scan
