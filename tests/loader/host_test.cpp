// SPDX-License-Identifier: MIT OR Apache-2.0
// The Loader without a device: what it loads, in what order, within which memory, and what becomes of faults.
#include <weft/loader.hpp>

#include <doctest/doctest.h>
#ifdef __linux__
#include <sys/resource.h>
#endif

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>
#include <set>
#include <thread>

#include "gstd/gdeflate_maker.hpp"
#include "loader/file.hpp"
#include "loader/loader_files.hpp"
#include "support/sanitized.hpp"

using namespace weft;
using test::Bytes;
using test::load_one;

namespace {

struct Way {
  ReadBackend reads;
  bool direct;
  uint32_t threads;
  bool cached;
};

// Each with the least staging, so that everything waits for room.
std::vector<Way> every_way() {
  return {{ReadBackend::threads, false, 0, true},
          {ReadBackend::threads, true, 2, false},
          {ReadBackend::automatic, false, 2, true},
          {ReadBackend::automatic, false, 0, false},
          {ReadBackend::automatic, true, 2, false}};
}

int64_t nothing_cached(int64_t) { return loader::File::kNotCached; }

LoaderConfig config_of(const Way& way) {
  static const loader::Hooks uncached{{}, nothing_cached};
  LoaderConfig config;
  if (!way.cached) config.hooks = &uncached;
  config.reads = way.reads;
  config.direct = way.direct;
  config.threads = way.threads;
  config.staging_bytes = 8u << 20;
  config.budget_bytes = 64u << 20;
  return config;
}

Loader opened(const LoaderConfig& config) {
  auto loader = Loader::create(config);
  REQUIRE_MESSAGE(loader.ok(), (loader.ok() ? "" : loader.error().message));
  return *std::move(loader);
}

LoaderPack pack_at(Loader& loader, const std::string& path) {
  auto pack = loader.open_pack(path);
  REQUIRE_MESSAGE(pack.ok(), (pack.ok() ? "" : pack.error().message));
  return *std::move(pack);
}

LoadRequest request_of(const LoaderPack& pack, std::string_view path, Bytes& to) {
  LoadRequest request;
  request.pack = pack;
  request.path = path;
  request.to = std::span<std::byte>(to);
  return request;
}

/// A pack with one asset, and a hook for its reads.
struct FaultyPack {
  explicit FaultyPack(const Bytes& content) : FaultyPack(content, test::pack_of_files({{"a", content}})) {}
  FaultyPack(const Bytes& content, const Bytes& bytes) : content_(content), file(bytes) {
    const auto entry = pack::PackReader::open(bytes)->entry(0);
    end = entry.position + entry.stored_bytes;
  }

  RequestStatus load(const Way& way, std::function<int64_t(uint64_t, size_t, int64_t)> hook,
                     RequestReport* report = nullptr) {
    loader::Hooks hooks{std::move(hook)};
    if (!way.cached) hooks.read_cached = nothing_cached;
    LoaderConfig config = config_of(way);
    config.hooks = &hooks;
    Loader loader = opened(config);
    Bytes to(content_.size());
    const RequestStatus status = load_one(loader, request_of(pack_at(loader, file.path()), "a", to), report);
    if (status == RequestStatus::ok) CHECK(to == content_);
    CHECK(loader.usage().staging_now == 0);
    return status;
  }

  Bytes content_;
  test::TemporaryFile file;
  uint64_t end = 0;  // of the asset
};

}  // namespace

TEST_SUITE_BEGIN("host loader");

TEST_CASE("every kind of asset comes as unpack gives it, by every way, within the budget") {
  const auto files = test::loader_files();
  const test::TemporaryFile file(test::loader_pack());
  for (const Way& way : every_way()) {
    CAPTURE(static_cast<int>(way.reads));
    CAPTURE(way.threads);
    Loader loader = opened(config_of(way));
    const LoaderPack pack = pack_at(loader, file.path());
    std::map<std::string, Bytes> outputs;
    std::vector<LoadRequest> requests;
    for (const auto& [path, content] : files) {
      outputs[path].resize(path == "text.zst" ? 700000 : content.size());
      requests.push_back(request_of(pack, path, outputs[path]));
      requests.back().stored = path == "data.gdeflate";
    }
    const auto batch = loader.submit(requests);
    REQUIRE(batch.ok());
    REQUIRE(loader.wait(*batch));
    for (uint32_t i = 0; i < requests.size(); ++i) {
      const std::string path(requests[i].path);
      CAPTURE(path);
      CHECK(batch->status(i) == RequestStatus::ok);
      const Bytes expected = path == "text.zst" ? test::slope(700000, 5) : files.at(path);
      CHECK(outputs[path] == expected);
      const RequestReport& report = batch->report(i);
      CHECK(report.bytes == expected.size());
      if (expected.empty()) continue;
      const pack::Kind kind = pack.directory().find(path)->kind;
      CHECK(report.path ==
            (kind == pack::Kind::gstd || kind == pack::Kind::zst ? LoadPath::host_decode : LoadPath::copy));
      CHECK(report.submitted <= report.read_begun);
      CHECK(report.read_begun <= report.read_done);
      CHECK(report.read_done <= report.decoded);
      CHECK(report.decoded <= report.done);
    }
    const LoaderUsage usage = loader.usage();
    CHECK(usage.peak <= usage.budget);
    CHECK(usage.staging_peak <= 8u << 20);
    CHECK(usage.staging_peak > 4u << 20);
    CHECK(usage.staging_now == 0);
  }
}

