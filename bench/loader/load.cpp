// SPDX-License-Identifier: MIT OR Apache-2.0
#include "load.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weft/gstd_decode.hpp>
#include <weft/loader.hpp>

#include "git_commit.hpp"
#include "load_input.hpp"
#include "load_peers.hpp"
#include "support/options.hpp"
#include "support/report.hpp"
#include "support/sampling.hpp"
#include "support/session.hpp"

namespace weft::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr size_t kNameColumns = 66;
constexpr uint64_t kLatencyBytes = 1 << 16;
constexpr uint64_t kRequestBytes = 4096;  // so few that the time is that of the request
constexpr size_t kRequests = 2000;
constexpr const char* kFile = "file";   // assets are files as they are
constexpr uint32_t kLargestBatch = 16;  // of calls between two looks at the clock
constexpr double kLongCallMs = 20;      // so that the first batch is small

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// How a row's Loader is made.
struct Setup {
  ReadBackend reads = ReadBackend::automatic;
  uint32_t depth = 32;
  uint64_t staging = uint64_t{64} << 20;
  StagingMemory memory = StagingMemory::automatic;
  bool copy_queue = false;
  bool disk = false;  // reads bypass the page cache, which is dropped before
  bool on_device = true;
};

class LoadBench {
 public:
  LoadBench(const LoadOptions& options, Gpu gpu)
      : options_(options), out_(options.json == "-" ? stderr : stdout), gpu_(std::move(gpu)) {
    threads_ = options.threads != 0 ? options.threads : std::max(std::thread::hardware_concurrency(), 1u);
    stagings_ = options.stagings.empty() ? std::vector<uint64_t>{1 << 24, 1 << 26, 1 << 28} : options.stagings;
    assets_ = options.assets.empty() ? std::vector<uint64_t>{1 << 16, 1 << 20, 1 << 24} : options.assets;
    is_software_ = gpu_.info().kind == GpuKind::software;
    device_bytes_ = options.device_bytes != 0 ? options.device_bytes : uint64_t{is_software_ ? 64u : 768u} << 20;
    warm_up_ms_ = is_software_ ? 0 : kWarmUpMs;
  }

  bool run();

 private:
  Status prepare();
  Status run_bounds(const WorkFile& pack);
  Status decode_bound(const WorkFile& pack);
  Status run_loader(const Contents& contents, const WorkFile& pack, const Setup& setup, const std::string& asset);
  void add_bound(bool disk);
  std::optional<double> of_slowest_bound(bool disk) const;
  Status run_peer(const PeerFile& peer, const char* name, bool compressed, bool disk);
  Status run_latency();
  Status run_requests();
  Result<Loader> loader_of(const Setup& setup);
  Result<bool> matches();
  Status time_row(Row row, uint64_t bytes, const std::function<void()>& before, const std::function<Status()>& call);
  void add_row(Row row);
  Json json();
  Row row_of_variant(std::string primitive, std::string variant) const;
  bool write_json();

  const LoadOptions& options_;
  std::FILE* out_;
  Gpu gpu_;
  uint32_t threads_ = 1;
  bool is_software_ = false;
  uint64_t device_bytes_ = 0;
  double warm_up_ms_ = 0;
  std::vector<uint64_t> stagings_, assets_;
  Contents contents_;
  std::optional<Buffer> output_;
  std::unique_ptr<Peers> peers_;
  std::vector<Row> rows_;
  // From the page cache, and from the disk: the slowest part by itself, and the best Loader.
  std::array<double, 2> slowest_ms_{}, best_ms_{};
};

Row LoadBench::row_of_variant(std::string primitive, std::string variant) const {
  Row row;
  row.primitive = std::move(primitive);
  row.variant = std::move(variant);
  row.type = "u8";
  row.n = contents_.bytes.size();
  row.data = "files";
  return row;
}

