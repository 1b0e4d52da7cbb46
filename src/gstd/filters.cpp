// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/filters.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "gstd/format.hpp"

namespace weft::gstd {

namespace {

// Widths of a texture block's fields, up to a zero.
using Fields = std::array<uint8_t, 8>;
constexpr std::array<Fields, 6> kBlockFields = {{
    {2, 2, 4},           // two colours, indices
    {8, 2, 2, 4},        // alpha, colours, indices
    {1, 1, 6, 2, 2, 4},  // two alphas, their indices, colours, indices
    {1, 1, 6},
    {1, 1, 6, 1, 1, 6},
    {1, 1, 2, 4, 4, 4},  // mode and partition first, indices last
}};

uint32_t block_size(const Fields& fields) {
  uint32_t size = 0;
  for (const uint8_t width : fields) size += width;
  return size;
}

const Fields* fields_of(Filter filter) {
  if (filter < Filter::bc1 || filter >= Filter::count) return nullptr;
  return &kBlockFields[static_cast<uint32_t>(filter) - static_cast<uint32_t>(Filter::bc1)];
}

// Calls move(plain, planar, width) for each piece that stays together. Bytes behind the last whole block stay behind.
template <class Move>
void each_field(const Fields& fields, size_t size, const Move& move) {
  const size_t width_of_block = block_size(fields), blocks = size / width_of_block;
  size_t planar = 0, first = 0;
  for (const uint8_t width : fields) {
    for (size_t block = 0; block < blocks; ++block, planar += width)
      move(block * width_of_block + first, planar, width);
    first += width;
  }
  if (planar < size) move(planar, planar, size - planar);
}

void to_planes(uint32_t stride, std::span<const std::byte> from, std::byte* to) {
  for (size_t plane = 0; plane < stride; ++plane)
    for (size_t i = plane; i < from.size(); i += stride) *to++ = from[i];
}
void from_planes(uint32_t stride, const std::byte* from, std::span<std::byte> to) {
  for (size_t plane = 0; plane < stride; ++plane)
    for (size_t i = plane; i < to.size(); i += stride) to[i] = *from++;
}

std::byte difference(std::byte a, std::byte b) {
  return static_cast<std::byte>(static_cast<unsigned>(a) - static_cast<unsigned>(b));
}
std::byte sum(std::byte a, std::byte b) {
  return static_cast<std::byte>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}

uint16_t load16(const std::byte* bytes) {
  return static_cast<uint16_t>(static_cast<unsigned>(bytes[0]) | static_cast<unsigned>(bytes[1]) << 8);
}
void store16(std::byte* bytes, uint32_t value) {
  bytes[0] = static_cast<std::byte>(value);
  bytes[1] = static_cast<std::byte>(value >> 8);
}

void to_delta(uint32_t stride, std::span<const std::byte> from, std::byte* to) {
  const size_t head = std::min<size_t>(stride, from.size());
  std::copy_n(from.begin(), head, to);
  for (size_t i = head; i < from.size(); ++i) to[i] = difference(from[i], from[i - stride]);
}
void from_delta(uint32_t stride, std::span<std::byte> bytes) {
  for (size_t i = stride; i < bytes.size(); ++i) bytes[i] = sum(bytes[i], bytes[i - stride]);
}

// In place: from the end, so that what a number is lessened by is still whole.
void to_differences(uint32_t stride, std::span<std::byte> bytes) {
  const size_t numbers = bytes.size() / 2, apart = stride / 2;
  for (size_t n = numbers; n-- > apart;) {
    std::byte* at = &bytes[2 * n];
    store16(at, uint32_t{load16(at)} - load16(at - stride));
  }
}
void from_differences(uint32_t stride, std::span<std::byte> bytes) {
  const size_t numbers = bytes.size() / 2;
  for (size_t n = stride / 2; n < numbers; ++n) {
    std::byte* at = &bytes[2 * n];
    store16(at, uint32_t{load16(at)} + load16(at - stride));
  }
}

void to_zigzag(std::span<std::byte> bytes) {
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const uint32_t value = load16(&bytes[i]);
    store16(&bytes[i], value << 1 ^ (value >> 15) * 0xffff);
  }
}
void from_zigzag(std::span<std::byte> bytes) {
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const uint32_t value = load16(&bytes[i]);
    store16(&bytes[i], value >> 1 ^ (value & 1) * 0xffff);
  }
}

