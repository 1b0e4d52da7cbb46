// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/pack.hpp>

#include <algorithm>
#include <array>
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

// Passes a range's content on, in pieces.
template <class To>
Status read_range(const ReadAt& read, const Range& range, uint32_t slices, uint64_t stride, std::span<std::byte> room,
                  const To& to) {
  const uint32_t count = range.level == kNoLevel ? 1 : slices;
  for (uint32_t slice = 0; slice < count; ++slice) {
    for (uint64_t at = 0; at < range.slice_bytes;) {
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
  RangeSink(Payload& to) : to_(to) {}

  Status write(std::span<const std::byte> bytes) {
    const size_t kept = std::min<uint64_t>(bytes.size(), head_.size() - std::min<uint64_t>(head_.size(), bytes_));
    std::copy_n(bytes.begin(), kept, head_.begin() + static_cast<std::ptrdiff_t>(bytes_ < head_.size() ? bytes_ : 0));
    bytes_ += bytes.size();
    hash_.add(bytes);
    return to_.write(bytes);
  }
  uint64_t bytes() const { return bytes_; }
  uint64_t hash() const { return hash_.value(); }
  std::span<const std::byte> head() const { return head_; }

 private:
  Payload& to_;
  uint64_t bytes_ = 0;
  RunningHash hash_;
  std::array<std::byte, gstd::kHeaderBytes> head_{};
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
  std::vector<std::byte> room = std::vector<std::byte>(kPieceBytes);

  // What one call is about.
  struct Call {
    const ReadAt& read;
    Payload& to;
    Asset& asset;
    uint64_t stride = 0;
    uint64_t end = 0;  // of what is stored so far
    RunningHash* hash = nullptr;
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

  Status write_gstd(Call& call, Range& range, uint64_t bytes) {
    if (Status status = pad(call, rounded_up(call.end, kBlockBytes)); !status) return status;
    if (Status status = compressor.reset(bytes); !status) return status;
    RangeSink sink(call.to);
    const Sink to = [&](std::span<const std::byte> stream) { return sink.write(stream); };
    Status status =
        read_range(call.read, range, call.asset.slices, call.stride, room, [&](std::span<const std::byte> piece) {
          if (call.hash != nullptr) call.hash->add(piece);
          return compressor.write(piece, to);
        });
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

  // A stream that takes as many blocks as its content would is not worth its decoding.
  Status write_range(Call& call, Range& range) {
    const uint64_t bytes = range.slice_bytes * (range.level == kNoLevel ? 1 : call.asset.slices);
    if (bytes <= kBlockBytes || call.asset.kind != Kind::raw) return write_raw(call, range, bytes);
    const uint64_t before = call.end;
    if (Status status = write_gstd(call, range, bytes); !status) return status;
    if (blocks_of(range.stored_bytes) < blocks_of(bytes)) return {};
    if (Status status = call.to.rewind(before); !status) return status;
    call.end = before;
    call.hash = nullptr;  // has had all of it
    const uint64_t offset = range.content_offset, slice_bytes = range.slice_bytes;
    const uint32_t level = range.level;
    range = {};
    range.content_offset = offset;
    range.slice_bytes = slice_bytes;
    range.level = level;
    return write_raw(call, range, bytes);
  }

  Result<Asset> encode(std::string path, const ReadAt& read, uint64_t content_bytes, Payload& to) {
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
    if (asset.ranges.size() == 1) call.hash = &hash;
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
    return AssetEncoder(std::unique_ptr<State>(new State{*std::move(compressor)}));
  });
}

Result<Asset> AssetEncoder::encode(std::string path, const ReadAt& read, uint64_t content_bytes, Payload& to) noexcept {
  return gstd::guarded([&] { return state_->encode(std::move(path), read, content_bytes, to); });
}

}  // namespace weft::pack
