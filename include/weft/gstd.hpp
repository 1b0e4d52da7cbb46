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

/// Gstd: lossless compression in tiles that 32 lanes of a GPU decode in lock step, each tile alone. docs/gstd-format.md
/// is the format.
/// What is here runs on the host and needs no Vulkan.
///
/// Errors of every call that reads a stream:
/// - corrupt_stream: the bytes are no valid stream. The message has the byte position and the reason; a Verdict has
/// both for code.
/// - unsupported: the stream has a version or a feature that this library does not know.
/// - over_limit: there is more content than `max_content` or the output allows.
/// - invalid_argument: the caller's mistake, e.g. a range beyond the content or a write after finish.
/// Errors of every call: out_of_host_memory; system_error, if a callback of the caller's threw: the message is the
/// exception's.
/// No call throws.
///
/// Any bytes whatever may be given: nothing is read or written out of bounds, and work and memory are bounded by what
/// the stream's headers declare, which is bounded by its length and by the caller's limits.
///
/// Objects serve one call at a time, each on any thread.
namespace weft::gstd {

constexpr uint32_t kFormatVersion = 1;
constexpr int kMinLevel = 1, kMaxLevel = 22, kDefaultLevel = 3;
constexpr uint32_t kLeastTileBytes = 1u << 14, kMostTileBytes = 1u << 20, kDefaultTileBytes = 1u << 16;
constexpr uint32_t kLeastSegmentBytes = 1u << 20, kMostSegmentBytes = 1u << 30, kDefaultSegmentBytes = 1u << 26;
/// Most content that `decompress` allocates for unless `max_content` says otherwise. A stream of 3 KiB can declare as
/// much.
constexpr uint64_t kDefaultMaxContent = uint64_t{1} << 28;

/// What an encoder may do to a tile's bytes before it looks for matches; the decoder inverts it.
enum class TileFilter : uint8_t {
  automatic,       ///< for each tile whichever makes it small
  none,            ///< bytes as they are
  delta,           ///< each byte less the one `stride` before it
  planes,          ///< bytes at the same position in elements of `stride` bytes together
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

/// Threads that the caller owns.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Calls task(0) to task(count - 1), each at most once, on any threads, and returns when all that were called have
  /// returned.
  /// Tasks neither throw nor wait for each other. The calling thread does what is left by those that were not called.
  /// A thread that decodes keeps 0.4 MiB until it ends.
  virtual void run(uint32_t count, const std::function<void(uint32_t)>& task) = 0;
};

struct CompressConfig {
  /// kMinLevel (fast) to kMaxLevel (small). Levels up to 3 store tiles of at most 128 bytes as they are.
  int level = kDefaultLevel;
  /// What is decoded alone: a power of two, kLeastTileBytes to kMostTileBytes.
  uint32_t tile_bytes = kDefaultTileBytes;
  /// Content of a segment, which is what a Compressor holds back: a multiple of tile_bytes.
  uint32_t segment_bytes = kDefaultSegmentBytes;
  TileFilter filter = TileFilter::automatic;
  /// 1 to 128 for filters delta to colour_planes; 0: 1 for delta, 3 for colour_planes, else 4.
  uint32_t stride = 0;
  /// Whether the codes of literals may depend on what surrounds them.
  bool contexts = true;
  /// 4 bytes a tile: every tile can be verified alone.
  bool tile_checksums = true;
  /// 4 bytes a stream.
  bool stream_checksum = true;
  /// Threads that encode, the caller's among them; 0: as many as the machine runs at once.
  /// They are started when there are tiles for them, and kept as long as the object of the call.
  uint32_t threads = 1;
  /// If not null, it runs the work, in at most `threads` tasks, and no thread is started. It outlives the object or
  /// call.
  Executor* executor = nullptr;
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
  bad_sequence,     ///< a segment does not follow the one before it
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
  /// Bytes: a stream that declares or makes more is refused (over_limit) before it is decoded.
  /// Not set: kDefaultMaxContent for `decompress`, and the output's size for `decompress_to`. No limit for all others,
  /// whose memory does not grow with the content.
  std::optional<uint64_t> max_content;
  /// Whether checksums of tiles and streams are compared, where there are any.
  bool verify = true;
  /// Whether the scalar decoder that follows the document is used: slow, with the same results.
  bool reference = false;
  /// As in CompressConfig.
  uint32_t threads = 1;
  /// As in CompressConfig.
  Executor* executor = nullptr;
  /// If not null, every call that reads a stream writes it. It outlives the object or call.
  Verdict* verdict = nullptr;
};

/// Most bytes that a stream of so much content takes, or UINT64_MAX if that is not a number of 64 bits.
/// Errors: invalid_argument (a configuration out of its ranges).
Result<uint64_t> compress_bound(uint64_t content_bytes, const CompressConfig& config = {}) noexcept;

/// Returns a stream of all of `content`, which may be empty.
/// The stream is the same for any number of threads, and from a Compressor that is given the number of bytes.
/// Errors: invalid_argument (a configuration out of its ranges).
Result<std::vector<std::byte>> compress(std::span<const std::byte> content, const CompressConfig& config = {}) noexcept;

/// Writes that stream to `output` and returns its size. Room for compress_bound() is always enough.
/// Errors also: over_limit, if the output is too small; its bytes are undefined then.
Result<uint64_t> compress_to(std::span<const std::byte> content, std::span<std::byte> output,
                             const CompressConfig& config = {}) noexcept;

/// Returns the content of one stream or of several, one after the other.
/// All headers are checked before any tile is decoded: of several faults the verdict may be a later header's, where a
/// Decompressor's is an earlier tile's.
Result<std::vector<std::byte>> decompress(std::span<const std::byte> stream,
                                          const DecompressConfig& config = {}) noexcept;

/// Writes the content to `output` and returns its size.
/// Errors also: over_limit, if the output is too small. After an error the output's bytes are undefined.
Result<uint64_t> decompress_to(std::span<const std::byte> stream, std::span<std::byte> output,
                               const DecompressConfig& config = {}) noexcept;

/// Returns the bytes of content that the headers declare. Reads headers alone.
Result<uint64_t> decompressed_size(std::span<const std::byte> stream, const DecompressConfig& config = {}) noexcept;

/// What headers and tables say of one stream or of several, one after the other.
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

/// Reads all of `to` from a byte position of a stream that is not in memory, or returns why not. Called on the calling
/// thread.
/// The call that needed the bytes returns that error; if it throws, system_error with the exception's message.
using ReadAt = std::function<Status(uint64_t position, std::span<std::byte> to)>;

/// Reads and checks all headers and tables, and no tile.
Result<StreamInfo> inspect(std::span<const std::byte> stream, const DecompressConfig& config = {}) noexcept;
Result<StreamInfo> inspect(const ReadAt& read, uint64_t stream_bytes, const DecompressConfig& config = {}) noexcept;

/// Reads ranges of the content. Headers and tables are read once.
class Reader {
 public:
  /// Reads and checks all headers and tables. The stream's bytes are not copied and outlive the reader.
  static Result<Reader> open(std::span<const std::byte> stream, const DecompressConfig& config = {}) noexcept;
  /// Of a stream that is read where it is needed. Keeps the tables, which are at most 8 bytes a tile.
  static Result<Reader> open(ReadAt read, uint64_t stream_bytes, const DecompressConfig& config = {}) noexcept;
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  const StreamInfo& info() const noexcept;

