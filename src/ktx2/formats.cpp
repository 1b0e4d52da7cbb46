// SPDX-License-Identifier: MIT OR Apache-2.0
#include "ktx2/formats.hpp"

#include <algorithm>
#include <iterator>

namespace weft::ktx2 {
namespace {

/// VkFormats from `first` to the next row's, with equal blocks.
struct Row {
  uint32_t first;
  uint8_t bytes, width, height;
};

// bytes 0: unknown here.
constexpr Row kRows[] = {{0, 0, 1, 1},          {1, 1, 1, 1},           // R4G4
                         {2, 2, 1, 1},                                  // 16 bits, packed
                         {9, 1, 1, 1},                                  // R8
                         {16, 2, 1, 1},                                 // R8G8
                         {23, 3, 1, 1},                                 // R8G8B8, B8G8R8
                         {37, 4, 1, 1},                                 // R8G8B8A8 to A2B10G10R10
                         {70, 2, 1, 1},                                 // R16
                         {77, 4, 1, 1},                                 // R16G16
                         {84, 6, 1, 1},                                 // R16G16B16
                         {91, 8, 1, 1},                                 // R16G16B16A16
                         {98, 4, 1, 1},                                 // R32
                         {101, 8, 1, 1},                                // R32G32
                         {104, 12, 1, 1},                               // R32G32B32
                         {107, 16, 1, 1},                               // R32G32B32A32
                         {110, 8, 1, 1},                                // R64
                         {113, 16, 1, 1},                               // R64G64
                         {116, 24, 1, 1},                               // R64G64B64
                         {119, 32, 1, 1},                               // R64G64B64A64
                         {122, 4, 1, 1},                                // B10G11R11, E5B9G9R9
                         {124, 2, 1, 1},                                // D16
                         {125, 4, 1, 1},                                // X8_D24, D32
                         {127, 1, 1, 1},                                // S8
                         {128, 4, 1, 1},                                // D16_S8, D24_S8
                         {130, 8, 1, 1},                                // D32_S8
                         {131, 8, 4, 4},                                // BC1
                         {135, 16, 4, 4},                               // BC2, BC3
                         {139, 8, 4, 4},                                // BC4
                         {141, 16, 4, 4},                               // BC5, BC6H, BC7
                         {147, 8, 4, 4},                                // ETC2 without alpha, or with a bit of it
                         {151, 16, 4, 4},                               // ETC2
                         {153, 8, 4, 4},                                // EAC R11
                         {155, 16, 4, 4},                               // EAC R11G11
                         {157, 0, 1, 1},        {1000340000, 2, 1, 1},  // A4R4G4B4, A4B4G4R4
                         {1000340002, 0, 1, 1}, {1000470000, 2, 1, 1},  // A1B5G5R5
                         {1000470001, 1, 1, 1},                         // A8
                         {1000470002, 0, 1, 1}};

// Of ASTC, in the order of its formats.
constexpr uint8_t kAstcBlocks[][2] = {{4, 4}, {5, 4},  {5, 5},  {6, 5},  {6, 6},   {8, 5},   {8, 6},
                                      {8, 8}, {10, 5}, {10, 6}, {10, 8}, {10, 10}, {12, 10}, {12, 12}};

constexpr uint32_t kAstc = 157, kAstcFloat = 1000066000, kAstcCount = std::size(kAstcBlocks);

}  // namespace

std::optional<Block> block_of(uint32_t vk_format) noexcept {
  const auto astc = [](uint32_t index) { return Block{{kAstcBlocks[index][0], kAstcBlocks[index][1], 1}, 16}; };
  // Each has one of numbers and one of sRGB.
  if (vk_format >= kAstc && vk_format - kAstc < 2 * kAstcCount) return astc((vk_format - kAstc) / 2);
  if (vk_format >= kAstcFloat && vk_format - kAstcFloat < kAstcCount) return astc(vk_format - kAstcFloat);
  const Row& row = *std::prev(std::ranges::upper_bound(kRows, vk_format, {}, &Row::first));
  if (row.bytes == 0) return std::nullopt;
  return Block{{row.width, row.height, 1}, row.bytes};
}

Extent extent_of(const Header& header, uint32_t level) noexcept {
  const auto half = [&](uint32_t size) { return std::max(level < 32 ? size >> level : 0u, 1u); };
  return {half(header.extent.width), half(header.extent.height), half(header.extent.depth)};
}

uint64_t blocks_of(const Header& header, uint32_t level) noexcept {
  const Extent extent = extent_of(header, level);
  const auto along = [](uint32_t size, uint32_t block) -> uint64_t { return (uint64_t{size} + block - 1) / block; };
  return along(extent.width, header.block.width) * along(extent.height, header.block.height) *
         along(extent.depth, header.block.depth);
}

}  // namespace weft::ktx2
