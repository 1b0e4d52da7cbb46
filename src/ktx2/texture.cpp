// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/ktx2.hpp>

#include <string>

#include "gstd/guarded.hpp"
#include "ktx2/formats.hpp"

namespace weft::ktx2 {
namespace {

/// Refuses levels that are of no use without another decoder.
Status check_use(const Header& header) {
  constexpr uint64_t kFormatAt = 12, kSchemeAt = 44;
  const auto refused = [](uint64_t at, const std::string& reason) {
    return Error{ErrorCode::unsupported, "byte " + std::to_string(at) + ": " + reason};
  };
  switch (header.supercompression) {
    case Supercompression::none:
    case Supercompression::zstd: break;
    case Supercompression::basis_lz: return refused(kSchemeAt, "BasisLZ supercompression is not decoded");
    case Supercompression::zlib: return refused(kSchemeAt, "ZLIB supercompression is not decoded");
    default:
      return refused(kSchemeAt, "supercompression scheme " +
                                    std::to_string(static_cast<uint32_t>(header.supercompression)) + " is unknown");
  }
  if (header.vk_format != 0 && !block_of(header.vk_format))
    return refused(kFormatAt, "blocks of VkFormat " + std::to_string(header.vk_format) + " are unknown");
  return {};
}

}  // namespace

Result<Texture> read(std::span<const std::byte> head, uint64_t file_bytes) noexcept {
  return gstd::guarded([&]() -> Result<Texture> {
    const Result<Header> header = read_header(head);
    if (!header) return header.error();
    if (const Status status = check_use(*header); !status) return status.error();
    Result<std::vector<Level>> levels = read_levels(*header, head, file_bytes);
    if (!levels) return levels.error();
    return Texture{*header, *std::move(levels)};
  });
}

}  // namespace weft::ktx2
