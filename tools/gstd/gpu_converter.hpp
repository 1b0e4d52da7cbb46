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

/// Decodes what it is given by a device, with the results of gstd::Decompressor. Keeps all of the stream until it ends, since a device
/// wants many tiles at once.
class GpuConverter final : public Converter {
 public:
  /// `size`: bytes of the stream, if that is known.
  GpuConverter(GpuDecoder& decoder, const weft::gstd::DecompressConfig& config, std::optional<uint64_t> size);

  weft::Status write(std::span<const std::byte> bytes, const weft::gstd::Sink& sink) override;
  weft::Status finish(const weft::gstd::Sink& sink) override;

 private:
  // Tiles of segments that are one after the other and have the same checksums.
  struct Run {
    size_t first = 0, end = 0;
    uint32_t checksums = 0;  // flags of the headers
  };
  // A stream's tiles, and what its last segment says of them all.
  struct StreamTiles {
    size_t first = 0, end = 0;
    std::optional<uint32_t> checksum;
  };

  void read_headers();
  weft::Status decode(const Run& run, const weft::gstd::Sink& sink);
  void add_sums(size_t& tile, std::span<const std::byte> content);
  bool is_whole(const StreamTiles& stream) const;
  weft::Status explain(const std::string& otherwise) const;

  GpuDecoder& decoder_;
  weft::gstd::DecompressConfig config_;
  std::vector<std::byte> stream_;
  std::vector<weft::GstdTile> tiles_;
  std::vector<uint32_t> sums_;  // of the tiles, where there are any
  std::vector<Run> runs_;
  std::vector<StreamTiles> streams_;
  uint32_t tile_bytes_ = 0;  // of the largest
};

}  // namespace gstd_tool
