// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft {

/// Entry of a frame table in a device buffer: 24 bytes, little-endian.
struct ZstdFrame {
  /// Byte position of the frame in `source`. Any alignment.
  uint64_t source = 0;
  /// Byte position of its content in `output`. Any alignment.
  uint64_t output = 0;
  /// Size of the frame, which is one of RFC 8878: Zstandard, with its checksum, or skippable.
  uint32_t bytes = 0;
  /// Room for the content: its size or an upper bound. What is above kMaxZstdContent counts as that.
  uint32_t capacity = 0;
};
static_assert(sizeof(ZstdFrame) == 24);

/// The largest content of a frame in bytes.
inline constexpr uint32_t kMaxZstdContent = 0x7fff0000;

/// Why a frame was refused: its status.
enum class ZstdRefusal : uint32_t {
  none,
  inexact,             ///< breaks a rule of RFC 8878 that not every libzstd checks
  truncated,           ///< bytes past the last are needed, or follow the frame
  bad_header,          ///< of the frame or of a block
  bad_table,           ///< a code that is incomplete or missing
  bad_literals,        ///< sizes or streams of literals
  bad_sequences,       ///< more literals than there are, or no streams of sequences
  bad_offset,          ///< a match from before the frame, or from 255.5 MiB before or more
  bad_size,            ///< content of another size than the frame declares, or larger than its room
  checksum,            ///< the content does not match the checksum
  dictionary,          ///< the frame needs another dictionary, or the call's is corrupt
  too_many_blocks,     ///< more than ZstdBounds has
  too_many_literals,   ///< likewise
  too_many_sequences,  ///< likewise
  bad_entry,           ///< of the table: outside the ranges
  unfinished,          ///< the device has ended a shader early, as lavapipe does
};

/// Returns "none", "inexact" ...; "unknown" for other values.
WEFT_API const char* name_of(ZstdRefusal refusal) noexcept;

/// What all frames of a call have in sum, at most. zstd_frames() counts it.
struct ZstdBounds {
  /// Blocks of any type, each with 14.4 KiB of scratch. At most 2^28.
  uint64_t blocks = 0;
  /// Bytes of literals, but for raw ones. No more than the content.
  uint64_t literals = 0;
  /// Sequences, each with 8 bytes of scratch. No more than a third of the content.
  uint64_t sequences = 0;
};

struct ZstdDecodeConfig {
  /// Whether checksums are compared. If false, they are not read.
  bool verify = true;
  /// Whether calls have a dictionary.
  bool dictionary = false;
};

/// The largest dictionary in bytes.
inline constexpr uint32_t kMaxZstdDictionary = 1u << 27;

/// Arguments of ZstdDecode::record. No range that is written may overlap another one, or a count on the device.
struct ZstdDecodeArgs {
  /// `frame_count` entries ZstdFrame, 8-byte aligned.
  BufferRange frames;
  /// At most 2^24.
  Count frame_count;
  /// Bytes of any number of frames, 4-byte aligned, of a size that is a multiple of 4.
  BufferRange source;
  /// Receives the content. Any alignment.
  BufferRange output;
  /// 1 + `frame_count` u32, 4-byte aligned: the number of refused frames is added to the first; then a status a frame.
  BufferRange status;
  /// Optional. `frame_count` u32, 4-byte aligned: receives the size of each frame's content, 0 if it was refused.
  BufferRange sizes;
  /// scratch_size(frame_count.maximum(), bounds) bytes, 16-byte aligned.
  BufferRange scratch;
  ZstdBounds bounds;
  /// The dictionary of all frames if ZstdDecodeConfig::dictionary, 4-byte aligned: a trained one (RFC 8878, section 5),
  /// or bytes that precede each content. Else it must be empty.
  /// The size is that of the dictionary, 1 to kMaxZstdDictionary.
  BufferRange dictionary;
};

