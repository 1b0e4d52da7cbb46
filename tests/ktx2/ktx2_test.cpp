// SPDX-License-Identifier: MIT OR Apache-2.0
// Headers of KTX2 and DDS files, made field by field: what is right is read, what is not is refused at its position.
#include <weft/ktx2.hpp>

#include <doctest/doctest.h>

#include <string>

#include "image_files.hpp"
#include "sound_texture.hpp"

using namespace weft;
using ktx2::Extent;
using ktx2::Texture;
using test::Bytes;
using test::DdsHeader;
using test::Ktx2File;

namespace {

constexpr uint32_t kBc7 = 145, kRgba8 = 37, kR8 = 9, kR32 = 98;

std::span<const std::byte> head_of(const Bytes& file) {
  return std::span(file).first(std::min(file.size(), ktx2::kHeadBytes));
}

Result<Texture> read(const Bytes& file) { return ktx2::read(head_of(file), file.size()); }

Texture sound(const Bytes& file) {
  const auto texture = read(file);
  REQUIRE_MESSAGE(texture.ok(), (texture.ok() ? "" : texture.error().message));
  const char* const fault = test::fault_of(*texture, file.size());
  REQUIRE_MESSAGE(fault == nullptr, fault);
  return *texture;
}

void must_refuse(const Bytes& file, uint64_t position, ErrorCode code = ErrorCode::corrupt_stream) {
  const auto texture = read(file);
  CHECK_FALSE(texture.ok());
  if (texture.ok()) return;
  CAPTURE(texture.error().message);
  CHECK(texture.error().code == code);
  CHECK(texture.error().message.starts_with("byte " + std::to_string(position) + ": "));
}

/// Bytes of which no two slices are alike.
Bytes numbered(uint64_t bytes, uint32_t level) {
  Bytes result(bytes);
  for (uint64_t i = 0; i < bytes; ++i) result[i] = static_cast<std::byte>(i * 7 + (i >> 8) * 3 + level * 31);
  return result;
}

/// A file with `count` levels, plain ones of their sizes, or those of Zstandard's scheme of any.
Ktx2File with_levels(Ktx2File file, uint32_t count) {
  file.levels.resize(count);
  for (uint32_t level = 0; level < count; ++level)
    file.levels[level] = numbered(file.scheme == 0 ? file.content_bytes(level) : 100 + level, level);
  return file;
}

Ktx2File texels(uint32_t vk_format, uint8_t bytes, Extent extent, uint32_t count, Ktx2File file = {}) {
  file.vk_format = vk_format;
  file.width = extent.width;
  file.height = extent.height;
  file.depth = extent.depth;
  file.color_model = 1;
  std::fill(std::begin(file.block), std::end(file.block), uint8_t{0});
  file.plane = bytes;
  return with_levels(file, count);
}

// Of KTX2.
void check_levels(const Ktx2File& made, const Bytes& file, const Texture& texture) {
  REQUIRE(texture.levels.size() == made.levels.size());
  const uint64_t slices = uint64_t{texture.header.layers} * texture.header.faces;
  for (size_t level = 0; level < made.levels.size(); ++level) {
    const ktx2::Level& one = texture.levels[level];
    CHECK(one.stored_bytes == made.levels[level].size());
    CHECK(std::equal(made.levels[level].begin(), made.levels[level].end(),
                     file.begin() + static_cast<std::ptrdiff_t>(one.position)));
    CHECK(slices * one.slice_bytes == made.content_bytes(level));
  }
}

}  // namespace

