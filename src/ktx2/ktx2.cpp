// SPDX-License-Identifier: MIT OR Apache-2.0
//
// KTX 2.0 (https://registry.khronos.org/KTX/specs/2.0/ktxspec.v2.html): 80 bytes, an index of 24 bytes a level, the
// data format descriptor, key/value data, supercompression's global data, levels from the smallest to the largest.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "gstd/little_endian.hpp"
#include "ktx2/containers.hpp"
#include "ktx2/formats.hpp"

namespace weft::ktx2 {
namespace {

using gstd::load_u32;
using gstd::load_u64;

constexpr uint64_t kIndexAt = 80, kIndexEntry = 24;
// Of a descriptor: its size and the basic block without samples, of which the reader needs no more.
constexpr uint64_t kDescriptor = 28, kSample = 16;
static_assert(kHeadBytes == kIndexAt + kIndexEntry * kMaxLevels + kDescriptor);

/// Byte positions of fields.
struct Ktx2At {
  static constexpr uint32_t format = 12, type_size = 16, width = 20, height = 24, depth = 28, layers = 32, faces = 36,
                            levels = 40, scheme = 44, descriptor_position = 48, descriptor_bytes = 52,
                            pairs_position = 56, pairs_bytes = 60, global_position = 64, global_bytes = 72;
};

Fault cut_off(std::span<const std::byte> head) { return corrupt(head.size(), "the file ends in its header"); }

uint64_t descriptor_at(const Header& header) { return kIndexAt + kIndexEntry * header.levels; }

Fault read_extents(std::span<const std::byte> head, Header& header) {
  const auto word = [&](uint32_t at) { return load_u32(&head[at]); };
  const uint32_t width = word(Ktx2At::width), height = word(Ktx2At::height), depth = word(Ktx2At::depth);
  const uint32_t layers = word(Ktx2At::layers), faces = word(Ktx2At::faces), levels = word(Ktx2At::levels);
  if (width == 0) return corrupt(Ktx2At::width, "the width is 0");
  if (height == 0 && depth > 0) return corrupt(Ktx2At::height, "the height is 0, and the depth is not");
  for (const uint32_t at : {Ktx2At::width, Ktx2At::height, Ktx2At::depth})
    if (word(at) > kMaxExtent) return unsupported(at, "an extent above 65536");
  if (faces != 1 && faces != 6) return corrupt(Ktx2At::faces, "neither 1 face nor 6");
  if (faces == 6 && (width != height || depth > 0)) return corrupt(Ktx2At::faces, "a cube that is not square");
  if (layers > kMaxSlices / faces) return unsupported(Ktx2At::layers, "more layers and faces than are supported");
  if (levels > static_cast<uint32_t>(std::bit_width(std::max({width, height, depth}))))
    return corrupt(Ktx2At::levels, "more levels than the extents have");
  header.supercompression = static_cast<Supercompression>(word(Ktx2At::scheme));
  header.vk_format = word(Ktx2At::format);
  header.dimensions = depth > 0 ? 3 : height > 0 ? 2 : 1;
  header.extent = {width, std::max(height, 1u), std::max(depth, 1u)};
  header.levels = std::max(levels, 1u);
  header.layers = std::max(layers, 1u);
  header.faces = faces;
  header.is_array = layers > 0;
  header.generate_levels = levels == 0;
  return {};
}

/// Takes the block from the descriptor, which must agree with the format's if that is known.
Fault read_descriptor(std::span<const std::byte> head, Header& header) {
  const uint64_t at = descriptor_at(header);
  const uint32_t bytes = load_u32(&head[Ktx2At::descriptor_bytes]);
  if (load_u32(&head[Ktx2At::descriptor_position]) != at)
    return corrupt(Ktx2At::descriptor_position, "the data format descriptor does not follow the index of levels");
  if (bytes < kDescriptor) return corrupt(Ktx2At::descriptor_bytes, "the data format descriptor is too short");
  if (head.size() < at + kDescriptor) return cut_off(head);
  const auto byte = [&](uint64_t offset) { return std::to_integer<uint8_t>(head[at + offset]); };
  const uint32_t block_bytes = byte(10) | byte(11) << 8;
  if (load_u32(&head[at]) != bytes)
    return corrupt(at, "the data format descriptor has another size than the header says");
  if (load_u32(&head[at + 4]) != 0) return corrupt(at + 4, "the first descriptor block is not a basic one");
  if (block_bytes < kDescriptor - 4 || block_bytes > bytes - 4 || (block_bytes - (kDescriptor - 4)) % kSample != 0)
    return corrupt(at + 10, "the basic descriptor block has an invalid size");
  header.color_model = byte(12);
  header.block = {byte(16) + 1u, byte(17) + 1u, byte(18) + 1u};
  header.block_bytes = byte(20);
  if (byte(19) != 0) return corrupt(at + 19, "blocks of four dimensions");
  const bool is_none = header.supercompression == Supercompression::none;
  const bool is_basis = header.supercompression == Supercompression::basis_lz;
  if (!is_basis && std::any_of(&head[at + 21], &head[at + 28], [](std::byte plane) { return plane != std::byte{}; }))
    return unsupported(at + 21, "a format of several planes");
  if (const auto block = block_of(header.vk_format)) {
    if (header.block != block->texels) return corrupt(at + 16, "blocks of another extent than the format has");
    if (header.block_bytes != block->bytes && (header.block_bytes != 0 || is_none))
      return corrupt(at + 20, "blocks of another size than the format has");
    header.block_bytes = block->bytes;
  }
  if (is_none && header.block_bytes == 0) return corrupt(at + 20, "blocks of no size");
  return {};
}

/// What the format allows.
Fault check_format(std::span<const std::byte> head, const Header& header) {
  const bool is_compressed = header.block != Extent{};
  if (header.supercompression == Supercompression::basis_lz && header.vk_format != 0)
    return corrupt(Ktx2At::format, "BasisLZ with a VkFormat");
  const uint32_t type_size = load_u32(&head[Ktx2At::type_size]);
  if (!std::has_single_bit(type_size) || type_size > (is_compressed || header.vk_format == 0 ? 1u : 8u))
    return corrupt(Ktx2At::type_size, "the format has no data type of this size");
  if (is_compressed && header.dimensions == 1) return corrupt(Ktx2At::height, "a compressed format in one dimension");
  if (header.block.depth > 1 && header.dimensions < 3)
    return corrupt(Ktx2At::depth, "blocks that are deeper than the image");
  constexpr uint32_t kFirstDepth = 124, kLastDepth = 130;  // D16_UNORM, D32_SFLOAT_S8_UINT
  if (header.dimensions == 3 && header.vk_format >= kFirstDepth && header.vk_format <= kLastDepth)
    return corrupt(Ktx2At::depth, "a format of depth or stencil in three dimensions");
  if (header.generate_levels && is_compressed)
    return corrupt(Ktx2At::levels, "levels of a compressed format to be generated");
  return {};
}

/// Checks a section that is optional and begins at or after `begin`. Moves `begin` to its end.
Fault take_section(uint32_t at, uint64_t position, uint64_t bytes, uint64_t alignment, uint64_t file_bytes,
                   uint64_t& begin) {
  if (bytes == 0) return {};
  if (position < begin || position % alignment != 0 || position > file_bytes || bytes > file_bytes - position)
    return corrupt(at, "a section that overlaps another one, is misaligned, or is not in the file");
  begin = position + bytes;
  return {};
}

/// Checks what precedes the levels. `begin`: receives its end.
Fault take_sections(const Header& header, std::span<const std::byte> head, uint64_t file_bytes, uint64_t& begin) {
  begin = descriptor_at(header) + load_u32(&head[Ktx2At::descriptor_bytes]);
  if (begin > file_bytes) return corrupt(Ktx2At::descriptor_bytes, "the file ends in its data format descriptor");
  const Fault fault = take_section(Ktx2At::pairs_position, load_u32(&head[Ktx2At::pairs_position]),
                                   load_u32(&head[Ktx2At::pairs_bytes]), 4, file_bytes, begin);
  if (fault) return fault;
  const uint64_t global_bytes = load_u64(&head[Ktx2At::global_bytes]);
  const auto scheme = header.supercompression;
  if (global_bytes != 0 && scheme != Supercompression::basis_lz && scheme <= Supercompression::zlib)
    return corrupt(Ktx2At::global_bytes, "global data of a scheme that has none");
  return take_section(Ktx2At::global_position, load_u64(&head[Ktx2At::global_position]), global_bytes, 8, file_bytes,
                      begin);
}

/// Checks what the index says of a level's content, and sets the size of a slice. `at`: of the level's entry.
/// `block_bytes`: 0 before level 0 if the header does not say it.
Fault take_content(const Header& header, uint32_t level, uint64_t at, uint64_t content, uint64_t& block_bytes,
                   Level& to) {
  const uint64_t slices = uint64_t{header.layers} * header.faces, blocks = blocks_of(header, level);
  const auto is = [&](Supercompression scheme) { return header.supercompression == scheme; };
  if (is(Supercompression::basis_lz))
    return content == 0 ? Fault{} : corrupt(at + 16, "content bytes of a level of BasisLZ");
  if (block_bytes == 0 && content / slices % blocks == 0) block_bytes = content / slices / blocks;
  if (block_bytes == 0 || block_bytes > UINT8_MAX || content % slices != 0 || content / slices != blocks * block_bytes)
    return corrupt(at + 16, "a level of another size than its extent makes");
  if (is(Supercompression::none) && to.stored_bytes != content)
    return corrupt(at + 16, "a level that is not compressed and has two sizes");
  // The most that Zstandard makes of a byte: a block of 4 bytes has up to 128 KiB.
  if (is(Supercompression::zstd) && content >> 15 > to.stored_bytes)
    return corrupt(at + 16, "more content than a level's bytes can have");
  if (is(Supercompression::none) && to.position % std::lcm(block_bytes, 4) != 0)
    return corrupt(at, "a misaligned level");
  to.slice_bytes = to.slice_stride = content / slices;
  return {};
}

}  // namespace

bool is_ktx2(std::span<const std::byte> head) noexcept {
  static constexpr unsigned char kIdentifier[] = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};
  return head.size() >= sizeof kIdentifier && std::memcmp(head.data(), kIdentifier, sizeof kIdentifier) == 0;
}