/// Decodes frames of Zstandard (RFC 8878), many at once.
///
///     output[frame.output + i] = content(frame)[i]      for i < size of the content
///     status[0] += frames refused,  status[1 + f] = ZstdRefusal,  sizes[f] = size of the content
///
/// - Frames may be of any number of streams and files. zstd_frames() makes the table of a stream.
/// - All types of blocks, literals and tables, any window, dictionaries, and frames without content size.
/// - status[0] is not cleared: the caller does that.
/// - Bytes around a frame's output, in the same words, keep their values.
/// - Bytes of a refused frame's output, and those where outputs of two frames overlap, are unspecified.
/// - If bounds are too small, which frames are refused for it is unspecified.
/// - All others, and statuses, are bit-identical on every run and device.
/// - Safe for untrusted data, table included: accesses nothing outside the ranges, writes only `output`, `status`,
///   `sizes` and `scratch`. The work of a frame is bounded by its bytes and by the content of its blocks.
/// - Verdicts are those of libzstd's ZSTD_decompress_usingDict, which decodes all that is decoded here. It may decode a
///   frame that is `inexact`: by version and processor, it does not check that streams end with their first bit, that
///   reserved bits are 0, the largest size of blocks, and that no offset is 0. The other exception is bad_offset.
/// - A frame is `unfinished` if the device does not run shaders to their end. lavapipe stops an invocation after 65,535
///   loop iterations, which frames of more than 64 KiB may take.
/// - Cost: reads the source once. Writes literals and 8 bytes a sequence to scratch and reads them. Writes the output
///   once and reads matches back, and reads it for a checksum. Eight dispatches, nine with `verify`; one less if the
///   bounds have no sequences.
/// - Frames are decoded side by side. Blocks of one frame are too, but for the copies of their matches, block after
///   block by 32 lanes; a checksum is computed by 4 lanes.
/// - Needs neither 8-bit storage nor shaderInt64.
/// - Subgroups have 32 lanes if the device supports that, whatever the Context's size.
/// - Barriers, lifetime, threads: docs/integration.md.
class WEFT_API ZstdDecode {
 public:
  /// Builds the pipelines. Errors: out_of_{host,device}_memory, device_lost, driver_error.
  static Result<ZstdDecode> create(const Context& context, const ZstdDecodeConfig& config = {}) noexcept;

  /// Scratch bytes that suffice for any call with at most `frames` frames within `bounds`.
  VkDeviceSize scratch_size(uint64_t frames, const ZstdBounds& bounds) const noexcept;

  /// Records the decoding; nothing if there are no frames. Does not allocate, submit or wait.
  /// Errors (nothing is recorded): invalid_argument (null, misaligned, too small, overlapping, more than 2^24 frames or
  /// 2^28 blocks).
  Status record(VkCommandBuffer commands, const ZstdDecodeArgs& args) const noexcept;

 private:
  struct Plan;
  explicit ZstdDecode(std::shared_ptr<const Plan> plan);
  std::shared_ptr<const Plan> plan_;
};

/// A stream's frames.
struct ZstdTable {
  std::vector<ZstdFrame> frames;
  /// Exactly what the frames have.
  ZstdBounds bounds;
  /// The sum of all capacities.
  uint64_t output_bytes = 0;
};

/// Returns the table of a stream of frames, one after the other, skippable ones left out.
///
/// - `source`: byte position of the stream in the source range.
/// - `output`: byte position of the content in the output range. Each frame's follows the capacity of the one before.
/// - The capacity is the content size, or if the frame does not declare it, the sum of what its blocks may have.
/// - Reads headers of frames, blocks and sections only.
/// - Errors: corrupt_stream (bytes that are no frame, a frame of 4 GiB or of more than kMaxZstdContent).
WEFT_API Result<ZstdTable> zstd_frames(std::span<const std::byte> stream, uint64_t source, uint64_t output) noexcept;

}  // namespace weft
