// SPDX-License-Identifier: MIT OR Apache-2.0
#include "pack/image.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "gstd/little_endian.hpp"

namespace weft::pack {
namespace {

using gstd::load_u32;
using gstd::load_u64;

constexpr uint32_t kMaxExtent = 1u << 16, kMaxSlices = 1u << 16, kMaxLevels = kMaxRanges - 1;

/// VkFormat and the bytes of a pixel, or of a block of 4 x 4 pixels.
struct Format {
  uint32_t source;
  uint32_t vk_format;
  uint32_t bytes;
  bool is_block;
};

// By DXGI_FORMAT.
constexpr Format kDxgiFormats[] = {{2, 109, 16, false}, {6, 106, 12, false}, {10, 97, 8, false},  {11, 91, 8, false},
                                   {16, 103, 8, false}, {24, 64, 4, false},  {26, 122, 4, false}, {28, 37, 4, false},
                                   {29, 43, 4, false},  {31, 38, 4, false},  {34, 83, 4, false},  {35, 77, 4, false},
                                   {41, 100, 4, false}, {49, 16, 2, false},  {51, 17, 2, false},  {54, 76, 2, false},
                                   {56, 70, 2, false},  {61, 9, 1, false},   {63, 10, 1, false},  {67, 123, 4, false},
                                   {87, 44, 4, false},  {91, 50, 4, false},  {71, 133, 8, true},  {72, 134, 8, true},
                                   {74, 135, 16, true}, {75, 136, 16, true}, {77, 137, 16, true}, {78, 138, 16, true},
                                   {80, 139, 8, true},  {81, 140, 8, true},  {83, 141, 16, true}, {84, 142, 16, true},
                                   {95, 143, 16, true}, {96, 144, 16, true}, {98, 145, 16, true}, {99, 146, 16, true}};

constexpr uint32_t four_cc(const char (&text)[5]) {
  return static_cast<uint32_t>(text[0]) | static_cast<uint32_t>(text[1]) << 8 | static_cast<uint32_t>(text[2]) << 16 |
         static_cast<uint32_t>(text[3]) << 24;
}

// By the FourCC of a header without DX10, which may be a number of D3DFORMAT.
constexpr Format kFourCcFormats[] = {{four_cc("DXT1"), 133, 8, true},
                                     {four_cc("DXT3"), 135, 16, true},
                                     {four_cc("DXT5"), 137, 16, true},
                                     {four_cc("ATI1"), 139, 8, true},
                                     {four_cc("BC4U"), 139, 8, true},
                                     {four_cc("BC4S"), 140, 8, true},
                                     {four_cc("ATI2"), 141, 16, true},
                                     {four_cc("BC5U"), 141, 16, true},
                                     {four_cc("BC5S"), 142, 16, true},
                                     {36, 91, 8, false},
                                     {111, 76, 2, false},
                                     {112, 83, 4, false},
                                     {113, 97, 8, false},
                                     {114, 100, 4, false},
                                     {115, 103, 8, false},
                                     {116, 109, 16, false}};

std::optional<Format> format_of(std::span<const Format> formats, uint32_t source) {
  const auto found = std::ranges::find(formats, source, &Format::source);
  if (found == formats.end()) return std::nullopt;
  return *found;
}

// By the bits of a pixel's channels.
std::optional<Format> format_of_masks(std::span<const std::byte> head) {
  const uint32_t bits = load_u32(&head[88]), red = load_u32(&head[92]), blue = load_u32(&head[100]);
  if (bits == 32 && red == 0xff && blue == 0xff0000) return Format{0, 37, 4, false};
  if (bits == 32 && red == 0xff0000 && blue == 0xff) return Format{0, 44, 4, false};
  if (bits == 8 && red == 0xff) return Format{0, 9, 1, false};
  return std::nullopt;
}

uint64_t level_bytes(const Image& image, const Format& format, uint32_t level) {
  const auto extent = [&](uint32_t size) -> uint64_t { return std::max(size >> level, 1u); };
  const auto units = [&](uint64_t size) { return format.is_block ? (size + 3) / 4 : size; };
  return units(extent(image.width)) * units(extent(image.height)) * extent(image.depth) * format.bytes;
}

bool is_sound(const Image& image) {
  const uint32_t most = std::max({image.width, image.height, image.depth});
  return image.width >= 1 && image.height >= 1 && image.depth >= 1 && most <= kMaxExtent && image.levels >= 1 &&
         image.levels <= static_cast<uint32_t>(std::bit_width(most)) && image.layers >= 1 &&
         (image.faces == 1 || image.faces == 6) && image.layers <= kMaxSlices / image.faces;
}

Range content(uint64_t offset, uint64_t bytes, uint32_t level) {
  Range range;
  range.content_offset = offset;
  range.slice_bytes = bytes;
  range.level = level;
  return range;
}

// A file of DirectDraw: layers and faces one after the other, each with its levels from the largest on.
bool plan_dds(std::span<const std::byte> head, uint64_t content_bytes, Plan& plan) {
  constexpr size_t kHeader = 128, kDx10Header = 148;
  constexpr uint32_t kDepth = 0x800000, kMipCount = 0x20000, kFourCc = 4, kCube = 0x200, kAllFaces = 0xfc00,
                     kVolume = 0x200000;
  if (head.size() < kHeader || load_u32(head.data()) != four_cc("DDS ") || load_u32(&head[4]) != 124 ||
      load_u32(&head[76]) != 32)
    return false;
  const uint32_t flags = load_u32(&head[8]), caps = load_u32(&head[112]), code = load_u32(&head[84]);
  const bool has_code = (load_u32(&head[80]) & kFourCc) != 0, has_dx10 = has_code && code == four_cc("DX10");
  if (has_dx10 && head.size() < kDx10Header) return false;
  Image image;
  image.file = ImageFile::dds;
  image.height = load_u32(&head[12]);
  image.width = load_u32(&head[16]);
  image.depth = (flags & kDepth) != 0 && (caps & kVolume) != 0 ? load_u32(&head[24]) : 1;
  image.levels = (flags & kMipCount) != 0 ? std::max(load_u32(&head[28]), 1u) : 1;
  image.layers = image.faces = 1;
  std::optional<Format> format;
  if (has_dx10) {
    format = format_of(kDxgiFormats, load_u32(&head[128]));
    image.layers = load_u32(&head[140]);
    if ((load_u32(&head[136]) & 4) != 0) image.faces = 6;
    if (load_u32(&head[132]) == 4) image.depth = load_u32(&head[24]);
  } else {
    format = has_code ? format_of(kFourCcFormats, code) : format_of_masks(head);
    // A cube may lack faces here, which Vulkan's may not.
    if ((caps & kCube) != 0) {
      if ((caps & kAllFaces) != kAllFaces) return false;
      image.faces = 6;
    }
  }
  if (!is_sound(image)) return false;
  plan.image = image;
  if (!format) return true;
  plan.image.vk_format = format->vk_format;

  const uint64_t head_bytes = has_dx10 ? kDx10Header : kHeader;
  const uint32_t slices = image.layers * image.faces;
  uint64_t slice_bytes = 0;
  std::vector<Range> levels;
  for (uint32_t level = 0; level < image.levels; ++level) {
    const uint64_t bytes = level_bytes(image, *format, level);
    levels.push_back(content(head_bytes + slice_bytes, bytes, level));
    slice_bytes += bytes;
  }
  if (content_bytes < head_bytes || (content_bytes - head_bytes) % slices != 0 ||
      (content_bytes - head_bytes) / slices != slice_bytes)
    return true;
  plan.slices = slices;
  plan.ranges.push_back(content(0, head_bytes, kNoLevel));
  plan.ranges.insert(plan.ranges.end(), levels.rbegin(), levels.rend());
  return true;
}

// Levels lie from the smallest to the largest, each with all its layers and faces.
bool plan_ktx2(std::span<const std::byte> head, uint64_t content_bytes, Plan& plan) {
  static constexpr unsigned char kIdentifier[] = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};
  constexpr size_t kHeader = 80, kLevel = 24;
  if (head.size() < kHeader || std::memcmp(head.data(), kIdentifier, sizeof kIdentifier) != 0) return false;
  const auto at_least_1 = [&](size_t at) { return std::max(load_u32(&head[at]), 1u); };
  Image image;
  image.file = ImageFile::ktx2;
  image.vk_format = load_u32(&head[12]);
  image.width = load_u32(&head[20]);
  image.height = at_least_1(24);
  image.depth = at_least_1(28);
  image.layers = at_least_1(32);
  image.faces = load_u32(&head[36]);
  image.levels = at_least_1(40);
  if (!is_sound(image) || image.levels > kMaxLevels || head.size() < kHeader + kLevel * image.levels) return false;
  plan.image = image;
  if (load_u32(&head[44]) != 0) plan.kind = Kind::ktx2;

