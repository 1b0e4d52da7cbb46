// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/gstd.hpp>
#include <weft/types.hpp>

#include <span>
#include <vector>

namespace weft {

/// How a tile is stored (docs/gstd-format.md, Container, section 3).
enum class GstdTileKind : uint16_t { raw, fill, compressed };

/// Entry of a tile table in a device buffer: 40 bytes, little-endian.
struct GstdTile {
  /// Byte position of the tile's words in `source`, a multiple of 4.
  uint64_t source = 0;
  /// Byte position in `output` of the first requested byte. Any alignment.
  uint64_t output = 0;
  /// Number of words of 4 bytes.
  uint32_t words = 0;
  /// Size of the content in bytes.
  uint32_t bytes = 0;
  GstdTileKind kind = GstdTileKind::compressed;
  /// 1: the content is compared with `checksum` if GstdDecodeConfig::verify.
  uint16_t has_checksum = 0;
  /// Of the content alone: `gstd_tiles` takes off what the stream adds for the tile's number.
  uint32_t checksum = 0;
  /// Requested bytes of the content: [first, first + count).
  uint32_t first = 0;
  uint32_t count = 0;
};
static_assert(sizeof(GstdTile) == 40);

/// Why a tile was refused: the low 8 bits of its status. The other 24 are the word of the tile where it was detected.
enum class GstdRefusal : uint32_t {
  none,
  truncated,        ///< words past the last are needed
  bad_header,       ///< of the tile or of a block
  bad_table,        ///< a code that is incomplete or missing
  bad_sequence,     ///< more sequences than the block has room for
  bad_offset,       ///< a match from before the tile
  bad_length,       ///< literals or a match past the block's end
  bad_final_state,  ///< a lane with an invalid final state
  bad_padding,      ///< invalid bits or words after the last
  bad_entry,        ///< of the tile table: invalid words, bytes or kind, or outside the ranges
  checksum,         ///< the content does not match the checksum
};

struct GstdDecodeConfig {
  /// Largest tile size: a power of two, gstd::kMinTileBytes to gstd::kMaxTileBytes.
  uint32_t tile_bytes = gstd::kDefaultTileBytes;
  /// Whether tile checksums are compared. If false, they are not read.
  bool verify = true;
  /// Tiles that scratch is for: each has tile_bytes + 1 KiB, and 10 KiB more than that again or, if that is more,
  /// 39.5 KiB.
  /// Calls with fewer tiles need less.
  /// 0: 123 MiB for tiles of up to 32 KiB, 128 MiB of 64 KiB (936 tiles), 245, 479 and 947 MiB of 128, 256 and 512 KiB,
  /// 1 GiB of 1 MiB.
  /// If a call has more tiles, those that are requested whole are decoded in regions of that scratch: each group of
  /// lanes takes one tile after another, and needs 39.5 KiB. The others follow in batches. Intel's and software devices
  /// decode all in batches.
  /// Fewer groups than the device runs at once leave it idle: measure with `weft-bench decode --in-flight`.
  uint32_t tiles_in_flight = 0;
};

/// Arguments of GstdDecode::record. No range that is written may overlap another one, or a count on the device.
struct GstdDecodeArgs {
  /// `tile_count` entries GstdTile, 8-byte aligned. Leave empty for tiles by value.
  BufferRange tiles;
  /// At most 2^24. Leave empty for tiles by value.
  Count tile_count;
  /// Compressed bytes of any number of streams, 4-byte aligned.
  BufferRange source;
  /// Receives the content. Any alignment.
  BufferRange output;
  /// 1 + `tile_count` u32, 4-byte aligned: the number of refused tiles is added to the first; then a status per tile.
  BufferRange status;
  /// scratch_size(tile_count.maximum()) bytes, or scratch_size_by_value(number of tiles), 16-byte aligned.
  BufferRange scratch;
  /// Whether compressed tiles of which a part is requested, or whose output or size is no multiple of 4 bytes, are
  /// refused with bad_entry. Calls with more tiles than are in flight take less time then.
  bool only_whole = false;
};

/// Decodes Gstd tiles, each independently by 32 lanes, many at once.
///
///     output[tile.output + i] = content(tile)[tile.first + i]      for i < tile.count
///     status[0] += tiles refused,  status[1 + t] = 0, or GstdRefusal | word · 256
///
/// - Tiles may be of any number of streams and files. gstd_tiles() makes the table of a stream.
/// - status[0] is not cleared: the caller does that.
/// - Bytes around a tile's output, in the same words, keep their values.
/// - Bytes where outputs of two tiles overlap, and those of a refused tile, are unspecified. So is the status of tiles
///   that overlap, where it depends on a checksum.
/// - All others, and statuses, are bit-identical on every run and device.
/// - Safe for untrusted data, table included: accesses nothing outside the ranges, writes only `output`, `status` and
///   `scratch`. The work of a tile is bounded by the bytes it declares.
/// - Statuses agree with the host decoder's if the device runs shaders to their end. lavapipe stops an invocation after
///   65,535 loop iterations: tiles above 64 KiB are unspecified there, status included. Compare checksums there.
/// - Cost: reads the source once, writes the output once, and reads matches back. Tiles with a filter or rows, and
///   those that only_whole refuses, pass through scratch. Of rows the output is read and written once more. Two
///   dispatches, or two for each batch; on NVIDIA's devices four if they are more than 2,048 tiles. If tiles are more
///   than are in flight, four, a copy of each tile with a filter or rows, and two for each batch of those that
///   only_whole refuses, unless it does or there are none by value.
/// - A tile takes the same time however few there are: a few megabytes decode fastest in tiles of 16 KiB.
/// - Needs neither 8-bit storage nor shaderInt64.
/// - Subgroups have 32 lanes if the device supports that, whatever the Context's size.
/// - Barriers, lifetime, threads: docs/integration.md.
class WEFT_API GstdDecode {
 public:
  /// Builds the pipelines. Errors: invalid_argument (tile_bytes), out_of_{host,device}_memory, device_lost,
  /// driver_error.
  static Result<GstdDecode> create(const Context& context, const GstdDecodeConfig& config = {}) noexcept;

