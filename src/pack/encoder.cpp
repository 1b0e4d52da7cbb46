// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/pack.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "gstd/container.hpp"
#include "gstd/guarded.hpp"
#include "pack/hash.hpp"
#include "pack/image.hpp"
#include "pack/layout.hpp"

namespace weft::pack {
namespace {

constexpr size_t kPieceBytes = 1u << 20;

constexpr uint64_t blocks_of(uint64_t bytes) { return rounded_up(bytes, kBlockBytes) / kBlockBytes; }

// Passes a range's content on, in pieces: all but the first `first` bytes, which are of the first slice.
template <class To>
Status read_range(const ReadAt& read, const Range& range, uint32_t slices, uint64_t stride, std::span<std::byte> room,
                  const To& to, uint64_t first = 0) {
  const uint32_t count = range.level == kNoLevel ? 1 : slices;
  for (uint32_t slice = 0; slice < count; ++slice) {
    for (uint64_t at = std::exchange(first, 0); at < range.slice_bytes;) {
      const auto piece = room.first(std::min<uint64_t>(room.size(), range.slice_bytes - at));
      if (Status status = read(range.content_offset + slice * stride + at, piece); !status) return status;
      if (Status status = to(piece); !status) return status;
      at += piece.size();
    }
  }
  return {};
}

// Takes what is stored of one range: counts and hashes it, and keeps the beginning.
class RangeSink {
 public:
  explicit RangeSink(Payload& to) : to_(&to) {}

  Status write(std::span<const std::byte> bytes) {
    take(bytes);
    return to_->write(bytes);
  }
  // What is written already.
  void take(std::span<const std::byte> bytes) {
    const size_t kept = std::min<uint64_t>(bytes.size(), head_.size() - std::min<uint64_t>(head_.size(), bytes_));
    std::copy_n(bytes.begin(), kept, head_.begin() + static_cast<std::ptrdiff_t>(bytes_ < head_.size() ? bytes_ : 0));
    bytes_ += bytes.size();
    hash_.add(bytes);
  }
  uint64_t bytes() const { return bytes_; }
  uint64_t hash() const { return hash_.value(); }
  std::span<const std::byte> head() const { return head_; }

 private:
  Payload* to_;
  uint64_t bytes_ = 0;
  RunningHash hash_;
  std::array<std::byte, gstd::kHeaderBytes> head_{};
};

// Where segments end, in a stream that comes in pieces each of which begins with a header, or is within a segment.
class SegmentEnds {
 public:
  SegmentEnds(uint64_t stream, uint64_t content) : stream_(stream), content_(content) {}
  void take(std::span<const std::byte> bytes, uint64_t position) {
    gstd::SegmentHeader header;
    if (position != stream_ || gstd::load_header(bytes, position, header)) return;
    stream_ += header.segment_bytes;
    content_ += header.content_bytes;
  }
  // Of the last segment that has begun.
  uint64_t stream() const { return stream_; }
  uint64_t content() const { return content_; }

 private:
  uint64_t stream_, content_;
};

// Hashes content, and knows the hashes at the ends of segments until they are asked for.
class SegmentHashes {
 public:
  SegmentHashes(RunningHash* hash, uint64_t at, uint64_t segment_bytes)
      : hash_(hash), at_(at), segment_bytes_(segment_bytes) {}
  void add(std::span<const std::byte> bytes) {
    while (hash_ != nullptr && !bytes.empty()) {
      const auto part = bytes.first(std::min<uint64_t>(bytes.size(), segment_bytes_ - at_ % segment_bytes_));
      hash_->add(part);
      at_ += part.size();
      if (at_ % segment_bytes_ == 0) ends_.emplace_back(at_, hash_->value());
      bytes = bytes.subspan(part.size());
    }
  }
  uint64_t at(uint64_t content) {
    while (!ends_.empty() && ends_.front().first < content) ends_.pop_front();
    return ends_.empty() ? 0 : ends_.front().second;
  }

 private:
  RunningHash* hash_;
  uint64_t at_, segment_bytes_;
  std::deque<std::pair<uint64_t, uint64_t>> ends_;
};

}  // namespace

uint64_t Asset::stored_bytes() const noexcept {
  return ranges.empty() ? 0 : ranges.back().position + ranges.back().stored_bytes - ranges.front().position;
}

void Asset::move_by(uint64_t bytes) noexcept {
  for (Range& range : ranges) range.position += bytes;
}

struct AssetEncoder::State {
  gstd::Compressor compressor;
  uint64_t segment_bytes;
  std::vector<std::byte> room = std::vector<std::byte>(kPieceBytes);