  // Padding before the next level belongs to the range of the level before it.
  std::vector<Range> ranges;
  uint64_t end = content_bytes;
  for (uint32_t level = 0; level < image.levels; ++level) {
    const uint64_t offset = load_u64(&head[kHeader + kLevel * level]);
    const uint64_t bytes = load_u64(&head[kHeader + kLevel * level + 8]);
    if (offset < kHeader + kLevel * image.levels || offset >= end || bytes == 0 || bytes > end - offset) return true;
    ranges.push_back(content(offset, end - offset, level));
    end = offset;
  }
  ranges.push_back(content(0, end, kNoLevel));
  std::ranges::reverse(ranges);
  plan.ranges = std::move(ranges);
  plan.slices = 1;
  return true;
}

}  // namespace

Plan plan_of(std::string_view path, std::span<const std::byte> head, uint64_t content_bytes) {
  Plan plan;
  if (!plan_dds(head, content_bytes, plan) && !plan_ktx2(head, content_bytes, plan)) {
    const auto begins = [&](std::initializer_list<unsigned char> bytes) {
      return head.size() >= bytes.size() && std::memcmp(head.data(), bytes.begin(), bytes.size()) == 0;
    };
    if (begins({0x28, 0xb5, 0x2f, 0xfd})) plan.kind = Kind::zst;
    // Two bytes are a weak sign, so the name has to agree.
    if (begins({0x04, 0xfb}) && path.ends_with(".gdeflate")) plan.kind = Kind::gdeflate;
  }
  if (plan.ranges.empty() && content_bytes > 0) plan.ranges.push_back(content(0, content_bytes, kNoLevel));
  return plan;
}

}  // namespace weft::pack
