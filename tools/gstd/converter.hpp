// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gstd_tool {

/// Of compressed bytes. Both formats have skippable frames; `frames`: there is nothing else to go by.
enum class Format : uint8_t { gstd, zst, frames, unknown };

constexpr size_t kFrameBytes = 8;  // before a skippable frame's data

/// The size of the skippable frame that begins here, 0 if none does or there are fewer than kFrameBytes.
inline uint64_t frame_at(std::span<const std::byte> bytes) {
  if (bytes.size() < kFrameBytes || (bytes[0] & std::byte{0xf0}) != std::byte{0x50} ||
      std::memcmp(&bytes[1], "\x2a\x4d\x18", 3) != 0)
    return 0;
  uint64_t size = 0;
  for (size_t i = 0; i < 4; ++i) size |= std::to_integer<uint64_t>(bytes[4 + i]) << 8 * i;
  return kFrameBytes + size;
}

/// Where what comes after skippable frames begins. It may be beyond the bytes.
inline uint64_t after_frames(std::span<const std::byte> bytes) {
  uint64_t at = 0;
  while (at < bytes.size()) {
    const uint64_t frame = frame_at(bytes.subspan(static_cast<size_t>(at)));
    if (frame == 0) break;
    at += frame;
  }
  return at;
}

/// What bytes begin as.
inline Format format_of(std::span<const std::byte> bytes) {
  const uint64_t at = after_frames(bytes);
  if (at != 0 && (at > bytes.size() || bytes.size() - at < 4)) return Format::frames;
  bytes = bytes.subspan(static_cast<size_t>(at));
  if (bytes.size() < 4) return Format::unknown;
  for (const char* magic : {"GSTD", "GSTs", "GSTc"})
    if (std::memcmp(bytes.data(), magic, 4) == 0) return Format::gstd;
  return std::memcmp(bytes.data(), "\x28\xb5\x2f\xfd", 4) == 0 ? Format::zst : Format::unknown;
}

/// Takes pieces of an input, and gives the sink those of the output.
class Converter {
 public:
  virtual ~Converter() = default;
  virtual weft::Status write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) = 0;
  /// Passes on what may wait in a buffer, as far as the format allows.
  virtual weft::Status flush(const weft::gstd::Sink&) { return {}; }
  virtual weft::Status finish(const weft::gstd::Sink& sink) = 0;
};

}  // namespace gstd_tool
