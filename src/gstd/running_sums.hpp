// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sums by vector instructions, which invert filters of differences.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gstd/tile.hpp"

namespace weft::gstd {

/// Strides that VectorSums takes.
constexpr uint32_t kMaxSumStride = 16;

/// Adds to each item the one `stride` bytes before it, which has its own sum by then. `size` and `stride` are whole
/// items, and the stride is 1 to kMaxSumStride.
struct VectorSums {
  void (*of_bytes)(std::byte* bytes, size_t size, uint32_t stride);
  void (*of_numbers)(std::byte* bytes, size_t size, uint32_t stride);  ///< of 16 bits, little-endian
};

/// By the widest that the processor has, up to `most`. Null if there are none.
const VectorSums* vector_sums(Vectors most);

}  // namespace weft::gstd
