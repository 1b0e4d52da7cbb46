// SPDX-License-Identifier: MIT OR Apache-2.0
// Every allocation fails in turn, and calls that keep their memory allocate none. A program of its own, as it has the
// operators new.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "content.hpp"

namespace weft::test {
namespace {

std::atomic<int64_t> allocations_left{INT64_MAX};  // until they fail
std::atomic<bool> fails_once{true};                // or from then on
std::atomic<uint64_t> allocations{0};
std::atomic<int64_t> live{0};

void* allocate(size_t bytes, size_t alignment) noexcept {
  ++allocations;
  const int64_t left = allocations_left.fetch_sub(1);
  if (left <= 0 && (left == 0 || !fails_once)) return nullptr;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (memory != nullptr) ++live;
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) --live;
  std::free(memory);
}

void* allocate_or_throw(size_t bytes, size_t alignment) {
  void* memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr size_t kUsual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace
}  // namespace weft::test

using namespace weft::test;

void* operator new(size_t bytes) { return allocate_or_throw(bytes, kUsual); }
void* operator new[](size_t bytes) { return allocate_or_throw(bytes, kUsual); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, kUsual); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, kUsual); }
void* operator new(size_t bytes, std::align_val_t to) { return allocate_or_throw(bytes, static_cast<size_t>(to)); }
void* operator new[](size_t bytes, std::align_val_t to) { return allocate_or_throw(bytes, static_cast<size_t>(to)); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { release(memory); }

namespace weft::test {

using gstd::CompressConfig;
using gstd::DecompressConfig;

namespace {

// Why a call failed, if it did: without a message, which would have to be copied.
using Outcome = std::optional<ErrorCode>;

// Calls `call` with the first allocation failing, then with the second, until it needs no more. `expected` is what it
// returns when none fails.
// Returns how many were needed.
template <class Call>
int64_t fail_each(const Call& call, Outcome expected = std::nullopt) {
  const auto run = [&](int64_t left) {
    allocations_left = left;
    const Outcome outcome = call();
    const bool reached = allocations_left < 0;
    allocations_left = INT64_MAX;
    return std::pair(outcome, reached);
  };
  run(INT64_MAX);  // what is made once is made
  int64_t failing = 0;
  for (const bool once : {true, false}) {
    fails_once = once;
    for (failing = 0;; ++failing) {
      const int64_t before = live;
      const auto [code, reached] = run(failing);
      CAPTURE(failing);
      CAPTURE(once);
      REQUIRE(live == before);
      if (!reached) {
        REQUIRE(code == expected);
        break;
      }
      // A thread that cannot start is done without.
      if (code != expected) REQUIRE(code == ErrorCode::out_of_host_memory);
    }
  }
  return failing;
}

template <class T>
Outcome outcome_of(const T& result) {
  return result ? std::nullopt : Outcome(result.error().code);
}

// Success if a result is right.
Outcome same(bool is_same) { return is_same ? std::nullopt : Outcome(ErrorCode::driver_error); }

CompressConfig config_of(int level, uint32_t threads) {
  CompressConfig config;
  config.level = level;
  config.tile_bytes = 1u << 14;
  config.segment_bytes = 1u << 20;
  config.threads = threads;
  return config;
}

// Takes bytes without memory of its own.
class Taker {
 public:
  explicit Taker(Span expected) : expected_(expected) {}
  Status take(Span bytes) {
    if (bytes.size() > expected_.size() - at_ || !std::equal(bytes.begin(), bytes.end(), expected_.begin() + at_))
      return Error{ErrorCode::driver_error, {}};
    at_ += static_cast<std::ptrdiff_t>(bytes.size());
    return {};
  }
  gstd::Sink sink() {
    return [this](Span bytes) { return take(bytes); };
  }
  bool is_full() const { return static_cast<size_t>(at_) == expected_.size(); }

 private:
  Span expected_;
  std::ptrdiff_t at_ = 0;
};

}  // namespace

TEST_SUITE("gstd allocation") {
  TEST_CASE("compressing: every allocation fails in turn") {
    for (const int level : {1, 3, 19})
      for (const uint32_t threads : {1u, 3u}) {
        if (threads != 1 && level > 3) continue;
        if (kSanitized && threads == 1 && level == 1) continue;
        CAPTURE(level);
        CAPTURE(threads);
        const Bytes content = mixed_bytes(level > 3 ? 4000 : kSanitized ? 40000 : 70000, 1u << 14);
        const CompressConfig config = config_of(level, threads);
        const Bytes expected = stream_of(content, config);
        CHECK(fail_each([&]() -> Outcome {
                const auto stream = gstd::compress(content, config);
                return stream ? same(*stream == expected) : outcome_of(stream);
              }) > 10);
        Bytes room(expected.size());
        fail_each([&]() -> Outcome {
          const auto done = gstd::compress_to(content, room, config);
          return done ? same(*done == expected.size() && room == expected) : outcome_of(done);
        });
        fail_each([&]() -> Outcome {
          auto compressor = gstd::Compressor::create(config, content.size());
          if (!compressor) return outcome_of(compressor);
          Taker taker(expected);
          for (size_t at = 0; at < content.size(); at += 10000) {
            const Span piece = Span(content).subspan(at, std::min<size_t>(10000, content.size() - at));
            if (Status status = compressor->write(piece, taker.sink()); !status) {
              // The error stays, even where its message cannot be copied.
              const Status again = compressor->finish(taker.sink());
              return again ? same(false) : outcome_of(status);
            }
          }
          if (Status status = compressor->finish(taker.sink()); !status) return outcome_of(status);
          return same(taker.is_full());
        });
        // What failed once works as if nothing had been.
        auto kept = gstd::Compressor::create(config);
        REQUIRE(kept);
        for (int64_t failing = 0;; ++failing) {
          fails_once = true;
          allocations_left = failing;
          const auto done = kept->compress_to(content, room);
          const bool reached = allocations_left < 0;
          allocations_left = INT64_MAX;
          if (!done) REQUIRE(done.error().code == ErrorCode::out_of_host_memory);
          std::ranges::fill(room, std::byte{0});
          Bytes stream;
          const gstd::Sink sink = [&](Span bytes) -> Status {
            stream.insert(stream.end(), bytes.begin(), bytes.end());
            return {};
          };
          REQUIRE(kept->write(content, sink));
          REQUIRE(kept->finish(sink));
          REQUIRE(*gstd::decompress(stream) == content);
          REQUIRE(std::ranges::count(room, std::byte{0}) == std::ssize(room));
          REQUIRE(kept->compress_to(content, room));
          REQUIRE(room == expected);
          if (!reached) break;
          kept = gstd::Compressor::create(config);
          REQUIRE(kept);
        }
      }
    const Bytes one(1);
    CompressConfig wrong;
    wrong.level = 99;
    fail_each([&] { return outcome_of(gstd::compress({}, wrong)); }, ErrorCode::invalid_argument);
    fail_each([&] { return outcome_of(gstd::Compressor::create(wrong)); }, ErrorCode::invalid_argument);
    fail_each([&] { return outcome_of(gstd::compress_bound(1, wrong)); }, ErrorCode::invalid_argument);
    fail_each([&] { return outcome_of(gstd::compress_to(one, {})); }, ErrorCode::over_limit);
  }

  TEST_CASE("decompressing: every allocation fails in turn") {
    const Bytes content = mixed_bytes(70000, 1u << 14);
    const Bytes stream = stream_of(content, config_of(3, 1));
    Bytes bad = stream;
    bad.back() ^= std::byte{1};
    const gstd::ReadAt read = [&](uint64_t at, std::span<std::byte> to) -> Status {
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), to.size(), to.begin());
      return {};
    };
    Bytes room(content.size()), part(30000);
    const auto is_part = [&] { return same(std::equal(part.begin(), part.end(), content.begin() + 20000)); };
    for (const uint32_t threads : {1u, 3u})
      for (const bool reference : {false, true}) {
        CAPTURE(threads);
        DecompressConfig config;
        config.threads = threads;
        config.reference = reference;
        CHECK(fail_each([&]() -> Outcome {
                const auto back = gstd::decompress(stream, config);
                return back ? same(*back == content) : outcome_of(back);
              }) > 3);
        fail_each([&]() -> Outcome {
          const auto done = gstd::decompress_to(stream, room, config);
          return done ? same(room == content) : outcome_of(done);
        });
        fail_each([&] { return outcome_of(gstd::decompress(bad, config)); }, ErrorCode::corrupt_stream);
        fail_each([&]() -> Outcome {
          auto decompressor = gstd::Decompressor::create(config);
          if (!decompressor) return outcome_of(decompressor);
          Taker taker(content);
          for (size_t at = 0; at < stream.size(); at += 10000) {
            const Span piece = Span(stream).subspan(at, std::min<size_t>(10000, stream.size() - at));
            if (Status status = decompressor->write(piece, taker.sink()); !status) {
              const Status again = decompressor->finish(taker.sink());
              return again ? same(false) : outcome_of(status);
            }
          }
          if (Status status = decompressor->finish(taker.sink()); !status) return outcome_of(status);
          return same(taker.is_full());
        });
        fail_each(
            [&]() -> Outcome {
              auto decompressor = gstd::Decompressor::create(config);
              if (!decompressor) return outcome_of(decompressor);
              Taker taker(content);
              if (Status status = decompressor->write(Span(stream).first(stream.size() / 2), taker.sink()); !status)
                return outcome_of(status);
              return outcome_of(decompressor->finish(taker.sink()));
            },
            ErrorCode::corrupt_stream);
        fail_each([&]() -> Outcome {
          if (Status status = gstd::decompress_range(stream, 20000, part, config); !status) return outcome_of(status);
          return is_part();
        });
        fail_each([&]() -> Outcome {
          auto reader = gstd::Reader::open(read, stream.size(), config);
          if (!reader) return outcome_of(reader);
          if (Status status = reader->read(20000, part); !status) return outcome_of(status);
          return is_part();
        });
        fail_each([&] { return outcome_of(gstd::decompress_range(stream, content.size(), part, config)); },
                  ErrorCode::invalid_argument);
      }
    fail_each([&] { return outcome_of(gstd::inspect(stream)); });
    fail_each([&] { return outcome_of(gstd::inspect(read, stream.size())); });
    fail_each([&] { return outcome_of(gstd::decompressed_size(stream)); });
    fail_each([&] { return outcome_of(gstd::decompressed_size({})); }, ErrorCode::corrupt_stream);
  }

  TEST_CASE("calls like one before allocate nothing") {
    for (const int level : {1, 3, 6})
      for (const size_t size : {size_t{0}, size_t{64}, size_t{1000}, size_t{300000}}) {
        CAPTURE(level);
        CAPTURE(size);
        const Bytes content = mixed_bytes(size, 1u << 14);
        const CompressConfig config = config_of(level, 1);
        auto compressor = gstd::Compressor::create(config);
        auto decompressor = gstd::Decompressor::create();
        REQUIRE(compressor);
        REQUIRE(decompressor);
        Bytes stream(*gstd::compress_bound(size, config)), back(size), part(size / 3);
        uint64_t written = 0;
        const auto count_of = [&](const auto& call) {
          uint64_t before = 0;
          for (int i = 0; i < 2; ++i) {
            before = allocations;
            REQUIRE(call());
          }
          return allocations - before;
        };
        CHECK(count_of([&] {
                const auto done = compressor->compress_to(content, stream);
                if (done) written = *done;
                return done.ok();
              }) == 0);
        const Span whole = Span(stream).first(written);
        CHECK(count_of([&] { return decompressor->decompress_to(whole, back).ok(); }) == 0);
        CHECK(back == content);
        auto reader = gstd::Reader::open(whole);
        REQUIRE(reader);
        CHECK(count_of([&] { return reader->read(size / 3, part).ok(); }) == 0);
      }
  }
}

}  // namespace weft::test
