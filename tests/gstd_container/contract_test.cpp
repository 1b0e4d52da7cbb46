// SPDX-License-Identifier: MIT OR Apache-2.0
// What gstd.hpp promises beside bytes: codes of errors, errors that stay, callbacks that throw, threads of the
// caller's, ranges of an opened stream.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "content.hpp"
#include "support/sanitized.hpp"

namespace weft::test {

using gstd::CompressConfig;
using gstd::DecompressConfig;
using gstd::Fault;
using gstd::Verdict;

namespace {

// Runs tasks on threads of its own, or leaves some out.
class TestExecutor final : public gstd::Executor {
 public:
  explicit TestExecutor(uint32_t most) : most_(most) {}
  void run(uint32_t count, const std::function<void(uint32_t)>& task) override {
    ++runs;
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < std::min(count, most_); ++i) {
      ++tasks;
      threads.emplace_back([&task, i] { task(i); });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::atomic<uint32_t> runs{0}, tasks{0};

 private:
  uint32_t most_;
};

ErrorCode code_of(Span stream, const DecompressConfig& config = {}) {
  const auto content = gstd::decompress(stream, config);
  REQUIRE(!content);
  return content.error().code;
}

CompressConfig small_tiles() {
  CompressConfig config;
  config.level = 1;
  config.tile_bytes = 1u << 14;
  config.segment_bytes = 1u << 20;
  return config;
}

struct Given {
  Bytes content;
  Verdict verdict;
  bool operator==(const Given&) const = default;
};

Given given_of(Span stream, size_t piece, uint32_t threads) {
  Given given;
  DecompressConfig config;
  config.threads = threads;
  given.verdict = streamed_verdict_of(stream, piece, &given.content, config);
  return given;
}

const gstd::Sink kNowhere = [](Span) -> Status { return {}; };

}  // namespace

TEST_SUITE("gstd contract") {
  TEST_CASE("faults of a stream and mistakes of the caller have codes of their own") {
    const Bytes good = stream_of(mixed_bytes(200000));
    CHECK(code_of(Span(good).first(good.size() - 1)) == ErrorCode::corrupt_stream);
    CHECK(code_of({}) == ErrorCode::corrupt_stream);
    Bytes bad = good;
    bad.back() ^= std::byte{1};
    CHECK(code_of(bad) == ErrorCode::corrupt_stream);
    bad = good;
    bad[gstd::HeaderAt::version] = std::byte{9};
    CHECK(code_of(bad) == ErrorCode::unsupported);
    DecompressConfig limited;
    limited.max_content = 199999;
    CHECK(code_of(good, limited) == ErrorCode::over_limit);
    Bytes room(199999);
    CHECK(gstd::decompress_to(good, room).error().code == ErrorCode::over_limit);
    CHECK(gstd::decompress_range(good, 199999, room).error().code == ErrorCode::invalid_argument);
    CompressConfig none;
    none.level = 0;
    CHECK(gstd::compress(good, none).error().code == ErrorCode::invalid_argument);
    CHECK(gstd::compress_to(good, room, none).error().code == ErrorCode::invalid_argument);
    CompressConfig heavy;
    heavy.decode_weight = gstd::kMaxDecodeWeight + 1;
    CHECK(gstd::compress_bound(0, heavy).error().code == ErrorCode::invalid_argument);
    CHECK(gstd::compress(good, heavy).error().message == "gstd: decode_weight is 17, not 0 to 16");
  }

  TEST_CASE("names are of enumerators alone") {
    CHECK(std::string(gstd::name_of(gstd::TileFilter::delta_planes)) == "delta-planes");
    CHECK(gstd::name_of(static_cast<gstd::TileFilter>(200)) == nullptr);
  }

  TEST_CASE("memory for content is bounded unless the caller allows more") {
    // 257 MiB of zeros are some kilobytes.
    auto compressor = gstd::Compressor::create({1, 1u << 20});
    REQUIRE(compressor);
    Bytes stream;
    const gstd::Sink sink = [&](Span bytes) -> Status {
      stream.insert(stream.end(), bytes.begin(), bytes.end());
      return {};
    };
    const Bytes zeros(1u << 20);
    for (int i = 0; i < 257; ++i) REQUIRE(compressor->write(zeros, sink));
    REQUIRE(compressor->finish(sink));
    CHECK(stream.size() < 4096);
    CHECK(code_of(stream) == ErrorCode::over_limit);
    DecompressConfig exact;
    exact.max_content = gstd::kDefaultMaxContent;
    CHECK(code_of(stream, exact) == ErrorCode::over_limit);
    // What does not allocate for all of it has no limit.
    CHECK(*gstd::decompressed_size(stream) == uint64_t{257} << 20);
    CHECK(gstd::inspect(stream).ok());
    Bytes part(10);
    CHECK(gstd::decompress_range(stream, uint64_t{256} << 20, part).ok());
    uint64_t given = 0;
    auto decompressor = gstd::Decompressor::create();
    REQUIRE(decompressor);
    REQUIRE(decompressor->write(stream, [&](Span bytes) -> Status {
      given += bytes.size();
      return {};
    }));
    CHECK(given == uint64_t{257} << 20);
  }

  TEST_CASE("content is compressed into memory of the caller's") {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{64}, size_t{100001}, (size_t{2} << 20) + 5}) {
      CAPTURE(size);
      const Bytes content = mixed_bytes(size, 1u << 14);
      const Bytes expected = stream_of(content, small_tiles());
      Bytes room(expected.size() + 3, std::byte{0x5a});
      const auto done = gstd::compress_to(content, std::span(room).first(expected.size()), small_tiles());
      REQUIRE(done);
      CHECK(*done == expected.size());
      CHECK(std::equal(expected.begin(), expected.end(), room.begin()));
      for (size_t i = expected.size(); i < room.size(); ++i) CHECK(room[i] == std::byte{0x5a});
      for (const size_t less : {size_t{1}, size_t{4}, expected.size() / 2, expected.size()}) {
        CAPTURE(less);
        const Exact short_room(expected);
        const Span as_const = short_room;
        const std::span<std::byte> output(const_cast<std::byte*>(as_const.data()), expected.size() - less);
        const auto refused = gstd::compress_to(content, output, small_tiles());
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::over_limit);
      }
    }
  }

  TEST_CASE("objects make whole streams one after the other, whatever was written before") {
    auto compressor = gstd::Compressor::create(small_tiles(), 5);
    auto decompressor = gstd::Decompressor::create();
    REQUIRE(compressor);
    REQUIRE(decompressor);
    for (int round = 0; round < 3; ++round)
      for (const size_t size : {size_t{64}, size_t{1} << 20, size_t{100}, size_t{0}, size_t{3} << 20}) {
        CAPTURE(size);
        const Bytes content = mixed_bytes(size, 1u << 14);
        const Bytes expected = stream_of(content, small_tiles());
        // Half of another stream, or an error, lies before.
        if (round == 1) REQUIRE(compressor->write(content, kNowhere));
        if (round == 1) REQUIRE(decompressor->write(Span(expected).first(expected.size() / 2), kNowhere));
        if (round == 2) REQUIRE(!decompressor->write(Bytes(100), kNowhere));
        Bytes room(expected.size()), back(size);
        if (round == 2) CHECK(!compressor->compress_to(content, std::span(room).first(10)));
        const auto done = compressor->compress_to(content, room);
        REQUIRE(done);
        CHECK(*done == expected.size());
        CHECK(room == expected);
        const auto read = decompressor->decompress_to(room, back);
        REQUIRE(read);
        CHECK(*read == size);
        CHECK(back == content);
      }
    // They are as new then.
    Bytes stream, content;
    const auto into = [](Bytes& bytes) -> gstd::Sink {
      return [&bytes](Span more) -> Status {
        bytes.insert(bytes.end(), more.begin(), more.end());
        return {};
      };
    };
    REQUIRE(compressor->write(Bytes(70000), into(stream)));
    REQUIRE(compressor->finish(into(stream)));
    REQUIRE(decompressor->write(stream, into(content)));
    REQUIRE(decompressor->finish(into(content)));
    CHECK(content == Bytes(70000));
  }

  // A ratio, since times differ by machine and build; they are printed. A call that clears a table of a MiB takes more.
  TEST_CASE("a content of 64 bytes takes a fraction of a tile's time") {
    auto compressor = gstd::Compressor::create();
    auto decompressor = gstd::Decompressor::create();
    REQUIRE(compressor);
    REQUIRE(decompressor);
    struct Microseconds {
      double compress = 1e9, decompress = 1e9;
    };
    const auto least_us = [&](size_t bytes, int rounds) {
      const Bytes content = record_bytes(bytes);
      Bytes stream(*gstd::compress_bound(bytes)), back(bytes);
      Microseconds least;
      bool succeeded = true;
      const auto now = [] { return std::chrono::steady_clock::now(); };
      const auto us = [](auto time) { return std::chrono::duration<double, std::micro>(time).count(); };
      for (int i = 0; i < rounds; ++i) {
        const auto start = now();
        const auto size = compressor->compress_to(content, stream);
        const auto middle = now();
        succeeded = size && decompressor->decompress_to(Span(stream).first(*size), back) && succeeded;
        const auto end = now();
        least.compress = std::min(least.compress, us(middle - start));
        least.decompress = std::min(least.decompress, us(end - middle));
      }
      CHECK(succeeded);
      CHECK(back == content);
      return least;
    };
    const Microseconds small = least_us(64, 2000), tile = least_us(65536, 20);
    MESSAGE("64 bytes are compressed in " << small.compress << " us and decompressed in " << small.decompress
                                          << " us, 64 KiB in " << tile.compress << " and " << tile.decompress);
    if (kSanitized) return;
    CHECK(small.compress < tile.compress / 32);
    CHECK(small.decompress < tile.decompress / 16);
  }

  TEST_CASE("an error stays until a reset, and so does the end") {
    const Bytes good = stream_of(mixed_bytes(100000));
    auto decompressor = gstd::Decompressor::create();
    REQUIRE(decompressor);
    const Status refused = decompressor->write(Bytes(100), kNowhere);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::corrupt_stream);
    for (int i = 0; i < 2; ++i) {
      const Status again = decompressor->write(good, kNowhere);
      REQUIRE(!again);
      CHECK(again.error().message == refused.error().message);
      CHECK(decompressor->finish(kNowhere).error().message == refused.error().message);
    }
    decompressor->reset();
    REQUIRE(decompressor->write(good, kNowhere));
    REQUIRE(decompressor->finish(kNowhere));
    CHECK(decompressor->write(good, kNowhere).error().code == ErrorCode::invalid_argument);
    CHECK(decompressor->finish(kNowhere).error().code == ErrorCode::invalid_argument);
    decompressor->reset();
    REQUIRE(decompressor->finish(kNowhere).error().code == ErrorCode::corrupt_stream);
    decompressor->reset();
    REQUIRE(decompressor->write(good, kNowhere));
    REQUIRE(decompressor->finish(kNowhere));
    CHECK(decompressor->finish(kNowhere).error().code == ErrorCode::invalid_argument);

    auto compressor = gstd::Compressor::create();
    REQUIRE(compressor);
    REQUIRE(compressor->finish(kNowhere));
    CHECK(compressor->write(good, kNowhere).error().code == ErrorCode::invalid_argument);
    REQUIRE(compressor->reset());
    REQUIRE(compressor->write(good, kNowhere));
    REQUIRE(compressor->finish(kNowhere));
  }

  TEST_CASE("a callback that throws is an error, and what called it keeps that error") {
    const Bytes content = random_bytes(200000);
    const Bytes good = stream_of(content);
    const gstd::Sink throws = [](Span) -> Status { throw std::runtime_error("sink fell over"); };
    const gstd::Sink throws_anything = [](Span) -> Status { throw 7; };
    const gstd::Sink has_no_memory = [](Span) -> Status { throw std::bad_alloc(); };
    auto decompressor = gstd::Decompressor::create();
    auto compressor = gstd::Compressor::create();
    REQUIRE(decompressor);
    REQUIRE(compressor);
    const auto check = [&](const gstd::Sink& sink, ErrorCode code) {
      Status status = decompressor->write(good, sink);
      REQUIRE(!status);
      CHECK(status.error().code == code);
      CHECK(decompressor->write(good, kNowhere).error().code == code);
      CHECK(decompressor->finish(kNowhere).error().message == status.error().message);
      decompressor->reset();
      REQUIRE(decompressor->write(good, kNowhere));
      decompressor->reset();
      REQUIRE(compressor->write(content, kNowhere));
      status = compressor->finish(sink);
      REQUIRE(!status);
      CHECK(status.error().code == code);
      CHECK(compressor->finish(kNowhere).error().message == status.error().message);
      CHECK(compressor->write(content, kNowhere).error().code == code);
      REQUIRE(compressor->reset());
    };
    check(throws, ErrorCode::system_error);
    check(throws_anything, ErrorCode::system_error);
    check(has_no_memory, ErrorCode::out_of_host_memory);
    CHECK(decompressor->write(good, throws).error().message == "sink fell over");

    bool throws_now = true;
    const gstd::ReadAt read = [&](uint64_t at, std::span<std::byte> to) -> Status {
      if (throws_now) throw std::runtime_error("disk fell over");
      std::copy_n(good.begin() + static_cast<std::ptrdiff_t>(at), to.size(), to.begin());
      return {};
    };
    CHECK(gstd::inspect(read, good.size()).error().message == "disk fell over");
    Bytes part(1000);
    CHECK(gstd::decompress_range(read, good.size(), 0, part).error().message == "disk fell over");
    CHECK(gstd::Reader::open(read, good.size()).error().code == ErrorCode::system_error);
    throws_now = false;
    auto reader = gstd::Reader::open(read, good.size());
    REQUIRE(reader);
    throws_now = true;
    CHECK(reader->read(50000, part).error().message == "disk fell over");
    throws_now = false;
    REQUIRE(reader->read(50000, part));
    CHECK(std::equal(part.begin(), part.end(), content.begin() + 50000));
  }

  TEST_CASE("threads and pieces make no difference to what a damaged stream gives") {
    const Bytes content = mixed_bytes((1u << 20) + 40 * (1u << 14) + 100, 1u << 14);
    CompressConfig config = small_tiles();
    const Bytes good = stream_of(content, config);
    std::vector<Bytes> bad;
    for (const size_t size : {good.size() - 1, good.size() - 20000, good.size() / 2, good.size() / 2 + 1, size_t{3000}})
      bad.push_back(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    for (const size_t at : {good.size() - 3, good.size() / 3, good.size() / 2})
      bad.emplace_back(good)[at] ^= std::byte{1};
    // A bad tile, and then the end.
    bad.emplace_back(bad[6]).resize(good.size() / 3 + 40000);
    // The stream's checksum alone is wrong.
    config.tile_checksums = false;
    bad.push_back(stream_of(content, config));
    bad.back().back() ^= std::byte{1};
    config = small_tiles();
    config.tile_checksums = false;
    bad.push_back(stream_of(random_bytes(300000), config));
    bad.back().back() ^= std::byte{1};
    for (size_t i = 0; i < bad.size(); ++i) {
      CAPTURE(i);
      const Given expected = given_of(bad[i], 1000, 1);
      CHECK(expected.verdict.fault != Fault::none);
      if (i != 4) CHECK(!expected.content.empty());
      CHECK(expected.content.size() < content.size());
      for (const uint32_t threads : {1u, 2u, 3u, 7u})
        for (const size_t piece : {size_t{777}, size_t{100000}, good.size()}) {
          if (kSanitized && (threads < 3 || piece == 100000)) continue;
          CAPTURE(threads);
          CAPTURE(piece);
          CHECK(given_of(bad[i], piece, threads) == expected);
        }
    }
  }

  TEST_CASE("threads of the caller's do the work, or leave it") {
    const Bytes content = mixed_bytes(2u << 20, 1u << 14);
    const Bytes expected = stream_of(content, small_tiles());
    for (const uint32_t most : {4u, 1u, 0u}) {
      CAPTURE(most);
      TestExecutor executor(most);
      CompressConfig config = small_tiles();
      config.threads = 4;
      config.executor = &executor;
      CHECK(stream_of(content, config) == expected);
      CHECK(executor.runs != 0);
      CHECK(executor.tasks == executor.runs * most);
      executor.runs = executor.tasks = 0;
      DecompressConfig back;
      back.threads = 4;
      back.executor = &executor;
      const auto content_back = gstd::decompress(expected, back);
      REQUIRE(content_back);
      CHECK(*content_back == content);
      CHECK(executor.runs != 0);
    }
    // One tile takes no thread.
    TestExecutor executor(4);
    CompressConfig config;
    config.threads = 4;
    config.executor = &executor;
    REQUIRE(gstd::compress(Span(content).first(1000), config));
    CHECK(executor.runs == 0);
  }

  TEST_CASE("with several faults decompress has that of a later header, and a Decompressor that of an earlier tile") {
    const Bytes content = mixed_bytes(100000, 1u << 14);
    Bytes stream = stream_of(content, small_tiles());
    const size_t second = stream.size();
    append(stream, stream_of(content, small_tiles()));
    stream[second / 2] ^= std::byte{1};
    stream[second + gstd::HeaderAt::content_bytes] ^= std::byte{1};
    CHECK(verdict_of(stream).position >= second);
    CHECK(verdict_of(stream).fault == Fault::header_checksum);
    CHECK(streamed_verdict_of(stream, 1000).position < second);
  }

  TEST_CASE("a Reader asks for at most 16 MiB at a time, and for tables of 8 bytes a tile") {
    CompressConfig config;
    config.level = gstd::kMinLevel;
    const Bytes content = random_bytes(40u << 20);
    const Bytes stream = stream_of(content, config);
    size_t most = 0, reads = 0;
    const gstd::ReadAt read = [&](uint64_t at, std::span<std::byte> to) -> Status {
      most = std::max(most, to.size());
      ++reads;
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), to.size(), to.begin());
      return {};
    };
    auto reader = gstd::Reader::open(read, stream.size());
    REQUIRE(reader);
    CHECK(most <= 8 * reader->info().tiles() + 64);
    reads = 0;
    Bytes back(content.size());
    REQUIRE(reader->read(0, back));
    CHECK(back == content);
    CHECK(most <= 16u << 20);
    CHECK(reads == 3);
  }

  TEST_CASE("an opened stream reads headers once, and ranges by several threads") {
    const Bytes content = mixed_bytes((3u << 20) + 77, 1u << 14);
    Bytes stream = stream_of(content, small_tiles());
    for (const Bytes& more : {stream_of({}), stream_of(content, small_tiles())})
      stream.insert(stream.end(), more.begin(), more.end());
    Bytes all = content;
    all.insert(all.end(), content.begin(), content.end());
    uint64_t bytes_read = 0;
    const gstd::ReadAt read = [&](uint64_t at, std::span<std::byte> to) -> Status {
      bytes_read += to.size();
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), to.size(), to.begin());
      return {};
    };
    DecompressConfig config;
    config.threads = 3;
    auto from_memory = gstd::Reader::open(stream, config), from_disk = gstd::Reader::open(read, stream.size(), config);
    REQUIRE(from_memory);
    REQUIRE(from_disk);
    const auto info = gstd::inspect(stream);
    REQUIRE(info);
    for (gstd::Reader* reader : {&*from_memory, &*from_disk}) {
      CHECK(reader->info().streams == 3);
      CHECK(reader->info().segments == info->segments);
      CHECK(reader->info().tiles() == info->tiles());
      CHECK(reader->info().content_bytes == all.size());
      CHECK(reader->info().stream_bytes == stream.size());
      CHECK(reader->info().least_tile_bytes == info->least_tile_bytes);
      CHECK(reader->info().tile_checksums == info->tile_checksums);
      Random random(5);
      for (int i = 0; i < (kSanitized ? 60 : 200); ++i) {
        const uint32_t first = random.below(static_cast<uint32_t>(all.size()));
        const uint32_t rest = static_cast<uint32_t>(all.size()) - first;
        const uint32_t count = i % 10 == 0 ? rest : std::min(rest, random.below(i % 2 != 0 ? 100 : 100000));
        const std::unique_ptr<std::byte[]> room(new std::byte[count]);
        CAPTURE(first);
        CAPTURE(count);
        REQUIRE(reader->read(first, {room.get(), count}));
        REQUIRE(std::equal(room.get(), room.get() + count, all.begin() + first));
      }
      Bytes part(10);
      CHECK(reader->read(all.size() - 9, part).error().code == ErrorCode::invalid_argument);
      CHECK(reader->read(UINT64_MAX, part).error().code == ErrorCode::invalid_argument);
      CHECK(reader->read(all.size(), {}).ok());
      CHECK(!reader->read(all.size() + 1, {}));
      CHECK(reader->read(all.size() - 10, part).ok());
    }
    // The tiles of the range, and nothing else.
    bytes_read = 0;
    Bytes part(10);
    REQUIRE(from_disk->read((1u << 20) + 3, part));
    CHECK(bytes_read <= 1u << 14);

    // Damage in a tile is that range's alone; damage in any header shows when a stream is opened.
    Bytes bad = stream;
    bad[200000] ^= std::byte{1};
    Verdict verdict;
    config.verdict = &verdict;
    auto damaged = gstd::Reader::open(bad, config);
    REQUIRE(damaged);
    Bytes whole(all.size());
    CHECK(damaged->read(0, whole).error().code == ErrorCode::corrupt_stream);
    CHECK(verdict.fault != Fault::none);
    CHECK(damaged->read(2u << 20, part).ok());
    CHECK(verdict == Verdict{});
    bad = stream;
    bad[stream.size() / 2 + 8] ^= std::byte{1};
    bad[gstd::HeaderAt::content_bytes] ^= std::byte{1};
    CHECK(gstd::Reader::open(bad, config).error().code == ErrorCode::corrupt_stream);
    CHECK(verdict.fault == Fault::header_checksum);
    CHECK(gstd::Reader::open(Span{}, config).error().code == ErrorCode::corrupt_stream);
  }
}

}  // namespace weft::test
