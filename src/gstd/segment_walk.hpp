// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/gstd.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "gstd/container.hpp"
#include "gstd/source.hpp"

namespace weft::gstd {

/// Checks headers against each other, in order: those of one stream after the other.
class HeaderOrder {
 public:
  explicit HeaderOrder(uint64_t max_content) : max_content_(max_content) {}

  /// Reads and checks the header at `position`, of a segment or of a skippable frame. A segment's content then begins
  /// at content_at() of all content.
  std::optional<Refusal> next(std::span<const std::byte> bytes, uint64_t position);

  const SegmentHeader& header() const noexcept { return header_; }
  uint64_t content_at() const noexcept { return content_end_ - header_.content_bytes; }
  uint64_t content_end() const noexcept { return content_end_; }
  /// Whether the bytes may end here: at least one stream, and each is complete.
  bool may_end() const noexcept { return begun_ && header_.last(); }
  /// Of the skippable frame that was read last; 0 if that was a segment's header.
  uint64_t frame_bytes() const noexcept { return frame_bytes_; }
  uint64_t frames() const noexcept { return frames_; }
  bool first_of_stream() const noexcept { return header_.content_offset == 0; }

 private:
  uint64_t max_content_;
  SegmentHeader header_;
  bool begun_ = false;
  uint64_t content_end_ = 0;
  uint64_t frame_bytes_ = 0, frames_ = 0;
};

/// Goes from segment to segment. Each is complete.
class SegmentWalk {
 public:
  SegmentWalk(const Source& source, const DecompressConfig& config)
      : source_(source), verdict_(config.verdict), order_(config.max_content.value_or(UINT64_MAX)) {}

  /// Reads the next segment's header. Returns false at the streams' proper end.
  WEFT_API Result<bool> next();
  /// Checks and returns the segment's tables, valid until the next call of either function.
  WEFT_API Result<Tables> tables();

  const SegmentHeader& header() const noexcept { return order_.header(); }
  const HeaderOrder& order() const noexcept { return order_; }
  uint64_t position() const noexcept { return position_; }  ///< of the segment

 private:
  const Source& source_;
  Verdict* verdict_;
  HeaderOrder order_;
  uint64_t position_ = 0, end_ = 0;
  std::vector<std::byte> header_room_, tables_room_;
};

/// The content that all headers declare.
WEFT_API Result<uint64_t> content_size(const Source& source, const DecompressConfig& config);

}  // namespace weft::gstd