TEST_CASE("a KTX2 file has its format, extents, layers, faces and levels") {
  struct Case {
    Ktx2File file;
    uint32_t dimensions, layers;
    Extent extent;
  };
  const Case cases[] = {
      {with_levels({}, 7), 2, 1, {64, 64, 1}},
      {with_levels({.width = 100, .height = 20, .scheme = 2}, 4), 2, 1, {100, 20, 1}},
      {with_levels({.layers = 3, .faces = 6}, 2), 2, 3, {64, 64, 1}},
      {texels(kR8, 1, {20, 20, 0}, 5), 2, 1, {20, 20, 1}},
      {texels(kRgba8, 4, {33, 0, 0}, 6), 1, 1, {33, 1, 1}},
      {texels(kRgba8, 4, {9, 5, 12}, 4), 3, 1, {9, 5, 12}},
      {texels(kR32, 4, {8, 8, 0}, 1, {.type_size = 4, .layers = 1}), 2, 1, {8, 8, 1}},
      {texels(23, 3, {7, 5, 0}, 3), 2, 1, {7, 5, 1}},  // R8G8B8: levels begin at multiples of 12
  };
  for (const Case& one : cases) {
    CAPTURE(one.file.vk_format);
    CAPTURE(one.file.width);
    Ktx2File made = one.file;
    if (made.plane == 3) made.alignment = 12;
    const Bytes file = made.bytes();
    const Texture texture = sound(file);
    const ktx2::Header& header = texture.header;
    CHECK(header.container == ktx2::Container::ktx2);
    CHECK(header.vk_format == made.vk_format);
    CHECK(static_cast<uint32_t>(header.supercompression) == made.scheme);
    CHECK(header.dimensions == one.dimensions);
    CHECK(header.extent == one.extent);
    CHECK(header.layers == one.layers);
    CHECK(header.is_array == (made.layers > 0));
    CHECK(header.faces == made.faces);
    CHECK(header.block_bytes == made.plane);
    CHECK(header.block == Extent{made.block[0] + 1u, made.block[1] + 1u, 1});
    CHECK_FALSE(header.generate_levels);
    check_levels(made, file, texture);
  }
  CHECK(ktx2::extent_of(sound(texels(kRgba8, 4, {9, 5, 12}, 4).bytes()).header, 2) == Extent{2, 1, 3});
  for (const uint32_t level : {4u, 31u, 32u, UINT32_MAX})
    CHECK(ktx2::extent_of(sound(texels(kRgba8, 4, {9, 5, 12}, 4).bytes()).header, level) == Extent{1, 1, 1});
}

TEST_CASE("KTX2 without VkFormat, without levels, and with other sections is read") {
  // UASTC, with and without the block's size, which older writers leave out of what is compressed.
  for (const uint8_t plane : {uint8_t{16}, uint8_t{0}}) {
    Ktx2File uastc{.vk_format = 0, .scheme = 2, .color_model = 166};
    uastc = with_levels(uastc, 3);
    Bytes file = uastc.bytes();
    file[uastc.descriptor_at() + 20] = std::byte{plane};
    const Texture texture = sound(file);
    CHECK(texture.header.vk_format == 0);
    CHECK(texture.header.color_model == 166);
    CHECK(texture.header.block_bytes == plane);
    check_levels(uastc, file, texture);
    // A size that level 0 has, and level 1 has not.
    test::put_u64(file, 80 + 24 + 16, 1008);
    must_refuse(file, 80 + 24 + 16);
  }
  Ktx2File one = texels(kRgba8, 4, {16, 16, 0}, 1, {.level_count = 0});
  CHECK(sound(one.bytes()).header.generate_levels);
  CHECK(sound(one.bytes()).header.levels == 1);
  one.pairs = Bytes(23, std::byte{'k'});
  check_levels(one, one.bytes(), sound(one.bytes()));

  // Of a compressed file, known formats may lack the block's size too.
  const Ktx2File compressed = with_levels({.scheme = 2}, 2);
  Bytes file = compressed.bytes();
  file[compressed.descriptor_at() + 20] = std::byte{};
  CHECK(sound(file).header.block_bytes == 16);
  // Bytes after the last level are none of the file's.
  file.resize(file.size() + 100);
  check_levels(compressed, file, sound(file));
}

TEST_CASE("kHeadBytes are enough for the most levels") {
  const Bytes file = texels(kR8, 1, {ktx2::kMaxExtent, 2, 0}, ktx2::kMaxLevels, {.scheme = 2}).bytes();
  REQUIRE(file.size() > ktx2::kHeadBytes);
  CHECK(sound(file).levels.size() == ktx2::kMaxLevels);
  CHECK_FALSE(ktx2::read(std::span(file).first(ktx2::kHeadBytes - 1), file.size()).ok());
}

TEST_CASE("supercompression that is not decoded is refused by its name, and has its levels by read_levels") {
  const std::pair<uint32_t, std::string> schemes[] = {
      {1, "BasisLZ supercompression"}, {3, "ZLIB supercompression"}, {0x10000, "supercompression scheme 65536"}};
  for (const auto& [scheme, name] : schemes) {
    CAPTURE(name);
    Ktx2File made = with_levels({.scheme = scheme}, 3);
    if (scheme == 1) made.vk_format = 0;
    if (scheme != 3) made.global = Bytes(40);
    const Bytes file = made.bytes();
    must_refuse(file, 44, ErrorCode::unsupported);
    CHECK(read(file).error().message.starts_with("byte 44: " + name));
    const auto header = ktx2::read_header(head_of(file));
    REQUIRE(header.ok());
    CHECK(static_cast<uint32_t>(header->supercompression) == scheme);
    const auto levels = ktx2::read_levels(*header, head_of(file), file.size());
    REQUIRE(levels.ok());
    for (size_t level = 0; level < 3; ++level) CHECK((*levels)[level].stored_bytes == made.levels[level].size());
    CHECK((*levels)[0].slice_bytes == (scheme == 1 ? 0 : 4096));
  }
}

