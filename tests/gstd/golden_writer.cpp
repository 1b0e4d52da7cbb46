// SPDX-License-Identifier: MIT OR Apache-2.0
//
// gstd_golden_writer DIRECTORY: golden streams of the current version. Those that are there are never made again: what
// is added has a name of its own.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <weft/gstd.hpp>

#include "golden_contents.hpp"

namespace {

using namespace weft::gstd;

bool write(const std::filesystem::path& directory, const std::string& content, const std::string& how,
           const CompressConfig& config) {
  const auto path = directory / ("v" + std::to_string(kFormatVersion) + "-" + content + "-" + how + ".gst");
  if (std::filesystem::exists(path)) return true;
  const auto bytes = test::GoldenContent::of(content);
  const auto stream = compress(*bytes, config);
  if (!stream) {
    std::fprintf(stderr, "%s: %s\n", content.c_str(), stream.error().message.c_str());
    return false;
  }
  std::ofstream file(path, std::ios::binary);
  for (const std::byte byte : *stream) file.put(static_cast<char>(byte));
  return file.flush().good();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s DIRECTORY\n", arguments[0]);
    return 2;
  }
  const std::filesystem::path directory = arguments[1];
  bool all = true;
  CompressConfig config;
  config.tile_bytes = kMinTileBytes;
  for (const char* content : {"example", "byte", "zeros", "noise", "few", "some"})
    all &= write(directory, content, "l3", config);
  for (const int level : {1, 3, 19}) {
    config.level = level;
    for (const char* content : {"words", "records", "waves", "pixels", "blocks"})
      all &= write(directory, content, "l" + std::to_string(level), config);
  }
  config.tile_bytes = kDefaultTileBytes;
  all &= write(directory, "mixed", "l19-tile64k", config);
  config.contexts = false;
  all &= write(directory, "mixed", "l19-tile64k-plain", config);
  config = {};
  config.tile_bytes = kMinTileBytes;
  config.tile_checksums = false;
  config.stream_checksum = false;
  all &= write(directory, "mixed", "l3-unchecked", config);
  config = {};
  config.level = 12;
  for (const TileFilter filter :
       {TileFilter::delta, TileFilter::planes, TileFilter::delta_planes, TileFilter::zigzag_planes,
        TileFilter::zigzag2_planes, TileFilter::zigzag3_planes, TileFilter::colour_planes, TileFilter::bc1,
        TileFilter::bc2, TileFilter::bc3, TileFilter::bc4, TileFilter::bc5, TileFilter::bc7}) {
    config.filter = filter;
    const bool colours = filter == TileFilter::colour_planes;
    all &= write(directory,
                 filter >= TileFilter::bc1 ? "blocks"
                 : colours                 ? "pixels"
                                           : "waves",
                 std::string("l12-") + name_of(filter), config);
  }
  // Rows.
  for (const int level : {12, 19}) {
    config = {};
    config.level = level;
    all &= write(directory, "frames", "l" + std::to_string(level) + "-rows", config);
  }
  // Small streams.
  for (const int level : {3, 19}) {
    config = {};
    config.level = level;
    for (const char* content : {"example", "byte", "zeros", "noise", "few", "some", "records", "waves"})
      all &= write(directory, content, "l" + std::to_string(level) + "-small", config);
  }
  // Repeats that move to the front, and tables of fields by the third set of models. v2-copies-l12-fine, with fine
  // lengths, is of an encoder before that set.
  config = {};
  config.level = 12;
  all &= write(directory, "recurring", "l12-moved", config);
  all &= write(directory, "copies", "l12-rare", config);
  // Sets of models 4 to 7 of code lengths, and sparse tables of each field.
  config = {};
  config.level = 12;
  config.tile_bytes = kMinTileBytes;
  for (const char* content : {"records", "waves", "steps"}) all &= write(directory, content, "l12-more-sets", config);
  // Sets of one model.
  for (const char* content : {"scattered", "steps"}) all &= write(directory, content, "l12-one-model", config);
  // Sets 0 to 3.
  config = {};
  config.level = 19;
  for (const char* content : {"words", "records", "waves", "pixels"})
    all &= write(directory, content, "l19-sets", config);
  config.tile_checksums = config.stream_checksum = false;
  all &= write(directory, "some", "l19-small-unchecked", config);
  return all ? 0 : 1;
}
