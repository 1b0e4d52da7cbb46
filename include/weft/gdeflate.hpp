// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// GDeflate 1.0, decoded on the CPU: pages of up to 64 KiB, each DEFLATE's blocks (RFC 1951) in 32 interleaved bit
/// streams.
///
/// - No call throws. Results, errors, lifetime, threads: docs/integration.md.
/// - Safe for untrusted data: nothing outside of the spans is accessed, and the work of a page is bounded by its bytes.
/// - GdeflateDecode (gdeflate_decode.hpp) has the same verdict for every page.
namespace weft::gdeflate {

/// Content of every page of a tile stream but the last.
constexpr uint32_t kPageBytes = 1u << 16;
/// Blocks that a page may have: what bounds the tables that are built for it. Encoders write up to 10.
constexpr uint32_t kMaxBlocks = 1024;
/// Words of 4 bytes that a page may have. Stored blocks of 64 KiB take a few more than 2^14.
constexpr uint32_t kMaxPageWords = 1u << 15;

/// Why a page was refused. If a round of 32 lanes has several causes, the first of this list is reported.
enum class Refusal : uint32_t {
  none,
  /// Bits past the last word are needed.
  truncated,
  /// A block of unknown type, or more than kMaxBlocks.
  bad_block,
  /// Code lengths that are incomplete, too many, or repeat one that is missing.
  bad_table,
  /// Bits that are no code, or a length symbol that has no meaning.
  bad_symbol,
  /// A match from before the page.
  bad_offset,
  /// More content than the page has, or less.
  bad_length,
  /// Of a table of pages: sizes outside of their limits, or outside the ranges.
  bad_entry,
};

/// Name for messages, e.g. "bad offset".
WEFT_API const char* name_of(Refusal refusal) noexcept;

/// Decodes a page of exactly `output.size()` bytes of content.
///
/// - Bytes after the page's last block are ignored.
/// - Words past the end of `page` read as 0, and none of their bits may be used.
/// - bad_entry: an output of no bytes or of more than kPageBytes, or a page of more than kMaxPageWords words.
/// - If the page is refused, the bytes of `output` are unspecified.
WEFT_API Refusal decode_page(std::span<const std::byte> page, std::span<std::byte> output) noexcept;

/// A page of a tile stream: bytes [first, first + size) of the stream, with `bytes` bytes of content.
struct Page {
  uint64_t first = 0;
  uint32_t size = 0;
  uint32_t bytes = 0;
};

/// Returns the pages of a tile stream, as DirectStorage and nvCOMP's tools write them: the content of one after the
/// other.
///
/// - Layout, little-endian: bytes 4 and 0xfb, u16 number of pages, u32 with the page size's index (1: 64 KiB) in bits
///   0-1 and the last page's content (0: 64 KiB) in bits 2-19, a u32 for each page, and the pages.
/// - The first of these u32 is the size of the last page. Each other one is the position of its page after the table.
/// - Errors: corrupt_stream, out_of_host_memory.
WEFT_API Result<std::vector<Page>> pages(std::span<const std::byte> stream) noexcept;

/// Decodes a tile stream whose content has `output.size()` bytes.
///
/// Errors: corrupt_stream (with the page and the reason), out_of_host_memory, invalid_argument (content of another
/// size).
WEFT_API Status decompress(std::span<const std::byte> stream, std::span<std::byte> output) noexcept;

}  // namespace weft::gdeflate