// As long as its table: a row for each field and way of being wrong.
TEST_CASE("a KTX2 file with a wrong number is refused at its position") {
  struct Change {
    size_t at;
    uint64_t value;
    uint64_t position;
    ErrorCode code = ErrorCode::corrupt_stream;
    bool is_wide = false;
  };
  constexpr ErrorCode kUnsupported = ErrorCode::unsupported, kCorrupt = ErrorCode::corrupt_stream;
  const Ktx2File plain = with_levels({.pairs = Bytes(16)}, 3);
  const Bytes good = plain.bytes();
  const size_t descriptor = plain.descriptor_at();
  const Change changes[] = {
      {0, 0x21342134, 0},
      {12, 1000054000, 12, kUnsupported},  // PVRTC
      {12, kRgba8, descriptor + 16},       // blocks of others
      {12, 133, descriptor + 20},
      {12, 0x7fffffff, 12, kUnsupported},
      {16, 0, 16},
      {16, 2, 16},
      {20, 0, 20},
      {20, 65537, 20, kUnsupported},
      {20, 0xffffffff, 20, kUnsupported},
      {20, 128, 80 + 16},  // the index has another size
      {24, 0, 24},
      {24, 65537, 24, kUnsupported},
      {28, 65537, 28, kUnsupported},
      {32, 65537, 32, kUnsupported},
      {32, 0xffffffff, 32, kUnsupported},
      {32, 2, 80 + 16},
      {36, 0, 36},
      {36, 2, 36},
      {36, 6, 80 + 16},
      {40, 8, 40},
      {40, 0, 48},
      {40, 2, 48},
      {40, 0xffffffff, 40},
      {44, 4, 44, kUnsupported},
      {48, descriptor + 4, 48},
      {48, 0xffffffff, 48},
      {52, 27, 52},
      {52, 48, descriptor},
      {descriptor, 0xffffffff, descriptor},
      {descriptor + 4, 1, descriptor + 4},
      {descriptor + 8, 2 | 41u << 16, descriptor + 10},
      {descriptor + 8, 2 | 56u << 16, descriptor + 10},
      {descriptor + 8, 2 | 8u << 16, descriptor + 10},
      {descriptor + 16, 0x00000303 | 0x10000, descriptor + 16},
      {descriptor + 16, 0x00000302, descriptor + 16},
      {descriptor + 16, 0x01000303, descriptor + 19},
      {descriptor + 20, 0, descriptor + 20},
      {descriptor + 20, 8, descriptor + 20},
      {descriptor + 20, 0x0110, descriptor + 21, kUnsupported},
      {descriptor + 24, 0x01000000, descriptor + 21, kUnsupported},
      {56, 0, 56},
      {56, descriptor, 56},
      {56, descriptor + 46, 56},
      {56, 0xfffffffc, 56},
      {60, 0xffffffff, 56},
      {60, 64, 80 + 48},  // over the first level
      {72, 8, 72},
      {80, good.size(), 80, kCorrupt, true},
      {80, UINT64_MAX, 80, kCorrupt, true},
      {80, 16, 80, kCorrupt, true},
      {88, 4097, 80, kCorrupt, true},
      {88, UINT64_MAX, 80, kCorrupt, true},
      {88, 0, 80, kCorrupt, true},
      {88, 4080, 96, kCorrupt, true},
      {96, 4095, 96, kCorrupt, true},
      {96, uint64_t{1} << 63, 96, kCorrupt, true},
      {104, good.size(), 104, kCorrupt, true},
      {104, 200, 104, kCorrupt, true},
  };
  REQUIRE(read(good).ok());
  for (const Change& change : changes) {
    CAPTURE(change.at);
    CAPTURE(change.value);
    Bytes file = good;
    if (change.is_wide)
      test::put_u64(file, change.at, change.value);
    else
      test::put_u32(file, change.at, static_cast<uint32_t>(change.value));
    must_refuse(file, change.position, change.code);
  }
}