void LoadBench::add_row(Row row) {
  const std::string name = name_cell(row.primitive + ' ' + row.variant, kNameColumns);
  if (row.ms)
    fmt::print(out_, "{} {:>9} {:>9} {:>7.2f} {:>6}\n", name, ms_text(row.ms->median), ms_text(row.ms->p95), row.gbps,
               noise_text(*row.ms));
  else
    fmt::print(out_, "{} {}\n", name, row.problem);
  std::fflush(out_);
  rows_.push_back(std::move(row));
  if (!options_.json.empty() && options_.json != "-") write_json();
}

// `bytes`: what the rate is of.
Status LoadBench::time_row(Row row, uint64_t bytes, const std::function<void()>& before,
                           const std::function<Status()>& call) {
  Status status;
  const auto time = [&](uint32_t count) -> std::optional<std::vector<double>> {
    std::vector<double> batch;
    while (batch.size() < count) {
      before();
      const Clock::time_point begin = Clock::now();
      if (status = call(); !status) return std::nullopt;
      batch.push_back(ms_since(begin));
    }
    return batch;
  };
  const Sampling sampling{options_.repeats, warm_up_ms_, kLargestBatch};
  auto samples = take_samples(sampling, kLongCallMs, time, [] { return true; });
  if (!samples) {
    row.failed = true;
    row.problem = status.error().message;
    add_row(std::move(row));
    return status;
  }
  row.ms = summarize(*std::move(samples));
  row.wall_ms = row.ms->median;
  row.gbps = gbps_of(bytes, row.ms->median);
  add_row(std::move(row));
  return {};
}

Status LoadBench::prepare() {
  auto contents = read_contents(options_.files, options_.first_bytes);
  if (!contents) return contents.error();
  contents_ = *std::move(contents);
  auto output = gpu_.create_buffer(contents_.bytes.size());
  if (!output) return output.error();
  output_ = *std::move(output);
  auto peers = Peers::create(gpu_, contents_.bytes.size());
  if (!peers) return peers.error();
  peers_ = *std::move(peers);
  return {};
}

Result<Loader> LoadBench::loader_of(const Setup& setup) {
  LoaderDevice device;
  device.instance = gpu_.instance();
  device.physical_device = gpu_.physical_device();
  device.get_instance_proc_addr = gpu_.get_instance_proc_addr();
  device.queue = gpu_.queue();
  device.queue_family = gpu_.queue_family();
  device.external_memory_host = gpu_.has_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (const auto queue = gpu_.copy_queue(); queue && setup.copy_queue) {
    device.copy_queue = queue->handle;
    device.copy_queue_family = queue->family;
  }
  LoaderConfig config;
  config.reads = setup.reads;
  config.queue_depth = setup.depth;
  config.direct = setup.disk;
  config.staging_bytes = setup.staging;
  config.staging = setup.memory;
  config.device_bytes = device_bytes_;
  config.decode_on_device = setup.on_device;
  config.threads = threads_ - 1;
  config.budget_bytes = 2 * setup.staging + device_bytes_ + (uint64_t{threads_} * 3 << 20) + (uint64_t{64} << 20);
  config.log = [](std::string_view message) {
    std::fprintf(stderr, "weft-bench: %.*s\n", static_cast<int>(message.size()), message.data());
  };
  return Loader::create(gpu_.context(), device, config);
}

Result<bool> LoadBench::matches() {
  std::vector<std::byte> bytes(contents_.bytes.size());
  if (Status status = gpu_.download(output_->range(), bytes); !status) return status.error();
  return bytes == contents_.bytes;
}

