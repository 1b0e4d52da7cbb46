// SPDX-License-Identifier: MIT OR Apache-2.0
#include <lz4.h>
#include <lz4hc.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <libdeflate.h>
#include <nlohmann/json.hpp>

#include <weft/gstd.hpp>

#include "decode_input.hpp"
#include "git_commit.hpp"
#include "support/options.hpp"
#include "support/progress.hpp"
#include "support/statistics.hpp"

namespace weft::bench {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::vector<std::byte>;

constexpr size_t kFileColumns = 14;

/// What one codec makes of one file.
struct CodecRow {
  std::string file;
  std::string codec;  ///< with what sets it apart from its own other rows
  int level = 0;
  uint32_t tile = 0;
  std::string filters;  ///< of gstd; "-" of others
  uint64_t bytes = 0;
  uint64_t compressed = 0;
  double compress_s = 0;
  double decompress_s = 0;
  std::string failure{};  ///< why there is no result, if there is none

  double ratio() const { return compressed == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(compressed); }
};

/// What a row's level adds to its time, roughly.
double weight_of(int level) { return std::max(level, 1); }

/// Of one thread the processor's time, which other work on the machine does not add to.
double now_s(const CodecOptions& options) {
  if (options.threads == 1) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Times `decode` a few times and keeps the median. False: it failed, or what it made is not `content`.
bool time_decoding(const CodecOptions& options, const Bytes& content, CodecRow& row,
                   const std::function<bool(Bytes&)>& decode) {
  Bytes output(content.size());
  std::vector<double> times;
  for (uint32_t i = 0; i < options.repeats; ++i) {
    const double start = now_s(options);
    if (!decode(output)) {
      row.failure = "decoding failed";
      return false;
    }
    times.push_back(now_s(options) - start);
  }
  row.decompress_s = summarize(std::move(times)).median;
  if (output != content) row.failure = "what was decoded is not what was encoded";
  return row.failure.empty();
}

/// Times `encode` once at least, and then until it took kEncodingS in all; the median. False: it failed.
bool time_encoding(const CodecOptions& options, CodecRow& row, const std::function<bool()>& encode) {
  constexpr double kEncodingS = 0.25;
  std::vector<double> times;
  for (double spent = 0; times.empty() || spent < kEncodingS; spent += times.back()) {
    const double start = now_s(options);
    if (!encode()) {
      if (row.failure.empty()) row.failure = "encoding failed";
      return false;
    }
    times.push_back(now_s(options) - start);
  }
  row.compress_s = summarize(std::move(times)).median;
  return true;
}

void run_gstd(const CodecOptions& options, const Bytes& content, CodecRow& row) {
  gstd::CompressConfig config;
  config.level = row.level;
  config.tile_bytes = row.tile;
  config.threads = options.threads;
  if (row.filters == "none") {
    config.filter = gstd::TileFilter::none;
    config.contexts = false;
  }
  Bytes stream;
  const auto encode = [&] {
    Result<Bytes> made = gstd::compress(content, config);
    if (made)
      stream = *std::move(made);
    else
      row.failure = made.error().message;
    return made.ok();
  };
  if (!time_encoding(options, row, encode)) return;
  row.compressed = stream.size();
  time_decoding(options, content, row, [&](Bytes& output) {
    gstd::DecompressConfig decompress;
    decompress.threads = options.threads;
    return gstd::decompress_to(stream, output, decompress).ok();
  });
}

/// A codec of one buffer at a time. Both return how many bytes they wrote, 0 where they failed.
struct ChunkCodec {
  std::string name;
  std::function<size_t(size_t)> bound;
  std::function<size_t(std::span<const std::byte>, std::span<std::byte>)> encode;
  std::function<size_t(std::span<const std::byte>, std::span<std::byte>)> decode;
};

/// Chunks of row.tile bytes, each by itself, on one thread; 4 bytes a chunk for a table of their sizes.
void run_chunks(const CodecOptions& options, const ChunkCodec& codec, const Bytes& content, CodecRow& row) {
  std::vector<Bytes> chunks;
  Bytes buffer(codec.bound(row.tile));
  const auto encode = [&] {
    chunks.clear();
    for (size_t at = 0; at < content.size(); at += row.tile) {
      const auto chunk = std::span(content).subspan(at, std::min<size_t>(row.tile, content.size() - at));
      const size_t size = codec.encode(chunk, buffer);
      if (size == 0) return false;
      chunks.emplace_back(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
    }
    return true;
  };
  if (!time_encoding(options, row, encode)) return;
  for (const Bytes& chunk : chunks) row.compressed += chunk.size() + 4;
  time_decoding(options, content, row, [&](Bytes& output) {
    size_t at = 0;
    for (const Bytes& chunk : chunks) {
      const auto to = std::span(output).subspan(at, std::min<size_t>(row.tile, output.size() - at));
      if (codec.decode(chunk, to) != to.size()) return false;
      at += to.size();
    }
    return true;
  });
}

const char* chars(std::span<const std::byte> bytes) { return reinterpret_cast<const char*>(bytes.data()); }
char* chars(std::span<std::byte> bytes) { return reinterpret_cast<char*>(bytes.data()); }

void run_zstd(const CodecOptions& options, const Bytes& content, CodecRow& row) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> encoder(ZSTD_createCCtx(), ZSTD_freeCCtx);
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> decoder(ZSTD_createDCtx(), ZSTD_freeDCtx);
  const auto written = [](size_t result) { return ZSTD_isError(result) != 0 ? size_t{0} : result; };
  run_chunks(
      options,
      {"zstd", ZSTD_compressBound,
       [&](auto from, auto to) {
         return written(ZSTD_compressCCtx(encoder.get(), to.data(), to.size(), from.data(), from.size(), row.level));
       },
       [&](auto from, auto to) {
         return written(ZSTD_decompressDCtx(decoder.get(), to.data(), to.size(), from.data(), from.size()));
       }},
      content, row);
}

constexpr int kLz4HcLevel = 3;  // lower levels are the fast mode, as of the program lz4

void run_lz4(const CodecOptions& options, const Bytes& content, CodecRow& row) {
  const auto written = [](int result) { return static_cast<size_t>(std::max(result, 0)); };
  run_chunks(options,
             {"lz4", [](size_t size) { return static_cast<size_t>(LZ4_compressBound(static_cast<int>(size))); },
              [&](auto from, auto to) {
                const int size = static_cast<int>(from.size()), most = static_cast<int>(to.size());
                return written(row.level < kLz4HcLevel
                                   ? LZ4_compress_default(chars(from), chars(to), size, most)
                                   : LZ4_compress_HC(chars(from), chars(to), size, most, row.level));
              },
              [&](auto from, auto to) {
                return written(LZ4_decompress_safe(chars(from), chars(to), static_cast<int>(from.size()),
                                                   static_cast<int>(to.size())));
              }},
             content, row);
}

void run_libdeflate(const CodecOptions& options, const Bytes& content, CodecRow& row) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> encoder(
      libdeflate_alloc_compressor(row.level), libdeflate_free_compressor);
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decoder(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  run_chunks(options,
             {"libdeflate", [&](size_t size) { return libdeflate_deflate_compress_bound(encoder.get(), size); },
              [&](auto from, auto to) {
                return libdeflate_deflate_compress(encoder.get(), from.data(), from.size(), to.data(), to.size());
              },
              [&](auto from, auto to) {
                size_t size = 0;
                const auto result =
                    libdeflate_deflate_decompress(decoder.get(), from.data(), from.size(), to.data(), to.size(), &size);
                return result == LIBDEFLATE_SUCCESS ? size : size_t{0};
              }},
             content, row);
}

std::string speed_text(uint64_t bytes, double seconds) {
  return seconds > 0 ? fmt::format("{:.1f}", static_cast<double>(bytes) / seconds * 1e-6) : std::string("-");
}

void print_head() {
  fmt::print("{} {:<11} {:>5} {:>7} {:<7} {:>11} {:>11} {:>8} {:>8} {:>8}\n", name_cell("file", kFileColumns), "codec",
             "level", "tile", "filters", "bytes", "compressed", "ratio", "MB/s in", "MB/s out");
}

void print_row(const CodecRow& row) {
  const std::string begin = fmt::format("{} {:<11} {:>5}", name_cell(row.file, kFileColumns), row.codec, row.level);
  if (!row.failure.empty())
    print_wrapped(stdout, fmt::format("{} {:>7} {:<7} {}", begin, row.tile, row.filters, row.failure), 4);
  else
    fmt::print("{} {:>7} {:<7} {:>11} {:>11} {:>8.4f} {:>8} {:>8}\n", begin, row.tile, row.filters, row.bytes,
               row.compressed, row.ratio(), speed_text(row.bytes, row.compress_s),
               speed_text(row.bytes, row.decompress_s));
  std::fflush(stdout);
}

/// Rows of gstd alone, without times: the same on every machine.
Status write_ratios(const std::string& path, std::span<const CodecRow> rows) {
  std::string text = "file,level,tile,filters,bytes,compressed,ratio\n";
  for (const CodecRow& row : rows)
    if (row.codec == "gstd" && row.failure.empty())
      text += fmt::format("{},{},{},{},{},{},{:.4f}\n", row.file, row.level, row.tile, row.filters, row.bytes,
                          row.compressed, row.ratio());
  return write_text(path, text);
}

Status write_json(const std::string& path, const CodecOptions& options, std::span<const CodecRow> rows) {
  Json json;
  json["program"] = "weft-bench codec";
  json["commit"] = kGitCommit;
  json["threads"] = options.threads;
  json["peers"] = {
      {"zstd", ZSTD_versionString()}, {"lz4", LZ4_versionString()}, {"libdeflate", LIBDEFLATE_VERSION_STRING}};
  json["results"] = Json::array();
  for (const CodecRow& row : rows) {
    Json entry = {{"file", row.file},       {"codec", row.codec}, {"level", row.level},          {"tile", row.tile},
                  {"filters", row.filters}, {"bytes", row.bytes}, {"compressed", row.compressed}};
    if (!row.failure.empty()) entry["failure"] = row.failure;
    entry["compress_s"] = row.compress_s;
    entry["decompress_s"] = row.decompress_s;
    json["results"].push_back(std::move(entry));
  }
  return write_text(path, json.dump(1) + '\n');
}

}  // namespace

int run_codec(const CodecOptions& options) {
  using Run = void (*)(const CodecOptions&, const Bytes&, CodecRow&);
  struct Peer {
    const char* name;
    Run run;
    int first, last;  // levels

    bool has(int level) const { return first <= level && level <= last; }
  };
  constexpr Peer kPeers[] = {{"zstd", run_zstd, gstd::kMinLevel, gstd::kMaxLevel},
                             {"lz4", run_lz4, 1, LZ4HC_CLEVEL_MAX},
                             {"libdeflate", run_libdeflate, 1, 12}};

  std::vector<CodecRow> rows;
  size_t rows_of_all = 0;
  double weight = 0;
  for (const int level : options.levels) {
    size_t rows_of_level = options.filters.size();
    if (options.peers)
      rows_of_level += static_cast<size_t>(std::ranges::count_if(kPeers, [=](auto& peer) { return peer.has(level); }));
    rows_of_level *= options.files.size() * options.tiles.size();
    rows_of_all += rows_of_level;
    weight += static_cast<double>(rows_of_level) * weight_of(level);
  }
  bool written = true;
  Progress progress(weight);
  const auto add = [&](const Bytes& content, CodecRow row, Run run) {
    // Rows of high levels take minutes each.
    progress.show(
        fmt::format("row {} of {}: {}, {}, level {}", rows.size() + 1, rows_of_all, row.file, row.codec, row.level));
    if (rows.empty()) {
      // The process's first call pays for new memory: it is not timed.
      CodecRow first = row;
      run(options, content, first);
    }
    run(options, content, row);
    progress.clear();
    progress.advance(weight_of(row.level));
    print_row(row);
    rows.push_back(std::move(row));
    // As far as they are, should it be stopped.
    if (!options.ratios.empty()) written = write_ratios(options.ratios, rows) && written;
  };
  print_head();
  for (const std::string& path : options.files) {
    const Result<Bytes> content = read_file(path, options.most_bytes);
    if (!content) {
      print_message(content.error().message);
      return 1;
    }
    std::string name = std::filesystem::path(path).filename().string();
    if (content->size() == options.most_bytes) name += fmt::format("[:{}]", options.most_bytes);
    for (const uint32_t tile : options.tiles)
      for (const int level : options.levels) {
        CodecRow row{name, "gstd", level, tile, "-", content->size()};
        for (const std::string& filters : options.filters) {
          row.filters = filters;
          add(*content, row, run_gstd);
        }
        row.filters = "-";
        if (!options.peers || content->empty()) continue;
        for (const Peer& peer : kPeers) {
          if (!peer.has(level)) continue;
          row.codec = peer.name;
          add(*content, row, peer.run);
        }
      }
  }
  if (!options.json.empty()) written = write_json(options.json, options, rows) && written;
  if (!written) print_message("cannot write " + options.ratios + ' ' + options.json);
  const bool failed = std::ranges::any_of(rows, [](const CodecRow& row) { return !row.failure.empty(); });
  return written && !failed ? 0 : 1;
}

}  // namespace weft::bench
