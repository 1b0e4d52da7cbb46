// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/segmented_scan.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "segment/segmented_scan_calls.hpp"
#include "support/fuzz_subject.hpp"
#include "support/refusals.hpp"
#include "support/segmented_run.hpp"
#include "support/sizes.hpp"

namespace weft::test::segmented_scan_tests {
namespace {

// What scans by key do is theirs to test: here it is where segments begin, and that all arguments arrive.

template <class T, class A>
SegmentedScanConfig config_of(const Device& device, ScanKind kind, Op op, Type offset) {
  return {kind, op, offset, item_type<T>(), item_type<A>(), device.strategy(), {}};
}

uint64_t tile_items(const Device& device) {
  return create<SegmentedScan>(device, config_of<uint32_t, uint32_t>(device, ScanKind::exclusive, Op::add, Type::u32))
      .tile_items();
}

template <class T, class A = T>
void check(const Device& device, const std::vector<T>& items, const Offsets& offsets,
           const SegmentedOptions& options = {}, Type offset = Type::u32, ScanKind kind = ScanKind::exclusive,
           std::optional<A> initial = {}) {
  const SegmentedScanConfig config = config_of<T, A>(device, kind, Op::add, offset);
  CAPTURE(device.name());
  CAPTURE(config_text(config));
  CHECK(wrong_segmented_scan<A>(device.gpu(), create<SegmentedScan>(device, config), config, items, offsets, options,
                                initial) == "");
}

/// SwiftShader takes seconds to build a pipeline: there, and on emulated subgroups, one strategy.
std::vector<Device> devices_to_test() {
  std::vector<Device> devices = every_device();
  std::erase_if(devices, [](const Device& device) {
    return (device.backend().is_emulated() || device.name().find("SwiftShader") != std::string::npos) &&
           device.strategy() != Strategy::reduce_then_scan;
  });
  return devices;
}

template <class T, class A = T>
FuzzSubject subject_of(ScanKind kind, Type offset, Strategy strategy) {
  const auto draw_case = [](Backend& backend, const SegmentedScanConfig& config, Draws& draw) {
    const Device device(backend, config.strategy);
    const uint64_t n = draw.count(create<SegmentedScan>(device, config).tile_items());
    const uint64_t segments = draw.one_in(2) ? draw.count(1000) : draw.of_any_magnitude(n / 9 + 1);
    const auto items = draw.items<T>(n);
    SegmentedOptions options = drawn_segmented_options<T, A>(draw, n, segments);
    options.in_place = std::is_same_v<T, A> && draw.one_in(5);
    const auto initial = drawn_initial<A>(draw, Op::add);
    check<T, A>(device, items, drawn_offsets(draw, n, segments, !draw.one_in(10)), options, config.offset, config.kind,
                initial);
  };
  return {SegmentedScanConfig{kind, Op::add, offset, item_type<T>(), item_type<A>(), strategy, {}}, "", draw_case};
}

const FuzzSubjects fuzzed("segmented_scan", [] {
  return std::vector{
      subject_of<uint32_t>(ScanKind::inclusive, Type::u32, Strategy::reduce_then_scan),
      subject_of<uint8_t, uint32_t>(ScanKind::exclusive, Type::u64, Strategy::look_back),
  };
});

}  // namespace

TEST_SUITE("segmented_scan") {
  TEST_CASE("segments of all kinds of lengths are scanned, at and around every edge [widths]") {
    for (const Device& device : devices_to_test()) {
      const uint64_t tile = tile_items(device);
      for (const uint64_t n : edges(device.backend(), tile, 4)) {
        const auto items = random_items<uint32_t>(n, n);
        check<uint32_t>(device, items, offsets_from(0, Counts(n, 1)));
        check<uint32_t>(device, items, offsets_from(0, {n}));
        check<uint32_t>(device, items, offsets_from(n / 3, random_counts(n / 8, 10, n)));
      }
      for (const Counts& lengths : hard_lengths(3 * tile + 5, 1))
        check<uint32_t>(device, random_items<uint32_t>(3 * tile + 5, 2), offsets_from(0, lengths));
    }
  }

  TEST_CASE("types, kinds and initial values are ScanByKey's [widths]") {
    const Device device(first_backend(), Strategy::reduce_then_scan);
    if (device.name().find("SwiftShader") != std::string::npos) return;
    const auto of = [&]<class T, class A>(ScanKind kind, Type offset, std::optional<A> initial) {
      if (!device.supports({item_type<T>(), item_type<A>()})) return;
      const uint64_t n = 5000;
      for (const Counts& lengths : hard_lengths(n, 7))
        check<T, A>(device, random_items<T>(n, 3), offsets_from(0, lengths), {}, offset, kind, initial);
    };
    of.operator()<uint8_t, uint32_t>(ScanKind::inclusive, Type::u64, {});
    of.operator()<uint32_t, uint64_t>(ScanKind::exclusive, Type::u32, uint64_t{1} << 40);
  }

  TEST_CASE("items, offsets and outputs begin at any multiple of 4 bytes, and outputs may replace the items") {
    for (const Device& device : devices_to_test()) {
      const uint64_t n = tile_items(device) + 40;
      const auto items = random_items<uint32_t>(n, 3);
      const Offsets offsets = offsets_from(4, random_counts(n / 20, 40, 3));
      for (VkDeviceSize at = 0; at < 16; at += 4)
        for (const bool in_place : {false, true})
          check<uint32_t>(device, items, offsets,
                          {.items_misalignment = at,
                           .offsets_misalignment = (at + 4) % 16,
                           .output_misalignment = (3 * at + 8) % 16,
                           .in_place = in_place});
    }
  }

  TEST_CASE("counts on the device are obeyed, and never exceed their maxima") {
    for (const Device& device : devices_to_test()) {
      const uint64_t maximum = 2 * tile_items(device) + 11;
      const auto items = random_items<uint32_t>(maximum, 3);
      const Offsets offsets = offsets_from(2, random_counts(maximum / 10, 20, 4));
      const uint64_t segments = offsets.size() - 1;
      for (const uint32_t bytes : {4u, 8u})
        for (const uint64_t share : {0, 1, 2, 3, 4}) {
          const uint64_t all = bytes == 4 ? uint64_t{~0u} : ~uint64_t{0};
          const DeviceCount count{share == 4 ? all : segments * share / 2 + share % 2, bytes};
          const DeviceCount item_count{share == 4 ? all : maximum * share / 2 + share % 2, 12 - bytes};
          check<uint32_t>(device, items, offsets, {.count = count});
          if (share == 4 && bytes == 4) continue;
          check<uint32_t>(device, items, offsets, {.item_count = item_count});
          check<uint32_t>(device, items, offsets, {.count = count, .item_count = item_count});
        }
    }
  }

  TEST_CASE("offsets in any order each begin a segment, and those above the number of items none") {
    for (const Device& device : devices_to_test())
      for (const Type offset : {Type::u32, Type::u64}) {
        const uint64_t n = tile_items(device) + 9;
        const auto items = random_items<uint32_t>(n, 3);
        const uint64_t most = offset == Type::u32 ? uint64_t{~0u} : ~uint64_t{0};
        for (const Offsets& offsets :
             {Offsets{0, 5, n, n + 1, most}, Offsets{most, 7, 3, 3, 0}, Offsets{n - 1}, Offsets{31, 32, 33, 64, 63},
              random_counts(700, 2 * n, 5), random_counts(3000, most, 6), Offsets(4000, n / 2)})
          check<uint32_t>(device, items, offsets, {}, offset);
      }
  }

  TEST_CASE("many empty segments beside few items are scanned") {
    for (const Device& device : devices_to_test()) {
      Counts lengths(device.backend().is_emulated() ? 1 << 14 : 1 << 18);
      lengths[1000] = 400;
      lengths.back() = 3;
      check<uint32_t>(device, random_items<uint32_t>(410, 1), offsets_from(2, lengths));
    }
  }

  TEST_CASE("whatever scratch and output held before, the result is the same") {
    for (const Device& device : devices_to_test())
      for (const uint8_t dirt : std::initializer_list<uint8_t>{0x00, 0x01, 0x80, 0xff})
        check<uint32_t>(device, random_items<uint32_t>(9000, 1), offsets_from(1, Counts(300, 29)), {.dirt = dirt});
  }

  TEST_CASE("scratch grows with the items and is never nothing; the strategy is the one asked for") {
    for (const Device& device : devices_to_test()) {
      const SegmentedScan& scan =
          create<SegmentedScan>(device, config_of<uint32_t, uint32_t>(device, ScanKind::exclusive, Op::add, Type::u32));
      CHECK(scan.strategy() == device.strategy());
      check_scratch_grows([&](uint64_t n) { return scan.scratch_size(n); }, uint64_t{1} << 39);
    }
  }

  TEST_CASE("operators and types that are not for segments are unsupported") {
    const auto with = [](Op op, Type offset, Type item, Type accumulator) {
      SegmentedScanConfig config;
      config.op = op;
      config.offset = offset;
      config.item = item;
      config.accumulator = accumulator;
      return config;
    };
    for (const SegmentedScanConfig& config :
         {with(Op::arg_min, Type::u32, Type::u32, Type::u32), with(Op::affine, Type::u32, Type::u32x2, Type::u32x2),
          with(Op::bit_xor, Type::u32, Type::f32, Type::f32), with(Op::add, Type::u32, Type::f16, Type::f16),
          with(Op::add, Type::u32, Type::u8, Type::u16), with(Op::add, Type::f32, Type::u32, Type::u32)}) {
      const auto scan = SegmentedScan::create(first_backend().context(), config);
      REQUIRE(!scan);
      CHECK(scan.error().code == ErrorCode::unsupported);
      CHECK(scan.error().message.find("SegmentedScan") != std::string::npos);
    }
  }

  TEST_CASE("arguments are refused by name and nothing is recorded [refusal]") {
    RefusalTest<SegmentedScan> test({.strategy = Strategy::reduce_then_scan});
    test.check(
        {{"scratch", "over the items in place", [](auto& a) { a.items.buffer = a.output.buffer = a.scratch.buffer; }},
         {"item_count", "of 2^39", [](auto& a) { a.item_count = uint64_t{1} << 39; }}});
    test.check_taken([](auto& a) {
      a.count = a.item_count = 0;
      a.items = a.offsets = a.output = {};
    });
  }
}

}  // namespace weft::test::segmented_scan_tests