TEST_CASE("byte ranges and levels") {
  const auto files = test::loader_files();
  const test::TemporaryFile file(test::loader_pack());
  Loader loader = opened(config_of(every_way()[3]));
  const LoaderPack pack = pack_at(loader, file.path());
  std::mt19937 random(7);
  for (const char* const path : {"long/slope", "long/noise", "long/mixed", "cube.dds", "a.ktx2", "slope/300001"}) {
    const Bytes& content = files.at(path);
    for (int i = 0; i < 12; ++i) {
      const uint64_t first = random() % content.size();
      const uint64_t count = i == 0 ? content.size() - first : random() % (content.size() - first + 1);
      CAPTURE(path);
      CAPTURE(first);
      CAPTURE(count);
      Bytes to(count + 2, std::byte{0xa5});
      LoadRequest request = request_of(pack, path, to);
      request.to = std::span<std::byte>(to).subspan(1, count);
      request.first = first;
      request.count = count;
      CHECK(load_one(loader, request) == RequestStatus::ok);
      CHECK(std::equal(to.begin() + 1, to.end() - 1, content.begin() + static_cast<std::ptrdiff_t>(first)));
      CHECK(to.front() == std::byte{0xa5});
      CHECK(to.back() == std::byte{0xa5});
    }
  }
  const auto reader = pack::PackReader::open(test::loader_pack());
  REQUIRE(reader.ok());
  for (const char* const path : {"cube.dds", "a.ktx2"}) {
    const auto entry = *reader->find(path);
    for (uint32_t i = 1; i < entry.range_count; ++i) {
      const pack::Range range = reader->range(entry, i);
      Bytes expected(range.slice_bytes * entry.slices), to(expected.size());
      REQUIRE(reader->extract(entry, range, expected).ok());
      LoadRequest request = request_of(pack, path, to);
      request.level = range.level;
      CHECK(load_one(loader, request) == RequestStatus::ok);
      CHECK(to == expected);
    }
  }
}

TEST_CASE("a file of GDeflate is decoded as a whole") {
  const std::vector<uint32_t> page = gdeflate::test::page_of_zeros();
  const auto size = static_cast<uint32_t>(4 * page.size());
  std::vector<uint32_t> words = {0x0002fb04u, 1u, size, size};
  for (uint32_t i = 0; i < 2; ++i) words.insert(words.end(), page.begin(), page.end());
  Bytes stream(4 * words.size());
  std::memcpy(stream.data(), words.data(), stream.size());
  const test::TemporaryFile file(test::pack_of_files({{"zeros.gdeflate", stream}}));
  for (const Way& way : every_way()) {
    Loader loader = opened(config_of(way));
    const LoaderPack pack = pack_at(loader, file.path());
    RequestReport report;
    Bytes to(2 * 65536 + 7, std::byte{0xa5});
    CHECK(load_one(loader, request_of(pack, "zeros.gdeflate", to), &report) == RequestStatus::ok);
    CHECK(report.bytes == 2 * 65536);
    CHECK(report.path == LoadPath::host_decode);
    CHECK(std::all_of(to.begin(), to.end() - 7, [](std::byte byte) { return byte == std::byte{0}; }));
    CHECK(std::all_of(to.end() - 7, to.end(), [](std::byte byte) { return byte == std::byte{0xa5}; }));
    LoadRequest part = request_of(pack, "zeros.gdeflate", to);
    part.first = 1;
    CHECK(load_one(loader, part) == RequestStatus::unsupported);
    to.resize(2 * 65536 - 1);
    CHECK(load_one(loader, request_of(pack, "zeros.gdeflate", to)) == RequestStatus::over_limit);
    part = request_of(pack, "zeros.gdeflate", to);
    part.stored = true;
    CHECK(load_one(loader, part, &report) == RequestStatus::ok);
    CHECK(report.bytes == stream.size());
  }
}

