// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/gstd.hpp>
#include <weft/status.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Packs: many files in one, each readable by one read. Format: docs/pack-format.md. Needs no Vulkan.
///
/// Errors of every call that reads a pack:
/// - corrupt_stream: invalid pack. The message, and a Verdict, have the byte position in the pack and the reason.
/// - unsupported: the pack's version is unknown to this library.
/// - The errors of the callbacks, unchanged.
///
/// Errors of every call: out_of_host_memory; system_error if a callback threw.
///
/// - No call throws, but those that are not noexcept: std::bad_alloc.
/// - Results, errors, lifetime, threads: docs/integration.md.
/// - Safe for untrusted data: nothing is accessed out of bounds, and work and memory are bounded by the pack's length.
namespace weft::pack {

constexpr uint32_t kFormatVersion = 1;
/// Every asset begins at a multiple of it in the pack, as every range does that is not within one such block.
constexpr uint32_t kBlockBytes = 4096;
/// Position of the first asset: two header slots of a block each come before it.
constexpr uint64_t kPayloadAt = 2 * uint64_t{kBlockBytes};
constexpr size_t kMaxPathBytes = 4095;
/// Ranges of an asset; Range::level of one that is no level.
constexpr uint32_t kMaxRanges = 33, kNoLevel = UINT32_MAX;

/// What an asset's stored bytes are.
enum class Kind : uint8_t {
  raw,       ///< the content as it is
  gstd,      ///< at least one range is a Gstd stream
  zst,       ///< as it is: the content is a file of Zstandard
  gdeflate,  ///< as it is: the content is a file of GDeflate
  ktx2,      ///< as it is: the content is a supercompressed KTX2 file
};

/// How a range's content is stored.
enum class Coding : uint8_t { raw, gstd };

enum class ImageFile : uint8_t { none, dds, ktx2 };

/// The enumerator's name. Null if the value is invalid.
WEFT_API const char* name_of(Kind kind) noexcept;
WEFT_API const char* name_of(ImageFile file) noexcept;

/// Description of an image, from its file's header. All zero if the asset is none.
struct Image {
  ImageFile file = ImageFile::none;
  /// VkFormat. 0 if the header's format has no counterpart.
  uint32_t vk_format = 0;
  uint32_t width = 0, height = 0, depth = 0;
  uint32_t levels = 0;
  /// Array layers, without the faces of a cube.
  uint32_t layers = 0;
  /// 6 for cubes, else 1.
  uint32_t faces = 0;

  bool operator==(const Image&) const = default;
};

/// A part of an asset's content, stored by itself: all of it, an image file's bytes before its levels, or one level.
struct Range {
  /// In the pack.
  uint64_t position = 0;
  uint64_t stored_bytes = 0;
  /// In the asset's content, of the first slice.
  uint64_t content_offset = 0;
  /// Content bytes of each slice.
  uint64_t slice_bytes = 0;
  /// XXH3-64 of the stored bytes.
  uint64_t stored_hash = 0;
  /// Mip level, 0 the largest, or kNoLevel.
  uint32_t level = kNoLevel;
  Coding coding = Coding::raw;
  /// Of a Gstd stream: bytes of its first segment's header and tables, which are at its beginning, and tile size.
  uint32_t table_bytes = 0;
  uint32_t tile_bytes = 0;

