// SPDX-License-Identifier: MIT OR Apache-2.0
#include "zst_info.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_getFrameHeader
#include <zstd.h>

namespace gstd_tool {

using weft::Error;
using weft::ErrorCode;
using weft::Result;
using weft::Status;

namespace {

// A file that is read a stretch at a time, as blocks may be few bytes each.
class Stretch {
 public:
  Stretch(const Input& input, uint64_t bytes) : input_(input), end_(bytes) {}

  /// Up to `wanted` bytes from a position on; fewer only at the end.
  Result<std::span<const std::byte>> at(uint64_t position, size_t wanted) {
    wanted = static_cast<size_t>(std::min<uint64_t>(wanted, end_ - position));
    if (position < from_ || position + wanted > from_ + bytes_) {
      from_ = position;
      bytes_ = static_cast<size_t>(std::min<uint64_t>(room_.size(), end_ - position));
      if (const Status status = input_.read_at(from_, std::span(room_).first(bytes_)); !status) return status.error();
    }
    return std::span<const std::byte>(room_).subspan(static_cast<size_t>(position - from_), wanted);
  }

 private:
  const Input& input_;
  std::array<std::byte, 4096> room_;
  uint64_t from_ = 0, end_;
  size_t bytes_ = 0;
};

class Walk {
 public:
  Walk(const Input& input, uint64_t bytes) : file_(input, bytes), end_(bytes) { info_.compressed_bytes = bytes; }

  Result<ZstInfo> run() {
    info_.content_bytes = 0;
    if (end_ == 0) return error("it is cut off");
    while (at_ < end_) {
      frame_at_ = at_;
      if (Status status = walk_frame(); !status) return status.error();
    }
    info_.checksums = info_.checksums && info_.frames != 0;
    return info_;
  }

 private:
  Error error(const char* reason) const {
    return {ErrorCode::corrupt_stream, "the frame at byte " + std::to_string(frame_at_) + ": " + reason};
  }

  Status move(uint64_t bytes) {
    if (bytes > end_ - at_) return error("it is cut off");
    at_ += bytes;
    return {};
  }

  Status walk_frame() {
    const auto bytes = file_.at(at_, ZSTD_FRAMEHEADERSIZE_MAX);
    if (!bytes) return bytes.error();
    ZSTD_frameHeader header;
    const size_t missing = ZSTD_getFrameHeader(&header, bytes->data(), bytes->size());
    if (ZSTD_isError(missing) != 0) return error(ZSTD_getErrorName(missing));
    if (missing != 0) return error("it is cut off");
    if (header.frameType == ZSTD_skippableFrame) {
      ++info_.skippable_frames;
      return move(ZSTD_SKIPPABLEHEADERSIZE + header.frameContentSize);
    }
    ++info_.frames;
    info_.largest_window = std::max<uint64_t>(info_.largest_window, header.windowSize);
    info_.checksums = info_.checksums && header.checksumFlag != 0;
    if (header.frameContentSize == ZSTD_CONTENTSIZE_UNKNOWN)
      info_.content_bytes.reset();
    else if (info_.content_bytes)
      *info_.content_bytes += header.frameContentSize;
    if (Status status = move(header.headerSize); !status) return status;
    if (Status status = walk_blocks(); !status) return status;
    return move(header.checksumFlag != 0 ? 4 : 0);
  }

  Status walk_blocks() {
    for (bool is_last = false; !is_last;) {
      const auto bytes = file_.at(at_, 3);
      if (!bytes) return bytes.error();
      if (bytes->size() < 3) return error("it is cut off");
      uint32_t block = 0;
      for (size_t i = 0; i < 3; ++i) block |= std::to_integer<uint32_t>((*bytes)[i]) << 8 * i;
      is_last = (block & 1) != 0;
      const uint32_t kind = block >> 1 & 3;
      if (kind == 3) return error("a block's type is unknown");
      ++(kind == 0 ? info_.raw_blocks : kind == 1 ? info_.rle_blocks : info_.compressed_blocks);
      if (Status status = move(3 + (kind == 1 ? 1 : block >> 3)); !status) return status;
    }
    return {};
  }

  Stretch file_;
  uint64_t end_, at_ = 0, frame_at_ = 0;
  ZstInfo info_;
};

}  // namespace

Result<ZstInfo> inspect_zst(const Input& input, uint64_t bytes) { return Walk(input, bytes).run(); }

}  // namespace gstd_tool