TEST_CASE("levels of KTX2 files with Zstandard are decoded, those with another scheme refused by its name") {
  Bytes longer = test::zstd_ktx2(), damaged = longer;
  test::put_u64(longer, 80 + 8, 100000);  // stored bytes
  damaged[damaged.size() - 30] ^= std::byte{1};
  const test::TemporaryFile file(test::pack_of_files({{"1", test::zstd_ktx2(1)},
                                                      {"2", test::zstd_ktx2()},
                                                      {"3", test::zstd_ktx2(3)},
                                                      {"9", test::zstd_ktx2(9)},
                                                      {"longer", longer},
                                                      {"other", test::zstd_ktx2(2, 4095)},
                                                      {"damaged", damaged}}));
  for (const Way& way : every_way()) {
    Loader loader = opened(config_of(way));
    const LoaderPack pack = pack_at(loader, file.path());
    RequestReport report;
    Bytes to(5000);
    const auto load = [&](const char* path, uint32_t level, bool stored = false) {
      LoadRequest request = request_of(pack, path, to);
      request.level = level;
      request.stored = stored;
      return load_one(loader, request, &report);
    };
    for (const uint32_t level : {0u, 1u}) {
      REQUIRE(load("2", level) == RequestStatus::ok);
      const Bytes expected = test::slope(level == 0 ? 4096 : 1024);
      CHECK(report.bytes == expected.size());
      CHECK(report.path == LoadPath::host_decode);
      CHECK(std::equal(expected.begin(), expected.end(), to.begin()));
    }
    CHECK(load("2", 0, true) == RequestStatus::ok);
    CHECK(report.path == LoadPath::copy);
    CHECK(to[0] == std::byte{0x28});
    CHECK(load("1", 0) == RequestStatus::unsupported);
    CHECK(report.reason.starts_with("BasisLZ"));
    CHECK(load("3", 1) == RequestStatus::unsupported);
    CHECK(report.reason.starts_with("ZLIB"));
    CHECK(load("9", 1) == RequestStatus::unsupported);
    CHECK(load("other", 0) == RequestStatus::corrupt);
    CHECK(load("damaged", 0) == RequestStatus::corrupt);
    // Levels that do not lie in the file are none.
    CHECK(load("longer", 0) == RequestStatus::invalid_argument);
    to.resize(4095);
    CHECK(load("2", 0) == RequestStatus::over_limit);
    to.resize(5000);
  }
}

TEST_CASE("requests that do not fit end at once, with their reason") {
  const test::TemporaryFile file(test::loader_pack());
  Loader loader = opened(config_of(every_way()[0]));
  const LoaderPack pack = pack_at(loader, file.path());
  Bytes to(100000);
  RequestReport report;
  const auto status_of = [&](const auto& change) {
    LoadRequest request = request_of(pack, "slope/65536", to);
    change(request);
    const RequestStatus status = load_one(loader, request, &report);
    CHECK(report.reason.empty() == (status == RequestStatus::ok));
    CHECK(report.bytes == (status == RequestStatus::ok ? request.count == kToEnd ? 65536 : request.count : 0));
    return status;
  };
  CHECK(status_of([](LoadRequest&) {}) == RequestStatus::ok);
  CHECK(status_of([](LoadRequest& r) { r.pack = {}; }) == RequestStatus::invalid_argument);
  CHECK(status_of([](LoadRequest& r) { r.path = "none"; }) == RequestStatus::not_found);
  CHECK(status_of([](LoadRequest& r) { r.path = "", r.asset = 1000; }) == RequestStatus::not_found);
  CHECK(status_of([](LoadRequest& r) { r.first = 65537; }) == RequestStatus::invalid_argument);
  CHECK(status_of([](LoadRequest& r) { r.first = 1, r.count = 65536; }) == RequestStatus::invalid_argument);
  CHECK(status_of([](LoadRequest& r) { r.first = 65536, r.count = 0; }) == RequestStatus::ok);
  CHECK(status_of([](LoadRequest& r) { r.level = 0; }) == RequestStatus::invalid_argument);
  CHECK(status_of([&](LoadRequest& r) { r.to = std::span(to).first(65535); }) == RequestStatus::over_limit);
  CHECK(status_of([](LoadRequest& r) { r.to = BufferRange{}; }) == RequestStatus::invalid_argument);
  CHECK(status_of([](LoadRequest& r) { r.to = ImageDestination{}; }) == RequestStatus::invalid_argument);
  CHECK(status_of([](LoadRequest& r) { r.path = "data.gdeflate"; }) == RequestStatus::corrupt);
  CHECK(status_of([](LoadRequest& r) { r.path = "text.zst"; }) == RequestStatus::over_limit);
  CHECK(status_of([](LoadRequest& r) { r.path = "text.zst", r.first = 1; }) == RequestStatus::unsupported);
  CHECK(status_of([](LoadRequest& r) { r.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1); }) ==
        RequestStatus::expired);
  CHECK(loader.open_pack(file.path() + ".none").error().code == ErrorCode::not_found);
  CHECK(loader.open_pack("/").error().code == ErrorCode::system_error);
  const test::TemporaryFile other(test::noise(10000));
  CHECK(loader.open_pack(other.path()).error().code == ErrorCode::corrupt_stream);
}