// Bytes behind the last whole pixel stay as they are.
void to_colour_differences(uint32_t stride, std::span<std::byte> bytes) {
  for (size_t i = 0; i + stride <= bytes.size(); i += stride) {
    bytes[i] = difference(bytes[i], bytes[i + 1]);
    bytes[i + 2] = difference(bytes[i + 2], bytes[i + 1]);
  }
}
void from_colour_differences(uint32_t stride, std::span<std::byte> bytes) {
  for (size_t i = 0; i + stride <= bytes.size(); i += stride) {
    bytes[i] = sum(bytes[i], bytes[i + 1]);
    bytes[i + 2] = sum(bytes[i + 2], bytes[i + 1]);
  }
}

uint32_t order_of(Filter filter) {
  return static_cast<uint32_t>(filter) - static_cast<uint32_t>(Filter::zigzag_planes) + 1;
}

}  // namespace

bool is_filter(uint32_t filter, uint32_t stride) {
  if (stride < 1 || stride > kMaxStride) return false;
  switch (static_cast<Filter>(filter)) {
    case Filter::none: return stride == 1;
    case Filter::delta: return true;
    case Filter::planes:
    case Filter::delta_planes: return stride >= 2;
    case Filter::zigzag_planes:
    case Filter::zigzag_planes_2:
    case Filter::zigzag_planes_3: return stride % 2 == 0;
    case Filter::colour_planes: return stride == 3 || stride == 4;
    default: return filter < static_cast<uint32_t>(Filter::count) && stride == 1;
  }
}

void apply_filter(Filter filter, uint32_t stride, std::span<const std::byte> from, std::span<std::byte> to,
                  std::span<std::byte> scratch) {
  const auto aside = [&] {
    std::copy(from.begin(), from.end(), scratch.begin());
    return scratch.first(from.size());
  };
  switch (filter) {
    case Filter::none: std::copy(from.begin(), from.end(), to.begin()); return;
    case Filter::delta: to_delta(stride, from, to.data()); return;
    case Filter::planes: to_planes(stride, from, to.data()); return;
    case Filter::delta_planes:
      to_delta(stride, from, scratch.data());
      to_planes(stride, scratch.first(from.size()), to.data());
      return;
    case Filter::zigzag_planes:
    case Filter::zigzag_planes_2:
    case Filter::zigzag_planes_3: {
      const std::span<std::byte> bytes = aside();
      for (uint32_t order = 0; order < order_of(filter); ++order) to_differences(stride, bytes);
      to_zigzag(bytes);
      to_planes(stride, bytes, to.data());
      return;
    }
    case Filter::colour_planes: {
      to_colour_differences(stride, aside());
      // to is not needed yet: the differences go there, and come back.
      to_delta(stride, scratch.first(from.size()), to.data());
      std::copy(to.begin(), to.end(), scratch.begin());
      to_planes(stride, scratch.first(from.size()), to.data());
      return;
    }
    default:
      if (const Fields* fields = fields_of(filter))
        each_field(*fields, from.size(),
                   [&](size_t plain, size_t planar, size_t width) { std::memcpy(&to[planar], &from[plain], width); });
  }
}

void undo_filter(Filter filter, uint32_t stride, std::span<std::byte> bytes, std::span<std::byte> scratch) {
  const auto aside = [&] { std::copy(bytes.begin(), bytes.end(), scratch.begin()); };
  switch (filter) {
    case Filter::none: return;
    case Filter::delta: from_delta(stride, bytes); return;
    case Filter::planes:
      aside();
      from_planes(stride, scratch.data(), bytes);
      return;
    case Filter::delta_planes:
      aside();
      from_planes(stride, scratch.data(), bytes);
      from_delta(stride, bytes);
      return;
    case Filter::zigzag_planes:
    case Filter::zigzag_planes_2:
    case Filter::zigzag_planes_3:
      aside();
      from_planes(stride, scratch.data(), bytes);
      from_zigzag(bytes);
      for (uint32_t order = 0; order < order_of(filter); ++order) from_differences(stride, bytes);
      return;
    case Filter::colour_planes:
      aside();
      from_planes(stride, scratch.data(), bytes);
      from_delta(stride, bytes);
      from_colour_differences(stride, bytes);
      return;
    default:
      if (const Fields* fields = fields_of(filter)) {
        aside();
        each_field(*fields, bytes.size(), [&](size_t plain, size_t planar, size_t width) {
          std::memcpy(&bytes[plain], &scratch[planar], width);
        });
      }
  }
}

}  // namespace weft::gstd
