// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter.hpp"
#include "gpu_decoder.hpp"

namespace gstd_tool {

/// Decodes what it is given by a device, with the results of gstd::Decompressor. Keeps all of the stream until it ends,
/// since a device needs many tiles at once.
class GpuConverter final : public Converter {
 public:
  /// `size`: bytes of the stream, if that is known. `memory`: how many may be kept.
  GpuConverter(GpuDecoder& decoder, const weft::gstd::DecompressConfig& config, std::optional<uint64_t> size,
               uint64_t memory);

  weft::Status write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) override;
  weft::Status finish(const weft::gstd::Sink& sink) override;

 private:
  // A stream's tiles, and what its last segment says of them all.
  struct StreamTiles {
    size_t first = 0, end = 0;
    std::optional<uint32_t> checksum;
  };

  size_t add_small(std::span<const std::byte> header, size_t& tile);
  void read_headers();
  bool sums_content() const;
  weft::Status decode(const weft::gstd::Sink& sink);
  bool is_whole(const StreamTiles& stream) const;
  weft::Status explain(const std::string& otherwise) const;

  GpuDecoder& decoder_;
  weft::gstd::DecompressConfig config_;
  uint64_t memory_;
  std::vector<std::byte> stream_;
  std::vector<weft::GstdTile> tiles_;
  std::vector<uint32_t> sums_;  // of the tiles, where there are any
  std::vector<StreamTiles> streams_;
  uint32_t tile_bytes_ = weft::gstd::kMinTileBytes;  // of the largest
};

}  // namespace gstd_tool