TEST_CASE("configurations that cannot work are refused") {
  const auto refused = [](const auto& change) {
    LoaderConfig config = config_of(every_way()[0]);
    change(config);
    const auto loader = Loader::create(config);
    return !loader.ok() && loader.error().code == ErrorCode::invalid_argument;
  };
  CHECK_FALSE(refused([](LoaderConfig&) {}));
  CHECK(refused([](LoaderConfig& c) { c.staging_bytes = 1 << 20; }));
  CHECK(refused([](LoaderConfig& c) { c.queue_depth = 0; }));
  CHECK(refused([](LoaderConfig& c) { c.queue_depth = 4097; }));
  CHECK(refused([](LoaderConfig& c) { c.threads = 1025; }));
  CHECK(refused([](LoaderConfig& c) { c.budget_bytes = 32u << 20; }));
  CHECK(refused([](LoaderConfig& c) { c.allocate = [](size_t, size_t) -> void* { return nullptr; }; }));
  LoaderConfig config = config_of(every_way()[0]);
  config.allocate = [](size_t, size_t) -> void* { return nullptr; };
  config.free = [](void*) {};
  CHECK(Loader::create(config).error().code == ErrorCode::out_of_host_memory);
}

TEST_CASE("reads are the system's asynchronous ones, and a pack may be another Loader's") {
  LoaderConfig config = config_of(every_way()[0]);
  CHECK(opened(config).backend() == ReadBackend::threads);
#ifdef _WIN32
  constexpr ReadBackend kAsked = ReadBackend::overlapped, kOther = ReadBackend::io_uring;
#else
  constexpr ReadBackend kAsked = ReadBackend::automatic, kOther = ReadBackend::overlapped;
#endif
  config.reads = kOther;
  CHECK(Loader::create(config).error().code == ErrorCode::system_error);
  config.reads = kAsked;
  const test::TemporaryFile file(test::loader_pack());
  Loader first = opened(config), second = opened(config);
  if (kAsked != ReadBackend::automatic) CHECK(first.backend() == kAsked);
  const LoaderPack pack = pack_at(first, file.path());
  for (Loader* const loader : {&first, &second}) {
    Bytes to(65536);
    CHECK(load_one(*loader, request_of(pack, "noise/65536", to)) == RequestStatus::ok);
    CHECK(to == test::noise(65536));
  }
}

#ifdef __linux__
TEST_CASE("where asynchronous reads are forbidden, threads read, and the log says so") {
  LoaderConfig config = config_of({ReadBackend::automatic, true, 0, false});
  std::string logged;
  config.log = [&](std::string_view message) { logged += message; };
  const test::TemporaryFile file(test::pack_of_files({{"noise/65536", test::noise(65536)}}));
  rlimit files{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &files) == 0);
  const rlimit none{0, files.rlim_max};  // no ring can be opened
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  auto loader = Loader::create(config);
  config.reads = ReadBackend::io_uring;
  const auto refused = Loader::create(config);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &files) == 0);
  REQUIRE(loader.ok());
  CHECK(loader->backend() == ReadBackend::threads);
  CHECK(logged.find("asynchronous reads") != std::string::npos);
  CHECK(refused.error().code == ErrorCode::system_error);
  Bytes to(65536);
  CHECK(load_one(*loader, request_of(pack_at(*loader, file.path()), "noise/65536", to)) == RequestStatus::ok);
  CHECK(to == test::noise(65536));
}
#endif