TEST_CASE("a KTX2 file with a wrong pair of numbers is refused at one of them") {
  must_refuse(with_levels({.width = 32, .faces = 6}, 1).bytes(), 36);
  must_refuse(texels(kRgba8, 4, {8, 8, 8}, 1, {.faces = 6}).bytes(), 36);
  must_refuse(texels(kRgba8, 4, {8, 0, 8}, 1).bytes(), 24);
  must_refuse(texels(kRgba8, 4, {8, 0, 0}, 1, {.type_size = 16}).bytes(), 16);
  must_refuse(with_levels({.height = 0}, 1).bytes(), 24);
  must_refuse(with_levels({.level_count = 0}, 1).bytes(), 40);
  must_refuse(texels(126, 4, {8, 8, 2}, 1, {.type_size = 4}).bytes(), 28);  // D32_SFLOAT
  must_refuse(with_levels({.vk_format = 0, .block = {3, 3, 3, 0}}, 1).bytes(), 28);
  must_refuse(with_levels({.scheme = 1}, 1).bytes(), 12);
  must_refuse(with_levels({.scheme = 2, .global = Bytes(8)}, 1).bytes(), 72);
  must_refuse(with_levels({.vk_format = 0, .plane = 0}, 1).bytes(), 80 + 24 + 20);
  Ktx2File misaligned = with_levels({}, 2);
  misaligned.pairs = Bytes(5);
  misaligned.alignment = 4;
  must_refuse(misaligned.bytes(), 80);
  // 4096 bytes of content are more than nothing, and 16 GiB more than 100 bytes can have.
  Ktx2File large = with_levels({.width = 65536, .height = 65536, .scheme = 2}, 1);
  must_refuse(large.bytes(), 96);
  large.levels[0].resize(size_t{1} << 17);
  CHECK(read(large.bytes()).ok());
  const Bytes good_zstd = with_levels({.scheme = 2}, 3).bytes();
  for (const size_t missing : {size_t{1}, good_zstd.size() - 200}) {
    const Bytes part(good_zstd.begin(), good_zstd.end() - static_cast<std::ptrdiff_t>(missing));
    must_refuse(part, 80);
  }
}

TEST_CASE("a DDS file has its format, extents, layers, faces and levels") {
  struct Case {
    DdsHeader header;
    uint32_t vk_format, unit_bytes, side, dimensions;
  };
  const Case cases[] = {{{256, 128, 1, 9, "DX10", 98, 1, false}, kBc7, 16, 4, 2},
                        {{64, 64, 1, 7, "DX10", 71, 3, false}, 133, 8, 4, 2},
                        {{64, 64, 1, 7, "DX10", 95, 2, true}, 143, 16, 4, 2},
                        {{100, 60, 1, 3, "DX10", 28, 1, false}, kRgba8, 4, 1, 2},
                        {{64, 32, 16, 5, "DX10", 61, 1, false}, kR8, 1, 1, 3},
                        {{128, 128, 1, 1, "DXT1", 0, 1, false}, 133, 8, 4, 2},
                        {{128, 128, 1, 8, "DXT5", 0, 1, true}, 137, 16, 4, 2},
                        {{50, 50, 1, 6, "", 0, 1, false}, 44, 4, 1, 2},
                        {{32, 32, 8, 6, "ATI2", 0, 1, false}, 141, 16, 4, 3}};
  for (const Case& one : cases) {
    const DdsHeader& made = one.header;
    CAPTURE(made.width);
    CAPTURE(one.vk_format);
    Bytes file = made.bytes();
    const size_t begin = file.size(), slices = made.layers * (made.cube ? 6 : 1);
    std::vector<size_t> sizes;
    size_t stride = 0;
    for (uint32_t level = 0; level < made.levels; ++level) {
      const auto units = [&](uint32_t size) { return (std::max(size >> level, 1u) + one.side - 1) / one.side; };
      sizes.push_back(size_t{units(made.width)} * units(made.height) * std::max(made.depth >> level, 1u) *
                      one.unit_bytes);
      stride += sizes.back();
    }
    file.resize(begin + slices * stride);
    const Texture texture = sound(file);
    const ktx2::Header& header = texture.header;
    CHECK(header.container == ktx2::Container::dds);
    CHECK(header.vk_format == one.vk_format);
    CHECK(header.block_bytes == one.unit_bytes);
    CHECK(header.block.width == one.side);
    CHECK(header.dimensions == one.dimensions);
    CHECK(header.extent == Extent{made.width, made.height, made.depth});
    CHECK(header.layers == made.layers);
    CHECK(header.faces == (made.cube ? 6 : 1));
    REQUIRE(texture.levels.size() == made.levels);
    size_t at = begin;
    for (size_t level = 0; level < sizes.size(); at += sizes[level++]) {
      CHECK(texture.levels[level].position == at);
      CHECK(texture.levels[level].slice_bytes == sizes[level]);
      CHECK(texture.levels[level].stored_bytes == sizes[level]);
      CHECK(texture.levels[level].slice_stride == stride);
    }
    file.pop_back();
    must_refuse(file, file.size());
    file.resize(file.size() + 100);
    CHECK(read(file).ok());
  }
}

