// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What a device-side bound may come from: a range of a known number of bytes inside of its buffer, and nothing else.
#include <string>

#include "every_primitive.hpp"

namespace weft::test {
namespace {

// Of a sound call with `n` items or, without, as many as it usually has.
template <class Primitive, class... N>
uint64_t dispatches_of(Gpu& gpu, const Result<Primitive>& primitive, N... n) {
  REQUIRE_MESSAGE(primitive.ok(), primitive.error().message);
  Ranges ranges(gpu);
  const auto args = SoundCall<Primitive>::args(*primitive, ranges, n...);
  const uint64_t before = null_driver::recorded_dispatches();
  const Status status = primitive->record(kCommands, args);
  REQUIRE_MESSAGE(status.ok(), status.error().message);
  return null_driver::recorded_dispatches() - before;
}

// Breaches what every range and count of the sound arguments must be; each is refused before anything is recorded.
template <class Args, class Record>
void check_every_range(const char* name, const Args& sound, const Ranges& ranges, const Record& record) {
  const uint64_t before = null_driver::recorded_commands();
  const Status status = record(sound);
  REQUIRE_MESSAGE(status.ok(), status.error().message);
  const uint64_t recorded = null_driver::recorded_commands();
  CHECK(recorded > before);
  check_standard_refusals(name, sound, ranges, [&](const Args& args) {
    const Status refused = record(args);
    CHECK(null_driver::recorded_commands() == recorded);
    return refused.ok() ? std::nullopt : std::optional(refused.error());
  });
}

}  // namespace

TEST_SUITE("host ranges") {
  TEST_CASE("every range of every primitive is refused that is no number of bytes inside of its buffer") {
    Gpu gpu = open_null_gpu();
    int primitives = 0;
    for_every_primitive(gpu, [&](const char* name, const auto& primitive, Ranges& ranges, const auto& args_of) {
      const auto sound = args_of(primitive, ranges);
      check_every_range(name, sound, ranges, [&](const auto& args) {
        static_assert(noexcept(primitive.record(kCommands, args)));
        return primitive.record(kCommands, args);
      });
      ++primitives;
    });
    CHECK(primitives >= 25);
  }

  TEST_CASE("every range of every primitive may be an address, about which the driver is not asked") {
    Gpu gpu = open_null_gpu();
    for_every_primitive(gpu, [&](const char*, const auto& primitive, Ranges& ranges, const auto& args_of) {
      auto args = args_of(primitive, ranges);
      const uint64_t before = null_driver::recorded_commands(), asked = null_driver::buffer_queries();
      REQUIRE(primitive.record(kCommands, args).ok());
      const uint64_t by_buffer = null_driver::recorded_commands() - before;
      CHECK(null_driver::buffer_queries() > asked);
      VkDeviceAddress next = VkDeviceAddress{1} << 40;
      for (const Ranges::Range& range : ranges.all()) {
        args = with_changed(args, range, BufferRange::at(next, range.range.size));
        next += VkDeviceAddress{1} << 30;
      }
      const uint64_t between = null_driver::recorded_commands(), asked_before = null_driver::buffer_queries();
      const Status status = primitive.record(kCommands, args);
      REQUIRE_MESSAGE(status.ok(), status.error().message);
      CHECK(null_driver::recorded_commands() - between == by_buffer);
      CHECK(null_driver::buffer_queries() == asked_before);
    });
  }

  TEST_CASE("every dispatch of every primitive has a label where VK_EXT_debug_utils is on, and none elsewhere") {
    Gpu gpu = open_null_gpu();
    for (const bool on : {true, false}) {
      CAPTURE(on);
      ContextConfig config = null_context_config(gpu);
      config.debug_utils = on;
      const auto context = Context::create(config);
      REQUIRE_MESSAGE(context.ok(), context.error().message);
      for_every_primitive([&]<class Primitive>(const char* name, const auto& its_config, const auto& args_of) {
        CAPTURE(std::string(name));
        const Result<Primitive> primitive = Primitive::create(*context, its_config);
        REQUIRE_MESSAGE(primitive.ok(), primitive.error().message);
        Ranges ranges(gpu);
        const auto args = args_of(*primitive, ranges);
        const uint64_t dispatches = null_driver::recorded_dispatches();
        const uint64_t begun = null_driver::begun_labels(), labelled = null_driver::labelled_dispatches();
        null_driver::expect_labels_of(name);
        REQUIRE(primitive->record(kCommands, args).ok());
        const uint64_t recorded = null_driver::recorded_dispatches() - dispatches;
        CHECK(recorded > 0);
        // The last label of a SegmentedScan says what it is: a ScanByKey.
        const uint64_t own = recorded - (std::is_same_v<Primitive, SegmentedScan> ? 1 : 0);
        CHECK(null_driver::labelled_dispatches() - labelled == (on ? own : 0));
        CHECK(null_driver::begun_labels() - begun == (on ? recorded : 0));
        CHECK(null_driver::open_labels() == 0);
      });
    }
  }

  TEST_CASE("prefixes take as many dispatches as their headers say") {
    Gpu gpu = open_null_gpu();
    const auto check = [&]<class Primitive>(auto config) {
      for (const auto& [strategy, dispatches] : {std::pair{Strategy::look_back, 3}, {Strategy::reduce_then_scan, 2}}) {
        config.strategy = strategy;
        const Result<Primitive> primitive = Primitive::create(gpu.context(), config);
        REQUIRE_MESSAGE(primitive.ok(), primitive.error().message);
        const uint64_t tile = primitive->tile_items();
        CHECK(dispatches_of(gpu, primitive, tile) == 1);
        CHECK(dispatches_of(gpu, primitive, tile + 1) == dispatches);
        CHECK(dispatches_of(gpu, primitive, 5 * tile) == dispatches);
      }
    };
    check.operator()<Scan>(ScanConfig{});
    check.operator()<ScanByKey>(ScanByKeyConfig{});
    check.operator()<ReduceByKey>(ReduceByKeyConfig{});
  }

#if WEFT_TEST_GSTD_DECODE
  TEST_CASE("decoders take as many dispatches as their headers say") {
    Gpu gpu = open_null_gpu();
    const auto tiles = GstdDecode::create(gpu.context(), {.tile_bytes = gstd::kMinTileBytes, .tiles_in_flight = 3});
    CHECK(dispatches_of(gpu, tiles, 3) == 2);
    CHECK(dispatches_of(gpu, tiles, 20) == 4 + 7 * 2);
    const auto pages = GdeflateDecode::create(gpu.context(), {.pages_in_flight = 1});
    const uint64_t of_page = dispatches_of(gpu, pages, 1);
    CHECK((of_page == 1 || of_page == 2));
    CHECK(dispatches_of(gpu, pages, 20) == 20 * of_page);
    for (const bool verify : {false, true}) {
      const ZstdDecodeConfig config{.verify = verify, .dictionary = true};
      CHECK(dispatches_of(gpu, ZstdDecode::create(gpu.context(), config)) == (verify ? 9 : 8));
    }
  }

  TEST_CASE("GdeflateDecode's scratch is as large as its header says") {
    const Gpu gpu = open_null_gpu();
    const auto size = [&](uint32_t in_flight, uint64_t pages) {
      const auto decode = GdeflateDecode::create(gpu.context(), {.pages_in_flight = in_flight});
      REQUIRE(decode.ok());
      return decode->scratch_size(pages);
    };
    constexpr uint64_t kOne = 17475 * 1024 / 100;
    CHECK(size(0, 1) == kOne);
    CHECK(size(0, 4096) == 4096 * kOne);
    CHECK(size(0, uint64_t{1} << 24) == 4096 * kOne);
    CHECK(size(1024, 4096) == 1024 * kOne);
    static_assert(4096 * kOne / (1 << 20) == 699 && 1024 * kOne / (1 << 20) == 174);
  }

  TEST_CASE("GstdDecode refuses such ranges with tiles by value too") {
    Gpu gpu = open_null_gpu();
    const auto decode = GstdDecode::create(gpu.context(), SoundCall<GstdDecode>::config());
    REQUIRE(decode.ok());
    const std::vector<GstdTile> tiles(20);
    Ranges ranges(gpu);
    GstdDecodeArgs sound;
    sound.source = ranges.any_size("source", 8000, 4, false, false);
    sound.output = ranges.any_size("output", 8000, 1, true, false);
    sound.status = ranges.write("status", 4 * (1 + tiles.size()));
    sound.scratch = ranges.scratch(decode->scratch_size_by_value(tiles.size()));
    check_every_range("GstdDecode", sound, ranges,
                      [&](const GstdDecodeArgs& args) { return decode->record(kCommands, tiles, args); });
    sound.scratch = BufferRange::at(VkDeviceAddress{1} << 40, sound.scratch.size);
    CHECK(decode->record(kCommands, tiles, sound).error().message ==
          "GstdDecode: scratch has no buffer, which tiles by value are written to");
  }

  TEST_CASE("GstdDecode's scratch is as large as its header says") {
    const Gpu gpu = open_null_gpu();
    const auto mib_of = [&](const GstdDecodeConfig& config) {
      const auto decode = GstdDecode::create(gpu.context(), config);
      REQUIRE(decode.ok());
      constexpr uint64_t kMiB = uint64_t{1} << 20;
      return (decode->scratch_size(uint64_t{1} << 24) + kMiB - 1) / kMiB;
    };
    CHECK(mib_of({.tile_bytes = 1u << 14}) == 123);
    CHECK(mib_of({.tile_bytes = 1u << 15}) == 123);
    CHECK(mib_of({}) == 128);
    CHECK(mib_of({.tile_bytes = 1u << 17}) == 245);
    CHECK(mib_of({.tile_bytes = 1u << 18}) == 479);
    CHECK(mib_of({.tile_bytes = 1u << 19}) == 947);
    CHECK(mib_of({.tile_bytes = 1u << 20}) == 1024);
    CHECK(mib_of({.tiles_in_flight = 936}) == 128);
  }

  TEST_CASE("ZstdDecode's scratch is as large as its header says, and its bounds have limits") {
    const Gpu gpu = open_null_gpu();
    const auto decode = ZstdDecode::create(gpu.context());
    REQUIRE(decode.ok());
    const auto size = [&](uint64_t frames, const ZstdBounds& bounds) { return decode->scratch_size(frames, bounds); };
    CHECK(size(0, {}) == 64);
    CHECK(size(1000, {}) == 64 + 32'000);
    CHECK((size(0, {.blocks = 1000}) - 64) * 10 / 1024 / 1000 == 143);
    CHECK(size(0, {.literals = 256'000}) == 64 + 256'000);
    CHECK(size(0, {.sequences = 64'000}) == 64 + 8 * 64'000);
    Ranges ranges(const_cast<Gpu&>(gpu));
    const auto with = ZstdDecode::create(gpu.context(), {.dictionary = true});
    REQUIRE(with.ok());
    const ZstdDecodeArgs sound = SoundCall<ZstdDecode>::args(*with, ranges);
    const auto message_of = [&](const Result<ZstdDecode>& decoder, const auto& change) {
      ZstdDecodeArgs args = sound;
      change(args);
      const Status status = decoder->record(kCommands, args);
      if (status.ok()) return std::string();
      CHECK(status.error().code == ErrorCode::invalid_argument);
      return status.error().message;
    };
    const uint64_t dispatches = null_driver::recorded_dispatches();
    CHECK(message_of(with, [](ZstdDecodeArgs& args) { args.bounds.sequences = 0; }) == "");
    CHECK(null_driver::recorded_dispatches() - dispatches == 8);
    CHECK(message_of(with, [](ZstdDecodeArgs&) {}) == "");
    CHECK(null_driver::recorded_dispatches() - dispatches == 8 + 9);
    CHECK(message_of(with, [](ZstdDecodeArgs& args) { args.bounds.blocks = (uint64_t{1} << 28) + 1; }) != "");
    CHECK(message_of(with, [](ZstdDecodeArgs& args) { args.dictionary.size = 0; }) ==
          "ZstdDecode: dictionary is empty");
    CHECK(message_of(with, [](ZstdDecodeArgs& args) { args.source.size -= 2; }) ==
          "ZstdDecode: source has a size that is no multiple of 4");
    CHECK(message_of(decode, [](ZstdDecodeArgs& args) { args.dictionary = {}; }) == "");
    CHECK(message_of(decode, [](ZstdDecodeArgs&) {}) == "ZstdDecode: dictionary is not in the config");
  }
#endif

  TEST_CASE("VK_WHOLE_SIZE is refused where there is nothing to do too") {
    Gpu gpu = open_null_gpu();
    for_every_primitive(gpu, [&](const char*, const auto& primitive, Ranges& ranges, const auto& args_of) {
      const auto sound = args_of(primitive, ranges, 0);
      const Status taken = primitive.record(kCommands, sound);
      REQUIRE_MESSAGE(taken.ok(), taken.error().message);
      const uint64_t recorded = null_driver::recorded_commands();
      for (const Ranges::Range& range : ranges.all()) {
        CAPTURE(range.name);
        for (const VkBuffer buffer : {range.range.buffer, VkBuffer{VK_NULL_HANDLE}}) {
          const Status refused =
              primitive.record(kCommands, with_changed(sound, range, BufferRange{buffer, 0, VK_WHOLE_SIZE}));
          REQUIRE_FALSE(refused.ok());
          CHECK(refused.error().code == ErrorCode::invalid_argument);
        }
      }
      CHECK(null_driver::recorded_commands() == recorded);
    });
  }

  TEST_CASE("intervals that are moved nowhere need no ranges of items") {
    Gpu gpu = open_null_gpu();
    const auto move = IntervalMove::create(gpu.context(), {});
    REQUIRE(move.ok());
    Ranges ranges(gpu);
    IntervalMoveArgs args = SoundCall<IntervalMove>::args(*move, ranges);
    args.count = kCalled;
    args.max_output = 0;
    args.input = args.output = {};
    CHECK(move->record(kCommands, args).ok());
  }

  TEST_CASE("a count on the device without a buffer is refused, and no value") {
    Gpu gpu = open_null_gpu();
    const auto scan = Scan::create(gpu.context(), {});
    REQUIRE(scan.ok());
    Ranges ranges(gpu);
    ScanArgs args = SoundCall<Scan>::args(*scan, ranges);
    args.count = kCalled;
    CHECK(scan->record(kCommands, args).ok());
    args.count = Count::on_device({VK_NULL_HANDLE, 0, 4}, kCalled);
    const Status refused = scan->record(kCommands, args);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message == "Scan: count has no buffer");
  }

  TEST_CASE("a Gpu's own transfers refuse ranges that are no number of bytes inside of their buffer") {
    Gpu gpu = open_null_gpu();
    auto buffer = gpu.create_buffer(4096);
    REQUIRE(buffer.ok());
    std::vector<std::byte> bytes(16);
    CHECK(gpu.upload(buffer->range(), bytes).ok());
    for (const BufferRange range : {BufferRange{buffer->handle(), 0, VK_WHOLE_SIZE}, buffer->range(4096, 16),
                                    buffer->range(~VkDeviceSize{0} - 7, 16)}) {
      CHECK(gpu.upload(range, bytes).error().code == ErrorCode::invalid_argument);
      CHECK(gpu.download(range, bytes).error().code == ErrorCode::invalid_argument);
      CHECK(gpu.fill(range, 0).error().code == ErrorCode::invalid_argument);
    }
  }
}

}  // namespace weft::test
