// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Files of images, made field by field.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <vector>

namespace weft::test {

using Bytes = std::vector<std::byte>;

inline void put_u32(Bytes& bytes, size_t at, uint32_t word) {
  for (size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::byte>(word >> 8 * i);
}

inline void put_u64(Bytes& bytes, size_t at, uint64_t word) {
  put_u32(bytes, at, static_cast<uint32_t>(word));
  put_u32(bytes, at + 4, static_cast<uint32_t>(word >> 32));
}

/// The header of a DDS file; dxgi 0: without the DX10 part.
struct DdsHeader {
  uint32_t width = 64, height = 64, depth = 1, levels = 1;
  const char* four_cc = "DX10";
  uint32_t dxgi = 98, layers = 1;
  bool cube = false;

  Bytes bytes() const {
    const bool has_dx10 = std::strcmp(four_cc, "DX10") == 0;
    Bytes header(has_dx10 ? 148 : 128);
    put_u32(header, 0, 0x20534444);
    put_u32(header, 4, 124);
    put_u32(header, 8, 0x1007u | (levels > 1 ? 0x20000u : 0u) | (depth > 1 ? 0x800000u : 0u));
    put_u32(header, 12, height);
    put_u32(header, 16, width);
    put_u32(header, 24, depth);
    put_u32(header, 28, levels);
    put_u32(header, 76, 32);
    put_u32(header, 80, *four_cc == 0 ? 0x41 : 4);
    for (size_t i = 0; four_cc[i] != 0; ++i) header[84 + i] = static_cast<std::byte>(four_cc[i]);
    if (*four_cc == 0) {
      put_u32(header, 88, 32);
      put_u32(header, 92, 0xff0000);
      put_u32(header, 96, 0xff00);
      put_u32(header, 100, 0xff);
      put_u32(header, 104, 0xff000000);
    }
    if (!has_dx10 && cube) put_u32(header, 112, 0xfe00);
    if (!has_dx10 && depth > 1) put_u32(header, 112, 0x200000);
    if (has_dx10) {
      put_u32(header, 128, dxgi);
      put_u32(header, 132, depth > 1 ? 4 : 3);
      put_u32(header, 136, cube ? 4 : 0);
      put_u32(header, 140, layers);
    }
    return header;
  }
};

/// A KTX2 file: a header with its numbers, whatever they are, and levels with these bytes.
struct Ktx2File {
  uint32_t vk_format = 145, type_size = 1;  // BC7
  uint32_t width = 64, height = 64, depth = 0, layers = 0, faces = 1;
  uint32_t scheme = 0;
  uint8_t color_model = 134, block[4] = {3, 3, 0, 0}, plane = 16;
  /// As they are stored, the largest first.
  std::vector<Bytes> levels{};
  /// levelCount, if it is not the number of levels.
  std::optional<uint32_t> level_count{};
  /// Key/value data, and supercompression's global data.
  Bytes pairs{}, global{};
  /// Of every level but level 0, whose file's end it is, the bytes before the next begin at a multiple of it.
  size_t alignment = 16;

  size_t descriptor_at() const { return 80 + 24 * levels.size(); }
  /// Content of a level, by its extent.
  uint64_t content_bytes(size_t level) const {
    const auto blocks = [&](uint32_t size, uint8_t side) {
      return ((std::max(size >> level, 1u)) + side) / (side + 1u);
    };
    return uint64_t{blocks(width, block[0])} * blocks(height, block[1]) * blocks(depth, block[2]) *
           std::max(layers, 1u) * faces * plane;
  }
  Bytes bytes() const {
    constexpr unsigned char kIdentifier[] = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};
    Bytes file(descriptor_at() + 44);
    std::memcpy(file.data(), kIdentifier, sizeof kIdentifier);
    const uint32_t count = level_count.value_or(static_cast<uint32_t>(levels.size()));
    const uint32_t words[] = {vk_format, type_size, width, height, depth, layers, faces, count, scheme};
    for (size_t i = 0; i < std::size(words); ++i) put_u32(file, 12 + 4 * i, words[i]);
    put_descriptor(file);
    append(file, pairs, 4, 56, false);
    append(file, global, 8, 64, true);
    for (size_t level = levels.size(); level-- > 0;) {
      file.resize((file.size() + alignment - 1) / alignment * alignment);
      put_u64(file, 80 + 24 * level, file.size());
      put_u64(file, 80 + 24 * level + 8, levels[level].size());
      put_u64(file, 80 + 24 * level + 16, scheme == 1 ? 0 : content_bytes(level));
      file.insert(file.end(), levels[level].begin(), levels[level].end());
    }
    return file;
  }

 private:
  // A basic block with one sample.
  void put_descriptor(Bytes& file) const {
    const size_t at = descriptor_at();
    put_u32(file, 48, static_cast<uint32_t>(at));
    put_u32(file, 52, 44);
    put_u32(file, at, 44);
    put_u32(file, at + 8, 2 | 40u << 16);
    put_u32(file, at + 12, color_model | 1u << 8 | 1u << 16);
    for (size_t i = 0; i < 4; ++i) file[at + 16 + i] = static_cast<std::byte>(block[i]);
    file[at + 20] = static_cast<std::byte>(plane);
  }
  static void append(Bytes& file, const Bytes& section, size_t alignment, size_t index_at, bool is_wide) {
    if (section.empty()) return;
    file.resize((file.size() + alignment - 1) / alignment * alignment);
    put_u32(file, index_at, static_cast<uint32_t>(file.size()));
    put_u32(file, index_at + (is_wide ? 8 : 4), static_cast<uint32_t>(section.size()));
    file.insert(file.end(), section.begin(), section.end());
  }
};

}  // namespace weft::test
