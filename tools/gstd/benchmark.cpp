// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <zstd.h>

#include "files.hpp"
#include "meter.hpp"
#include "work.hpp"

namespace gstd_tool {
namespace {

namespace gstd = weft::gstd;
using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;
using Bytes = std::vector<std::byte>;

// Seconds of the quickest of calls that take `least` seconds together.
double seconds_of(double least, const std::function<bool()>& call, bool& good) {
  using Clock = std::chrono::steady_clock;
  double quickest = 1e30, all = 0;
  do {
    const auto begin = Clock::now();
    good = call() && good;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    quickest = std::min(quickest, seconds);
    all += seconds;
  } while (all < least && good);
  return quickest;
}

struct Row {
  size_t compressed = 0;
  double compress_seconds = 0, decompress_seconds = 0;
};

void print(const char* what, int level, size_t content, const Row& row) {
  const double megabytes = static_cast<double>(content) / 1e6;
  std::printf("  %-22s %3d %12zu %8s %10.1f %10.1f\n", what, level, row.compressed,
              shown_ratio(content, row.compressed).c_str(), megabytes / std::max(row.compress_seconds, 1e-9),
              megabytes / std::max(row.decompress_seconds, 1e-9));
  std::fflush(stdout);
}

Status measure_gstd(const Bytes& content, const Options& options, const gstd::CompressConfig& config, Row& row) {
  bool good = true;
  Status status;
  Bytes stream;
  row.compress_seconds = seconds_of(
      options.seconds,
      [&] {
        auto result = gstd::compress(content, config);
        if (!result) {
          status = result.status();
          return false;
        }
        stream = *std::move(result);
        return true;
      },
      good);
  if (!good) return status;
  row.compressed = stream.size();
  Bytes back(content.size());
  gstd::DecompressConfig back_config;
  back_config.threads = config.threads;
  back_config.verify = options.verify;
  row.decompress_seconds = seconds_of(
      options.seconds,
      [&] {
        const auto result = gstd::decompress_to(stream, back, back_config);
        status = result.status();
        return result.ok();
      },
      good);
  if (!good) return status;
  if (back != content) return Error{ErrorCode::driver_error, "gstd's content came back changed"};
  return {};
}

// Zstandard in pieces of `piece` bytes, each by itself, on this thread.
Status measure_zstd(const Bytes& content, const Options& options, int level, size_t piece, Row& row) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> compressor(ZSTD_createCCtx(), ZSTD_freeCCtx);
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> decompressor(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (compressor == nullptr || decompressor == nullptr)
    return Error{ErrorCode::out_of_host_memory, "the host is out of memory"};
  const size_t pieces = (content.size() + piece - 1) / piece, bound = ZSTD_compressBound(piece);
  const auto part = [&](size_t i) { return std::min(piece, content.size() - i * piece); };
  Bytes compressed(pieces * bound), back(content.size());
  std::vector<size_t> sizes(pieces);
  bool good = true;
  row.compress_seconds = seconds_of(
      options.seconds,
      [&] {
        for (size_t i = 0; i < pieces; ++i) {
          sizes[i] =
              ZSTD_compressCCtx(compressor.get(), &compressed[i * bound], bound, &content[i * piece], part(i), level);
          if (ZSTD_isError(sizes[i]) != 0) return false;
        }
        return true;
      },
      good);
  row.decompress_seconds = seconds_of(
      options.seconds,
      [&] {
        for (size_t i = 0; i < pieces && good; ++i)
          if (ZSTD_decompressDCtx(decompressor.get(), &back[i * piece], part(i), &compressed[i * bound], sizes[i]) !=
              part(i))
            return false;
        return true;
      },
      good);
  if (!good || back != content) return Error{ErrorCode::driver_error, "zstd failed"};
  row.compressed = 0;
  for (const size_t size : sizes) row.compressed += size;
  return {};
}

Status benchmark(const std::string& name, const Options& options) {
  const Result<Bytes> content = read_all(name);
  if (!content) return content.error();
  if (content->empty()) return Error{ErrorCode::invalid_argument, "is empty"};
  std::printf("%s: %zu bytes, tiles of %u\n", shown_name(name).c_str(), content->size(), options.compress.tile_bytes);
  std::printf("  %-22s %3s %12s %8s %10s %10s\n", "", "", "bytes", "ratio", "MB/s", "MB/s back");
  const int first = options.compress.level, last = std::max(first, options.last_level);
  for (int level = first; level <= last; level += level == -1 ? 2 : 1) {
    gstd::CompressConfig config = options.compress;
    config.level = level;
    Row row;
    if (Status status = measure_gstd(*content, options, config, row); !status) return status;
    print(config.threads == 1 ? "gstd" : "gstd, several threads", level, content->size(), row);
    if (Status status = measure_zstd(*content, options, level, config.tile_bytes, row); !status) return status;
    print("zstd, in tiles", level, content->size(), row);
    if (Status status = measure_zstd(*content, options, level, content->size(), row); !status) return status;
    print("zstd, the whole", level, content->size(), row);
  }
  return {};
}

}  // namespace

bool benchmark_files(const Options& options) {
  std::vector<std::string> names;
  bool good = collect_inputs(options, {&kSuffix, 1}, true, names);
  for (const std::string& name : names) {
    const Status status = benchmark(name, options);
    if (status) continue;
    tell_error(options, name == "-" ? "standard input" : name, status.error().message);
    good = false;
  }
  return good;
}

}  // namespace gstd_tool
