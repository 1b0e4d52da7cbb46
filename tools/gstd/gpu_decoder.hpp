// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gpu.hpp>
#include <weft/gstd.hpp>
#include <weft/gstd_decode.hpp>
#include <weft/zstd_decode.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gstd_tool {

/// A tile that the device refused.
struct RefusedTile {
  size_t tile = 0;
  std::string reason;
};

/// What the device made of frames.
struct DecodedFrames {
  std::vector<std::byte> content;  // as the table has it
  std::vector<uint32_t> verdicts;  // 0: the frame's content is valid
  std::vector<uint32_t> sizes;
};

constexpr uint64_t kBatchBytes = 64u << 20;  // of content, and of all that is read for it

/// What a verdict that is not 0 says: of type GstdRefusal or ZstdRefusal.
template <class Refusal>
std::string reason_of(uint32_t verdict) {
  // A driver that ends an invocation, which it takes for hung, leaves what was there before.
  return verdict == UINT32_MAX ? "no verdict" : weft::name_of(static_cast<Refusal>(verdict & 0xff));
}

/// Decodes tiles and frames on a Vulkan device: tiles in batches of at most kBatchBytes, or as many as are given by
/// value.
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

  /// Device memory that a call of decode() for so many frames takes, of `bytes` as they are and decoded.
  weft::Result<uint64_t> memory_for(uint64_t frames, const weft::ZstdBounds& bounds, uint64_t bytes, bool verify);
  /// What a call may take: a quarter of the device's largest heap.
  uint64_t most_memory() const noexcept { return gpu_.info().device_local_bytes / 4; }
  /// Decodes all frames of `stream` at once, whose table is that of weft::zstd_frames for source and output 0.
  /// Errors: the device's.
  weft::Result<DecodedFrames> decode(std::span<const std::byte> stream, const weft::ZstdTable& table, bool verify);

 private:
  struct Batch {
    size_t first = 0, end = 0;              // of the tiles
    uint64_t source_at = 0, output_at = 0;  // what is the ranges' first byte
    uint64_t source_bytes = 0, output_bytes = 0;
  };

  explicit GpuDecoder(weft::Gpu gpu) : gpu_(std::move(gpu)) {}
  static Batch batch_at(std::span<const weft::GstdTile> tiles, size_t first);
  weft::Result<const weft::GstdDecode*> pipeline(uint32_t tile_bytes, bool verify);
  weft::Result<const weft::ZstdDecode*> frame_pipeline(bool verify);
  weft::Status ensure(std::optional<weft::Buffer>& buffer, uint64_t bytes);
  weft::Status upload(std::span<const std::byte> source, uint64_t output_bytes, size_t entries);
  weft::Result<std::vector<uint32_t>> verdicts(size_t entries);
  weft::Status run(const weft::GstdDecode& decoder, std::span<const weft::GstdTile> tiles, const Batch& batch);

  weft::Gpu gpu_;  // outlives what is made from it
  std::map<std::pair<uint32_t, bool>, weft::GstdDecode> pipelines_;
  std::map<bool, weft::ZstdDecode> frame_pipelines_;
  std::optional<weft::Buffer> source_, output_, status_, scratch_, frames_, sizes_;
};

}  // namespace gstd_tool
