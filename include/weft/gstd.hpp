// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/status.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Gstd: lossless compression in tiles that 32 lanes of a GPU decode in lock step, each tile alone. docs/gstd-format.md is the format.
/// What is here runs on the host, and needs no Vulkan.
///
/// Errors of everything that reads a stream: invalid_argument where the bytes are no valid stream or go beyond a limit, unsupported where
/// they are of a version or with features that this one does not know. The message has the byte position and the reason; a Verdict has
/// them for code. Everything: out_of_host_memory. Any bytes whatever may be given: nothing is read or written out of bounds, and work
/// and memory are bounded by what the stream's headers declare, which is bounded by its length and by the caller's limits.
namespace weft::gstd {

constexpr uint32_t kFormatVersion = 1;
constexpr int kMinLevel = 1, kMaxLevel = 22, kDefaultLevel = 3;
constexpr uint32_t kLeastTileBytes = 1u << 14, kMostTileBytes = 1u << 20, kDefaultTileBytes = 1u << 16;
constexpr uint32_t kLeastSegmentBytes = 1u << 20, kMostSegmentBytes = 1u << 30, kDefaultSegmentBytes = 1u << 26;

/// What an encoder may do to a tile's bytes before it looks for matches; the decoder undoes it.
enum class TileFilter : uint8_t {
  automatic,       ///< for each tile whichever makes it small
  none,            ///< bytes as they are
  delta,           ///< each byte less the one `stride` in front of it
  planes,          ///< bytes of the same place in elements of `stride` bytes together
  delta_planes,    ///< both
  zigzag_planes,   ///< differences of 16-bit numbers, signs folded, in planes; `stride` is even
  zigzag2_planes,  ///< the same with differences of differences
  zigzag3_planes,  ///< and of those
  colour_planes,   ///< pixels of `stride` bytes, 3 or 4: blue and red less green, then delta_planes
  bc1,             ///< fields of blocks of a compressed texture together: BC1 to BC7
  bc2,
  bc3,
  bc4,
  bc5,
  bc7,  ///< BC6H's and BC7's
};

/// The name the command takes, e.g. "delta-planes". Null of a value that is none.
const char* name_of(TileFilter filter) noexcept;

struct CompressConfig {
  int level = kDefaultLevel;  ///< kMinLevel (fast) to kMaxLevel (small)
  uint32_t tile_bytes =
      kDefaultTileBytes;  ///< a power of two, kLeastTileBytes to kMostTileBytes: what is decoded alone
  uint32_t segment_bytes =
      kDefaultSegmentBytes;  ///< content of a segment, a multiple of tile_bytes: what a compressor holds back
  TileFilter filter = TileFilter::automatic;
  uint32_t stride = 0;   ///< 1 to 128 for filters delta to colour_planes; 0: 1 for delta, 3 for colour_planes, else 4
  bool contexts = true;  ///< whether the codes of literals may depend on what surrounds them
  bool tile_checksums = true;   ///< 4 bytes a tile: every tile can be verified alone
  bool stream_checksum = true;  ///< 4 bytes a stream
  uint32_t threads = 1;         ///< that encode, the caller's among them; 0: as many as the machine runs at once
};

/// Where a stream was refused.
enum class Fault : uint8_t {
  none,
  truncated,        ///< the stream goes on past the last byte given
  not_gstd,         ///< no magic number where a stream would begin
  unknown_version,  ///< of a version that is not kFormatVersion
  unknown_feature,  ///< a flag, shared tables or a dictionary that version 1 does not have
  bad_header,       ///< a field of a segment's header has no such value
  header_checksum,  ///< a segment's header is damaged
  bad_sequence,     ///< a segment does not follow the one in front of it
  bad_table,        ///< a tile table whose entries do not fit
  table_checksum,   ///< a segment's tables are damaged
  bad_tile,         ///< a tile's words are no tile; the message says why
  bad_padding,      ///< bytes that have to be zero are not
  tile_checksum,    ///< a tile is damaged
  stream_checksum,  ///< tiles are missing, out of order or damaged
  over_limit,       ///< more content than the caller allows
};

/// The fault's name, e.g. "tile_checksum".
const char* name_of(Fault fault) noexcept;

/// A fault and the byte of the stream where it was noticed.
struct Verdict {
  Fault fault = Fault::none;
  uint64_t position = 0;

