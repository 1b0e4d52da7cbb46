// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <iterator>

#include "loader/device.hpp"

namespace weft::loader {

namespace {

struct Block {
  uint32_t last;  // VkFormat: of those after the entry before
  uint8_t width, height, bytes;
};

// By the numbers of VkFormat, which are in the order of sizes. Combined depth and stencil are copied by aspects: none.
constexpr Block kBlocks[] = {
    {VK_FORMAT_UNDEFINED, 0, 0, 0},
    {VK_FORMAT_R4G4_UNORM_PACK8, 1, 1, 1},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 1, 1, 2},
    {VK_FORMAT_R8_SRGB, 1, 1, 1},
    {VK_FORMAT_R8G8_SRGB, 1, 1, 2},
    {VK_FORMAT_B8G8R8_SRGB, 1, 1, 3},
    {VK_FORMAT_A2B10G10R10_SINT_PACK32, 1, 1, 4},
    {VK_FORMAT_R16_SFLOAT, 1, 1, 2},
    {VK_FORMAT_R16G16_SFLOAT, 1, 1, 4},
    {VK_FORMAT_R16G16B16_SFLOAT, 1, 1, 6},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 1, 1, 8},
    {VK_FORMAT_R32_SFLOAT, 1, 1, 4},
    {VK_FORMAT_R32G32_SFLOAT, 1, 1, 8},
    {VK_FORMAT_R32G32B32_SFLOAT, 1, 1, 12},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 1, 1, 16},
    {VK_FORMAT_R64_SFLOAT, 1, 1, 8},
    {VK_FORMAT_R64G64_SFLOAT, 1, 1, 16},
    {VK_FORMAT_R64G64B64_SFLOAT, 1, 1, 24},
    {VK_FORMAT_R64G64B64A64_SFLOAT, 1, 1, 32},
    {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 1, 1, 4},
    {VK_FORMAT_D16_UNORM, 1, 1, 2},
    {VK_FORMAT_D32_SFLOAT, 1, 1, 4},
    {VK_FORMAT_S8_UINT, 1, 1, 1},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, 0, 0, 0},
    {VK_FORMAT_BC1_RGBA_SRGB_BLOCK, 4, 4, 8},
    {VK_FORMAT_BC3_SRGB_BLOCK, 4, 4, 16},
    {VK_FORMAT_BC4_SNORM_BLOCK, 4, 4, 8},
    {VK_FORMAT_BC7_SRGB_BLOCK, 4, 4, 16},
    {VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK, 4, 4, 8},
    {VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK, 4, 4, 16},
    {VK_FORMAT_EAC_R11_SNORM_BLOCK, 4, 4, 8},
    {VK_FORMAT_ASTC_4x4_SRGB_BLOCK, 4, 4, 16},
    {VK_FORMAT_ASTC_5x4_SRGB_BLOCK, 5, 4, 16},
    {VK_FORMAT_ASTC_5x5_SRGB_BLOCK, 5, 5, 16},
    {VK_FORMAT_ASTC_6x5_SRGB_BLOCK, 6, 5, 16},
    {VK_FORMAT_ASTC_6x6_SRGB_BLOCK, 6, 6, 16},
    {VK_FORMAT_ASTC_8x5_SRGB_BLOCK, 8, 5, 16},
    {VK_FORMAT_ASTC_8x6_SRGB_BLOCK, 8, 6, 16},
    {VK_FORMAT_ASTC_8x8_SRGB_BLOCK, 8, 8, 16},
    {VK_FORMAT_ASTC_10x5_SRGB_BLOCK, 10, 5, 16},
    {VK_FORMAT_ASTC_10x6_SRGB_BLOCK, 10, 6, 16},
    {VK_FORMAT_ASTC_10x8_SRGB_BLOCK, 10, 8, 16},
    {VK_FORMAT_ASTC_10x10_SRGB_BLOCK, 10, 10, 16},
    {VK_FORMAT_ASTC_12x10_SRGB_BLOCK, 12, 10, 16},
    {VK_FORMAT_ASTC_12x12_SRGB_BLOCK, 12, 12, 16},
};

Block block_of(VkFormat format) noexcept {
  const auto found = std::ranges::lower_bound(kBlocks, static_cast<uint32_t>(format), {}, &Block::last);
  return found == std::end(kBlocks) ? Block{} : *found;
}

}  // namespace

uint32_t block_bytes(VkFormat format) noexcept { return block_of(format).bytes; }

uint64_t image_bytes(const ImageDestination& image) noexcept {
  const Block block = block_of(image.format);
  constexpr uint32_t kMost = 1 << 16;  // above Vulkan's limits, and products stay below 2^64 with the layers' bound
  const VkExtent3D& extent = image.extent;
  if (block.bytes == 0 || extent.width > kMost || extent.height > kMost || extent.depth > kMost || image.layers > kMost)
    return 0;
  const uint64_t row = (uint64_t{extent.width} + block.width - 1) / block.width * block.bytes;
  const uint64_t layer = row * ((extent.height + block.height - 1) / block.height);
  const uint64_t slices = uint64_t{extent.depth} * image.layers;
  return slices != 0 && layer > (uint64_t{1} << 62) / slices ? 0 : layer * slices;
}

}  // namespace weft::loader
