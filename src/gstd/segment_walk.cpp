// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/segment_walk.hpp"

#include <algorithm>
#include <string>

namespace weft::gstd {

std::optional<Refusal> HeaderOrder::next(std::span<const std::byte> bytes, uint64_t position) {
  SegmentHeader header;
  if (auto refusal = load_header(bytes, position, header)) return refusal;
  const bool follows = begun_ && !header_.last();
  if (auto refusal = check_order(follows ? &header_ : nullptr, header, position)) return refusal;
  // A declared size above the limit is refused at once.
  const uint64_t declared =
      header.stream_size != kUnknownSize ? header.stream_size - header.content_offset : uint64_t{header.content_bytes};
  if (declared > max_content_ - content_end_)
    return Refusal{Fault::over_limit, position + HeaderAt::stream_size,
                   "there is more content than the " + std::to_string(max_content_) + " bytes that are allowed"};
  header_ = header;
  begun_ = true;
  content_end_ += header.content_bytes;
  return std::nullopt;
}

Result<bool> SegmentWalk::next() {
  position_ = end_;
  const uint64_t rest = source_.size() - position_;
  if (rest == 0 && order_.may_end()) return false;
  const auto bytes = source_.view(position_, std::min<uint64_t>(rest, kHeaderBytes), header_room_);
  if (!bytes) return bytes.error();
  if (const auto refusal = order_.next(*bytes, position_)) return error_of(*refusal, verdict_);
  if (header().segment_bytes > rest)
    return error_of({Fault::truncated, source_.size(), "the stream ends within a segment"}, verdict_);
  end_ = position_ + header().segment_bytes;
  return true;
}

Result<Tables> SegmentWalk::tables() {
  const auto bytes = source_.view(position_ + kHeaderBytes, header().tables_bytes(), tables_room_);
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
