// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Frames of Zstandard as libzstd writes them, with options drawn at random, and what it says of frames.
#pragma once

#include <doctest/doctest.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gstd/sample_tiles.hpp"

namespace weft::test {

struct ZstdOptions {
  int level = 3;
  bool checksum = false, content_size = true;
  int window_log = 0;  // 0: what the level has
  size_t flushed = 0;  // content after which a block ends; 0: as libzstd has it
};

/// Options for `bytes` of content, in up to 16 blocks.
inline ZstdOptions drawn_options(gstd::test::Random& random, size_t bytes) {
  constexpr int kLevels[] = {-7, 1, 2, 3, 5, 7, 9, 13, 19, 22};
  ZstdOptions options;
  options.level = kLevels[random.below(std::size(kLevels))];
  options.checksum = random.one_in(2);
  options.content_size = !random.one_in(4);
  options.window_log = random.one_in(2) ? static_cast<int>(10 + random.below(10)) : 0;
  options.flushed = random.one_in(2) ? 1 + bytes / 16 + random.below(static_cast<uint32_t>(1 + bytes)) : 0;
  return options;
}

inline std::vector<std::byte> zstd_frame(std::span<const std::byte> content, const ZstdOptions& options,
                                         std::span<const std::byte> dictionary = {}) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  const auto set = [&](ZSTD_cParameter parameter, int value) {
    REQUIRE(ZSTD_isError(ZSTD_CCtx_setParameter(context.get(), parameter, value)) == 0);
  };
  set(ZSTD_c_compressionLevel, options.level);
  set(ZSTD_c_checksumFlag, options.checksum);
  set(ZSTD_c_contentSizeFlag, options.content_size);
  set(ZSTD_c_windowLog, options.window_log);
  REQUIRE(ZSTD_isError(ZSTD_CCtx_loadDictionary(context.get(), dictionary.data(), dictionary.size())) == 0);
  REQUIRE(ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context.get(), content.size())) == 0);
  std::vector<std::byte> frame(ZSTD_compressBound(content.size()) + 64 + 16 * content.size());
  ZSTD_outBuffer output{frame.data(), frame.size(), 0};
  for (size_t at = 0;;) {
    const size_t bytes = options.flushed == 0 ? content.size() : std::min(options.flushed, content.size() - at);
    ZSTD_inBuffer input{content.data() + at, bytes, 0};
    at += bytes;
    const ZSTD_EndDirective end = at == content.size() ? ZSTD_e_end : ZSTD_e_flush;
    REQUIRE(ZSTD_compressStream2(context.get(), &output, &input, end) == 0);
    if (at == content.size()) break;
  }
  frame.resize(output.pos);
  return frame;
}

/// What libzstd decodes of bytes that have to be one frame; nothing if it refuses them.
inline std::optional<std::vector<std::byte>> libzstd_content(std::span<const std::byte> frame, size_t capacity,
                                                             std::span<const std::byte> dictionary = {}) {
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) return std::nullopt;
  std::vector<std::byte> content(capacity);
  static const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  const size_t size = ZSTD_decompress_usingDict(context.get(), content.data(), capacity, frame.data(), frame.size(),
                                                dictionary.data(), dictionary.size());
  if (ZSTD_isError(size) != 0) return std::nullopt;
  content.resize(size);
  return content;
}

}  // namespace weft::test
