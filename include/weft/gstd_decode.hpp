// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/context.hpp>
#include <weft/gstd.hpp>
#include <weft/types.hpp>

#include <span>
#include <vector>

namespace weft {

/// How a tile is stored: docs/gstd-format.md, section 3.
enum class GstdTileKind : uint16_t { raw, fill, compressed };

/// A tile to decode, as it lies in a buffer of the device: 40 bytes, little-endian.
struct GstdTile {
  uint64_t source = 0;  ///< byte of the source range where its words begin, a multiple of 4
  uint64_t output = 0;  ///< byte of the output range that gets the first byte asked for; any
  uint32_t words = 0;
  uint32_t bytes = 0;  ///< that it decodes to
  GstdTileKind kind = GstdTileKind::compressed;
  uint16_t has_checksum = 0;  ///< 1: the content is compared with `checksum`, where the config says so
  uint32_t checksum = 0;
  uint32_t first = 0;  ///< of its bytes that are asked for ...
  uint32_t count = 0;  ///< ... and how many
};
static_assert(sizeof(GstdTile) == 40);

/// Why a tile was refused: the low 8 bits of its status. The other 24 are the word of the tile where it was noticed.
enum class GstdRefusal : uint32_t {
  none,
  truncated,        ///< words were needed past the last
  bad_header,       ///< of the tile or of a block
  bad_table,        ///< a code that is not complete, or that is not there
  bad_sequence,     ///< more sequences than the block has room for
  bad_offset,       ///< a match from before the tile
  bad_length,       ///< literals or a match past the block's end
  bad_final_state,  ///< a lane that does not end where it has to
  bad_padding,      ///< bits or words behind the last that are not as they have to be
  bad_entry,        ///< of the table of tiles: words, bytes or kind that are none, or outside of the ranges given
  checksum,         ///< the content is not what was compressed
};

struct GstdDecodeConfig {
  uint32_t tile_bytes = gstd::kDefaultTileBytes;  ///< the largest tile there will be, to gstd::kMostTileBytes
  bool verify = true;                             ///< whether checksums of tiles are compared; false: they are not read
  /// Tiles decoded at once. Scratch for each is twice a tile's bytes and 2 KiB.
  /// 0: 4,096, but no more than 1 GiB of scratch is for: 136 MiB for tiles of 16 KiB, 264 MiB of 32 KiB, 520 MiB of 64 KiB, 1 GiB above.
  /// A call with fewer tiles takes scratch for these alone. 1,008 tiles of 64 KiB take 128 MiB.
  /// Fewer than the device runs at once leave it idle: `weft-bench decode --in-flight` measures that.
  uint32_t tiles_in_flight = 0;
};

/// What one call works on. `output`, `status` and `scratch` may not overlap another range, or the count on the device.
struct GstdDecodeArgs {
  BufferRange tiles;   ///< a GstdTile for each tile, aligned to 8; left out where tiles are given by value
  Count tile_count;    ///< a value, or a device address and a maximum; at most 2^24; left out likewise
  BufferRange source;  ///< of any number of streams, aligned to 4
  BufferRange output;  ///< of any alignment
  BufferRange
      status;  ///< 1 + tiles u32, aligned to 4: how many tiles were refused is added to the first; then one for each tile
  BufferRange scratch;  ///< scratch_size(), or scratch_size_by_value(), aligned to 16
};

/// Decodes Gstd's tiles: each alone, by 32 lanes, many at once.
///
///     output[tile.output + i] = content(tile)[tile.first + i]      for i < tile.count
///     status[0] += tiles refused,  status[1 + t] = 0, or GstdRefusal | word · 256
///
/// Tiles come from any number of streams and files: gstd_tiles() makes the table of a stream. Bytes of words beside a tile's output keep
/// their values. Bytes that the outputs of two tiles share are unspecified; so are those of a refused tile. All others have the same bits
/// on every run and every device, statuses included.
///
/// Safe for untrusted data: whatever source and table hold, nothing outside of `source` and `tiles` is read, nothing outside of `output`,
/// `status` and `scratch` is written, and the work of a tile is bounded by the bytes that it declares. The verdicts are those of the
/// decoder on the host, on devices that run shaders to their end: lavapipe stops an invocation after 65,535 iterations of its loops, which
/// tiles above 64 KiB need, and what it leaves of such a tile is unspecified, its status too. Compare checksums there.
///
/// Cost: reads the source once and writes the output once, beside matches that are read back; a tile with a filter passes through
/// scratch. A tile takes its time however few there are, so a few megabytes at a time are decoded soonest in tiles of 16 KiB. 2 dispatches
/// for as many tiles as are in flight. Scratch: twice a tile's bytes and 2 KiB for each of these, and the table where it is given by
/// value. Devices need neither 8-bit storage nor 64-bit integers. Subgroups are 32 lanes wide where the device has such, whatever the
/// Context's are.
/// status[0] is the caller's to clear.
/// Barriers, threads, lifetime: docs/integration.md.
class GstdDecode {
 public:
  /// Builds the pipelines. Errors: invalid_argument (no such size of tiles), out_of_host_memory, out_of_device_memory, device_lost.
  static Result<GstdDecode> create(const Context& context, const GstdDecodeConfig& config = {}) noexcept;

