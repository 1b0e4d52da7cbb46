// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/filters.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "gstd/format.hpp"
#include "gstd/running_sums.hpp"

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

// Calls move(plain, planar, width) for each piece. Bytes after the last whole block keep their position.
template <class Move>
void each_field(const Fields& fields, size_t size, const Move& move) {
  const size_t width_of_block = block_size(fields);
  // The analyzer misses that every block has fields.
  const size_t blocks = size / width_of_block;  // NOLINT(clang-analyzer-core.DivideZero)
  size_t planar = 0, first = 0;
  for (const uint8_t width : fields) {
    for (size_t block = 0; block < blocks; ++block, planar += width)
      move(block * width_of_block + first, planar, width);
    first += width;
  }
  if (planar < size) move(planar, planar, size - planar);
}

std::byte difference(std::byte a, std::byte b) {
  return static_cast<std::byte>(static_cast<unsigned>(a) - static_cast<unsigned>(b));
}
std::byte sum(std::byte a, std::byte b) {
  return static_cast<std::byte>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}

// Loops here vectorize: `__restrict` says that outputs do not alias inputs.

template <size_t stride>
void to_planes_of(const std::byte* __restrict from, size_t size, std::byte* __restrict to) {
  const size_t whole = size / stride, rest = size % stride;
  std::array<std::byte*, stride> plane;
  for (size_t p = 0; p < stride; ++p) plane[p] = to + p * whole + std::min(p, rest);
  for (size_t p = 0; p < stride; ++p) {
    std::byte* __restrict const at = plane[p];
    for (size_t i = 0; i < whole; ++i) at[i] = from[i * stride + p];
  }
  for (size_t p = 0; p < rest; ++p) plane[p][whole] = from[whole * stride + p];
}
template <size_t stride>
void from_planes_of(const std::byte* __restrict from, size_t size, std::byte* __restrict to) {
  const size_t whole = size / stride, rest = size % stride;
  std::array<const std::byte*, stride> plane;
  for (size_t p = 0; p < stride; ++p) plane[p] = from + p * whole + std::min(p, rest);
  for (size_t i = 0; i < whole; ++i)
    for (size_t p = 0; p < stride; ++p) to[i * stride + p] = plane[p][i];
  for (size_t p = 0; p < rest; ++p) to[whole * stride + p] = plane[p][whole];
}

void to_planes(uint32_t stride, std::span<const std::byte> from, std::byte* to) {
  switch (stride) {
    case 2: return to_planes_of<2>(from.data(), from.size(), to);
    case 3: return to_planes_of<3>(from.data(), from.size(), to);
    case 4: return to_planes_of<4>(from.data(), from.size(), to);
    case 8: return to_planes_of<8>(from.data(), from.size(), to);
    default:
      for (size_t plane = 0; plane < stride; ++plane)
        for (size_t i = plane; i < from.size(); i += stride) *to++ = from[i];
  }
}
// A few rows at a time, which fit the L1 cache.
void from_any_planes(size_t stride, const std::byte* __restrict from, size_t size, std::byte* __restrict to) {
  constexpr size_t kRows = 8;
  const size_t whole = size / stride, rest = size % stride;
  for (size_t row = 0; row < whole; row += kRows) {
    const size_t rows = std::min(kRows, whole - row);
    for (size_t p = 0; p < stride; ++p) {
      const std::byte* __restrict const plane = from + p * whole + std::min(p, rest) + row;
      std::byte* __restrict const at = to + row * stride + p;
      if (rows == kRows)
        for (size_t i = 0; i < kRows; ++i) at[i * stride] = plane[i];
      else
        for (size_t i = 0; i < rows; ++i) at[i * stride] = plane[i];
    }
  }
  for (size_t p = 0; p < rest; ++p) to[whole * stride + p] = from[(p + 1) * whole + p];
}

void from_planes(uint32_t stride, const std::byte* from, std::span<std::byte> to) {
  switch (stride) {
    case 2: return from_planes_of<2>(from, to.size(), to.data());
    case 3: return from_planes_of<3>(from, to.size(), to.data());
    case 4: return from_planes_of<4>(from, to.size(), to.data());
    case 8: return from_planes_of<8>(from, to.size(), to.data());
    default: return from_any_planes(stride, from, to.size(), to.data());
  }
}

uint16_t load16(const std::byte* bytes) {
  if constexpr (std::endian::native == std::endian::big)
    return static_cast<uint16_t>(static_cast<unsigned>(bytes[0]) | static_cast<unsigned>(bytes[1]) << 8);
  uint16_t value;
  std::memcpy(&value, bytes, 2);
  return value;
}
void store16(std::byte* bytes, uint32_t value) {
  if constexpr (std::endian::native == std::endian::big) {
    bytes[0] = static_cast<std::byte>(value);
    bytes[1] = static_cast<std::byte>(value >> 8);
  } else {
    const uint16_t half = static_cast<uint16_t>(value);
    std::memcpy(bytes, &half, 2);
  }
}

