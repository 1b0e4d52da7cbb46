// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The table of a stream's frames: headers of frames, blocks and their sections, as zstd_blocks.glsl reads them on the
// device. What is corrupt inside of a block is the device's to refuse.
#include <weft/zstd_decode.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include "decode/zstd_decode.h"
#include "runtime/caught.hpp"

namespace weft {
namespace {

using Bytes = std::span<const std::byte>;

// `count` bytes from `at` on, the first lowest; those past the end are 0.
uint64_t number_at(Bytes bytes, uint64_t at, uint32_t count) {
  uint64_t number = 0;
  for (uint32_t i = 0; i < count && at + i < bytes.size(); ++i)
    number |= std::to_integer<uint64_t>(bytes[at + i]) << 8 * i;
  return number;
}

struct FrameHeader {
  uint64_t bytes = 0;  // of the header
  std::optional<uint64_t> size;
  uint64_t block_limit = 0;
  bool has_checksum = false;
};

FrameHeader frame_header(Bytes bytes) {
  const auto descriptor = static_cast<uint32_t>(number_at(bytes, 4, 1));
  const bool single = (descriptor & 32) != 0;
  const uint32_t size_flag = descriptor >> 6, dictionary_flag = descriptor & 3;
  const uint32_t size_bytes = size_flag == 0 ? (single ? 1 : 0) : 1u << size_flag;
  const uint64_t size_at = (single ? 5 : 6) + (dictionary_flag == 3 ? 4 : dictionary_flag);
  FrameHeader header;
  header.bytes = size_at + size_bytes;
  header.has_checksum = (descriptor & 4) != 0;
  if (size_bytes != 0) header.size = number_at(bytes, size_at, size_bytes) + (size_bytes == 2 ? 256 : 0);
  const uint64_t window = number_at(bytes, 5, 1), base = uint64_t{1024} << (window >> 3);
  header.block_limit = std::min<uint64_t>(single ? *header.size : base + base / 8 * (window & 7), WEFT_ZSTD_MAX_BLOCK);
  return header;
}

// Adds what a compressed block has, at most what its bytes can say.
void add_sections(Bytes block, ZstdBounds& bounds) {
  const uint64_t low = number_at(block, 0, 5);
  const uint64_t kind = low & 3, format = low >> 2 & 3;
  uint64_t at = 0;
  if (kind < 2) {
    const uint64_t header = format == 1 ? 2 : format == 3 ? 3 : 1;
    const uint64_t literals = header == 1 ? low >> 3 & 31 : low >> 4 & (header == 2 ? 0xfff : 0xfffff);
    at = header + (kind == 1 ? 1 : literals);
    if (kind == 1) bounds.literals += literals;
  } else {
    const uint64_t header = format < 2 ? 3 : format + 2, bits = format < 2 ? 10 : format == 2 ? 14 : 18;
    const uint64_t mask = (uint64_t{1} << bits) - 1;
    bounds.literals += low >> 4 & mask;
    at = header + (low >> (4 + bits) & mask);
  }
  const uint64_t first = number_at(block, at, 1);
  bounds.sequences += first < 128   ? first
                      : first < 255 ? (first - 128) << 8 | number_at(block, at + 1, 1)
                                    : number_at(block, at + 1, 2) + 0x7f00;
}

struct WalkedFrame {
  uint64_t bytes = 0;  // 0: there is none
  uint64_t capacity = 0;
};

WalkedFrame walk_frame(Bytes bytes, ZstdBounds& bounds) {
  const FrameHeader header = frame_header(bytes);
  uint64_t at = header.bytes, capacity = 0;
  for (bool is_last = false; !is_last;) {
    if (at > bytes.size() || bytes.size() - at < 3) return {};
    const uint64_t block = number_at(bytes, at, 3);
    const uint64_t kind = block >> 1 & 3, size = block >> 3, stored = kind == 1 ? 1 : size;
    is_last = (block & 1) != 0;
    at += 3;
    if (stored > bytes.size() - at) return {};
    ++bounds.blocks;
    if (kind == 2) add_sections(bytes.subspan(at, stored), bounds);
    capacity += kind == 2 ? header.block_limit : size;
    at += stored;
  }
  at += header.has_checksum ? 4 : 0;
  if (at > bytes.size()) return {};
  return {at, header.size.value_or(capacity)};
}

}  // namespace

Result<ZstdTable> zstd_frames(std::span<const std::byte> stream, uint64_t source, uint64_t output) noexcept try {
  ZstdTable table;
  for (uint64_t at = 0; at < stream.size();) {
    const Bytes bytes = stream.subspan(at);
    const auto error = [&](const char* what) {
      return Error{ErrorCode::corrupt_stream, "zstd: " + std::string(what) + " at byte " + std::to_string(at)};
    };
    if (bytes.size() >= 8 && (number_at(bytes, 0, 4) & ~uint64_t{15}) == 0x184d2a50) {
      const uint64_t size = 8 + number_at(bytes, 4, 4);
      if (size > bytes.size()) return error("a truncated skippable frame");
      at += size;
      continue;
    }
    if (bytes.size() < 4 || number_at(bytes, 0, 4) != 0xfd2fb528) return error("no frame");
    const WalkedFrame frame = walk_frame(bytes, table.bounds);
    if (frame.bytes == 0) return error("a truncated frame");
    if (frame.bytes > ~uint32_t{0} || frame.capacity > kMaxZstdContent) return error("too large a frame");
    table.frames.push_back({source + at, output + table.output_bytes, static_cast<uint32_t>(frame.bytes),
                            static_cast<uint32_t>(frame.capacity)});
    table.output_bytes += frame.capacity;
    at += frame.bytes;
  }
  return table;
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
