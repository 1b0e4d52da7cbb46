// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include <cstddef>
#include <span>

namespace gstd_tool {

/// Takes pieces of an input, and gives the sink those of the output.
class Converter {
 public:
  virtual ~Converter() = default;
  virtual weft::Status write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) = 0;
  virtual weft::Status finish(const weft::gstd::Sink& sink) = 0;
};

}  // namespace gstd_tool
