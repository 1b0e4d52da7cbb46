// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <string>

#include "converter.hpp"
#include "files.hpp"
#include "meter.hpp"
#include "work.hpp"
#include "zst_info.hpp"

namespace gstd_tool {
namespace {

namespace gstd = weft::gstd;
using weft::Error;
using weft::ErrorCode;
using weft::Result;

// A file of either format. A .zst has frames for segments and blocks for tiles.
struct Listed {
  gstd::StreamInfo info;
  std::optional<ZstInfo> zst;
  bool has_content = true;  // whether its size is known
};

Listed listed_zst(const ZstInfo& zst) {
  Listed listed;
  listed.zst = zst;
  listed.info.segments = zst.frames;
  listed.info.raw_tiles = zst.raw_blocks;
  listed.info.fill_tiles = zst.rle_blocks;
  listed.info.compressed_tiles = zst.compressed_blocks;
  listed.info.stream_bytes = zst.compressed_bytes;
  listed.info.content_bytes = zst.content_bytes.value_or(0);
  listed.info.stream_checksum = zst.checksums;
  listed.has_content = zst.content_bytes.has_value();
  return listed;
}

// What comes after skippable frames.
Result<Format> format_of_file(const Input& input, uint64_t size) {
  std::array<std::byte, kFrameBytes> room{};
  for (uint64_t at = 0;;) {
    if (at != 0 && at >= size) return Format::frames;
    const auto bytes = std::span(room).first(static_cast<size_t>(std::min<uint64_t>(size - at, room.size())));
    if (weft::Status status = input.read_at(at, bytes); !status) return status.error();
    const uint64_t frame = frame_at(bytes);
    if (frame == 0) return format_of(bytes);
    at += frame;
  }
}

Result<Listed> info_of(const std::string& name, const Options& options) {
  if (name == "-") return Error{ErrorCode::invalid_argument, "--list needs files, which it reads at several positions"};
  Result<Input> input = Input::open(name);
  if (!input) return input.error();
  const auto size = input->size();
  if (!size) return Error{ErrorCode::invalid_argument, "is not a regular file"};
  const Result<Format> format = format_of_file(*input, *size);
  if (!format) return format.error();
  if (*format == Format::zst || *format == Format::frames ||
      (*format == Format::unknown && name.ends_with(kZstSuffix))) {
    const Result<ZstInfo> zst = inspect_zst(*input, *size);
    if (!zst) return zst.error();
    if (zst->content_bytes.value_or(0) > options.limit)
      return Error{ErrorCode::over_limit, "there is more content than --limit allows"};
    return listed_zst(*zst);
  }
  gstd::DecompressConfig config;
  config.max_content = options.limit;
  const gstd::ReadAt read = [&](uint64_t position, std::span<std::byte> to) { return input->read_at(position, to); };
  const Result<gstd::StreamInfo> info = gstd::inspect(read, *size, config);
  if (!info) return info.error();
  return Listed{*info, std::nullopt, true};
}

const char* json_bool(bool value) { return value ? "true" : "false"; }

void print_json(const std::string& name, const gstd::StreamInfo& info, bool first) {
  std::printf("%s\n  {\"file\": %s, \"format_version\": %" PRIu32 ", \"streams\": %" PRIu64
              ", \"skippable_frames\": %" PRIu64 ", \"segments\": %" PRIu64 ", \"tiles\": %" PRIu64
              ", \"raw_tiles\": %" PRIu64 ", \"fill_tiles\": %" PRIu64 ", \"compressed_tiles\": %" PRIu64
              ", \"least_tile_bytes\": %" PRIu32 ", \"most_tile_bytes\": %" PRIu32 ", \"compressed_bytes\": %" PRIu64
              ", \"content_bytes\": %" PRIu64 ", \"tile_checksums\": %s, \"stream_checksum\": %s}",
              first ? "" : ",", json_string(name).c_str(), gstd::kFormatVersion, info.streams, info.skippable_frames,
              info.segments, info.tiles(), info.raw_tiles, info.fill_tiles, info.compressed_tiles,
              info.least_tile_bytes, info.most_tile_bytes, info.stream_bytes, info.content_bytes,
              json_bool(info.tile_checksums), json_bool(info.stream_checksum));
}

void print_zst_json(const std::string& name, const ZstInfo& zst, bool first) {
  std::printf("%s\n  {\"file\": %s, \"format\": \"zstd\", \"frames\": %" PRIu64 ", \"skippable_frames\": %" PRIu64
              ", \"raw_blocks\": %" PRIu64 ", \"rle_blocks\": %" PRIu64 ", \"compressed_blocks\": %" PRIu64
              ", \"largest_window\": %" PRIu64 ", \"compressed_bytes\": %" PRIu64
              ", \"content_bytes\": %s, \"checksums\": %s}",
              first ? "" : ",", json_string(name).c_str(), zst.frames, zst.skippable_frames, zst.raw_blocks,
              zst.rle_blocks, zst.compressed_blocks, zst.largest_window, zst.compressed_bytes,
              zst.content_bytes ? std::to_string(*zst.content_bytes).c_str() : "null", json_bool(zst.checksums));
}

const char* checks_of(const gstd::StreamInfo& info) {
  if (info.tile_checksums) return info.stream_checksum ? "both" : "tiles";
  return info.stream_checksum ? "stream" : "none";
}

void print_row(const std::string& name, const Listed& listed) {
  const gstd::StreamInfo& info = listed.info;
  std::printf("%8" PRIu64 " %9" PRIu64 " %11s %11s %8s  %-6s  %s\n", info.segments, info.tiles(),
              shown_bytes(info.stream_bytes).c_str(),
              listed.has_content ? shown_bytes(info.content_bytes).c_str() : "-",
              listed.has_content ? shown_ratio(info.content_bytes, info.stream_bytes).c_str() : "-", checks_of(info),
              name.c_str());
}

void print_details(const Listed& listed) {
  const gstd::StreamInfo& info = listed.info;
  const std::string content = listed.has_content ? std::to_string(info.content_bytes) + " bytes" : "of unknown size";
  std::printf("%8s %" PRIu64 " bytes, content %s; ", "", info.stream_bytes, content.c_str());
  if (listed.zst)
    std::printf("blocks: %" PRIu64 " compressed, %" PRIu64 " raw, %" PRIu64 " fill; skippable frames: %" PRIu64
                "; windows of up to %s\n",
                info.compressed_tiles, info.raw_tiles, info.fill_tiles, listed.zst->skippable_frames,
                shown_bytes(listed.zst->largest_window).c_str());
  else
    std::printf("tiles of %" PRIu32 " to %" PRIu32 " bytes: %" PRIu64 " compressed, %" PRIu64 " raw, %" PRIu64
                " fill; streams: %" PRIu64 ", skippable frames: %" PRIu64 "\n",
                info.least_tile_bytes, info.most_tile_bytes, info.compressed_tiles, info.raw_tiles, info.fill_tiles,
                info.streams, info.skippable_frames);
}

gstd::StreamInfo joined_streams(const gstd::StreamInfo& a, const gstd::StreamInfo& b) {
  gstd::StreamInfo both;
  both.streams = a.streams + b.streams;
  both.skippable_frames = a.skippable_frames + b.skippable_frames;
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

// The files' headers and tables as those of one file after the other.
Listed joined(const Listed& a, const Listed& b) {
  return {joined_streams(a.info, b.info), std::nullopt, a.has_content && b.has_content};
}

}  // namespace

bool list_files(const Options& options) {
  std::vector<std::string> names;
  bool good = collect_inputs(options, kSuffixes, false, names);
  size_t listed = 0;
  Listed total;
  bool is_gstd_only = true;
  const bool verbose = options.verbosity >= 3;
  if (options.json)
    std::printf("[");
  else
    std::printf("%8s %9s %11s %11s %8s  %-6s  %s\n", "segments", "tiles", "compressed", "content", "ratio", "checks",
                "file");
  for (const std::string& name : names) {
    const Result<Listed> file = info_of(name, options);
    if (!file) {
      tell_error(options, name == "-" ? "standard input" : name, file.error().message);
      good = false;
      continue;
    }
    if (options.json && file->zst)
      print_zst_json(name, *file->zst, listed == 0);
    else if (options.json)
      print_json(name, file->info, listed == 0);
    else
      print_row(shown_name(name), *file);
    if (!options.json && verbose) print_details(*file);
    is_gstd_only = is_gstd_only && !file->zst;
    total = listed == 0 ? *file : joined(total, *file);
    ++listed;
  }
  if (options.json)
    std::printf("%s]\n", listed == 0 ? "" : "\n");
  else if (listed > 1)
    print_row("(" + std::to_string(listed) + " files)", total);
  if (!options.json && listed > 1 && verbose && is_gstd_only) print_details(total);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    tell_error(options, "standard output", system_reason());
    return false;
  }
  return good;
}

}  // namespace gstd_tool