  bool operator==(const Verdict&) const = default;
};

struct DecompressConfig {
  uint64_t max_content =
      UINT64_MAX;      ///< bytes: what declares or makes more is refused (Fault::over_limit) before it is decoded
  bool verify = true;  ///< whether checksums of tiles and streams are compared, where there are any
  bool reference =
      false;             ///< whether the scalar decoder that follows the document is used: slow, with the same results
  uint32_t threads = 1;  ///< that decode, the caller's among them; 0: as many as the machine runs at once
  Verdict* verdict = nullptr;  ///< if not null: written by every call that reads a stream
};

/// The most bytes that `compress` makes of so many, or UINT64_MAX if that is not a number of 64 bits. Errors of the configuration: as in
/// compress.
Result<uint64_t> compress_bound(uint64_t content_bytes, const CompressConfig& config = {});

/// A stream of all of `content`, which may be empty. The same for any number of threads and however it is written (see Compressor).
/// Errors: invalid_argument (a configuration out of its ranges).
Result<std::vector<std::byte>> compress(std::span<const std::byte> content, const CompressConfig& config = {});

/// The content of one stream or of several, one after the other. All headers are checked before any tile is decoded: of several faults
/// the verdict may be a later header's, where a Decompressor's is an earlier tile's.
Result<std::vector<std::byte>> decompress(std::span<const std::byte> stream, const DecompressConfig& config = {});

/// The same into memory of the caller's, and how many bytes. Errors also: over_limit, if there is less room than content. After an error
/// the output's bytes are undefined.
Result<uint64_t> decompress_to(std::span<const std::byte> stream, std::span<std::byte> output,
                               const DecompressConfig& config = {});

/// Bytes of content as the headers declare them. Reads those alone; of `config` max_content and verdict count.
Result<uint64_t> decompressed_size(std::span<const std::byte> stream, const DecompressConfig& config = {});

/// Bytes [first, first + output.size()) of the content. Decodes the tiles that have any of them; checks headers up to there, and the
/// checksums of these tiles. Errors also: invalid_argument, with Fault::none, where there is not so much content.
Status decompress_range(std::span<const std::byte> stream, uint64_t first, std::span<std::byte> output,
                        const DecompressConfig& config = {});

/// Reads all of `to` from a byte position of a stream that is not in memory, or says why not.
using ReadAt = std::function<Status(uint64_t position, std::span<std::byte> to)>;

/// decompress_range of a stream of `stream_bytes` that is read where it is needed: headers, tables and tiles. At most 16 MiB at a time,
/// and a tile a thread.
Status decompress_range(const ReadAt& read, uint64_t stream_bytes, uint64_t first, std::span<std::byte> output,
                        const DecompressConfig& config = {});

/// What headers and tables tell of one stream or of several, one after the other.
struct StreamInfo {
  uint64_t streams = 0;
  uint64_t segments = 0;
  uint64_t raw_tiles = 0;   ///< stored as they are
  uint64_t fill_tiles = 0;  ///< four bytes repeated
  uint64_t compressed_tiles = 0;
  uint64_t content_bytes = 0;
  uint64_t stream_bytes = 0;
  uint32_t least_tile_bytes = 0;  ///< of all streams
  uint32_t most_tile_bytes = 0;
  bool tile_checksums = false;  ///< whether all streams have them
  bool stream_checksum = false;

  uint64_t tiles() const noexcept { return raw_tiles + fill_tiles + compressed_tiles; }
};

/// Reads and checks all headers and tables, and no tile.
Result<StreamInfo> inspect(std::span<const std::byte> stream, const DecompressConfig& config = {});
Result<StreamInfo> inspect(const ReadAt& read, uint64_t stream_bytes, const DecompressConfig& config = {});

/// Takes bytes in the order they have in the output; not kept after the call. An error ends the work and is handed on.
using Sink = std::function<Status(std::span<const std::byte>)>;

/// Compresses content that comes piece by piece. The stream depends on the content and the configuration (and on whether the number of
/// bytes was told), not on the pieces. Memory: a segment's compressed bytes, and in each thread up to some 150 times a tile's, at level 22.
class Compressor {
 public:
  /// `content_bytes`: how many there will be, if that is known; headers then tell it. Errors: invalid_argument.
  static Result<Compressor> create(const CompressConfig& config = {},
                                   std::optional<uint64_t> content_bytes = std::nullopt);
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  /// Takes content, and gives the sink what segments are finished. After an error every call gives that error.
  /// Errors also: invalid_argument (more than was told, or after finish).
  Status write(std::span<const std::byte> content, const Sink& sink);

  /// Ends the stream. Errors also: invalid_argument (less than was told, or a second time).
  Status finish(const Sink& sink);

 private:
  struct State;
  explicit Compressor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Decompresses one stream, or several one after the other, that come piece by piece. Memory: a segment's tables (at most 1 MiB), and
/// some tiles a thread. Content of tiles that are valid may have been given when a later byte is refused.
class Decompressor {
 public:
  static Result<Decompressor> create(const DecompressConfig& config = {});
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  /// Takes bytes of the stream, and gives the sink content. After an error every call gives that error.
  Status write(std::span<const std::byte> stream, const Sink& sink);

  /// Says that there is no more. Errors: Fault::truncated, if a stream has not ended, or has not begun.
  Status finish();

 private:
  struct State;
  explicit Decompressor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace weft::gstd
