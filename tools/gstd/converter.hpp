// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gstd_tool {

/// Of compressed bytes.
enum class Format : uint8_t { gstd, zst, unknown };

/// What bytes begin as. A frame of Zstandard may be a skippable one.
inline Format format_of(std::span<const std::byte> bytes) {
  if (bytes.size() < 4) return Format::unknown;
  if (std::memcmp(bytes.data(), "GSTD", 4) == 0) return Format::gstd;
  const bool is_skippable =
      (bytes[0] & std::byte{0xf0}) == std::byte{0x50} && std::memcmp(&bytes[1], "\x2a\x4d\x18", 3) == 0;
  return is_skippable || std::memcmp(bytes.data(), "\x28\xb5\x2f\xfd", 4) == 0 ? Format::zst : Format::unknown;
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