TEST_CASE("threads read no more at once than queue_depth, callbacks hold no lock, and waits end in time") {
  const test::TemporaryFile file(test::pack_of_files({{"noise/65536", test::noise(65536)}}));
  std::optional<Loader> loader;
  std::atomic<uint32_t> begun = 0, most = 0, calls = 0;
  std::atomic<bool> goes_on = false;
  loader::Hooks hooks;
  hooks.read_cached = [&](int64_t result) {
    ++begun;
    while (!goes_on) std::this_thread::yield();
    const uint32_t reads = loader->usage().reads_in_flight;
    for (uint32_t before = most; before < reads && !most.compare_exchange_weak(before, reads);) {
    }
    return result;
  };
  LoaderConfig config = config_of({ReadBackend::threads, false, 4, true});
  config.hooks = &hooks;
  config.queue_depth = 3;
  config.on_work = [&] {
    ++calls;
    static_cast<void>(loader->usage());
  };
  loader = opened(config);
  const LoaderPack pack = pack_at(*loader, file.path());
  std::vector<Bytes> outputs(20, Bytes(65536));
  std::vector<LoadRequest> requests;
  for (Bytes& output : outputs) requests.push_back(request_of(pack, "noise/65536", output));
  const auto batch = loader->submit(requests);
  REQUIRE(batch.ok());
  // As many threads of the Loader are in their reads: this one finds none.
  while (begun < config.queue_depth) std::this_thread::yield();
  CHECK_FALSE(loader->wait(*batch, std::chrono::milliseconds(1)));
  CHECK_FALSE(batch->done());
  CHECK(begun == config.queue_depth);
  goes_on = true;
  REQUIRE(loader->wait(*batch));
  CHECK(most > 0);
  CHECK(most <= 3);
  CHECK(calls > 0);
  for (const Bytes& output : outputs) CHECK(output == test::noise(65536));
  const LoadBatch nothing;
  CHECK(nothing.size() == 0);
  CHECK(nothing.done());
  CHECK(loader->wait(nothing, std::chrono::nanoseconds(0)));
}

TEST_CASE("requests begin by priority, then by deadline, then as they came") {
  std::map<std::string, Bytes> files;
  for (char name = 'a'; name < 'i'; ++name)
    files[std::string(1, name)] = test::noise(5000, static_cast<uint32_t>(name));
  const test::TemporaryFile file(test::pack_of_files(files));
  std::vector<uint64_t> order;
  const loader::Hooks hooks{[&](uint64_t position, size_t, int64_t result) {
    order.push_back(position);
    return result;
  }};
  LoaderConfig config = config_of(every_way()[0]);
  config.hooks = &hooks;
  Loader loader = opened(config);
  const LoaderPack pack = pack_at(loader, file.path());
  Bytes to(5000);
  const auto now = std::chrono::steady_clock::now();
  const struct {
    const char* path;
    LoadPriority priority;
    int deadline;  // hours; 0: none
  } asked[] = {{"a", LoadPriority::low, 0},  {"b", LoadPriority::normal, 0}, {"c", LoadPriority::normal, 2},
               {"d", LoadPriority::high, 0}, {"e", LoadPriority::normal, 1}, {"f", LoadPriority::low, 9},
               {"g", LoadPriority::high, 0}, {"h", LoadPriority::high, 5}};
  std::vector<LoadRequest> requests;
  for (const auto& ask : asked) {
    requests.push_back(request_of(pack, ask.path, to));
    requests.back().priority = ask.priority;
    if (ask.deadline != 0) requests.back().deadline = now + std::chrono::hours(ask.deadline);
  }
  const auto batch = loader.submit(requests);
  REQUIRE(batch.ok());
  REQUIRE(loader.wait(*batch));
  std::string begun;
  for (const uint64_t position : order)
    for (const auto& [path, content] : files)
      if (pack.directory().find(path)->position == position) begun += path;
  CHECK(begun == "hdgecbfa");
}

