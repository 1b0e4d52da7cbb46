// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gstd/tile.hpp"

namespace weft::gstd {

/// Transform of a tile's bytes before they are encoded; decoders invert it. Numbers are the format's.
enum class Filter : uint32_t {
  none,
  delta,            ///< each byte minus the one `stride` before it
  planes,           ///< bytes i with i mod stride = 0, then = 1, ...
  delta_planes,     ///< both, in this order
  zigzag_planes,    ///< 16-bit numbers minus those `stride` bytes before them, zigzag-coded, then planes
  zigzag_planes_2,  ///< the same with differences of differences
  zigzag_planes_3,  ///< the same with third differences
  colour_planes,    ///< pixels of `stride` bytes, blue and red minus green; then delta and planes
  bc1,              ///< fields of texture blocks; each field of all blocks is contiguous
  bc2,
  bc3,
  bc4,
  bc5,
  bc7,
  count,
};

/// A filter with its numbers.
struct FilterSteps {
  Filter filter = Filter::none;
  uint32_t stride = 1;
  uint32_t row_words = 0;  ///< unless 0, first each byte or number minus the one that many words before it

  bool operator==(const FilterSteps&) const = default;
};

/// Whether a tile may have this filter with this stride, and with rows.
bool is_filter(uint32_t filter, uint32_t stride, bool has_rows = false);

/// Whether a filter's differences are those of 16-bit numbers.
constexpr bool is_of_numbers(Filter filter) {
  return filter >= Filter::zigzag_planes && filter <= Filter::zigzag_planes_3;
}

/// The first step of a filter with rows, to as many bytes.
void apply_rows(const FilterSteps& steps, std::span<const std::byte> from, std::span<std::byte> to);
/// `to` and `scratch` have as many bytes as `from`; none overlaps another.
void apply_filter(const FilterSteps& steps, std::span<const std::byte> from, std::span<std::byte> to,
                  std::span<std::byte> scratch);
/// Inverts the filter in place. `scratch` has as many bytes as `bytes`.
void invert_filter(const FilterSteps& steps, std::span<std::byte> bytes, std::span<std::byte> scratch,
                   Vectors most = Vectors::all);

}  // namespace weft::gstd