TEST_CASE("a DDS file with a wrong number is refused at its position") {
  Bytes good = DdsHeader{64, 64, 1, 7, "DX10", 98, 1, false}.bytes();
  good.resize(good.size() + 5488);
  REQUIRE(read(good).ok());
  struct Change {
    size_t at;
    uint32_t value;
    uint64_t position;
    ErrorCode code = ErrorCode::corrupt_stream;
  };
  constexpr ErrorCode kUnsupported = ErrorCode::unsupported;
  const Change changes[] = {
      {4, 123, 4},
      {12, 0, 12},
      {12, 65537, 12, kUnsupported},
      {12, 128, good.size()},
      {16, 0, 16},
      {16, 0xffffffff, 12, kUnsupported},
      {28, 8, 28},
      {28, 0xffffffff, 28},
      {76, 31, 76},
      {128, 3, 128, kUnsupported},  // DXGI_FORMAT_R32G32B32A32_UINT
      {132, 1, 132},
      {132, 5, 132},
      {132, 2, 12},
      {136, 4, good.size()},
      {140, 0, 140},
      {140, 2, good.size()},
      {140, 65537, 140, kUnsupported},
      {140, 0xffffffff, 140, kUnsupported},
  };
  for (const Change& change : changes) {
    CAPTURE(change.at);
    CAPTURE(change.value);
    Bytes file = good;
    test::put_u32(file, change.at, change.value);
    must_refuse(file, change.position, change.code);
  }
  Bytes volume = good;
  test::put_u32(volume, 24, 4);
  test::put_u32(volume, 132, 4);
  test::put_u32(volume, 136, 4);
  must_refuse(volume, 12);
  test::put_u32(volume, 136, 0);
  test::put_u32(volume, 140, 2);
  must_refuse(volume, 140);
  must_refuse(DdsHeader{64, 32, 1, 1, "DX10", 98, 1, true}.bytes(), 12);
  Bytes part = DdsHeader{64, 64, 1, 1, "DXT1", 0, 1, true}.bytes();
  test::put_u32(part, 112, 0x600);  // one face
  must_refuse(part, 112, kUnsupported);
  // Formats without a counterpart have a header, and no levels.
  for (const char* const code : {"DX10", "UYVY"}) {
    Bytes unknown = DdsHeader{64, 64, 1, 7, code, 3, 1, false}.bytes();
    unknown.resize(10000);
    const auto header = ktx2::read_header(unknown);
    REQUIRE(header.ok());
    CHECK(header->vk_format == 0);
    CHECK(header->extent.width == 64);
    must_refuse(unknown, std::string(code) == "DX10" ? 128 : 80, kUnsupported);
  }
}

TEST_CASE("every head that is cut off is refused, and every changed byte has a sound texture or an error") {
  const Bytes files[] = {with_levels({}, 7).bytes(), with_levels({.scheme = 2, .pairs = Bytes(8)}, 5).bytes(),
                         with_levels({.layers = 2, .faces = 6}, 3).bytes(), texels(kRgba8, 4, {9, 5, 12}, 4).bytes(),
                         [] {
                           Bytes file = DdsHeader{64, 64, 1, 7, "DX10", 95, 2, true}.bytes();
                           file.resize(file.size() + 12 * 5488);
                           return file;
                         }()};
  uint32_t accepted = 0;
  for (const Bytes& file : files) {
    REQUIRE(read(file).ok());
    const bool is_ktx2 = file[0] == std::byte{0xab};
    const size_t needed = is_ktx2 ? 80 + 24 * sound(file).levels.size() + 28 : 148;
    for (size_t bytes = 0; bytes <= needed; ++bytes) {
      const Bytes head(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes));
      CHECK(ktx2::read(head, file.size()).ok() == (bytes == needed));
      CHECK_FALSE(ktx2::read(head, bytes).ok());
    }
    for (size_t at = 0; at < needed; ++at)
      for (uint32_t value = 0; value < 256; ++value) {
        Bytes changed(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(needed));
        changed[at] = static_cast<std::byte>(value);
        const auto texture = ktx2::read(changed, file.size());
        if (!texture) {
          if (!texture.error().message.starts_with("byte ")) FAIL(texture.error().message);
          continue;
        }
        ++accepted;
        const char* const fault = test::fault_of(*texture, file.size());
        if (fault != nullptr) FAIL("byte ", at, " as ", value, ": ", fault);
      }
  }
  CHECK(accepted > 1000);
}
