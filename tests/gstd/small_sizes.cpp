// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sizes of pieces of files beside those of libzstd at the same level, with the checksums of either.
//   gstd_small_sizes LEVEL,... OFFSETS SEED FILE...
// Pieces of ten sizes from 64 to 4,096 bytes begin at OFFSETS positions all over each file, which SEED moves. The file
// `made` is OFFSETS contents made by chance, and each of `noise`, `matches`, `records`, `words`, `numbers`, `chain`,
// `image` and `recurring` as many of one kind. Exits with 1 if a piece takes over 20 bytes more.
// docs/decisions/gstd-small-streams.md has the figures.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <weft/gstd.hpp>

#include <zstd.h>

#include "made_contents.hpp"

namespace {

constexpr size_t kSizes[] = {64, 128, 256, 512, 1000, 1024, 2000, 2048, 3000, 4096}, kMost = 4096;
constexpr long kAllowed = 20;

using Bytes = std::vector<std::byte>;

struct Source {
  std::string kind;  // of made contents; none: a file's
  Bytes bytes;
};

Bytes piece_of(const Source& source, size_t i, size_t offsets, size_t seed, size_t size) {
  if (!source.kind.empty()) return weft::gstd::test::made_content(seed * offsets + i, size, source.kind);
  const Bytes& file = source.bytes;
  const size_t room = file.size() - kMost, at = (room * i / offsets + 7919 * seed) % room;
  return {file.begin() + static_cast<std::ptrdiff_t>(at), file.begin() + static_cast<std::ptrdiff_t>(at + size)};
}

// Prints a line. Returns whether no piece takes too much.
bool compare(int level, size_t offsets, size_t seed, const std::vector<Source>& sources) {
  weft::gstd::CompressConfig config;
  config.level = level;
  config.threads = 1;
  auto compressor = weft::gstd::Compressor::create(config);
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> zstd(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_checksumFlag, 1);
  std::vector<std::byte> stream(2 * kMost);
  long pieces = 0, over = 0, most = -static_cast<long>(kMost), sum = 0;
  std::clock_t spent = 0;
  for (const Source& source : sources)
    for (size_t i = 0; i < offsets; ++i)
      for (const size_t size : kSizes) {
        const Bytes piece = piece_of(source, i, offsets, seed, size);
        const auto by_zstd =
            static_cast<long>(ZSTD_compress2(zstd.get(), stream.data(), stream.size(), piece.data(), size));
        const std::clock_t start = std::clock();
        const auto bytes = compressor->compress_to(piece, stream);
        spent += std::clock() - start;
        if (!bytes) return false;
        const long more = static_cast<long>(*bytes) - by_zstd;
        ++pieces;
        over += more > kAllowed ? 1 : 0;
        most = std::max(most, more);
        sum += more;
      }
  std::printf("level %d: %ld pieces, %ld over %ld bytes more, most %ld, mean %.1f, %.1f us each\n", level, pieces, over,
              kAllowed, most, static_cast<double>(sum) / static_cast<double>(pieces),
              1e6 * static_cast<double>(spent) / CLOCKS_PER_SEC / static_cast<double>(pieces));
  return over == 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) {
    std::fputs("usage: gstd_small_sizes LEVEL,... OFFSETS SEED FILE...\n", stderr);
    return 2;
  }
  std::vector<Source> sources;
  for (int f = 4; f < count; ++f) {
    Source& source = sources.emplace_back();
    if (weft::gstd::test::ContentMaker(0).make(1, arguments[f])) {
      source.kind = arguments[f];
      continue;
    }
    std::ifstream stream(arguments[f], std::ios::binary);
    const std::vector<char> letters{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const std::span bytes = std::as_bytes(std::span(letters));
    source.bytes.assign(bytes.begin(), bytes.end());
    if (bytes.size() > kMost) continue;
    std::fprintf(stderr, "%s has no piece of %zu bytes\n", arguments[f], kMost);
    return 2;
  }
  bool is_within = true;
  std::istringstream levels(arguments[1]);
  for (std::string level; std::getline(levels, level, ',');)
    is_within &= compare(std::atoi(level.c_str()), std::strtoul(arguments[2], nullptr, 10),
                         std::strtoul(arguments[3], nullptr, 10), sources);
  return is_within ? 0 : 1;
}
