// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/status.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Gstd: lossless compression in tiles, each decoded independently by 32 lanes of a GPU in lock step.
/// This header runs on the host and needs no Vulkan. Format: docs/gstd-format.md.
///
/// Errors of every call that reads a stream:
/// - corrupt_stream: invalid stream. The message, and a Verdict, have the byte position and the reason.
/// - unsupported: the stream's version or a feature is unknown to this library.
/// - over_limit: more content than `max_content` or the output allows.
/// - invalid_argument: a mistake of the caller, e.g. a range beyond the content, or a write after finish.
///
/// Errors of every call: out_of_host_memory; system_error if a callback threw, with the exception's message.
///
/// - No call throws.
/// - Safe for untrusted data: nothing is accessed out of bounds. Work and memory are bounded by what the stream's
///   headers declare, which is bounded by its length and by the caller's limits.
/// - Threads: an object serves one call at a time, each on any thread.
/// - Results, errors, lifetime, threads: docs/integration.md.
namespace weft::gstd {

/// The version of the format that is written, and the one that is read. weft 0.1 has version 1.
constexpr uint32_t kFormatVersion = 2;
constexpr int kMinLevel = -5, kMaxLevel = 22, kDefaultLevel = 3;
constexpr uint32_t kMaxDecodeWeight = 16;
constexpr uint32_t kMinTileBytes = 1u << 14, kMaxTileBytes = 1u << 20, kDefaultTileBytes = 1u << 16;
constexpr uint32_t kMinSegmentBytes = 1u << 20, kMaxSegmentBytes = 1u << 30, kDefaultSegmentBytes = 1u << 26;
/// Default limit of the content that `decompress` allocates. A stream of 3 KiB can declare as much.
constexpr uint64_t kDefaultMaxContent = uint64_t{1} << 28;

/// Transform of a tile's bytes before matches are searched. The decoder inverts it.
enum class TileFilter : uint8_t {
  automatic,       ///< the smallest result, for each tile
  none,            ///< no transform
  delta,           ///< each byte minus the one `stride` before it
  planes,          ///< groups bytes at the same position in elements of `stride` bytes
  delta_planes,    ///< delta, then planes
  zigzag_planes,   ///< zigzag-coded differences of 16-bit numbers, in planes; `stride` is even
  zigzag2_planes,  ///< the same with second differences
  zigzag3_planes,  ///< the same with third differences
  colour_planes,   ///< pixels of `stride` bytes, 3 or 4: blue and red minus green, then delta_planes
  bc1,             ///< groups the fields of texture blocks of this format, to bc7
  bc2,
  bc3,
  bc4,
  bc5,
  bc7,  ///< BC6H and BC7
};

/// Name as the gstd command takes it, e.g. "delta-planes". Null if the value is invalid.
WEFT_API const char* name_of(TileFilter filter) noexcept;

/// Thread pool of the caller.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Calls task(0) to task(count - 1), each at most once, on any threads. Returns when all calls have returned.
  ///
  /// - Tasks do not throw and do not wait for each other.
  /// - Tasks may be left out: the calling thread does their work.
  /// - A thread that decodes keeps 0.4 MiB until it ends.
  virtual void run(uint32_t count, const std::function<void(uint32_t)>& task) = 0;
};

struct CompressConfig {
  /// kMinLevel (fastest) to kMaxLevel (smallest), but not 0.
  int level = kDefaultLevel;
  /// Unit of independent decoding: a power of two, kMinTileBytes to kMaxTileBytes.
  uint32_t tile_bytes = kDefaultTileBytes;
  /// Content of a segment, which a Compressor buffers: a multiple of tile_bytes.
  uint32_t segment_bytes = kDefaultSegmentBytes;
  TileFilter filter = TileFilter::automatic;
  /// 1 to 128 for filters delta to colour_planes. 0: 1 for delta, 3 for colour_planes, else 4.
  uint32_t stride = 0;
  /// Decoding time against size, 0 to kMaxDecodeWeight. 0: size alone.
  /// More gives fewer sequences, which take a device longer than literals, and larger streams.
  /// Levels below 13 ignore it.
  uint32_t decode_weight = 1;
  /// Whether literals may be coded by context.
  bool contexts = true;
  /// 4 bytes a tile: each tile can be verified on its own.
  bool tile_checksums = true;
  /// 4 bytes a stream. A small stream, of one tile of at most 64 KiB, has its tile's checksum for both.
  bool stream_checksum = true;
  /// Threads that encode, the caller's included. 0: as many as the machine runs at once.
  /// Started when there are tiles for them, kept as long as the call's object.
  uint32_t threads = 1;
  /// If not null, runs the work in at most `threads` tasks; no thread is started. Must outlive the object or call.
  Executor* executor = nullptr;
};

