// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Filters beside naive ones, made as docs/gstd-format.md has them, and back.
#include <doctest/doctest.h>

#include <vector>

#include "gstd/filters.hpp"
#include "gstd/format.hpp"
#include "sample_tiles.hpp"

namespace weft::gstd::test {
namespace {

using Numbers = std::vector<uint32_t>;

Numbers planes(const Numbers& bytes, uint32_t stride) {
  Numbers to;
  for (uint32_t plane = 0; plane < stride; ++plane)
    for (size_t i = plane; i < bytes.size(); i += stride) to.push_back(bytes[i]);
  return to;
}
Numbers differences(const Numbers& bytes, uint32_t stride) {
  Numbers to = bytes;
  for (size_t i = stride; i < to.size(); ++i) to[i] = (bytes[i] - bytes[i - stride]) & 255;
  return to;
}
Numbers differences_of_16_bits(Numbers bytes, uint32_t stride) {
  const Numbers before = bytes;
  for (size_t i = stride; i + 1 < bytes.size(); i += 2) {
    const size_t from = i - stride;
    const uint32_t number = (before[i] | before[i + 1] << 8) - (before[from] | before[from + 1] << 8);
    bytes[i] = number & 255;
    bytes[i + 1] = number >> 8 & 255;
  }
  return bytes;
}
Numbers folded(Numbers bytes) {
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const uint32_t number = bytes[i] | bytes[i + 1] << 8;
    const uint32_t folded = (2 * number & 0xffff) ^ (number >= 0x8000 ? 0xffff : 0);
    bytes[i] = folded & 255;
    bytes[i + 1] = folded >> 8;
  }
  return bytes;
}
Numbers fields(const Numbers& bytes, const std::vector<uint32_t>& widths) {
  uint32_t size = 0;
  for (const uint32_t width : widths) size += width;
  const size_t blocks = bytes.size() / size;
  Numbers to;
  uint32_t first = 0;
  for (const uint32_t width : widths) {
    for (size_t block = 0; block < blocks; ++block)
      for (uint32_t i = 0; i < width; ++i) to.push_back(bytes[block * size + first + i]);
    first += width;
  }
  to.insert(to.end(), bytes.begin() + static_cast<std::ptrdiff_t>(to.size()), bytes.end());
  return to;
}

Numbers filtered(uint32_t filter, uint32_t stride, uint32_t row_words, Numbers bytes) {
  const bool is_of_numbers = filter >= 4 && filter <= 6;
  if (row_words != 0)
    bytes = is_of_numbers ? differences_of_16_bits(bytes, 4 * row_words) : differences(bytes, 4 * row_words);
  switch (filter) {
    case 0: return bytes;
    case 1: return differences(bytes, stride);
    case 2: return planes(bytes, stride);
    case 3: return planes(differences(bytes, stride), stride);
    case 4:
    case 5:
    case 6:
      for (uint32_t order = 0; order < filter - 3; ++order) bytes = differences_of_16_bits(bytes, stride);
      return planes(folded(bytes), stride);
    case 7: {
      Numbers colours = bytes;
      for (size_t i = 0; i + stride <= bytes.size(); i += stride)
        for (const uint32_t c : {0u, 2u}) colours[i + c] = (bytes[i + c] - bytes[i + 1]) & 255;
      return planes(differences(colours, stride), stride);
    }
    case 8: return fields(bytes, {2, 2, 4});
    case 9: return fields(bytes, {8, 2, 2, 4});
    case 10: return fields(bytes, {1, 1, 6, 2, 2, 4});
    case 11: return fields(bytes, {1, 1, 6});
    case 12: return fields(bytes, {1, 1, 6, 1, 1, 6});
    default: return fields(bytes, {1, 1, 2, 4, 4, 4});
  }
}

}  // namespace

TEST_SUITE("gstd filters") {
  TEST_CASE("every filter does what the format says, and its inverse restores the bytes") {
    Random random(1);
    for (const size_t size :
         {0u, 1u, 2u, 3u, 5u, 8u, 15u, 16u, 17u, 31u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 255u, 1000u, 4097u})
      for (uint32_t filter = 0; filter < 16; ++filter)
        for (uint32_t stride = 1; stride <= kMaxStride; stride += stride < 20 ? 1 : 9) {
          if (!is_filter(filter, stride)) continue;
          CAPTURE(size);
          CAPTURE(filter);
          CAPTURE(stride);
          // Rows: none, the shortest, some, and the longest that the bytes may have.
          const uint32_t words = static_cast<uint32_t>((size + 3) / 4);
          for (const uint32_t row_words : {0u, 1u, 2 + random.below(4), 6 + random.below(40), words - 2, words - 1}) {
            if (row_words != 0 && (!TileHeader::is_row(row_words, size) || !is_filter(filter, stride, true))) continue;
            CAPTURE(row_words);
            // Each in an allocation of its own, so that a sanitizer sees every access outside.
            std::vector<std::byte> from(size), to(size), scratch(size), expected(size);
            for (std::byte& byte : from) byte = static_cast<std::byte>(random.next());
            Numbers bytes;
            for (const std::byte byte : from) bytes.push_back(static_cast<uint32_t>(byte));
            const Numbers naive = filtered(filter, stride, row_words, bytes);
            for (size_t i = 0; i < size; ++i) expected[i] = static_cast<std::byte>(naive[i]);
            const FilterSteps steps = {static_cast<Filter>(filter), stride, row_words};
            apply_filter(steps, from, to, scratch);
            CHECK(to == expected);
            for (const Vectors most : {Vectors::none, Vectors::up_to_128, Vectors::up_to_256, Vectors::all}) {
              std::vector<std::byte> inverted = to;
              invert_filter(steps, inverted, scratch, most);
              CHECK(inverted == from);
            }
          }
        }
  }
}

}  // namespace weft::gstd::test
