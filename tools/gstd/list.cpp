// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "files.hpp"
#include "meter.hpp"
#include "work.hpp"

namespace gstd_tool {
namespace {

namespace gstd = weft::gstd;
using weft::Error;
using weft::ErrorCode;
using weft::Result;

Result<gstd::StreamInfo> info_of(const std::string& name, const Options& options) {
  if (name == "-") return Error{ErrorCode::invalid_argument, "--list needs files, which it reads at several positions"};
  Result<Input> input = Input::open(name);
  if (!input) return input.error();
  const auto size = input->size();
  if (!size) return Error{ErrorCode::invalid_argument, "is not a regular file"};
  gstd::DecompressConfig config;
  config.max_content = options.limit;
  const gstd::ReadAt read = [&](uint64_t position, std::span<std::byte> to) { return input->read_at(position, to); };
  return gstd::inspect(read, *size, config);
}

const char* json_bool(bool value) { return value ? "true" : "false"; }

void print_json(const std::string& name, const gstd::StreamInfo& info, bool first) {
  std::printf("%s\n  {\"file\": %s, \"format_version\": %" PRIu32 ", \"streams\": %" PRIu64 ", \"segments\": %" PRIu64
              ", \"tiles\": %" PRIu64 ", \"raw_tiles\": %" PRIu64 ", \"fill_tiles\": %" PRIu64
              ", \"compressed_tiles\": %" PRIu64 ", \"least_tile_bytes\": %" PRIu32 ", \"most_tile_bytes\": %" PRIu32
              ", \"compressed_bytes\": %" PRIu64 ", \"content_bytes\": %" PRIu64
              ", \"tile_checksums\": %s, \"stream_checksum\": %s}",
              first ? "" : ",", json_string(name).c_str(), gstd::kFormatVersion, info.streams, info.segments,
              info.tiles(), info.raw_tiles, info.fill_tiles, info.compressed_tiles, info.least_tile_bytes,
              info.most_tile_bytes, info.stream_bytes, info.content_bytes, json_bool(info.tile_checksums),
              json_bool(info.stream_checksum));
}

const char* checks_of(const gstd::StreamInfo& info) {
  if (info.tile_checksums) return info.stream_checksum ? "both" : "tiles";
  return info.stream_checksum ? "stream" : "none";
}

void print_row(const std::string& name, const gstd::StreamInfo& info, bool verbose) {
  std::printf("%8" PRIu64 " %9" PRIu64 " %11s %11s %8s  %-6s  %s\n", info.segments, info.tiles(),
              shown_bytes(info.stream_bytes).c_str(), shown_bytes(info.content_bytes).c_str(),
              shown_ratio(info.content_bytes, info.stream_bytes).c_str(), checks_of(info), name.c_str());
  if (!verbose) return;
  std::printf("%8s %" PRIu64 " bytes, content %" PRIu64 " bytes; tiles of %" PRIu32 " to %" PRIu32 " bytes: %" PRIu64
              " compressed, %" PRIu64 " raw, %" PRIu64 " fill; streams: %" PRIu64 "\n",
              "", info.stream_bytes, info.content_bytes, info.least_tile_bytes, info.most_tile_bytes,
              info.compressed_tiles, info.raw_tiles, info.fill_tiles, info.streams);
}

// The files' headers and tables as those of one file after the other.
gstd::StreamInfo joined(const gstd::StreamInfo& a, const gstd::StreamInfo& b) {
  gstd::StreamInfo both;
  both.streams = a.streams + b.streams;
  both.segments = a.segments + b.segments;
  both.raw_tiles = a.raw_tiles + b.raw_tiles;
  both.fill_tiles = a.fill_tiles + b.fill_tiles;
  both.compressed_tiles = a.compressed_tiles + b.compressed_tiles;
  both.content_bytes = a.content_bytes + b.content_bytes;
  both.stream_bytes = a.stream_bytes + b.stream_bytes;
  both.least_tile_bytes = std::min(a.least_tile_bytes, b.least_tile_bytes);
  both.most_tile_bytes = std::max(a.most_tile_bytes, b.most_tile_bytes);
  both.tile_checksums = a.tile_checksums && b.tile_checksums;
  both.stream_checksum = a.stream_checksum && b.stream_checksum;
  return both;
}

}  // namespace

bool list_files(const Options& options) {
  std::vector<std::string> names;
  bool good = collect_inputs(options, kSuffix, false, names);
  size_t listed = 0;
  gstd::StreamInfo total;
  const bool verbose = options.verbosity >= 3;
  if (options.json)
    std::printf("[");
  else
    std::printf("%8s %9s %11s %11s %8s  %-6s  %s\n", "segments", "tiles", "compressed", "content", "ratio", "checks",
                "file");
  for (const std::string& name : names) {
    const Result<gstd::StreamInfo> info = info_of(name, options);
    if (!info) {
      tell_error(options, name == "-" ? "standard input" : name, info.error().message);
      good = false;
      continue;
    }
    if (options.json)
      print_json(name, *info, listed == 0);
    else
      print_row(shown_name(name), *info, verbose);
    total = listed == 0 ? *info : joined(total, *info);
    ++listed;
  }
  if (options.json)
    std::printf("%s]\n", listed == 0 ? "" : "\n");
  else if (listed > 1)
    print_row("(" + std::to_string(listed) + " files)", total, verbose);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    tell_error(options, "standard output", system_reason());
    return false;
  }
  return good;
}

}  // namespace gstd_tool