// All assets, in one batch, to one buffer.
Status LoadBench::run_loader(const Contents& contents, const WorkFile& pack, const Setup& setup,
                             const std::string& asset) {
  auto loader = loader_of(setup);
  Row row = row_of_variant("loader", "");
  const std::string backend = loader ? name_of(loader->backend()) : name_of(setup.reads);
  row.variant = fmt::format("from={} reads={} decode={} depth={} staging={} asset={}", setup.disk ? "disk" : "cache",
                            backend, setup.on_device ? "device" : "host", setup.depth, size_text(setup.staging), asset);
  if (setup.memory != StagingMemory::automatic) row.variant += fmt::format(" memory={}", name_of(setup.memory));
  if (setup.copy_queue) row.variant += " copies=queue";
  if (!loader) {
    row.problem = loader.error().message;
    add_row(std::move(row));
    return {};
  }
  auto opened = loader->open_pack(pack.path());
  if (!opened) return opened.error();
  std::vector<LoadRequest> requests;
  for (const Content& content : contents.files) {
    LoadRequest request;
    request.pack = *opened;
    request.path = content.path;
    request.to = output_->range(content.at, content.bytes);
    requests.push_back(std::move(request));
  }
  const auto load = [&]() -> Status {
    const auto batch = loader->submit(requests);
    if (!batch) return batch.error();
    loader->wait(*batch);
    for (uint32_t i = 0; i < batch->size(); ++i)
      if (batch->status(i) != RequestStatus::ok)
        return Error{ErrorCode::corrupt_stream,
                     fmt::format("{}: {}: {}", requests[i].path, name_of(batch->status(i)), batch->report(i).reason)};
    return {};
  };
  if (Status status = gpu_.fill(output_->range(), 0); !status) return status;
  Status status = load();
  const auto same = status ? matches() : Result<bool>(true);
  if (!same) return same.error();
  row.verified = status.ok() && *same;
  row.verification = Verification::full;
  if (!row.verified) {
    row.failed = true;
    row.problem = status ? "the bytes are wrong" : status.error().message;
    add_row(std::move(row));
    return {};
  }
  status = time_row(
      std::move(row), contents_.bytes.size(),
      [&] {
        if (setup.disk) pack.forget();
      },
      load);
  double& best = best_ms_[setup.disk ? 1 : 0];
  if (status && setup.on_device && asset == kFile)
    best = best != 0 ? std::min(best, rows_.back().ms->median) : rows_.back().ms->median;
  return status;
}

// The last row bounds Loaders that read from there.
void LoadBench::add_bound(bool disk) {
  double& slowest = slowest_ms_[disk ? 1 : 0];
  slowest = std::max(slowest, rows_.back().ms->median);
}

// The best Loader's rate, of that of the slowest part.
std::optional<double> LoadBench::of_slowest_bound(bool disk) const {
  const size_t from = disk ? 1 : 0;
  if (best_ms_[from] == 0) return std::nullopt;
  return slowest_ms_[from] / best_ms_[from];
}

Status LoadBench::run_peer(const PeerFile& peer, const char* name, bool compressed, bool disk) {
  Row row = row_of_variant(name, fmt::format("from={} threads={}", disk ? "disk" : "cache", threads_));
  const auto load = [&] { return peers_->load(peer, compressed, disk, threads_, output_->handle()); };
  if (Status status = gpu_.fill(output_->range(), 0); !status) return status;
  if (Status status = load(); !status) return status;
  const auto same = matches();
  if (!same) return same.error();
  row.verified = *same;
  row.failed = !*same;
  if (row.failed) return Error{ErrorCode::corrupt_stream, std::string(name) + ": the bytes are wrong"};
  return time_row(
      std::move(row), contents_.bytes.size(),
      [&] {
        if (disk) peer.file.forget();
      },
      load);
}

// What bounds a Loader, each by itself. Rates of disk, cache and copy are of the bytes that they move.
Status LoadBench::run_bounds(const WorkFile& pack) {
  for (const bool disk : {false, true}) {
    Row row =
        row_of_variant("bound", fmt::format("read from={} threads={} of=stored", disk ? "disk" : "cache", threads_));
    row.n = pack.bytes();
    if (Status status = time_row(
            std::move(row), pack.bytes(),
            [&] {
              if (disk) pack.forget();
            },
            [&] { return read_all(pack.path(), disk, threads_); });
        !status)
      return status;
    add_bound(disk);
  }
  Row copy = row_of_variant("bound", "copy of=content");
  if (Status status = time_row(
          std::move(copy), contents_.bytes.size(), [] {},
          [&] { return peers_->copy(contents_.bytes.size(), output_->handle()); });
      !status)
    return status;
  for (const bool disk : {false, true}) add_bound(disk);
  const size_t rows = rows_.size();
  if (Status status = decode_bound(pack); !status) return status;
  for (const bool disk : {false, true})
    if (rows_.size() != rows) add_bound(disk);
  return {};
}