  bool operator==(const Range&) const = default;
};

/// One file of a pack.
struct Entry {
  /// Refers to the reader's directory.
  std::string_view path;
  /// XXH3-64.
  uint64_t path_hash = 0;
  uint64_t content_hash = 0;
  uint64_t content_bytes = 0;
  /// From the first range's beginning to the last one's end: one read has the asset.
  uint64_t position = 0;
  uint64_t stored_bytes = 0;
  Kind kind = Kind::raw;
  Image image;
  /// Pieces of content that each level consists of: one for each layer and face. 0 if no range is a level.
  uint32_t slices = 0;
  uint32_t first_range = 0, range_count = 0;
};

/// Reason why a pack was refused.
enum class Fault : uint8_t {
  none,
  truncated,           ///< the pack continues past the last byte given
  not_pack,            ///< no header slot begins with the magic number
  unknown_version,     ///< the version is not kFormatVersion
  header_checksum,     ///< no header slot is undamaged
  bad_header,          ///< a field of the header has an invalid value
  directory_checksum,  ///< the directory is damaged
  bad_entry,           ///< a field of an entry has an invalid value
  bad_path,            ///< an empty, absolute or escaping path, or one that is not UTF-8
  bad_range,           ///< a field of a range has an invalid value, or an asset's ranges do not make up its content
  overlap,             ///< two assets share bytes of the pack
  stored_hash,         ///< a range's stored bytes are damaged
  bad_stream,          ///< a range's Gstd stream is invalid or of another size
  content_hash,        ///< an asset's content is damaged
};

/// The enumerator's name, e.g. "bad_range".
WEFT_API const char* name_of(Fault fault) noexcept;

/// A fault and its byte position in the pack.
struct Verdict {
  Fault fault = Fault::none;
  uint64_t position = 0;

  bool operator==(const Verdict&) const = default;
};

using gstd::ReadAt;
using gstd::Sink;

struct ReadConfig {
  /// Threads that decode a range, the caller's included.
  uint32_t threads = 1;
  /// If not null, the call writes it. Must outlive the call.
  Verdict* verdict = nullptr;
};

/// XXH3-64 of bytes, by which paths and contents are named.
WEFT_API uint64_t hash_of(std::span<const std::byte> bytes) noexcept;
WEFT_API uint64_t hash_of(std::string_view text) noexcept;
/// The same of `bytes` bytes that are read in pieces of 1 MiB. Errors: those of the callback.
WEFT_API Result<uint64_t> hash_of(const ReadAt& read, uint64_t bytes) noexcept;

/// Why a text is no path of a pack, or an empty text.
WEFT_API std::string fault_of_path(std::string_view path);

/// An opened pack. Const calls may run at once on several threads, if the callback may.
class WEFT_API PackReader {
 public:
  /// Reads and checks headers and directory, but no asset. The pack is not copied and must outlive the reader.
  static Result<PackReader> open(std::span<const std::byte> pack, Verdict* verdict = nullptr) noexcept;
  /// The same for a pack that is read on demand: kPayloadAt bytes, then the directory, which is kept.
  static Result<PackReader> open(ReadAt read, uint64_t pack_bytes, Verdict* verdict = nullptr) noexcept;
  /// The same for a header slot and a directory that the caller has read, of a pack of `pack_bytes`. Neither is copied
  /// and both must outlive the reader. Calls that read assets return invalid_argument.
  static Result<PackReader> open(std::span<const std::byte> header_slot, std::span<const std::byte> directory,
                                 uint64_t pack_bytes, Verdict* verdict = nullptr) noexcept;
  ~PackReader();
  PackReader(PackReader&&) noexcept;
  PackReader& operator=(PackReader&&) noexcept;

  /// Entries, in the order of their path hashes.
  uint32_t size() const noexcept;
  /// Precondition: index < size().
  Entry entry(uint32_t index) const noexcept;
  /// Precondition: index < entry.range_count. Ranges are in the order of their positions: first what precedes an
  /// image's levels, then levels from the smallest to the largest.
  Range range(const Entry& entry, uint32_t index) const noexcept;

  /// Binary search: O(log size()).
  std::optional<Entry> find(std::string_view path) const noexcept;
  /// No two paths of a pack have the same hash.
  std::optional<Entry> find_hash(uint64_t path_hash) const noexcept;

  /// Number of the pack's state: 1, and one more after each update.
  uint64_t generation() const noexcept;
  /// Bytes of the pack. What follows is left of an update that was interrupted.
  uint64_t pack_bytes() const noexcept;
  uint64_t directory_bytes() const noexcept;