TEST_CASE("direct reads ask the page cache for nothing, until the system refuses them") {
  const Bytes content = test::noise(3u << 20);
  const test::TemporaryFile file(test::pack_of_files({{"a", content}}));
  for (const ReadBackend reads : {ReadBackend::automatic, ReadBackend::threads}) {
    std::atomic<uint32_t> asked = 0;
    std::atomic<bool> refused = false;
    const int64_t refusal = loader::is_refused_direct(-EINVAL) ? -EINVAL : -87;  // Windows' invalid parameter
    const loader::Hooks hooks{
        [&](uint64_t, size_t, int64_t result) -> int64_t { return refused.exchange(false) ? refusal : result; },
        [&](int64_t result) {
          ++asked;
          return result;
        }};
    LoaderConfig config = config_of({reads, true, 1, true});
    config.hooks = &hooks;
    std::atomic<uint32_t> logged = 0;
    config.log = [&](std::string_view) { ++logged; };
    Loader loader = opened(config);
    const uint32_t logged_at_first = logged;
    const LoaderPack pack = pack_at(loader, file.path());
    Bytes to(content.size());
    const auto load = [&] {
      std::ranges::fill(to, std::byte{0});
      CHECK(load_one(loader, request_of(pack, "a", to)) == RequestStatus::ok);
      CHECK(to == content);
      return asked.exchange(0);
    };
    // Where the file system has no direct reads, the cache is asked at once.
    const bool has_direct = loader::File::open(file.path(), true)->has_direct();
    CHECK((load() == 0) == has_direct);
    refused = has_direct;
    load();
    CHECK(load() > 0);
    CHECK(logged - logged_at_first == (has_direct ? 1 : 0));
  }
}

TEST_CASE("assets that lie next to each other come by one read, with a status each") {
  std::map<std::string, Bytes> files;
  for (uint32_t i = 100; i < 164; ++i)
    files[std::to_string(i)] = i % 3 == 0 ? test::slope(65536, i) : test::noise(20000 + i, i);
  const Bytes bytes = test::pack_of_files(files);
  const test::TemporaryFile file(bytes);
  for (const Way& way : every_way()) {
    CAPTURE(static_cast<int>(way.reads));
    std::atomic<uint64_t> failing = UINT64_MAX;
    loader::Hooks hooks{[&](uint64_t position, size_t, int64_t result) { return position == failing ? -EIO : result; }};
    if (!way.cached) hooks.read_cached = nothing_cached;
    LoaderConfig config = config_of(way);
    config.hooks = &hooks;
    Loader loader = opened(config);
    const LoaderPack pack = pack_at(loader, file.path());
    std::map<std::string, Bytes> outputs;
    std::vector<LoadRequest> requests, every_second;
    for (const auto& [path, content] : files) {
      outputs[path].resize(content.size());
      requests.push_back(request_of(pack, path, outputs[path]));
      if (requests.size() % 2 == 0) every_second.push_back(requests.back());
    }
    const auto reads_of = [&](const std::vector<LoadRequest>& some, std::string_view fails = {}) {
      const uint64_t before = loader.usage().reads;
      const auto batch = loader.submit(some);
      REQUIRE(batch.ok());
      REQUIRE(loader.wait(*batch));
      for (uint32_t i = 0; i < some.size(); ++i) {
        const std::string path(some[i].path);
        CHECK(batch->status(i) == (path == fails ? RequestStatus::io_error : RequestStatus::ok));
        const bool is_equal = path == fails || outputs[path] == files.at(path);
        CHECK(is_equal);
        std::ranges::fill(outputs[path], std::byte{0});
      }
      const LoaderUsage usage = loader.usage();
      CHECK(usage.staging_now == 0);
      CHECK(usage.reads_in_flight == 0);
      return usage.reads - before;
    };
    // 1.1 MB, at most 1 MiB in one read; each is tried from the page cache first unless it is direct.
    CHECK(reads_of(requests) <= 8);
    CHECK(reads_of(every_second) >= every_second.size());
    for (const char* const path : {"100", "110"}) {
      failing = pack.directory().find(path)->position;
      CHECK(reads_of(requests, path) <= 8);
      failing = UINT64_MAX;
    }
    // The file ends within a read: what is before the end is there.
    Bytes shorter = bytes;
    shorter.resize(pack.directory().find("130")->position + 5000);
    file.write(shorter);
    const auto batch = loader.submit(requests);
    REQUIRE(batch.ok());
    REQUIRE(loader.wait(*batch));
    for (uint32_t i = 0; i < requests.size(); ++i)
      CHECK(batch->status(i) == (i < 30 ? RequestStatus::ok : RequestStatus::short_read));
    file.write(bytes);
  }
}