/// Reason why a stream was refused.
enum class Fault : uint8_t {
  none,
  truncated,        ///< the stream continues past the last byte given
  not_gstd,         ///< no magic number at the start of a stream
  unknown_version,  ///< the version is not kFormatVersion
  unknown_feature,  ///< a flag, shared tables or a dictionary that version 2 does not have
  bad_header,       ///< a field of a segment's header has an invalid value
  header_checksum,  ///< a segment's header is damaged
  bad_sequence,     ///< a segment does not follow the one before it
  bad_table,        ///< a tile table with inconsistent entries
  table_checksum,   ///< a segment's tables are damaged
  bad_tile,         ///< an invalid tile; the message has the reason
  bad_padding,      ///< padding bytes that are not zero
  tile_checksum,    ///< a tile is damaged
  stream_checksum,  ///< tiles are missing, out of order or damaged
  over_limit,       ///< more content than the caller allows
};

/// The enumerator's name, e.g. "tile_checksum".
WEFT_API const char* name_of(Fault fault) noexcept;

/// A fault and the byte position in the stream where it was detected.
struct Verdict {
  Fault fault = Fault::none;
  uint64_t position = 0;

  bool operator==(const Verdict&) const = default;
};

struct DecompressConfig {
  /// Limit in bytes: a stream that declares or produces more is refused (over_limit) before it is decoded.
  /// Default: kDefaultMaxContent for `decompress`, the output's size for `decompress_to`, none for other calls, whose
  /// memory does not grow with the content.
  std::optional<uint64_t> max_content;
  /// Whether checksums of tiles and streams are compared, if present.
  bool verify = true;
  /// Whether to use the scalar reference decoder: slow, same results.
  bool reference = false;
  /// As in CompressConfig.
  uint32_t threads = 1;
  Executor* executor = nullptr;
  /// If not null, every call that reads a stream writes it. Must outlive the object or call.
  Verdict* verdict = nullptr;
};

/// Upper bound on the size of a stream of `content_bytes`; UINT64_MAX if it exceeds 64 bits.
/// Errors: invalid_argument (invalid configuration).
WEFT_API Result<uint64_t> compress_bound(uint64_t content_bytes, const CompressConfig& config = {}) noexcept;

/// Compresses `content`, which may be empty, into one stream.
/// The stream is the same for any number of threads, and from a Compressor with `content_bytes` given.
/// Errors: invalid_argument (invalid configuration).
WEFT_API Result<std::vector<std::byte>> compress(std::span<const std::byte> content,
                                                 const CompressConfig& config = {}) noexcept;

/// Writes the same stream to `output` and returns its size. compress_bound() bytes always suffice.
/// Errors: as compress, and over_limit if the output is too small, which leaves it undefined.
WEFT_API Result<uint64_t> compress_to(std::span<const std::byte> content, std::span<std::byte> output,
                                      const CompressConfig& config = {}) noexcept;

/// Returns the content of one stream or of several, one after the other.
/// All headers are checked before any tile is decoded: with several faults, the verdict may be of a later header, where
/// a Decompressor's is of an earlier tile.
WEFT_API Result<std::vector<std::byte>> decompress(std::span<const std::byte> stream,
                                                   const DecompressConfig& config = {}) noexcept;

/// Writes the content to `output` and returns its size.
/// Errors: as decompress, and over_limit if the output is too small. After an error, the output is undefined.
WEFT_API Result<uint64_t> decompress_to(std::span<const std::byte> stream, std::span<std::byte> output,
                                        const DecompressConfig& config = {}) noexcept;

/// Returns the content size that the headers declare. Reads headers only.
WEFT_API Result<uint64_t> decompressed_size(std::span<const std::byte> stream,
                                            const DecompressConfig& config = {}) noexcept;

/// Contents of the headers and tables of one stream or of several, one after the other.
struct StreamInfo {
  uint64_t streams = 0;
  /// Before, between and after streams; their bytes are skipped.
  uint64_t skippable_frames = 0;
  uint64_t segments = 0;
  /// Tiles stored uncompressed.
  uint64_t raw_tiles = 0;
  /// Tiles of four repeated bytes.
  uint64_t fill_tiles = 0;
  uint64_t compressed_tiles = 0;
  uint64_t content_bytes = 0;
  uint64_t stream_bytes = 0;
  /// Smallest tile size of all streams.
  uint32_t least_tile_bytes = 0;
  /// Largest tile size of all streams.
  uint32_t most_tile_bytes = 0;
  /// Whether all streams have tile checksums.
  bool tile_checksums = false;
  /// Whether all streams have a stream checksum.
  bool stream_checksum = false;

  uint64_t tiles() const noexcept { return raw_tiles + fill_tiles + compressed_tiles; }
};

/// Reads all of `to` from byte `position` of a stream that is not in memory. Called on the calling thread.
/// If it returns an error, the call that needed the bytes returns that error. If it throws, system_error.
using ReadAt = std::function<Status(uint64_t position, std::span<std::byte> to)>;

/// Reads and checks all headers and tables, but no tile.
WEFT_API Result<StreamInfo> inspect(std::span<const std::byte> stream, const DecompressConfig& config = {}) noexcept;
WEFT_API Result<StreamInfo> inspect(const ReadAt& read, uint64_t stream_bytes,
                                    const DecompressConfig& config = {}) noexcept;