Fault read_ktx2_header(std::span<const std::byte> head, Header& header) noexcept {
  if (head.size() < kIndexAt) return cut_off(head);
  if (const Fault fault = read_extents(head, header)) return fault;
  if (const Fault fault = read_descriptor(head, header)) return fault;
  return check_format(head, header);
}

Fault read_ktx2_levels(const Header& header, std::span<const std::byte> head, uint64_t file_bytes,
                       std::vector<Level>& levels) {
  if (header.levels > kMaxLevels || head.size() < descriptor_at(header)) return cut_off(head);
  uint64_t begin = 0, end = file_bytes, block_bytes = header.block_bytes;
  if (const Fault fault = take_sections(header, head, file_bytes, begin)) return fault;
  for (uint32_t level = 0; level < header.levels; ++level) {
    const uint64_t at = kIndexAt + kIndexEntry * level;
    Level one{load_u64(&head[at]), load_u64(&head[at + 8])};
    if (one.stored_bytes == 0 || one.position < begin || one.position > end || one.stored_bytes > end - one.position)
      return corrupt(at, "a level that does not lie between what is before and after it");
    end = one.position;
    if (const Fault fault = take_content(header, level, at, load_u64(&head[at + 16]), block_bytes, one)) return fault;
    levels.push_back(one);
  }
  return {};
}

}  // namespace weft::ktx2
