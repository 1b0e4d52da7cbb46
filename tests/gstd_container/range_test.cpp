// SPDX-License-Identifier: MIT OR Apache-2.0
#include <doctest/doctest.h>

#include "content.hpp"

namespace weft::test {

using gstd::Fault;
using gstd::Verdict;

TEST_SUITE("gstd ranges") {
  constexpr uint32_t kTile = 1u << 14;

  gstd::CompressConfig small_tiles() {
    gstd::CompressConfig config;
    config.tile_bytes = kTile;
    config.segment_bytes = 1u << 20;
    return config;
  }

  TEST_CASE("ranges around edges of tiles and segments are those of the content") {
    const Bytes content = mixed_bytes((1u << 20) + 5 * kTile + 77, kTile);
    const Bytes stream = stream_of(content, small_tiles());
    const Exact exact(stream);
    uint64_t bytes_read = 0;
    const gstd::ReadAt read = [&](uint64_t position, std::span<std::byte> to) -> Status {
      if (position > stream.size() || to.size() > stream.size() - position)
        return Error{ErrorCode::invalid_argument, "beyond the stream"};
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(position), to.size(), to.begin());
      bytes_read += to.size();
      return {};
    };
    Random random(3);
    std::vector<uint64_t> edges = {0, kTile, 2 * kTile, 1u << 20, content.size()};
    for (int i = 0; i < 4; ++i) edges.push_back(random.below(static_cast<uint32_t>(content.size())));
    for (const uint64_t from : edges)
      for (const uint64_t to : edges)
        for (const int off : {-1, 0, 1}) {
          const uint64_t first = from, end = to + static_cast<uint64_t>(static_cast<int64_t>(off));
          if (end < first || end > content.size()) continue;
          CAPTURE(first);
          CAPTURE(end);
          for (const bool in_memory : {true, false}) {
            const size_t size = end - first;
            const std::unique_ptr<std::byte[]> room(new std::byte[size]);
            const std::span<std::byte> output(room.get(), size);
            gstd::DecompressConfig config;
            config.threads = in_memory ? 1 : 2;
            const Status status = in_memory ? gstd::decompress_range(exact, first, output, config)
                                            : gstd::decompress_range(read, stream.size(), first, output, config);
            REQUIRE(status.ok());
            REQUIRE(std::equal(output.begin(), output.end(), content.begin() + static_cast<std::ptrdiff_t>(first)));
          }
        }
    // A range reads the tiles it has part of, and headers and tables up to there.
    bytes_read = 0;
    Bytes part(10);
    REQUIRE(gstd::decompress_range(read, stream.size(), (1u << 20) + 4 * kTile + 3, part));
    CHECK(bytes_read < 2 * kTile);
  }

  TEST_CASE("what is not there is refused, with no fault of the stream") {
    const Bytes stream = stream_of(mixed_bytes(100000, kTile), small_tiles());
    Verdict verdict{Fault::bad_tile, 1};
    gstd::DecompressConfig config;
    config.verdict = &verdict;
    Bytes part(10);
    CHECK(gstd::decompress_range(stream, 99990, part, config).ok());
    for (const uint64_t first : {uint64_t{99991}, uint64_t{100000}, uint64_t{1} << 40, UINT64_MAX - 9, UINT64_MAX}) {
      CAPTURE(first);
      CHECK(!gstd::decompress_range(stream, first, part, config));
      CHECK(verdict == Verdict{});
    }
    CHECK(gstd::decompress_range(stream, 100000, {}, config).ok());
    CHECK(!gstd::decompress_range(stream, 100001, {}, config));
    CHECK(gstd::decompress_range(stream, 0, {}, config).ok());
  }

  TEST_CASE("damage elsewhere does not matter, damage in the range does") {
    const Bytes content = random_bytes(10 * kTile);
    Bytes stream = stream_of(content, small_tiles());
    const size_t data_at = stream.size() - content.size();
    stream[data_at + 5 * kTile + 100] ^= std::byte{1};
    for (uint64_t tile = 0; tile < 10; ++tile) {
      Bytes part(100);
      Verdict verdict;
      gstd::DecompressConfig config;
      config.verdict = &verdict;
      const Status status = gstd::decompress_range(stream, tile * kTile + 1000, part, config);
      CHECK(status.ok() == (tile != 5));
      if (tile == 5) CHECK(verdict == Verdict{Fault::tile_checksum, data_at + 5 * kTile});
    }
  }

  TEST_CASE("a reader's error is handed on") {
    const gstd::ReadAt read = [](uint64_t, std::span<std::byte>) -> Status {
      return Error{ErrorCode::driver_error, "unplugged"};
    };
    Bytes part(10);
    const Status status = gstd::decompress_range(read, 1000, 0, part);
    REQUIRE(!status);
    CHECK(status.error().message == "unplugged");
    const auto info = gstd::inspect(read, 1000);
    REQUIRE(!info);
    CHECK(info.error().message == "unplugged");
  }
}

}  // namespace weft::test
