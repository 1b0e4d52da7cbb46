// SPDX-License-Identifier: MIT OR Apache-2.0
// Reads the header of a DDS file of 64 x 32 texels of BC1, which it makes, with weft::ktx2 alone.
#include <weft/ktx2.hpp>

#include <array>
#include <cstdio>
#include <utility>

int main() {
  std::array<std::byte, 128> head{};
  const std::pair<size_t, uint32_t> fields[] = {{0, 0x20534444}, {4, 124}, {12, 32},        {16, 64},
                                                {76, 32},        {80, 4},  {84, 0x31545844}};
  for (const auto& [at, word] : fields)
    for (size_t i = 0; i < 4; ++i) head[at + i] = static_cast<std::byte>(word >> 8 * i);
  const auto texture = weft::ktx2::read(head, head.size() + 1024);
  if (!texture) {
    std::fprintf(stderr, "%s\n", texture.error().message.c_str());
    return 1;
  }
  const weft::ktx2::Header& header = texture->header;
  std::printf("VkFormat %u, %u x %u, %llu bytes\n", header.vk_format, header.extent.width, header.extent.height,
              static_cast<unsigned long long>(texture->levels[0].slice_bytes));
  return 0;
}
