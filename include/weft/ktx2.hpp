// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Textures in KTX 2.0 and DDS files: what their headers say, and where their levels are. Needs no Vulkan.
///
/// Errors of every call:
/// - corrupt_stream: not such a file, or an invalid one. The message has the byte position and the reason.
/// - unsupported: a format, scheme or size that this library does not know. The message has the byte position too.
/// - out_of_host_memory.
///
/// - No call throws. Results, errors, lifetime, threads: docs/integration.md.
/// - Safe for untrusted data: nothing outside `head` is accessed, and the work is bounded.
namespace weft::ktx2 {

/// Bytes of a file's beginning that suffice for every call.
constexpr size_t kHeadBytes = 516;
/// Width, height and depth have at most kMaxExtent texels, and layers times faces are at most kMaxSlices.
constexpr uint32_t kMaxExtent = 1u << 16, kMaxSlices = 1u << 16;
constexpr uint32_t kMaxLevels = 17;

enum class Container : uint8_t { ktx2, dds };

/// supercompressionScheme of KTX2, which may have other values too. `none` in DDS.
enum class Supercompression : uint32_t { none, basis_lz, zstd, zlib };

struct Extent {
  uint32_t width = 1, height = 1, depth = 1;

  bool operator==(const Extent&) const = default;
};

/// What a file says of its texture.
struct Header {
  Container container = Container::ktx2;
  Supercompression supercompression = Supercompression::none;
  /// VkFormat. 0 if there is none: universal formats of KTX2, formats of DDS that this library does not know.
  uint32_t vk_format = 0;
  /// colorModel of KTX2's data format descriptor, such as 166 of UASTC. 0 in DDS.
  uint8_t color_model = 0;
  /// Texels of a block: 1 x 1 x 1 of formats without block compression.
  Extent block;
  /// Bytes of a block. 0 if the header does not say it.
  uint32_t block_bytes = 0;
  /// 1, 2 or 3.
  uint32_t dimensions = 2;
  /// Of level 0; 1 in dimensions that there are not.
  Extent extent;
  uint32_t levels = 1;
  /// Array layers, without the faces of a cube.
  uint32_t layers = 1;
  /// 6 for cubes, else 1.
  uint32_t faces = 1;
  /// Whether the texture is an array, which may have 1 layer.
  bool is_array = false;
  /// Whether the file has level 0 alone and asks for smaller ones to be generated.
  bool generate_levels = false;
};

/// Level `level`'s extent: each half of the level's before, rounded down, and at least 1.
WEFT_API Extent extent_of(const Header& header, uint32_t level) noexcept;

/// Where a level is. Its content is slices, one for each layer and face, in the order of layers, then faces.
///
/// - Slice s begins at byte s * slice_stride: of what is at `position` in the file, or of the decoded level if the file
///   is supercompressed.
/// - A slice is tightly packed, as vkCmdCopyBufferToImage takes it: blocks in rows, rows from the top, depth last.
struct Level {
  /// Byte position in the file.
  uint64_t position = 0;
  /// Bytes there, without padding: all slices of KTX2, the first slice of DDS.
  uint64_t stored_bytes = 0;
  /// Content of a slice. 0 of BasisLZ.
  uint64_t slice_bytes = 0;
  /// slice_bytes in KTX2; in DDS, where a slice has all its levels, more.
  uint64_t slice_stride = 0;
};

struct Texture {
  Header header;
  /// The largest first.
  std::vector<Level> levels;
};

/// Returns the texture of a file of `file_bytes` bytes.
///
/// - `head`: the file's first kHeadBytes, or all of it.
/// - All numbers agree: a level's content has the size that extent, format, layers and faces make, and lies in the
///   file. Of Zstandard, the stored bytes are frames of RFC 8878. Whether their content has that size, slices *
///   slice_bytes, is for the decoder to check.
/// - vk_format is 0, or a format whose blocks are known. 0 is for the caller to transcode, by color_model.
/// - Errors: unsupported, by name, if supercompression is neither `none` nor `zstd`.
WEFT_API Result<Texture> read(std::span<const std::byte> head, uint64_t file_bytes) noexcept;

/// Returns what read() does before it looks for levels. Accepts any supercompression, and any VkFormat.
WEFT_API Result<Header> read_header(std::span<const std::byte> head) noexcept;

/// Returns levels, of any supercompression. `header`: what read_header() has returned for this head.
/// Errors: unsupported if the format of a DDS file is unknown.
WEFT_API Result<std::vector<Level>> read_levels(const Header& header, std::span<const std::byte> head,
                                                uint64_t file_bytes) noexcept;

}  // namespace weft::ktx2