  /// Most tiles of a call by value: 2.5 MiB of commands; 4 GiB of content in tiles of 64 KiB.
  static constexpr uint64_t kMaxTilesByValue = uint64_t{1} << 16;

  /// Scratch bytes that suffice for any call with at most `tiles` tiles.
  VkDeviceSize scratch_size(uint64_t tiles) const noexcept;
  /// The same for tiles by value, with their table: 40 bytes a tile, rounded up to a multiple of 16.
  VkDeviceSize scratch_size_by_value(uint64_t tiles) const noexcept;

  /// Records the decoding; nothing if there are no tiles. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^24 tiles).
  Status record(VkCommandBuffer commands, const GstdDecodeArgs& args) const noexcept;

  /// The same for a table in host memory. It is copied into the command buffer, which writes it to the start of scratch
  /// at each execution, so that no buffer must be created and filled.
  ///
  /// - args.tiles and args.tile_count must be empty. `tiles` may be freed when this returns.
  /// - Entries are not checked here: the device refuses a bad one with bad_entry.
  /// - Commands must be outside a render pass. The buffer of scratch needs TRANSFER_DST usage.
  /// - Cost: copies 40 bytes a tile on host and device, in vkCmdUpdateBuffer commands of 65,536 bytes between two
  ///   barriers of weft's. The first orders the updates after all earlier compute work: the one barrier rule holds.
  /// - Further errors: invalid_argument (more than kMaxTilesByValue, tiles or tile_count not empty).
  Status record(VkCommandBuffer commands, std::span<const GstdTile> tiles, const GstdDecodeArgs& args) const noexcept;

 private:
  struct Plan;
  explicit GstdDecode(std::shared_ptr<const Plan> plan);
  Status record_tiles(VkCommandBuffer commands, std::span<const GstdTile> values, const GstdDecodeArgs& args) const;
  std::shared_ptr<const Plan> plan_;
};

/// Returns the tile table of one Gstd stream or of several, one after the other.
///
/// - `source`: byte position of the stream in the source range, a multiple of 4.
/// - `output`: byte position of the content in the output range.
/// - Reads and checks headers and tables only.
/// - Errors: as gstd::inspect, and invalid_argument.
WEFT_API Result<std::vector<GstdTile>> gstd_tiles(std::span<const std::byte> stream, uint64_t source, uint64_t output,
                                                  const gstd::DecompressConfig& config = {}) noexcept;

/// Returns the tiles with any of bytes [first, first + count) of the content, which go to `output`.
/// Errors: as gstd_tiles, and invalid_argument (the content is shorter).
WEFT_API Result<std::vector<GstdTile>> gstd_tiles_of_range(std::span<const std::byte> stream, uint64_t source,
                                                           uint64_t first, uint64_t count, uint64_t output,
                                                           const gstd::DecompressConfig& config = {}) noexcept;

/// Sorts tiles by descending number of words, stably. This is fastest: with more tiles than the device runs at once,
/// short ones at the end leave less of it idle. Statuses follow the table's order.
WEFT_API void gstd_largest_first(std::span<GstdTile> tiles) noexcept;

/// Name for messages, e.g. "bad offset".
WEFT_API const char* name_of(GstdRefusal refusal) noexcept;

}  // namespace weft