  // What one call is about.
  struct Call {
    const ReadAt& read;
    Payload& to;
    Asset& asset;
    uint64_t stride = 0;
    uint64_t end = 0;  // of what is stored so far
    RunningHash* hash = nullptr;
    const Resume* resume = nullptr;
    bool goes_on = false;
  };

  Status hash_content(Call& call, RunningHash& hash) {
    Range all;
    all.slice_bytes = call.asset.content_bytes;
    return read_range(call.read, all, 0, 0, room, [&](std::span<const std::byte> piece) -> Status {
      hash.add(piece);
      return {};
    });
  }

  static Status pad(Call& call, uint64_t position) {
    static constexpr std::array<std::byte, kBlockBytes> kZeros{};
    const uint64_t bytes = position - std::exchange(call.end, position);
    return bytes == 0 ? Status() : call.to.write(std::span(kZeros).first(bytes));
  }

  // Where a range lies depends on its size, which is known at its end. It begins at the next block unless its content
  // is so small that it is stored as it is.
  Status write_raw(Call& call, Range& range, uint64_t bytes) {
    if (Status status = pad(call, next_position(call.end, bytes)); !status) return status;
    range.position = call.end;
    RangeSink sink(call.to);
    Status status =
        read_range(call.read, range, call.asset.slices, call.stride, room, [&](std::span<const std::byte> piece) {
          if (call.hash != nullptr) call.hash->add(piece);
          return sink.write(piece);
        });
    range.coding = Coding::raw;
    range.stored_bytes = sink.bytes();
    range.stored_hash = sink.hash();
    call.end += sink.bytes();
    return status;
  }

  // Takes what the checkpoint says is there. Returns the bytes of content that it is of; 0: something has changed.
  Result<uint64_t> go_on(Call& call, RangeSink& sink) {
    const Checkpoint& from = *call.resume->from;
    if (from.content_bytes >= call.asset.content_bytes || from.content_bytes % segment_bytes != 0) return uint64_t{0};
    Range part;
    part.slice_bytes = from.content_bytes;
    const auto take_content = [&](std::span<const std::byte> piece) {
      call.hash->add(piece);
      return compressor.skip(piece);
    };
    if (Status status = read_range(call.read, part, 0, 0, room, take_content); !status) return status.error();
    if (call.hash->value() != from.content_hash) return uint64_t{0};
    part.slice_bytes = from.stored_bytes;
    const auto take_stored = [&](std::span<const std::byte> piece) -> Status {
      sink.take(piece);
      return {};
    };
    if (Status status = read_range(call.resume->stored, part, 0, 0, room, take_stored); !status) return status.error();
    return sink.hash() == from.stored_hash ? from.content_bytes : 0;
  }

  Status write_gstd(Call& call, Range& range, uint64_t bytes) {
    if (Status status = pad(call, rounded_up(call.end, kBlockBytes)); !status) return status;
    if (Status status = compressor.reset(bytes); !status) return status;
    RangeSink sink(call.to);
    uint64_t first = 0;
    if (std::exchange(call.goes_on, false)) {
      const Result<uint64_t> done = go_on(call, sink);
      if (!done) return done.status();
      first = *done;
      if (first == 0) {
        if (Status status = call.to.rewind(0); !status) return status;
        if (Status status = compressor.reset(bytes); !status) return status;
        sink = RangeSink(call.to);
        *call.hash = {};
      }
    }
    SegmentEnds ends(sink.bytes(), first);
    SegmentHashes hashes(call.hash, first, segment_bytes);
    uint64_t reached = first;
    const Sink to = [&](std::span<const std::byte> stream) {
      ends.take(stream, sink.bytes());
      return sink.write(stream);
    };
    const auto take = [&](std::span<const std::byte> piece) -> Status {
      hashes.add(piece);
      if (Status status = compressor.write(piece, to); !status) return status;
      if (call.resume == nullptr || !call.resume->reached || ends.content() == std::exchange(reached, ends.content()))
        return {};
      return call.resume->reached({Coding::gstd, reached, hashes.at(reached), sink.bytes(), sink.hash()});
    };
    Status status = read_range(call.read, range, call.asset.slices, call.stride, room, take, first);
    if (status) status = compressor.finish(to);
    gstd::SegmentHeader header;
    if (status && gstd::load_header(sink.head(), 0, header)) status = Error{ErrorCode::system_error, "pack: no header"};
    if (!status) return status;
    range.position = call.end;
    range.coding = Coding::gstd;
    range.stored_bytes = sink.bytes();
    range.stored_hash = sink.hash();
    range.table_bytes = header.data_at();
    range.tile_bytes = header.tile_bytes();
    call.end += sink.bytes();
    return {};
  }

