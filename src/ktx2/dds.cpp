// SPDX-License-Identifier: MIT OR Apache-2.0
//
// DDS: 4 bytes, DDS_HEADER of 124, if its FourCC is DX10 DDS_HEADER_DXT10 of 20; then layers and faces one after the
// other, each with its levels from the largest on.
#include <algorithm>
#include <bit>
#include <optional>

#include "gstd/little_endian.hpp"
#include "ktx2/containers.hpp"
#include "ktx2/formats.hpp"

namespace weft::ktx2 {
namespace {

using gstd::load_u32;

constexpr uint64_t kHeader = 128, kDx10Header = 148;

/// Byte positions of fields.
struct DdsAt {
  static constexpr uint32_t size = 4, flags = 8, height = 12, width = 16, depth = 24, levels = 28, format_size = 76,
                            format_flags = 80, four_cc = 84, bits = 88, red = 92, blue = 100, caps = 112,
                            dxgi_format = 128, dimension = 132, misc = 136, layers = 140;
};

constexpr uint32_t code_of(const char (&text)[5]) {
  return static_cast<uint32_t>(text[0]) | static_cast<uint32_t>(text[1]) << 8 | static_cast<uint32_t>(text[2]) << 16 |
         static_cast<uint32_t>(text[3]) << 24;
}

struct Format {
  uint32_t source;
  uint32_t vk_format;
};

// By DXGI_FORMAT.
constexpr Format kDxgiFormats[] = {
    {2, 109},  {6, 106},  {10, 97},  {11, 91},  {16, 103}, {24, 64},  {26, 122}, {28, 37},  {29, 43},
    {31, 38},  {34, 83},  {35, 77},  {41, 100}, {49, 16},  {51, 17},  {54, 76},  {56, 70},  {61, 9},
    {63, 10},  {67, 123}, {71, 133}, {72, 134}, {74, 135}, {75, 136}, {77, 137}, {78, 138}, {80, 139},
    {81, 140}, {83, 141}, {84, 142}, {87, 44},  {91, 50},  {95, 143}, {96, 144}, {98, 145}, {99, 146}};

// By the FourCC of a header without DX10, which may be a number of D3DFORMAT.
constexpr Format kFourCcFormats[] = {{code_of("DXT1"), 133},
                                     {code_of("DXT3"), 135},
                                     {code_of("DXT5"), 137},
                                     {code_of("ATI1"), 139},
                                     {code_of("BC4U"), 139},
                                     {code_of("BC4S"), 140},
                                     {code_of("ATI2"), 141},
                                     {code_of("BC5U"), 141},
                                     {code_of("BC5S"), 142},
                                     {36, 91},
                                     {111, 76},
                                     {112, 83},
                                     {113, 97},
                                     {114, 100},
                                     {115, 103},
                                     {116, 109}};

// VkFormat, or 0.
uint32_t format_of(std::span<const Format> formats, uint32_t source) {
  const auto found = std::ranges::find(formats, source, &Format::source);
  return found == formats.end() ? 0 : found->vk_format;
}

// By the bits of a texel's channels.
uint32_t format_of_masks(std::span<const std::byte> head) {
  const uint32_t bits = load_u32(&head[DdsAt::bits]), red = load_u32(&head[DdsAt::red]),
                 blue = load_u32(&head[DdsAt::blue]);
  if (bits == 32 && red == 0xff && blue == 0xff0000) return 37;
  if (bits == 32 && red == 0xff0000 && blue == 0xff) return 44;
  if (bits == 8 && red == 0xff) return 9;
  return 0;
}

bool has_four_cc(std::span<const std::byte> head) {
  constexpr uint32_t kFourCc = 4;
  return (load_u32(&head[DdsAt::format_flags]) & kFourCc) != 0;
}

bool has_dx10(std::span<const std::byte> head) {
  return has_four_cc(head) && load_u32(&head[DdsAt::four_cc]) == code_of("DX10");
}

/// The part that follows the header where its FourCC is DX10.
Fault read_dx10(std::span<const std::byte> head, Header& header) {
  constexpr uint32_t kCube = 4;
  const uint32_t dimension = load_u32(&head[DdsAt::dimension]);
  header.vk_format = format_of(kDxgiFormats, load_u32(&head[DdsAt::dxgi_format]));
  header.layers = load_u32(&head[DdsAt::layers]);
  header.is_array = header.layers > 1;
  if (dimension < 2 || dimension > 4) return corrupt(DdsAt::dimension, "neither one nor two nor three dimensions");
  header.dimensions = dimension - 1;
  if ((load_u32(&head[DdsAt::misc]) & kCube) != 0) header.faces = 6;
  if (header.layers == 0) return corrupt(DdsAt::layers, "no layers");
  if (header.dimensions == 3) {
    header.extent.depth = load_u32(&head[DdsAt::depth]);
    if (header.layers != 1) return corrupt(DdsAt::layers, "layers in three dimensions");
  }
  if (header.dimensions == 1 && header.extent.height != 1) return corrupt(DdsAt::height, "a height in one dimension");
  return {};
}

Fault read_legacy(std::span<const std::byte> head, Header& header) {
  constexpr uint32_t kDepth = 0x800000, kCube = 0x200, kAllFaces = 0xfc00, kVolume = 0x200000;
  const uint32_t caps = load_u32(&head[DdsAt::caps]);
  header.vk_format =
      has_four_cc(head) ? format_of(kFourCcFormats, load_u32(&head[DdsAt::four_cc])) : format_of_masks(head);
  if ((load_u32(&head[DdsAt::flags]) & kDepth) != 0 && (caps & kVolume) != 0) {
    header.dimensions = 3;
    header.extent.depth = load_u32(&head[DdsAt::depth]);
  }
  if ((caps & kCube) == 0) return {};
  // A cube may lack faces here, which Vulkan's may not.
  if ((caps & kAllFaces) != kAllFaces) return unsupported(DdsAt::caps, "a cube without all faces");
  header.faces = 6;
  return {};
}

Fault check_numbers(const Header& header) {
  const Extent& extent = header.extent;
  const uint32_t most = std::max({extent.width, extent.height, extent.depth});
  if (extent.width == 0) return corrupt(DdsAt::width, "the width is 0");
  if (extent.height == 0) return corrupt(DdsAt::height, "the height is 0");
  if (extent.depth == 0) return corrupt(DdsAt::depth, "the depth is 0");
  if (most > kMaxExtent) return unsupported(DdsAt::height, "an extent above 65536");
  if (header.levels > static_cast<uint32_t>(std::bit_width(most)))
    return corrupt(DdsAt::levels, "more levels than the extents have");
  if (header.faces == 6 && (extent.width != extent.height || header.dimensions != 2))
    return corrupt(DdsAt::height, "a cube that is not square, or not of two dimensions");
  if (header.layers > kMaxSlices / header.faces)
    return unsupported(DdsAt::layers, "more layers and faces than are supported");
  return {};
}

}  // namespace

bool is_dds(std::span<const std::byte> head) noexcept {
  return head.size() >= 4 && load_u32(head.data()) == code_of("DDS ");
}

Fault read_dds_header(std::span<const std::byte> head, Header& header) noexcept {
  constexpr uint32_t kMipCount = 0x20000;
  if (head.size() < kHeader || (has_dx10(head) && head.size() < kDx10Header))
    return corrupt(head.size(), "the file ends in its header");
  if (load_u32(&head[DdsAt::size]) != 124) return corrupt(DdsAt::size, "the header's size is not 124");
  if (load_u32(&head[DdsAt::format_size]) != 32)
    return corrupt(DdsAt::format_size, "the pixel format's size is not 32");
  header.container = Container::dds;
  header.extent = {load_u32(&head[DdsAt::width]), load_u32(&head[DdsAt::height]), 1};
  if ((load_u32(&head[DdsAt::flags]) & kMipCount) != 0) header.levels = std::max(load_u32(&head[DdsAt::levels]), 1u);
  if (const Fault fault = has_dx10(head) ? read_dx10(head, header) : read_legacy(head, header)) return fault;
  if (const auto block = block_of(header.vk_format)) {
    header.block = block->texels;
    header.block_bytes = block->bytes;
  }
  return check_numbers(header);
}

Fault read_dds_levels(const Header& header, std::span<const std::byte> head, uint64_t file_bytes,
                      std::vector<Level>& levels) {
  if (head.size() < kHeader || header.levels > kMaxLevels) return corrupt(head.size(), "the file ends in its header");
  const bool is_dx10 = has_dx10(head);
  if (header.vk_format == 0)
    return unsupported(is_dx10 ? DdsAt::dxgi_format : DdsAt::format_flags, "a format without a counterpart in Vulkan");
  const uint64_t begin = is_dx10 ? kDx10Header : kHeader, slices = uint64_t{header.layers} * header.faces;
  uint64_t stride = 0;
  for (uint32_t level = 0; level < header.levels; ++level) {
    const uint64_t bytes = blocks_of(header, level) * header.block_bytes;
    levels.push_back({begin + stride, bytes, bytes, 0});
    stride += bytes;
  }
  for (Level& level : levels) level.slice_stride = stride;
  if (file_bytes < begin || (file_bytes - begin) / slices < stride)
    return corrupt(file_bytes, "the file ends before its levels do");
  return {};
}

}  // namespace weft::ktx2
