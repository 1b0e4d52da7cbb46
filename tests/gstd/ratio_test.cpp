// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sizes that the corpus was compressed to are those it is compressed to: tests/results/gstd-ratio.csv, which
// `weft-bench codec` writes, and a sample of its rows again. A change of sizes is to be meant, and the table is then
// renewed with it.
//   gstd_ratio_test CSV CORPUS [LEVEL...]      levels: of those in the sample, only these
#include <weft/gstd.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace weft::gstd::test {
namespace {

using Bytes = std::vector<std::byte>;

struct Key {
  std::string file;
  int level;
  uint32_t tile;
  std::string filters;

  auto operator<=>(const Key&) const = default;
  std::string text() const {
    return file + ", level " + std::to_string(level) + ", tiles of " + std::to_string(tile) + ", filters " + filters;
  }
};
struct Sizes {
  uint64_t bytes = 0, compressed = 0;
};

std::optional<uint64_t> number(const std::string& text) {
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::strtoull(text.c_str(), nullptr, 10);
}

std::optional<std::map<Key, Sizes>> read_table(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  if (!std::getline(stream, line) || line != "file,level,tile,filters,bytes,compressed,ratio") {
    std::fprintf(stderr, "%s: there is no table\n", path.c_str());
    return std::nullopt;
  }
  std::map<Key, Sizes> rows;
  while (std::getline(stream, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    cells.resize(7);
    const auto level = number(cells[1]), tile = number(cells[2]), bytes = number(cells[4]),
               compressed = number(cells[5]);
    if (!level || !tile || !bytes || !compressed || *compressed == 0) {
      std::fprintf(stderr, "%s: not a row: %s\n", path.c_str(), line.c_str());
      return std::nullopt;
    }
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.4f", static_cast<double>(*bytes) / static_cast<double>(*compressed));
    if (cells[6] != ratio) {
      std::fprintf(stderr, "%s: the ratio is %s: %s\n", path.c_str(), ratio, line.c_str());
      return std::nullopt;
    }
    const Key key = {cells[0], static_cast<int>(*level), static_cast<uint32_t>(*tile), cells[3]};
    if (!rows.insert({key, {*bytes, *compressed}}).second) {
      std::fprintf(stderr, "%s: a row twice: %s\n", path.c_str(), key.text().c_str());
      return std::nullopt;
    }
  }
  return rows;
}

std::optional<Bytes> read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) return std::nullopt;
  Bytes bytes(static_cast<size_t>(std::max<std::streamoff>(stream.tellg(), 0)));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (stream.gcount() != static_cast<std::streamsize>(bytes.size())) return std::nullopt;
  return bytes;
}

bool check(const std::map<Key, Sizes>& rows, const Key& key, const std::string& corpus) {
  const auto row = rows.find(key);
  if (row == rows.end()) {
    std::printf("FAILED  %s: no row\n", key.text().c_str());
    return false;
  }
  const std::optional<Bytes> content = read_file(corpus + "/" + key.file);
  if (!content) {
    std::printf("FAILED  %s: no such file in %s\n", key.text().c_str(), corpus.c_str());
    return false;
  }
  CompressConfig config;
  config.level = key.level;
  config.tile_bytes = key.tile;
  config.threads = 0;
  if (key.filters == "none") {
    config.filter = TileFilter::none;
    config.contexts = false;
  }
  const Result<Bytes> stream = compress(*content, config);
  if (!stream) {
    std::printf("FAILED  %s: %s\n", key.text().c_str(), stream.error().message.c_str());
    return false;
  }
  Bytes output(content->size());
  const bool comes_back = decompress_to(*stream, output).ok() && output == *content;
  const bool same = row->second.bytes == content->size() && row->second.compressed == stream->size();
  std::printf("%s  %s: %" PRIu64 " bytes to %" PRIu64 " in the table, %" PRIu64 " to %" PRIu64 " now%s\n",
              same && comes_back ? "passed" : "FAILED", key.text().c_str(), row->second.bytes, row->second.compressed,
              uint64_t{content->size()}, uint64_t{stream->size()}, comes_back ? "" : ", and it does not come back");
  std::fflush(stdout);
  return same && comes_back;
}

int run(int count, const char* const* arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: gstd_ratio_test CSV CORPUS [LEVEL...]\n");
    return 2;
  }
  const auto rows = read_table(arguments[1]);
  if (!rows) return 1;
  std::vector<Key> sample;
  constexpr uint32_t kTile = 65536;
  for (const char* file : {"bsp.bin", "md3.bin", "tga.bin", "wad.bin", "wav.bin"})
    for (const char* filters : {"auto", "none"}) sample.push_back({file, 3, kTile, filters});
  for (const int level : {12, 19, 22}) sample.push_back({"wad.bin", level, kTile, "auto"});
  uint32_t checked = 0, failed = 0;
  for (const Key& key : sample) {
    const bool is_told = std::any_of(arguments + 3, arguments + count,
                                     [&](const std::string& level) { return level == std::to_string(key.level); });
    if (count > 3 && !is_told) continue;
    ++checked;
    failed += check(*rows, key, arguments[2]) ? 0 : 1;
  }
  std::printf("%u rows of %u failed\n", failed, checked);
  return checked != 0 && failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::gstd::test

int main(int count, char** arguments) { return weft::gstd::test::run(count, arguments); }