  // Whether a range has shown in a run before that it is to be raw, and is written so.
  Result<bool> write_raw_again(Call& call, Range& range, uint64_t bytes) {
    if (Status status = call.to.rewind(0); !status) return status.error();
    if (Status status = write_raw(call, range, bytes); !status) return status.error();
    if (call.hash->value() == call.resume->from->content_hash) return true;
    *call.hash = {};
    call.end = 0;
    range = plain_range(range);
    if (Status status = call.to.rewind(0); !status) return status.error();
    return false;
  }

  static Range plain_range(const Range& range) {
    Range plain;
    plain.content_offset = range.content_offset;
    plain.slice_bytes = range.slice_bytes;
    plain.level = range.level;
    return plain;
  }

  // A stream that takes as many blocks as its content would is not worth its decoding.
  Status write_range(Call& call, Range& range) {
    const uint64_t bytes = range.slice_bytes * (range.level == kNoLevel ? 1 : call.asset.slices);
    if (bytes <= kBlockBytes || call.asset.kind != Kind::raw) return write_raw(call, range, bytes);
    if (call.goes_on && call.resume->from->coding == Coding::raw) {
      call.goes_on = false;
      const Result<bool> done = write_raw_again(call, range, bytes);
      if (!done || *done) return done.status();
    }
    const uint64_t before = call.end;
    if (Status status = write_gstd(call, range, bytes); !status) return status;
    if (blocks_of(range.stored_bytes) < blocks_of(bytes)) return {};
    if (Status status = call.to.rewind(before); !status) return status;
    call.end = before;
    if (call.resume != nullptr && call.resume->reached)
      if (Status status = call.resume->reached({Coding::raw, bytes, call.hash->value(), 0, 0}); !status) return status;
    call.hash = nullptr;  // has had all of it
    range = plain_range(range);
    return write_raw(call, range, bytes);
  }

  Result<Asset> encode(std::string path, const ReadAt& read, uint64_t content_bytes, Payload& to,
                       const Resume& resume) {
    if (const std::string fault = fault_of_path(path); !fault.empty())
      return Error{ErrorCode::invalid_argument, "pack: " + fault};
    const auto head = std::span(room).first(std::min<uint64_t>(kHeadBytes, content_bytes));
    if (!head.empty())
      if (Status status = read(0, head); !status) return status.error();
    Plan plan = plan_of(path, head, content_bytes);
    Asset asset;
    asset.path = std::move(path);
    asset.content_bytes = content_bytes;
    asset.kind = plan.kind;
    asset.image = plan.image;
    asset.slices = plan.slices;
    asset.ranges = std::move(plan.ranges);

    Call call{read, to, asset};
    if (asset.slices != 0) call.stride = (content_bytes - asset.ranges.front().slice_bytes) / asset.slices;
    // The content's order is that of a single range alone.
    RunningHash hash;
    if (asset.ranges.size() == 1) {
      call.hash = &hash;
      call.resume = &resume;
      call.goes_on = resume.from && content_bytes > kBlockBytes && asset.kind == Kind::raw;
    }
    if (resume.from && !call.goes_on)
      if (Status status = to.rewind(0); !status) return status.error();
    if (asset.ranges.size() > 1)
      if (Status status = hash_content(call, hash); !status) return status.error();
    bool has_stream = false;
    for (Range& range : asset.ranges) {
      if (Status status = write_range(call, range); !status) return status.error();
      has_stream = has_stream || range.coding == Coding::gstd;
    }
    if (has_stream) asset.kind = Kind::gstd;
    asset.content_hash = hash.value();
    return asset;
  }
};

AssetEncoder::AssetEncoder(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
AssetEncoder::~AssetEncoder() = default;
AssetEncoder::AssetEncoder(AssetEncoder&&) noexcept = default;
AssetEncoder& AssetEncoder::operator=(AssetEncoder&&) noexcept = default;

Result<AssetEncoder> AssetEncoder::create(const gstd::CompressConfig& config) noexcept {
  return gstd::guarded([&]() -> Result<AssetEncoder> {
    auto compressor = gstd::Compressor::create(config);
    if (!compressor) return compressor.error();
    return AssetEncoder(std::unique_ptr<State>(new State{*std::move(compressor), config.segment_bytes}));
  });
}

Result<Asset> AssetEncoder::encode(std::string path, const ReadAt& read, uint64_t content_bytes, Payload& to,
                                   const Resume& resume) noexcept {
  return gstd::guarded([&] { return state_->encode(std::move(path), read, content_bytes, to, resume); });
}

}  // namespace weft::pack