/// Random access to the content. Headers and tables are read once.
class WEFT_API Reader {
 public:
  /// Reads and checks all headers and tables. The stream is not copied and must outlive the reader.
  static Result<Reader> open(std::span<const std::byte> stream, const DecompressConfig& config = {}) noexcept;
  /// The same for a stream that is read on demand. Keeps the tables: at most 8 bytes a tile.
  static Result<Reader> open(ReadAt read, uint64_t stream_bytes, const DecompressConfig& config = {}) noexcept;
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  const StreamInfo& info() const noexcept;

  /// Writes bytes [first, first + output.size()) of the content to `output`.
  ///
  /// - Decodes the tiles with any of these bytes and compares their checksums.
  /// - Reads at most 16 MiB at a time.
  /// - With one thread, repeating a call does not allocate.
  /// - An error does not affect later calls.
  /// - Errors: invalid_argument with Fault::none, if the content is shorter.
  Status read(uint64_t first, std::span<std::byte> output) noexcept;

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// Reads one range, as a Reader, but reads headers only up to the range's end, and tables only where the range is.
WEFT_API Status decompress_range(std::span<const std::byte> stream, uint64_t first, std::span<std::byte> output,
                                 const DecompressConfig& config = {}) noexcept;
WEFT_API Status decompress_range(const ReadAt& read, uint64_t stream_bytes, uint64_t first, std::span<std::byte> output,
                                 const DecompressConfig& config = {}) noexcept;

/// Receives output bytes in order, on the calling thread. The bytes are invalid after the call.
/// If it returns an error, the work ends, and the call returns that error. If it throws, system_error.
using Sink = std::function<Status(std::span<const std::byte>)>;

/// Compresses content in pieces, or whole streams one after the other. Keeps threads and memory between streams.
/// Memory: a segment's compressed bytes, and per thread up to some 150 times a tile's, at level 22.
class WEFT_API Compressor {
 public:
  /// `content_bytes`: size of the content, if known; headers then declare it. Errors: invalid_argument.
  static Result<Compressor> create(const CompressConfig& config = {},
                                   std::optional<uint64_t> content_bytes = std::nullopt) noexcept;
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  /// Appends content, and passes finished segments to the sink. The stream does not depend on the pieces.
  /// After an error of write, flush or finish, all of them return that error until reset().
  /// Further errors: invalid_argument (more than was declared, or after finish).
  Status write(std::span<const std::byte> content, const Sink& sink) noexcept;

  /// Takes the stream's first content without encoding it: the caller has the finished segments of it, of the same
  /// configuration and size, and goes on after them. All calls together take a multiple of segment_bytes.
  /// Further errors: invalid_argument (no multiple of tile_bytes, or after write).
  Status skip(std::span<const std::byte> content) noexcept;

  /// Ends the segment and passes it to the sink.
  /// Content of at least one byte and at most a tile stays for the next one.
  /// Each segment takes 60 bytes: compress_bound() does not count those of flushes.
  /// Further errors: invalid_argument (after finish).
  Status flush(const Sink& sink) noexcept;

  /// Ends the stream. Further errors: invalid_argument (less than was declared, or a second time).
  Status finish(const Sink& sink) noexcept;

  /// Begins another stream. Drops unfinished content and an error.
  Status reset(std::optional<uint64_t> content_bytes = std::nullopt) noexcept;

  /// compress_to with this object's threads and memory, then reset(). Independent of what was written before.
  /// With one thread, repeating a call does not allocate, except what libzstd allocates and frees for each tile.
  Result<uint64_t> compress_to(std::span<const std::byte> content, std::span<std::byte> output) noexcept;

 private:
  struct State;
  explicit Compressor(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// Decompresses streams in pieces, of one stream or several one after the other, or whole streams at once.
/// Keeps threads and memory between streams. Memory: a segment's tables (at most 1 MiB), and some tiles per thread.
class WEFT_API Decompressor {
 public:
  static Result<Decompressor> create(const DecompressConfig& config = {}) noexcept;
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  /// Appends bytes of the stream, and passes content to the sink.
  ///
  /// - If the stream is corrupt, the sink has received all tiles before the first bad one (all but the last tile, if a
  ///   stream's checksum is wrong), for any number of threads and any pieces.
  /// - After an error of write or finish, both return that error until reset().
  /// - Further errors: invalid_argument (after finish).
  Status write(std::span<const std::byte> stream, const Sink& sink) noexcept;

  /// Ends the input. Passes remaining whole tiles of a truncated stream to the sink.
  /// Errors: corrupt_stream (Fault::truncated) if a stream is incomplete or absent; invalid_argument (a second time).
  Status finish(const Sink& sink) noexcept;

  /// Begins again. Drops unfinished input and an error.
  void reset() noexcept;

  /// decompress_to with this object's threads and memory, then reset(). Independent of what was written before.
  /// With one thread, repeating a call does not allocate.
  Result<uint64_t> decompress_to(std::span<const std::byte> stream, std::span<std::byte> output) noexcept;

 private:
  struct State;
  explicit Decompressor(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace weft::gstd