  /// Most tiles that are given by value: 2.5 MiB of commands, and 4 GiB of content in tiles of 64 KiB.
  static constexpr uint64_t kMostTilesByValue = uint64_t{1} << 16;

  /// Bytes of scratch for a call with so many tiles at most.
  VkDeviceSize scratch_size(uint64_t tiles) const noexcept;
  /// The same where they are given by value: the table, at 40 bytes a tile in multiples of 16, lies in front.
  VkDeviceSize scratch_size_by_value(uint64_t tiles) const noexcept;

  /// Records the decoding into `commands`; nothing where there can be no tiles. Does not allocate, submit or wait.
  /// Errors, with the argument's name and nothing recorded: invalid_argument (null, misaligned, too small, overlapping,
  /// more than 2^24 tiles).
  Status record(VkCommandBuffer commands, const GstdDecodeArgs& args) const noexcept;

  /// The same for tiles that are given now, and may be gone when this returns: they become a part of the command buffer, which writes
  /// them to the front of scratch whenever it is executed. For tables that the host knows; there is no buffer to make, fill and wait
  /// for. `args.tiles` and `args.tile_count` are left out. Entries are not looked at here: one that is bad is refused on the device, with
  /// bad_entry, as in a buffer.
  ///
  /// Cost: a copy of 40 bytes a tile by the host and one by the device, in updates of 65,536 bytes, between two barriers of the library's.
  /// The first of these orders the updates behind all compute work before them, so that the library's one rule holds for scratch as it
  /// is. The command buffer is outside of a render pass, and the scratch's buffer has TRANSFER_DST usage. Errors also: invalid_argument
  /// (more than kMostTilesByValue; args with a table or a count of their own).
  Status record(VkCommandBuffer commands, std::span<const GstdTile> tiles, const GstdDecodeArgs& args) const noexcept;

 private:
  struct Plan;
  explicit GstdDecode(std::shared_ptr<const Plan> plan);
  Status record_tiles(VkCommandBuffer commands, std::span<const GstdTile> values, const GstdDecodeArgs& args) const;
  std::shared_ptr<const Plan> plan_;
};

/// The tiles of one Gstd stream or of several, one after the other, that will lie at byte `source` (a multiple of 4) of the source range, with
/// their content from byte `output` of the output range on. Reads and checks headers and tables alone. Errors: as gstd::inspect, and
/// invalid_argument.
Result<std::vector<GstdTile>> gstd_tiles(std::span<const std::byte> stream, uint64_t source, uint64_t output,
                                         const gstd::DecompressConfig& config = {}) noexcept;

/// Of these, those that have any of the bytes [first, first + count) of the content, which will lie from `output` on. Errors also:
/// invalid_argument where there is not so much content.
Result<std::vector<GstdTile>> gstd_tiles_of_range(std::span<const std::byte> stream, uint64_t source, uint64_t first,
                                                  uint64_t count, uint64_t output,
                                                  const gstd::DecompressConfig& config = {}) noexcept;

/// Puts tiles in the order that is decoded soonest: those of most words first, in their order where these are equal. A device has room for
/// some thousands at once; where there are more, short ones last leave less of it idle at the end. Statuses follow the table's order.
void gstd_largest_first(std::span<GstdTile> tiles);

/// The refusal's name, e.g. "bad offset".
const char* name_of(GstdRefusal refusal) noexcept;

}  // namespace weft