void to_delta(uint32_t stride, std::span<const std::byte> bytes, std::byte* __restrict to) {
  const size_t head = std::min<size_t>(stride, bytes.size());
  const std::byte* __restrict const from = bytes.data();
  std::copy_n(from, head, to);
  for (size_t i = head; i < bytes.size(); ++i) to[i] = difference(from[i], from[i - stride]);
}

// The numbers before stay in registers: reading what was just written would take longer.
template <size_t stride>
void from_delta_of(std::byte* bytes, size_t size) {
  std::array<std::byte, stride> before{};
  size_t i = 0;
  for (; i + stride <= size; i += stride)
    for (size_t p = 0; p < stride; ++p) bytes[i + p] = before[p] = sum(bytes[i + p], before[p]);
  for (size_t p = 0; i + p < size; ++p) bytes[i + p] = sum(bytes[i + p], before[p]);
}
void add_bytes(const std::byte* __restrict before, std::byte* __restrict bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes[i] = sum(bytes[i], before[i]);
}
void from_delta(uint32_t stride, std::span<std::byte> bytes, Vectors most) {
  if (const VectorSums* sums = vector_sums(most); sums != nullptr && stride <= kMaxSumStride)
    return sums->of_bytes(bytes.data(), bytes.size(), stride);
  switch (stride) {
    case 1: return from_delta_of<1>(bytes.data(), bytes.size());
    case 2: return from_delta_of<2>(bytes.data(), bytes.size());
    case 3: return from_delta_of<3>(bytes.data(), bytes.size());
    case 4: return from_delta_of<4>(bytes.data(), bytes.size());
    default:
      for (size_t i = stride; i < bytes.size(); i += stride)
        add_bytes(&bytes[i - stride], &bytes[i], std::min<size_t>(stride, bytes.size() - i));
  }
}

// `numbers` numbers minus those `stride` bytes before them.
void to_differences(uint32_t stride, const std::byte* __restrict from, std::byte* __restrict to, size_t numbers) {
  const size_t head = std::min<size_t>(stride / 2, numbers);
  std::copy_n(from, 2 * head, to);
  for (size_t n = head; n < numbers; ++n)
    store16(to + 2 * n, uint32_t{load16(from + 2 * n)} - load16(from + 2 * n - stride));
}
template <size_t apart, uint32_t order>
void from_differences_of(std::byte* bytes, size_t numbers) {
  std::array<std::array<uint32_t, apart>, order> before{};
  const auto next = [&](size_t n, size_t p) {
    uint32_t value = load16(bytes + 2 * n);
    for (uint32_t o = 0; o < order; ++o) before[o][p] = value += before[o][p];
    store16(bytes + 2 * n, value);
  };
  size_t n = 0;
  for (; n + apart <= numbers; n += apart)
    for (size_t p = 0; p < apart; ++p) next(n + p, p);
  for (size_t p = 0; n + p < numbers; ++p) next(n + p, p);
}
void add_numbers(const std::byte* __restrict before, std::byte* __restrict bytes, size_t numbers) {
  for (size_t i = 0; i < 2 * numbers; i += 2) store16(bytes + i, uint32_t{load16(bytes + i)} + load16(before + i));
}
template <uint32_t order>
void from_differences(uint32_t stride, std::byte* bytes, size_t numbers, Vectors most) {
  if (const VectorSums* sums = vector_sums(most); sums != nullptr && stride <= kMaxSumStride) {
    for (uint32_t o = 0; o < order; ++o) sums->of_numbers(bytes, 2 * numbers, stride);
    return;
  }
  if (stride == 2) return from_differences_of<1, order>(bytes, numbers);
  if (stride == 4) return from_differences_of<2, order>(bytes, numbers);
  const size_t apart = stride / 2;
  for (uint32_t o = 0; o < order; ++o)
    for (size_t n = apart; n < numbers; n += apart)
      add_numbers(bytes + 2 * (n - apart), bytes + 2 * n, std::min(apart, numbers - n));
}

void to_zigzag(std::byte* bytes, size_t numbers) {
  for (size_t i = 0; i < 2 * numbers; i += 2) {
    const uint32_t value = load16(bytes + i);
    store16(bytes + i, value << 1 ^ (value >> 15) * 0xffff);
  }
}
void from_zigzag(std::byte* bytes, size_t numbers) {
  for (size_t i = 0; i < 2 * numbers; i += 2) {
    const uint32_t value = load16(bytes + i);
    store16(bytes + i, value >> 1 ^ (value & 1) * 0xffff);
  }
}

