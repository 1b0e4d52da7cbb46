// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gpu.hpp>
#include <weft/gstd.hpp>
#include <weft/gstd_decode.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace gstd_tool {

/// A tile that the device refused.
struct RefusedTile {
  size_t tile = 0;
  std::string reason;
};

/// Decodes tiles on a Vulkan device, in batches of at most 64 MiB of content, or as many tiles as are given by value.
class GpuDecoder {
 public:
  /// `device` as weft::GpuConfig has it. Errors: as weft::Gpu::open.
  static weft::Result<GpuDecoder> open(const std::string& device);

  const std::string& name() const noexcept { return gpu_.info().name; }

  /// Decodes tiles of `stream`, as weft::gstd_tiles made them for source and output 0, and gives the sink their content
  /// in order, a batch at a time. `tile_bytes`: of the largest. `verify`: whether the checksums that they have are
  /// compared. A batch that has a tile which is refused is not given; that ends the work with the first such tile.
  /// Errors: the device's and the sink's.
  weft::Result<std::optional<RefusedTile>> decode(std::span<const std::byte> stream,
                                                  std::span<const weft::GstdTile> tiles, uint32_t tile_bytes,
                                                  bool verify, const weft::gstd::Sink& sink);

 private:
  struct Batch {
    size_t first = 0, end = 0;              // of the tiles
    uint64_t source_at = 0, output_at = 0;  // what is the ranges' first byte
    uint64_t source_bytes = 0, output_bytes = 0;
  };

  explicit GpuDecoder(weft::Gpu gpu) : gpu_(std::move(gpu)) {}
  static Batch batch_at(std::span<const weft::GstdTile> tiles, size_t first);
  weft::Result<const weft::GstdDecode*> pipeline(uint32_t tile_bytes, bool verify);
  weft::Status ensure(std::optional<weft::Buffer>& buffer, uint64_t bytes);
  weft::Status upload(std::span<const std::byte> stream, const Batch& batch);
  weft::Result<std::optional<RefusedTile>> first_refused(const Batch& batch);
  weft::Status run(const weft::GstdDecode& decoder, std::span<const weft::GstdTile> tiles, const Batch& batch);

  weft::Gpu gpu_;  // outlives what is made from it
  std::map<std::pair<uint32_t, bool>, weft::GstdDecode> pipelines_;
  std::optional<weft::Buffer> source_, output_, status_, scratch_;
};

}  // namespace gstd_tool
