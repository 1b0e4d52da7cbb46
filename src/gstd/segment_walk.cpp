// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/segment_walk.hpp"

#include <algorithm>
#include <string>

namespace weft::gstd {

std::optional<Refusal> HeaderOrder::next(std::span<const std::byte> bytes, uint64_t position) {
  frame_bytes_ = 0;
  const bool follows = begun_ && !header_.last();
  if (!follows && !bytes.empty() && begins_frame(bytes)) {
    if (auto refusal = load_frame(bytes, position, frame_bytes_)) return refusal;
    ++frames_;
    return std::nullopt;
  }
  SegmentHeader header;
  if (auto refusal = load_header(bytes, position, header)) return refusal;
  if (auto refusal = check_order(follows ? &header_ : nullptr, header, position)) return refusal;
  // A declared size above the limit is refused at once.
  const uint64_t declared =
      header.stream_size != kUnknownSize ? header.stream_size - header.content_offset : uint64_t{header.content_bytes};
  if (declared > max_content_ - content_end_)
    return Refusal{Fault::over_limit, position + (header.is_small ? SmallHeaderAt::content : HeaderAt::stream_size),
                   "there is more content than the " + std::to_string(max_content_) + " bytes that are allowed"};
  header_ = header;
  begun_ = true;
  content_end_ += header.content_bytes;
  return std::nullopt;
}

Result<bool> SegmentWalk::next() {
  do {
    position_ = end_;
    const uint64_t rest = source_.size() - position_;
    if (rest == 0 && order_.may_end()) return false;
    const auto bytes = source_.view(position_, std::min<uint64_t>(rest, kHeaderBytes), header_room_);
    if (!bytes) return bytes.error();
    if (const auto refusal = order_.next(*bytes, position_)) return error_of(*refusal, verdict_);
    const bool is_frame = order_.frame_bytes() != 0;
    const uint64_t size = is_frame ? order_.frame_bytes() : header().segment_bytes;
    if (size > rest)
      return error_of({Fault::truncated, source_.size(),
                       is_frame ? "the stream ends within a skippable frame" : "the stream ends within a segment"},
                      verdict_);
    end_ = position_ + size;
  } while (order_.frame_bytes() != 0);
  return true;
}

Result<Tables> SegmentWalk::tables() {
  const auto bytes = source_.view(position_ + header().header_bytes(), header().tables_bytes(), tables_room_);
  if (!bytes) return bytes.error();
  if (const auto refusal = check_tables(header(), *bytes, position_)) return error_of(*refusal, verdict_);
  return Tables(header(), *bytes);
}

Result<uint64_t> content_size(const Source& source, const DecompressConfig& config) {
  SegmentWalk walk(source, config);
  for (;;) {
    const Result<bool> more = walk.next();
    if (!more) return more.error();
    if (!*more) return walk.order().content_end();
  }
}

}  // namespace weft::gstd