// Bytes after the last whole pixel stay as they are.
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

void invert_rows(const FilterSteps& steps, std::span<std::byte> bytes, Vectors most) {
  if (!is_of_numbers(steps.filter)) return from_delta(4 * steps.row_words, bytes, most);
  from_differences<1>(4 * steps.row_words, bytes.data(), bytes.size() / 2, most);
}

void invert_steps_along_rows(const FilterSteps& steps, std::span<std::byte> bytes, std::span<std::byte> scratch,
                             Vectors most) {
  const uint32_t stride = steps.stride;
  const auto aside = [&] { std::copy(bytes.begin(), bytes.end(), scratch.begin()); };
  switch (steps.filter) {
    case Filter::none: return;
    case Filter::delta: from_delta(stride, bytes, most); return;
    case Filter::planes:
      aside();
      from_planes(stride, scratch.data(), bytes);
      return;
    case Filter::delta_planes:
      aside();
      from_planes(stride, scratch.data(), bytes);
      from_delta(stride, bytes, most);
      return;
    case Filter::zigzag_planes:
    case Filter::zigzag_planes_2:
    case Filter::zigzag_planes_3:
      aside();
      from_planes(stride, scratch.data(), bytes);
      from_zigzag(bytes.data(), bytes.size() / 2);
      if (steps.filter == Filter::zigzag_planes)
        from_differences<1>(stride, bytes.data(), bytes.size() / 2, most);
      else if (steps.filter == Filter::zigzag_planes_2)
        from_differences<2>(stride, bytes.data(), bytes.size() / 2, most);
      else
        from_differences<3>(stride, bytes.data(), bytes.size() / 2, most);
      return;
    case Filter::colour_planes:
      aside();
      from_planes(stride, scratch.data(), bytes);
      from_delta(stride, bytes, most);
      from_colour_differences(stride, bytes);
      return;
    default:
      if (const Fields* fields = fields_of(steps.filter)) {
        aside();
        each_field(*fields, bytes.size(), [&](size_t plain, size_t planar, size_t width) {
          std::memcpy(&bytes[plain], &scratch[planar], width);
        });
      }
  }
}

}  // namespace

bool is_filter(uint32_t filter, uint32_t stride, bool has_rows) {
  if (stride < 1 || stride > kMaxStride || (has_rows && static_cast<Filter>(filter) >= Filter::bc1)) return false;
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

// An odd last byte of numbers stays as it is.
void apply_rows(const FilterSteps& steps, std::span<const std::byte> from, std::span<std::byte> to) {
  if (!is_of_numbers(steps.filter)) return to_delta(4 * steps.row_words, from, to.data());
  to_differences(4 * steps.row_words, from.data(), to.data(), from.size() / 2);
  if (from.size() % 2 != 0) to[from.size() - 1] = from.back();
}

void apply_filter(const FilterSteps& steps, std::span<const std::byte> from, std::span<std::byte> to,
                  std::span<std::byte> scratch) {
  const auto [filter, stride, row_words] = steps;
  if (row_words != 0) {
    // Into the buffer that the next step does not write.
    const bool next_is_scratch = filter == Filter::delta_planes || filter == Filter::colour_planes ||
                                 (is_of_numbers(filter) && order_of(filter) % 2 != 0);
    if (filter == Filter::none) return apply_rows(steps, from, to);
    const std::span<std::byte> rows = (next_is_scratch ? to : scratch).first(from.size());
    apply_rows(steps, from, rows);
    from = rows;
  }
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
      // The passes alternate between both buffers and end in `scratch`; `to` is free until then.
      const size_t numbers = from.size() / 2;
      std::byte* at = order_of(filter) % 2 == 0 ? to.data() : scratch.data();
      std::byte* other = order_of(filter) % 2 == 0 ? scratch.data() : to.data();
      to_differences(stride, from.data(), at, numbers);
      for (uint32_t order = 1; order < order_of(filter); ++order) {
        to_differences(stride, at, other, numbers);
        std::swap(at, other);
      }
      to_zigzag(at, numbers);
      if (from.size() % 2 != 0) scratch[from.size() - 1] = from.back();
      to_planes(stride, scratch.first(from.size()), to.data());
      return;
    }
    case Filter::colour_planes: {
      to_colour_differences(stride, aside());
      // `to` is free until then: it takes the differences, which are copied back.
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

void invert_filter(const FilterSteps& steps, std::span<std::byte> bytes, std::span<std::byte> scratch, Vectors most) {
  invert_steps_along_rows(steps, bytes, scratch, most);
  if (steps.row_words != 0) invert_rows(steps, bytes, most);
}

}  // namespace weft::gstd