TEST_CASE("cancel ends what has its tag, and nothing else") {
  const test::TemporaryFile file(test::loader_pack());
  for (const Way& way : every_way()) {
    LoaderConfig config = config_of(way);
    Loader loader = opened(config);
    const LoaderPack pack = pack_at(loader, file.path());
    const Bytes expected = test::slope(12u << 20);
    std::vector<Bytes> outputs(6, Bytes(expected.size()));
    std::vector<LoadRequest> requests;
    for (size_t i = 0; i < outputs.size(); ++i) {
      requests.push_back(request_of(pack, "long/slope", outputs[i]));
      requests.back().tag = i % 3;
    }
    const auto batch = loader.submit(requests);
    REQUIRE(batch.ok());
    for (int i = 0; i < 5; ++i) loader.pump();  // the first has begun
    const uint32_t cancelled = loader.cancel(0);
    CHECK(cancelled <= 2);
    if (way.threads == 0) CHECK(cancelled == 2);
    CHECK(loader.cancel(99) == 0);
    REQUIRE(loader.wait(*batch));
    uint32_t ended = 0;
    for (uint32_t i = 0; i < requests.size(); ++i) {
      if (batch->status(i) == RequestStatus::cancelled) {
        CHECK(i % 3 == 0);
        ++ended;
      } else {
        CHECK(batch->status(i) == RequestStatus::ok);
        CHECK(outputs[i] == expected);
      }
    }
    CHECK(ended == cancelled);
    CHECK(loader.usage().staging_now == 0);
  }
}

TEST_CASE("a Loader that is destroyed cancels what is pending, and frees all") {
  const test::TemporaryFile file(test::loader_pack());
  for (const Way& way : every_way()) {
    std::atomic<int> allocations = 0;
    LoaderConfig config = config_of(way);
    config.allocate = [&](size_t bytes, size_t alignment) {
      ++allocations;
      return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
    };
    config.free = [&](void* memory) {
      --allocations;
      ::operator delete (memory, std::align_val_t{64 << 10});
    };
    std::vector<Bytes> outputs(4, Bytes(12u << 20));
    LoadBatch batch;
    {
      Loader loader = opened(config);
      CHECK(allocations == 1);
      const LoaderPack pack = pack_at(loader, file.path());
      std::vector<LoadRequest> requests;
      requests.reserve(outputs.size());
      for (Bytes& to : outputs) requests.push_back(request_of(pack, "long/slope", to));
      batch = *loader.submit(requests);
      for (int i = 0; i < 3; ++i) loader.pump();
    }
    CHECK(allocations == 0);
    REQUIRE(batch.done());
    for (uint32_t i = 0; i < 4; ++i) {
      const bool is_expected = batch.status(i) == RequestStatus::cancelled || batch.status(i) == RequestStatus::ok;
      CHECK(is_expected);
    }
    CHECK(batch.status(3) == RequestStatus::cancelled);
  }
}

TEST_CASE("reads that fail end their request with their own status") {
  for (const size_t bytes : {size_t{5000}, size_t{9} << 20}) {
    for (const bool compresses : {false, true}) {
      FaultyPack faulty(compresses ? test::slope(bytes * 4) : test::noise(bytes));
      for (const Way& way : every_way()) {
        if (test::kSanitized && compresses && bytes > 5000 && way.threads == 0) continue;
        CAPTURE(bytes);
        CAPTURE(compresses);
        CAPTURE(static_cast<int>(way.reads));
        RequestReport report;
        for (const int error : {EIO, ENOSPC, ENXIO}) {
          CHECK(faulty.load(
                    way, [&](uint64_t, size_t, int64_t) { return -error; }, &report) == RequestStatus::io_error);
          CHECK(report.system_error == error);
        }
        CHECK(faulty.load(way, [](uint64_t, size_t, int64_t) { return 0; }) == RequestStatus::short_read);
        std::atomic<int> calls = 0;
        // Interrupted, and in pieces: nothing is wrong.
        const auto in_pieces = [&](uint64_t, size_t size, int64_t result) -> int64_t {
          if (++calls % 3 == 0)
            return result < 0 ? result : std::min<int64_t>(result, static_cast<int64_t>(size + 1) / 2);
          return result;
        };
        CHECK(faulty.load(way, in_pieces) == RequestStatus::ok);
        // The last read only.
        CHECK(faulty.load(way, [&](uint64_t position, size_t size, int64_t result) -> int64_t {
          return position + size >= faulty.end ? -EIO : result;
        }) == RequestStatus::io_error);
      }
    }
  }
}