  /// Passes the asset's content to the sink, in order, in pieces, and compares its hash at the end.
  Status extract(const Entry& entry, const Sink& sink, const ReadConfig& config = {}) const noexcept;
  /// Writes one range's content: the slices of a level, tightly packed.
  /// `output` has the range's content bytes: slice_bytes, times entry.slices for a level.
  /// Of a Gstd range the tiles' checksums are compared; of a raw range nothing is: read_stored() compares its hash.
  /// Further errors: invalid_argument (output of another size).
  Status extract(const Entry& entry, const Range& range, std::span<std::byte> output,
                 const ReadConfig& config = {}) const noexcept;
  /// Passes the asset's stored bytes to the sink, in order, in pieces of up to 1 MiB, and compares its ranges' hashes.
  /// Padding between ranges is passed as zeros.
  Status read_stored(const Entry& entry, const Sink& sink, const ReadConfig& config = {}) const noexcept;

 private:
  struct State;
  explicit PackReader(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// An asset to be written: what the directory says of it.
struct WEFT_API Asset {
  std::string path;
  uint64_t content_hash = 0;
  uint64_t content_bytes = 0;
  Kind kind = Kind::raw;
  Image image;
  uint32_t slices = 0;
  std::vector<Range> ranges;

  /// From the first range's beginning to the last one's end; 0 without ranges.
  uint64_t stored_bytes() const noexcept;
  /// Adds to the positions of ranges.
  void move_by(uint64_t bytes) noexcept;
};

/// An entry of a reader as an asset.
WEFT_API Asset asset_of(const PackReader& reader, const Entry& entry);

/// Receives stored bytes, in order.
class Payload {
 public:
  virtual ~Payload() = default;
  virtual Status write(std::span<const std::byte> bytes) = 0;
  /// Drops everything but the first `bytes` bytes written.
  virtual Status rewind(uint64_t bytes) = 0;
};

/// How far the encoding of a long asset has come. Another run may go on from there.
struct Checkpoint {
  /// gstd: the first bytes are encoded. raw: it has shown that the content does not get smaller, and all is written
  /// again as it is; the content's size and hash are those of all of it, and nothing is stored.
  Coding coding = Coding::gstd;
  uint64_t content_bytes = 0, content_hash = 0;
  uint64_t stored_bytes = 0, stored_hash = 0;
};

/// How an asset's encoding is interrupted and gone on with.
struct Resume {
  /// Called at the ends of segments, with everything written that it names. May be empty.
  std::function<Status(const Checkpoint&)> reached{};
  /// Where to go on, if given: the payload has its stored bytes already, which `stored` reads. If they or the content
  /// are not what they were, rewind(0), and everything is encoded.
  std::optional<Checkpoint> from{};
  ReadAt stored{};
};

/// Encodes assets. Keeps a compressor between them.
/// The result depends on content, path and configuration, not on threads.
class WEFT_API AssetEncoder {
 public:
  /// Errors: invalid_argument.
  static Result<AssetEncoder> create(const gstd::CompressConfig& config = {}) noexcept;
  ~AssetEncoder();
  AssetEncoder(AssetEncoder&&) noexcept;
  AssetEncoder& operator=(AssetEncoder&&) noexcept;

  /// Reads content and writes what is stored.
  ///
  /// - Positions count from the asset's first byte, which is to lie at a multiple of kBlockBytes.
  /// - The content must not change meanwhile.
  /// - Content of several ranges is read twice, as is a range that Gstd does not make smaller.
  /// - Memory does not grow with the content.
  /// - `resume`: for assets of one range. What is stored does not depend on it.
  /// - Errors: invalid_argument if the path is invalid; those of callbacks.
  Result<Asset> encode(std::string path, const ReadAt& read, uint64_t content_bytes, Payload& to,
                       const Resume& resume = {}) noexcept;

 private:
  struct State;
  explicit AssetEncoder(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// What ends a pack: to be written in this order, the slot last, when the rest is on the disk.
struct PackEnd {
  uint64_t directory_position = 0;
  std::vector<std::byte> directory;
  /// 0 or kBlockBytes, by the generation.
  uint64_t slot_position = 0;
  /// kBlockBytes bytes.
  std::vector<std::byte> slot;
};

/// Makes directory and header of a pack with these assets, in any order, whose payload ends at `payload_end`.
/// Errors: invalid_argument (invalid or equal paths, paths of equal hash, assets that a reader would refuse).
WEFT_API Result<PackEnd> end_pack(std::span<const Asset> assets, uint64_t payload_end,
                                  uint64_t generation = 1) noexcept;

}  // namespace weft::pack
