// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What a device-side bound may come from: a range of a known number of bytes inside of its buffer, and nothing else.
#include <cstring>
#include <string>
#include <type_traits>

#include "every_primitive.hpp"

namespace weft::test {
namespace {

const VkCommandBuffer kCommands =
    reinterpret_cast<VkCommandBuffer>(uintptr_t{64});  // the null driver does not look at it

struct Breach {
  const char* what;
  void (*make)(BufferRange& range);
};

constexpr Breach kBreaches[] = {
    {"VK_WHOLE_SIZE", [](BufferRange& range) { range.size = VK_WHOLE_SIZE; }},
    {"VK_WHOLE_SIZE from an offset on",
     [](BufferRange& range) {
       range.offset = 64;
       range.size = VK_WHOLE_SIZE;
     }},
    {"an end that wraps", [](BufferRange& range) { range.offset = ~VkDeviceSize{0} - range.size / 2 - 15; }},
    {"an offset past the end", [](BufferRange& range) { range.offset = VkDeviceSize{1} << 20; }},
    // By 256 bytes more than the buffer has: a driver may round its size up, and then weft cannot know better.
    {"an end past the buffer's",
     [](BufferRange& range) { range.offset += (range.size + 511) / 256 * 256 - range.size; }},
};

// Where the ranges of `args` lie in it: those whose buffer is one of `ranges`.
template <class Args>
std::vector<size_t> ranges_in(const Args& args, const Ranges& ranges) {
  static_assert(std::is_trivially_copyable_v<Args>);
  std::vector<size_t> found;
  for (size_t at = 0; at + sizeof(BufferRange) <= sizeof(Args); at += alignof(BufferRange)) {
    BufferRange range;
    std::memcpy(&range, reinterpret_cast<const char*>(&args) + at, sizeof range);
    if (ranges.has(range.buffer)) found.push_back(at);
  }
  return found;
}

// Breaches every range of the sound arguments in turn, and checks that each is refused before anything is recorded.
template <class Args, class Record>
void check_every_range(const Args& sound, const Ranges& ranges, const Record& record) {
  const uint64_t before = null_driver::recorded_commands();
  const Status status = record(sound);
  REQUIRE_MESSAGE(status.ok(), status.error().message);
  const uint64_t recorded = null_driver::recorded_commands();
  CHECK(recorded > before);

  const std::vector<size_t> found = ranges_in(sound, ranges);
  CHECK(found.size() == ranges.size());
  for (const size_t at : found)
    for (const Breach& breach : kBreaches) {
      Args args = sound;
      BufferRange range;
      std::memcpy(&range, reinterpret_cast<const char*>(&sound) + at, sizeof range);
      breach.make(range);
      std::memcpy(reinterpret_cast<char*>(&args) + at, &range, sizeof range);
      CAPTURE(at);
      CAPTURE(std::string(breach.what));
      const Status refused = record(args);
      REQUIRE_FALSE(refused.ok());
      CHECK(refused.error().code == ErrorCode::invalid_argument);
      CHECK(null_driver::recorded_commands() == recorded);
    }
}

}  // namespace

TEST_SUITE("host ranges") {
  TEST_CASE("every range of every primitive is refused that is no number of bytes inside of its buffer") {
    Gpu gpu = open_null_gpu();
    int primitives = 0;
    for_every_primitive([&]<class Primitive>(const char* name, const auto& config, const auto& args_of) {
      CAPTURE(std::string(name));
      const Result<Primitive> primitive = Primitive::create(gpu.context(), config);
      REQUIRE_MESSAGE(primitive.ok(), primitive.error().message);
      Ranges ranges(gpu);
      const auto sound = args_of(*primitive, ranges);
      check_every_range(sound, ranges, [&](const auto& args) {
        static_assert(noexcept(primitive->record(kCommands, args)));
        return primitive->record(kCommands, args);
      });
      ++primitives;
    });
    CHECK(primitives >= 25);
  }

#if WEFT_TEST_GSTD_DECODE
  TEST_CASE("GstdDecode refuses such ranges with tiles by value too") {
    Gpu gpu = open_null_gpu();
    const auto decode = GstdDecode::create(gpu.context());
    REQUIRE(decode.ok());
    const std::vector<GstdTile> tiles(20);
    Ranges ranges(gpu);
    GstdDecodeArgs sound;
    sound.source = ranges(kBytes);
    sound.output = ranges(kBytes);
    sound.status = ranges(4 * (1 + tiles.size()));
    sound.scratch = ranges(decode->scratch_size_by_value(tiles.size()));
    check_every_range(sound, ranges,
                      [&](const GstdDecodeArgs& args) { return decode->record(kCommands, tiles, args); });
  }
#endif

  TEST_CASE("the bound of packed intervals is no size of a range") {
    // With nothing to move the ranges of items may be left out; a VK_WHOLE_SIZE there is refused all the same.
    Gpu gpu = open_null_gpu();
    const auto move = IntervalMove::create(gpu.context(), {});
    REQUIRE(move.ok());
    Ranges ranges(gpu);
    IntervalMoveArgs args;
    args.counts = ranges(kBytes);
    args.gather = ranges(kBytes);
    args.scatter = ranges(kBytes);
    args.total = ranges(8);
    args.status = ranges(8);
    args.scratch = ranges(move->scratch_size(kCalled));
    args.count = kCalled;
    CHECK(move->record(kCommands, args).ok());
    args.input.size = VK_WHOLE_SIZE;
    CHECK_FALSE(move->record(kCommands, args).ok());
  }

  TEST_CASE("a count on the device without a buffer is refused, and no value") {
    Gpu gpu = open_null_gpu();
    const auto scan = Scan::create(gpu.context(), {});
    REQUIRE(scan.ok());
    Ranges ranges(gpu);
    ScanArgs args{ranges(kBytes), ranges(kBytes), ranges(scan->scratch_size(kCalled)), kCalled, {}};
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