// Every Gstd range of the pack, in device memory.
Status LoadBench::decode_bound(const WorkFile& pack) {
  std::vector<std::byte> bytes(pack.bytes());
  const int file = ::open(pack.path().c_str(), O_RDONLY);
  const bool read = file >= 0 && ::pread(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  if (file >= 0) ::close(file);
  if (!read) return Error{ErrorCode::system_error, pack.path() + " cannot be read"};
  const auto reader = pack::PackReader::open(bytes);
  if (!reader) return reader.error();
  std::vector<GstdTile> tiles;
  uint64_t content = 0;
  for (uint32_t i = 0; i < reader->size(); ++i) {
    const pack::Entry entry = reader->entry(i);
    for (uint32_t r = 0; r < entry.range_count; ++r) {
      const pack::Range range = reader->range(entry, r);
      if (range.coding != pack::Coding::gstd) continue;
      const auto stream = std::span<const std::byte>(bytes).subspan(range.position, range.stored_bytes);
      auto more = gstd_tiles(stream, range.position, content);
      if (!more) return more.error();
      tiles.insert(tiles.end(), more->begin(), more->end());
      content += range.slice_bytes * (range.level == pack::kNoLevel ? 1 : entry.slices);
    }
  }
  if (tiles.empty() || tiles.size() > GstdDecode::kMaxTilesByValue) return {};
  gstd_largest_first(tiles);
  const auto decoder = GstdDecode::create(gpu_.context());
  if (!decoder) return decoder.error();
  const auto source = gpu_.create_buffer(bytes.size()), status = gpu_.create_buffer(4 * (1 + tiles.size())),
             scratch = gpu_.create_buffer(decoder->scratch_size_by_value(tiles.size()));
  for (const auto* buffer : {&source, &status, &scratch})
    if (!*buffer) return buffer->error();
  if (Status done = gpu_.upload(source->range(), bytes); !done) return done;
  GstdDecodeArgs args;
  args.source = source->range();
  args.output = output_->range();
  args.status = status->range();
  args.scratch = scratch->range();
  Row row = row_of_variant("bound", "decode of=content");
  row.n = content;
  return time_row(
      std::move(row), content, [] {},
      [&] {
        return gpu_.run([&](VkCommandBuffer commands) { return decoder->record(commands, tiles, args); }).status();
      });
}

// One asset of 64 KiB after the other, at random, until it is in device memory.
Status LoadBench::run_latency() {
  const Contents parts = contents_.cut(kLatencyBytes);
  auto pack = write_pack(parts, options_.folder + "/weft-load-latency.wpk", options_.level);
  if (!pack) return pack.error();
  WorkFile raw(options_.folder + "/weft-load-latency.raw");
  if (Status status = raw.write(parts.bytes); !status) return status;
  auto loader = loader_of({});
  if (!loader) return loader.error();
  auto opened = loader->open_pack(pack->path());
  if (!opened) return opened.error();
  const int file = ::open(raw.path().c_str(), O_RDONLY);
  if (file < 0) return Error{ErrorCode::system_error, raw.path() + " cannot be opened"};
  std::vector<Content> whole = parts.files;
  std::erase_if(whole, [](const Content& part) { return part.bytes != kLatencyBytes; });
  if (whole.empty()) whole = parts.files;
  for (const bool is_peer : {false, true}) {
    std::mt19937 random(1);
    std::vector<double> samples;
    Status status;
    const Clock::time_point first = Clock::now();
    while (samples.size() < options_.latencies && status) {
      const Content& part = whole[random() % whole.size()];
      const Clock::time_point begin = Clock::now();
      if (is_peer) {
        status = peers_->load_one(file, part.at, part.bytes, output_->handle());
      } else {
        LoadRequest request;
        request.pack = *opened;
        request.path = part.path;
        request.to = output_->range(0, part.bytes);
        const auto batch = loader->submit({&request, 1});
        if (!batch) return batch.error();
        loader->wait(*batch);
        if (batch->status(0) != RequestStatus::ok) status = Error{ErrorCode::corrupt_stream, name_of(batch->status(0))};
      }
      const double ms = ms_since(begin);
      if (ms_since(first) >= warm_up_ms_) samples.push_back(ms);
    }
    if (!status) return status;
    if (samples.empty()) continue;
    std::sort(samples.begin(), samples.end());
    Row row = row_of_variant(is_peer ? "pread+upload" : "loader", "");
    const double p99 = samples[std::min(samples.size() - 1, samples.size() * 99 / 100)];
    row.variant = fmt::format("latency asset=64KiB from=cache p99={}ms", ms_text(p99));
    row.n = kLatencyBytes;
    row.ms = summarize(std::move(samples));
    row.gbps = gbps_of(kLatencyBytes, row.ms->median);
    add_row(std::move(row));
  }
  ::close(file);
  return {};
}

// The host's time for a request, one by one and in a batch, to host memory from the page cache.
Status LoadBench::run_requests() {
  Contents parts = contents_.cut(kRequestBytes);
  parts.files.resize(std::min(parts.files.size(), kRequests));
  auto pack = write_pack(parts, options_.folder + "/weft-load-requests.wpk", 1);
  if (!pack) return pack.error();
  LoaderConfig config;
  config.threads = threads_ - 1;
  auto loader = Loader::create(config);
  if (!loader) return loader.error();
  auto opened = loader->open_pack(pack->path());
  if (!opened) return opened.error();
  std::vector<std::byte> to(kRequestBytes * parts.files.size());
  std::vector<LoadRequest> requests(parts.files.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    requests[i].pack = *opened;
    requests[i].path = parts.files[i].path;
    requests[i].to = std::span(to).subspan(kRequestBytes * i, kRequestBytes);
  }
  const auto load = [&](std::span<const LoadRequest> some) -> Status {
    const auto batch = loader->submit(some);
    if (!batch) return batch.error();
    loader->wait(*batch);
    for (uint32_t i = 0; i < batch->size(); ++i)
      if (batch->status(i) != RequestStatus::ok) return Error{ErrorCode::corrupt_stream, name_of(batch->status(i))};
    return {};
  };
  for (const bool lone : {true, false}) {
    std::vector<double> samples;
    const size_t count = lone ? 1 : requests.size();
    for (size_t i = 0; i < (lone ? requests.size() : options_.repeats); ++i) {
      const Clock::time_point begin = Clock::now();
      if (Status status = load(std::span(requests).subspan(lone ? i : 0, count)); !status) return status;
      samples.push_back(ms_since(begin) / static_cast<double>(count));
    }
    std::ranges::sort(samples);
    Row row = row_of_variant("loader", "");
    row.variant = fmt::format("request asset=4KiB to=host threads={} batch={} p99={}ms", threads_, count,
                              ms_text(samples[samples.size() * 99 / 100]));
    row.n = kRequestBytes;
    row.ms = summarize(std::move(samples));
    row.gbps = gbps_of(kRequestBytes, row.ms->median);
    add_row(std::move(row));
  }
  return {};
}

Json LoadBench::json() {
  Json json = report_json(report_head(gpu_, options_.uuid), "host", rows_);
  json["program"] = "weft-bench load";
  json["gbps_of"] = "content bytes, unless the row says stored";
  json["level"] = options_.level;
  json["threads"] = threads_;
  for (const bool disk : {false, true})
    if (const auto fraction = of_slowest_bound(disk)) json["of_slowest_bound"][disk ? "disk" : "cache"] = *fraction;
  json["device_bytes"] = device_bytes_;
  json["imports_host_memory"] = gpu_.has_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  return json;
}

bool LoadBench::write_json() {
  const Status status = write_text(options_.json, json().dump(1) + '\n');
  return status || print_message(status.error().message);
}

bool LoadBench::run() {
  if (is_software_) fmt::print(out_, "{}\n", kSoftwareDevice);
  fmt::print(out_, "weft-bench load ({:.12})\n", kGitCommit);
  print_wrapped(out_, fmt::format("{}, {}; {} threads", gpu_.info().name, gpu_.info().driver, threads_));
  const auto all = [&]() -> Status {
    if (Status status = prepare(); !status) return status;
    auto pack = write_pack(contents_, options_.folder + "/weft-load.wpk", options_.level);
    if (!pack) return pack.error();
    fmt::print(out_, "{} bytes in {} files; the pack has {} bytes\n\n{} {:>9} {:>9} {:>7} {:>6}\n",
               contents_.bytes.size(), contents_.files.size(), pack->bytes(), name_cell("row", kNameColumns), "ms",
               "p95", "GB/s", "noise");
    if (Status status = run_bounds(*pack); !status) return status;
    for (const bool disk : {false, true}) {
      Setup setup;
      setup.disk = disk;
      for (const uint32_t depth : options_.depths) {
        setup.depth = depth;
        if (Status status = run_loader(contents_, *pack, setup, kFile); !status) return status;
      }
      setup.depth = Setup{}.depth;
      for (const uint64_t staging : stagings_) {
        setup.staging = staging;
        if (Status status = run_loader(contents_, *pack, setup, kFile); !status) return status;
      }
      setup.staging = Setup{}.staging;
      for (const StagingMemory memory : {StagingMemory::host, StagingMemory::imported, StagingMemory::device}) {
        setup.memory = memory;
        if (Status status = run_loader(contents_, *pack, setup, kFile); !status) return status;
      }
      setup.memory = Setup{}.memory;
      if (gpu_.copy_queue()) {
        setup.copy_queue = true;
        if (Status status = run_loader(contents_, *pack, setup, kFile); !status) return status;
        setup.copy_queue = false;
      }
      setup.on_device = false;
      if (Status status = run_loader(contents_, *pack, setup, kFile); !status) return status;
      setup.on_device = true;
      setup.reads = ReadBackend::threads;
      if (Status status = run_loader(contents_, *pack, setup, kFile); !status) return status;
    }
    for (const uint64_t asset : assets_) {
      const Contents parts = contents_.cut(asset);
      auto cut = write_pack(parts, options_.folder + "/weft-load-cut.wpk", options_.level);
      if (!cut) return cut.error();
      for (const bool disk : {false, true}) {
        Setup setup;
        setup.disk = disk;
        if (Status status = run_loader(parts, *cut, setup, size_text(asset)); !status) return status;
      }
    }
    for (const bool compressed : {true, false}) {
      auto peer = write_peer(contents_, options_.folder + "/weft-load.peer", options_.level, compressed);
      if (!peer) return peer.error();
      for (const bool disk : {false, true})
        if (Status status = run_peer(*peer, compressed ? "read+libzstd+copy" : "read+copy", compressed, disk); !status)
          return status;
    }
    if (Status status = run_latency(); !status) return status;
    if (Status status = run_requests(); !status) return status;
    for (const bool disk : {false, true})
      if (const auto fraction = of_slowest_bound(disk))
        fmt::print(out_, "from {}: the best loader has {:.2f} of the slowest bound's rate\n",
                   disk ? "disk" : "page cache", *fraction);
    return {};
  };
  const Status status = all();
  if (!status) print_message(status.error().message);
  const bool good = status && std::ranges::none_of(rows_, [](const Row& row) { return row.failed; });
  return (options_.json.empty() || write_json()) && good;
}

}  // namespace

int run_load(const LoadOptions& options) {
  GpuConfig config;
  config.device = options.device;
  config.copy_queue = true;
  config.extensions = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
  auto gpu = Gpu::open(config);
  if (!gpu) {
    print_message(gpu.error().message);
    return 1;
  }
  for (const std::string& warning : gpu->warnings()) std::fprintf(stderr, "weft-bench: %s\n", warning.c_str());
  LoadBench bench(options, *std::move(gpu));
  return bench.run() ? 0 : 1;
}

}  // namespace weft::bench