  /// Writes bytes [first, first + output.size()) of the content to `output`.
  /// Decodes the tiles that have any of them, and compares the checksums of these. Reads at most 16 MiB, or a tile, at
  /// a time.
  /// With one thread, a call like one before allocates nothing. An error is that call's alone.
  /// Errors: invalid_argument with Fault::none, if there is not so much content.
  Status read(uint64_t first, std::span<std::byte> output) noexcept;

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// One range of a stream: as by a Reader, but headers are read up to the range's end alone, and tables where it lies.
Status decompress_range(std::span<const std::byte> stream, uint64_t first, std::span<std::byte> output,
                        const DecompressConfig& config = {}) noexcept;
Status decompress_range(const ReadAt& read, uint64_t stream_bytes, uint64_t first, std::span<std::byte> output,
                        const DecompressConfig& config = {}) noexcept;

/// Takes bytes in the order they have in the output, which are not kept after the call. Called on the calling thread.
/// If it returns an error, that ends the work and is handed on; if it throws, system_error with the exception's message
/// does.
using Sink = std::function<Status(std::span<const std::byte>)>;

/// Compresses content that comes piece by piece, or whole streams one after the other. Keeps threads and memory from
/// one to the next.
/// Memory: a segment's compressed bytes, and in each thread up to some 150 times a tile's, at level 22.
class Compressor {
 public:
  /// `content_bytes`: how many there will be, if that is known; headers then declare it. Errors: invalid_argument.
  static Result<Compressor> create(const CompressConfig& config = {},
                                   std::optional<uint64_t> content_bytes = std::nullopt) noexcept;
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  /// Takes content, and gives the sink the segments that are finished. The stream does not depend on the pieces.
  /// After an error of write or finish, both return that error until reset().
  /// Errors also: invalid_argument (more than was declared, or after finish).
  Status write(std::span<const std::byte> content, const Sink& sink) noexcept;

  /// Ends the stream. Errors also: invalid_argument (less than was declared, or a second time).
  Status finish(const Sink& sink) noexcept;

  /// Begins another stream: drops what was written, and an error.
  Status reset(std::optional<uint64_t> content_bytes = std::nullopt) noexcept;

  /// compress_to, by what the compressor keeps, then as reset(). It does not depend on what was written before.
  /// With one thread, a call like one before allocates nothing but what libzstd takes and frees for each tile.
  Result<uint64_t> compress_to(std::span<const std::byte> content, std::span<std::byte> output) noexcept;

 private:
  struct State;
  explicit Compressor(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// Decompresses content that comes piece by piece, of one stream or several one after the other, or whole streams at
/// once. Keeps threads and memory from one to the next. Memory: a segment's tables (at most 1 MiB), and some tiles a
/// thread.
class Decompressor {
 public:
  static Result<Decompressor> create(const DecompressConfig& config = {}) noexcept;
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  /// Takes bytes of the stream, and gives the sink content.
  /// If the stream is corrupt, the sink has been given all tiles before the first bad one, whatever the number of
  /// threads and the pieces. (Where a stream's checksum is wrong, all but the last tile.)
  /// After an error of write or finish, both return that error until reset().
  /// Errors also: invalid_argument (after finish).
  Status write(std::span<const std::byte> stream, const Sink& sink) noexcept;

  /// Says that there is no more. Gives the sink whole tiles that are left of a stream that is cut off.
  /// Errors: corrupt_stream (Fault::truncated), if a stream has not ended or has not begun; invalid_argument (a second
  /// time).
  Status finish(const Sink& sink) noexcept;

  /// Begins anew: drops what was written, and an error.
  void reset() noexcept;

  /// decompress_to, by what the decompressor keeps, then as reset(). It does not depend on what was written before.
  /// With one thread, a call like one before allocates nothing.
  Result<uint64_t> decompress_to(std::span<const std::byte> stream, std::span<std::byte> output) noexcept;

 private:
  struct State;
  explicit Decompressor(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace weft::gstd