TEST_CASE("a file that changes, shrinks or vanishes") {
  std::map<std::string, Bytes> files = {{"a", test::noise(50000)},
                                        {"b", test::slope(200000)},
                                        {"c", test::noise(9u << 20, 3)},
                                        {"d", test::slope(12u << 20)},
                                        {"e.zst", test::zstd_of(test::slope(90000))}};
  // Its first tiles are raw: what changes in them, only their checksums find.
  files["f"] = test::noise(200000);
  files["f"].resize(300000);
  const Bytes bytes = test::pack_of_files(files);
  for (const Way& way : every_way()) {
    for (const char* const path : {"a", "b", "c", "d", "e.zst", "f"}) {
      if (test::kSanitized && std::string_view(path) == "d" && way.threads == 0) continue;
      CAPTURE(path);
      CAPTURE(static_cast<int>(way.reads));
      const test::TemporaryFile file(bytes);
      Loader loader = opened(config_of(way));
      const LoaderPack pack = pack_at(loader, file.path());
      Bytes to(std::string_view(path) == "e.zst" ? 90000 : files.at(path).size());
      const LoadRequest request = request_of(pack, path, to);
      const pack::Entry entry = *pack.directory().find(path);
      Bytes changed = bytes;
      changed[entry.position + entry.stored_bytes / 2] ^= std::byte{16};
      file.write(changed);
      CHECK(load_one(loader, request) == RequestStatus::corrupt);
      changed = bytes;
      changed.resize(entry.position + entry.stored_bytes - 1);
      file.write(changed);
      CHECK(load_one(loader, request) == RequestStatus::short_read);
      file.write(bytes);
      CHECK(load_one(loader, request) == RequestStatus::ok);
      std::filesystem::remove(file.path());
      CHECK(load_one(loader, request) == RequestStatus::ok);
    }
  }
}

TEST_CASE("ranges without tile checksums are verified by their hash") {
  const Bytes bytes = test::pack_of_files({{"a", test::slope(200000)}}, false);
  Bytes changed = bytes;
  const auto entry = pack::PackReader::open(bytes)->entry(0);
  // A literal, most likely: the stream stays valid.
  changed[entry.position + entry.stored_bytes - 9] ^= std::byte{1};
  const test::TemporaryFile file(changed);
  Loader loader = opened(config_of(every_way()[0]));
  Bytes to(200000);
  CHECK(load_one(loader, request_of(pack_at(loader, file.path()), "a", to)) == RequestStatus::corrupt);
}

TEST_CASE("thousands of requests of 8 threads, some cancelled, end once each") {
  std::map<std::string, Bytes> files;
  for (uint32_t i = 0; i < 64; ++i)
    files["f" + std::to_string(i)] = i % 2 == 0 ? test::slope(500 + 300 * i, i) : test::noise(500 + 100 * i, i);
  const test::TemporaryFile file(test::pack_of_files(files));
  for (const ReadBackend reads : {ReadBackend::automatic, ReadBackend::threads}) {
    LoaderConfig config = config_of({reads, false, 3, reads == ReadBackend::threads});
    std::atomic<uint32_t> calls = 0;
    config.on_work = [&] { ++calls; };
    Loader loader = opened(config);
    const LoaderPack pack = pack_at(loader, file.path());
    constexpr uint32_t kThreads = 8, kEach = test::kSanitized ? 300 : 1500, kBatch = 100;
    std::atomic<uint32_t> good = 0, cancelled = 0, wrong = 0;
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        std::vector<Bytes> outputs(kBatch);
        for (uint32_t done = 0; done < kEach; done += kBatch) {
          std::vector<LoadRequest> requests;
          for (uint32_t i = 0; i < kBatch; ++i) {
            const std::string& path = std::next(files.begin(), (t + done + i) % 64)->first;
            outputs[i].resize(files.at(path).size());
            std::memset(outputs[i].data(), 0, outputs[i].size());
            requests.push_back(request_of(pack, path, outputs[i]));
            requests.back().priority = static_cast<LoadPriority>(i % 3);
            requests.back().tag = i % 10 == 0 ? 1000 + t : 0;
          }
          const auto batch = loader.submit(requests);
          if (!batch) std::abort();
          if (t % 2 == 0) loader.cancel(1000 + t);
          if (t % 4 == 1)
            while (!batch->done()) std::this_thread::yield();  // the Loader's threads alone
          else
            loader.wait(*batch);
          for (uint32_t i = 0; i < kBatch; ++i) {
            const RequestStatus status = batch->status(i);
            if (status == RequestStatus::cancelled && requests[i].tag != 0)
              ++cancelled;
            else if (status == RequestStatus::ok &&
                     std::memcmp(outputs[i].data(), files.at(std::string(requests[i].path)).data(),
                                 outputs[i].size()) == 0)
              ++good;
            else
              ++wrong;
          }
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(good + cancelled == kThreads * kEach);
    CHECK(good >= kThreads * kEach * 9 / 10);
    CHECK(calls > 0);
    const LoaderUsage usage = loader.usage();
    CHECK(usage.peak <= usage.budget);
    CHECK(usage.staging_now == 0);
    CHECK(usage.reads_in_flight == 0);
  }
}

TEST_SUITE_END();
