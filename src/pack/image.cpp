// SPDX-License-Identifier: MIT OR Apache-2.0
#include "pack/image.hpp"

#include <weft/ktx2.hpp>

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace weft::pack {
namespace {

static_assert(kHeadBytes == ktx2::kHeadBytes && ktx2::kMaxLevels < kMaxRanges);

Range content(uint64_t offset, uint64_t bytes, uint32_t level) {
  Range range;
  range.content_offset = offset;
  range.slice_bytes = bytes;
  range.level = level;
  return range;
}

Image image_of(const ktx2::Header& header) {
  Image image;
  image.file = header.container == ktx2::Container::dds ? ImageFile::dds : ImageFile::ktx2;
  image.vk_format = header.vk_format;
  image.width = header.extent.width;
  image.height = header.extent.height;
  image.depth = header.extent.depth;
  image.levels = header.levels;
  image.layers = header.layers;
  image.faces = header.faces;
  return image;
}

/// What precedes the levels, and the levels from the smallest on. None if the file has more or less than these.
std::vector<Range> dds_ranges(const std::vector<ktx2::Level>& levels, uint32_t slices, uint64_t content_bytes) {
  const uint64_t begin = levels.front().position, stride = levels.front().slice_stride;
  if (content_bytes != begin + slices * stride) return {};
  std::vector<Range> ranges{content(0, begin, kNoLevel)};
  for (auto level = static_cast<uint32_t>(levels.size()); level-- > 0;)
    ranges.push_back(content(levels[level].position, levels[level].slice_bytes, level));
  return ranges;
}

/// Likewise, for a file whose levels lie in this order. Padding belongs to the range of what precedes it.
std::vector<Range> ktx2_ranges(const std::vector<ktx2::Level>& levels, uint64_t content_bytes) {
  std::vector<Range> ranges;
  uint64_t end = content_bytes;
  for (uint32_t level = 0; level < levels.size(); ++level) {
    const uint64_t offset = levels[level].position;
    ranges.push_back(content(offset, end - offset, level));
    end = offset;
  }
  ranges.push_back(content(0, end, kNoLevel));
  std::ranges::reverse(ranges);
  return ranges;
}

void plan_image(const ktx2::Header& header, std::span<const std::byte> head, uint64_t content_bytes, Plan& plan) {
  plan.image = image_of(header);
  if (header.supercompression != ktx2::Supercompression::none) plan.kind = Kind::ktx2;
  const auto levels = ktx2::read_levels(header, head, content_bytes);
  if (!levels) return;
  const bool is_dds = plan.image.file == ImageFile::dds;
  const uint32_t slices = is_dds ? header.layers * header.faces : 1;
  plan.ranges = is_dds ? dds_ranges(*levels, slices, content_bytes) : ktx2_ranges(*levels, content_bytes);
  if (!plan.ranges.empty()) plan.slices = slices;
}

}  // namespace

Plan plan_of(std::string_view path, std::span<const std::byte> head, uint64_t content_bytes) {
  Plan plan;
  if (const auto header = ktx2::read_header(head)) {
    plan_image(*header, head, content_bytes, plan);
  } else {
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
