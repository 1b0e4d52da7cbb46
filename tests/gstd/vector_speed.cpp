// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tiles of files by each set of vector instructions and, as chunks, by libzstd, in turns, by time of the thread.
//   gstd_vector_speed encode|decode LEVEL TILES REPEATS SETS FILE...
// SETS: of z (libzstd), 0 (single lanes), 1 (128 bits), 2 (256) and 3 (512), those to be measured, as in z0123. The
// tiles, of 64 KiB, are spread over the file. With one set, the difference of two runs is what REPEATS takes, for
// programs that count instructions: docs/performance/gstd-cpu.md.
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gstd/tile.hpp"

namespace weft::gstd::test {
namespace {

using Bytes = std::vector<std::byte>;
constexpr size_t kTile = 65536;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Tile {
  Bytes content, zstd;
  std::vector<uint32_t> words;
};

class Measurement {
 public:
  Measurement(int level, bool encodes) : level_(level), encodes_(encodes) {}

  // Tiles that are not stored.
  std::vector<Tile> tiles_of(const std::vector<char>& file, size_t most) {
    std::vector<Tile> tiles;
    const size_t all = file.size() / kTile, step = std::max<size_t>(1, all / most);
    TileEncoderConfig config;
    config.level = level_;
    TileEncoder encoder(config);
    for (size_t i = 0; i < all && tiles.size() < most; i += step) {
      Tile tile;
      const auto* const from = reinterpret_cast<const std::byte*>(file.data()) + i * kTile;
      tile.content.assign(from, from + kTile);
      if (!encoder.encode(tile.content, tile.words)) continue;
      encode_by_zstd(tile);
      tiles.push_back(std::move(tile));
    }
    return tiles;
  }

  // Seconds for all tiles. None if a tile is not its content.
  std::optional<double> pass(char set, std::vector<Tile>& tiles) {
    TileEncoderConfig config;
    config.level = level_;
    const auto most = static_cast<Vectors>(set - '0');
    config.vectors = most;
    TileEncoder encoder(config);
    std::vector<uint32_t> words;
    if (encodes_ && set != 'z') encoder.encode(tiles[0].content, words);
    bool is_right = true;
    double spent = 0;
    for (Tile& tile : tiles) {
      words.clear();
      std::fill(output_.begin(), output_.end(), std::byte{0});
      const double start = seconds();
      if (encodes_ && set == 'z')
        encode_by_zstd(tile);
      else if (encodes_)
        encoder.encode(tile.content, words);
      else if (set == 'z')
        ZSTD_decompressDCtx(decoder_.get(), output_.data(), kTile, tile.zstd.data(), tile.zstd.size());
      else
        decode_tile(tile.words, output_, most);
      spent += seconds() - start;
      is_right = is_right && (!encodes_ ? std::memcmp(output_.data(), tile.content.data(), kTile) == 0
                                        : set == 'z' || words == tile.words);
    }
    return is_right ? std::optional(spent) : std::nullopt;
  }

 private:
  void encode_by_zstd(Tile& tile) {
    tile.zstd.resize(ZSTD_compressBound(kTile));
    const size_t size = ZSTD_compressCCtx(encoder_.get(), tile.zstd.data(), tile.zstd.size(), tile.content.data(),
                                          tile.content.size(), level_);
    tile.zstd.resize(ZSTD_isError(size) != 0 ? 0 : size);
  }

  int level_;
  bool encodes_;
  Bytes output_ = Bytes(kTile);
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> encoder_{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> decoder_{ZSTD_createDCtx(), ZSTD_freeDCtx};
};

int run(int count, char** arguments) {
  if (count < 7) {
    std::fputs("usage: gstd_vector_speed encode|decode LEVEL TILES REPEATS SETS FILE...\n", stderr);
    return 2;
  }
  const bool encodes = arguments[1][0] == 'e';
  const int level = std::atoi(arguments[2]);
  const size_t most = static_cast<size_t>(std::max(std::atoi(arguments[3]), 1));
  const int repeats = std::atoi(arguments[4]);
  const std::string sets = arguments[5];
  for (int f = 6; f < count; ++f) {
    const std::string path = arguments[f];
    std::ifstream stream(path, std::ios::binary);
    const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
    Measurement measurement(level, encodes);
    std::vector<Tile> tiles = measurement.tiles_of(file, most);
    if (tiles.empty()) continue;
    std::vector<double> least(sets.size(), 1e9);
    for (int repeat = 0; repeat < repeats; ++repeat)
      for (size_t s = 0; s < sets.size(); ++s) {
        const std::optional<double> spent = measurement.pass(sets[s], tiles);
        if (!spent) {
          std::fprintf(stderr, "%s: set %c gives other bytes\n", path.c_str(), sets[s]);
          return 1;
        }
        least[s] = std::min(least[s], *spent);
      }
    const double megabytes = static_cast<double>(tiles.size() * kTile) * 1e-6;
    std::printf("%-8s %zu tiles, level %d, MB/s and by the first set's:", path.substr(path.rfind('/') + 1).c_str(),
                tiles.size(), level);
    for (size_t s = 0; s < sets.size(); ++s)
      std::printf("  %c %.0f %.2f", sets[s], megabytes / least[s], least[0] / least[s]);
    std::putchar('\n');
  }
  return 0;
}

}  // namespace
}  // namespace weft::gstd::test

int main(int count, char** arguments) { return weft::gstd::test::run(count, arguments); }
