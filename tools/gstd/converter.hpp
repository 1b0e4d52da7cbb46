// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <cstddef>
#include <cstring>
#include <span>

namespace gstd_tool {

/// Whether bytes begin as a stream does.
inline bool begin_stream(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), "GSTD", 4) == 0;
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
