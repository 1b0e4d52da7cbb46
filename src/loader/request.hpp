// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gdeflate_decode.hpp>
#include <weft/gstd_decode.hpp>
#include <weft/loader.hpp>
#include <weft/zstd_decode.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gstd/segment_walk.hpp"
#include "gstd/source.hpp"
#include "loader/async_reads.hpp"
#include "loader/file.hpp"
#include "pack/hash.hpp"

namespace weft {

struct LoaderPack::State {
  State(loader::File opened, pack::PackReader reader) : file(std::move(opened)), directory(std::move(reader)) {}

  loader::File file;
  pack::PackReader directory;
  // If its asynchronous reads are those of one queue alone.
  const loader::AsyncReads* attached = nullptr;
  // Until a direct read is refused.
  mutable std::atomic<bool> direct{file.has_direct()};
};

struct LoadBatch::State {
  struct Item {
    std::atomic<RequestStatus> status{RequestStatus::pending};
    RequestReport report;  // written before the status
  };
  explicit State(size_t requests) : items(requests), pending(requests) {}

  std::vector<Item> items;
  std::atomic<size_t> pending;
  LoadSignal signal;
};

namespace loader {

using Clock = std::chrono::steady_clock;

/// Bytes [first, first + count) of a range's content.
struct Interval {
  uint64_t first = 0, count = 0;
};

/// The tiles of a range that is too long for one read, a segment at a time.
struct LongRange {
  LongRange(gstd::ReadAt read, uint64_t bytes) : read_at(std::move(read)), source(read_at, bytes), walk(source, {}) {}
  LongRange(const LongRange&) = delete;
  LongRange& operator=(const LongRange&) = delete;

  gstd::ReadAt read_at;
  gstd::Source source;
  gstd::SegmentWalk walk;
  int64_t read_failure = 0;     // of read_at: as File::read has it, 1: the file's end
  std::vector<GstdTile> tiles;  // source: in the stream; output: in the range's content
  size_t next = 0;
  uint64_t budget = 0;
};

struct Piece;

/// A request from submission to its end. What is not marked is guarded by the Engine's mutex.
struct Request {
  // Long raw ranges are hashed in order: pieces wait for their turn.
  pack::RunningHash hash;
  std::map<uint32_t, std::unique_ptr<Piece>> waiting;
  uint32_t hash_next = 0, hash_made = 0;

  // Constant.
  std::shared_ptr<LoadBatch::State> batch;
  std::shared_ptr<const LoaderPack::State> pack;
  pack::Entry entry;
  LoadDestination to;
  uint64_t first = 0, count = 0;  // of the content, or of the level's
  uint64_t tag = 0;
  Clock::time_point deadline = Clock::time_point::max();
  uint64_t sequence = 0;
  std::optional<uint32_t> level_range;  // index of the level's range
  uint32_t index = 0;
  LoadPriority priority = LoadPriority::normal;
  uint64_t decoded_room = 0;   // of `decoded_whole`, in staging; an image takes exactly this
  bool decoded_whole = false;  // a file of Zstandard or GDeflate, or a level, which is decoded at once
  bool whole_piece = false;    // one piece, however long
  bool on_device = false;      // what is compressed is decoded there, if it can be
  bool to_host() const noexcept { return std::holds_alternative<std::span<std::byte>>(to); }

  RequestReport report;
  uint64_t next_byte = 0;  // of a long raw range: done so far
  std::unique_ptr<LongRange> long_range;
  std::unique_ptr<Piece> next_piece;  // cut, and there was no room for it
  uint32_t pieces = 0;                // that exist
  uint32_t next_range = 0;
  RequestStatus failure = RequestStatus::ok;  // why it ends
  bool queued = false, all_cut = false, ended = false, planning = false;
};

/// A part of a range in a piece.
struct Part {
  pack::Range range;
  Interval content;
  bool on_device = false;
  std::vector<GstdTile> tiles;  // as in LongRange; those of short ranges are found when they are read
  uint64_t decoded_at = 0;      // in the piece's decoded bytes
};

/// Bytes of staging that go to the destination.
struct Copy {
  uint64_t from = 0, to = 0, bytes = 0;
};

/// One read, and what becomes of its bytes.
struct Piece {
  std::shared_ptr<Request> request;
  std::vector<Part> parts;
  uint64_t position = 0, bytes = 0;  // stored, exactly
  AsyncRead read;                    // whole blocks around these
  uint64_t read_from = 0, read_bytes = 0, read_done = 0;
  uint64_t staging = 0, staging_bytes = 0, decoded = 0;  // positions in staging
  uint64_t decoded_bytes = 0;
  uint64_t table_bytes = 0;  // of the budget
  // Pieces that follow in the pack and in staging: they come with this one's read, of `with_joined` bytes.
  std::unique_ptr<Piece> joined;
  Piece* last_joined = nullptr;
  uint64_t with_joined = 0;
  bool has_read = false;  // counts as one in flight
  std::optional<uint32_t> hash_turn;
  bool hash_ends = false;
  // For the device.
  std::vector<Copy> copies;
  std::vector<GstdTile> tiles;  // source: in staging; output: in the destination
  // The same of a file that is decoded at once; `output_bytes`: of its content.
  std::vector<ZstdFrame> frames;
  std::vector<ZstdBounds> bounds;  // of each frame
  std::vector<GdeflatePage> pages;
  uint64_t output_bytes = 0;
  // The last frame does not declare the size of its content: its capacity is the most that it may have or, if the size
  // is known otherwise, exactly that. The device says what it was.
  bool is_open = false, is_exact = false;
  // Where in the submission's temporary memory its bytes are; of the buffer.
  uint64_t compressed_at = 0, image_at = 0;
  bool has_image = false;
  RequestStatus status = RequestStatus::ok;  // what the device said of its tiles
  bool is_refused = false;                   // frames or pages: the CPU has the last word

  /// Tiles, frames and pages: a piece has one kind.
  size_t entries() const noexcept { return tiles.size() + frames.size() + pages.size(); }
  bool is_file() const noexcept { return !frames.empty() || !pages.empty(); }
  bool is_for_device() const noexcept { return !copies.empty() || entries() != 0; }

  std::unique_ptr<Piece> next;  // of a PieceList
};

using PiecePtr = std::unique_ptr<Piece>;

/// Pieces in a row, linked by themselves: moving them allocates nothing, so that none is lost when memory runs out.
class PieceList {
 public:
  class Iterator {
   public:
    explicit Iterator(Piece* piece) : piece_(piece) {}
    Piece& operator*() const { return *piece_; }
    Iterator& operator++() {
      piece_ = piece_->next.get();
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    Piece* piece_;
  };

  PieceList() = default;
  ~PieceList() {
    while (!empty()) pop_front();
  }
  PieceList(const PieceList&) = delete;
  PieceList& operator=(const PieceList&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  uint32_t size() const noexcept { return size_; }
  Iterator begin() const noexcept { return Iterator(first_.get()); }
  Iterator end() const noexcept { return Iterator(nullptr); }
  Piece* last() const noexcept { return empty() ? nullptr : last_; }

  void push_back(PiecePtr piece) noexcept {
    Piece* const last = piece.get();
    (empty() ? first_ : last_->next) = std::move(piece);
    last_ = last;
    ++size_;
  }
  void push_front(PiecePtr piece) noexcept {
    if (empty()) last_ = piece.get();
    piece->next = std::move(first_);
    first_ = std::move(piece);
    ++size_;
  }
  PiecePtr pop_front() noexcept {
    PiecePtr piece = std::move(first_);
    first_ = std::move(piece->next);
    --size_;
    return piece;
  }
  /// Takes all of the other list.
  void append(PieceList& other) noexcept {
    while (!other.empty()) push_back(other.pop_front());
  }
  void swap(PieceList& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    std::swap(size_, other.size_);
  }

 private:
  PiecePtr first_;
  Piece* last_ = nullptr;
  uint32_t size_ = 0;
};

/// What of the range's content the request needs.
Interval needed(const Request& request, const pack::Range& range) noexcept;

/// Calls `to(offset in the range's content, offset in the destination, bytes)` for each stretch of the interval that
/// the destination gets.
template <class To>
void for_each_stretch(const Request& request, const pack::Range& range, const Interval& interval, const To& to) {
  const uint64_t end = interval.first + interval.count;
  if (request.level_range || request.entry.slices <= 1 || range.level == pack::kNoLevel) {
    const uint64_t base = request.level_range ? 0 : range.content_offset;
    to(interval.first, base + interval.first - request.first, interval.count);
    return;
  }
  const uint64_t head = request.pack->directory.range(request.entry, 0).slice_bytes;
  const uint64_t stride = (request.entry.content_bytes - head) / request.entry.slices;
  for (uint64_t at = interval.first; at < end;) {
    const uint64_t slice = at / range.slice_bytes, within = at % range.slice_bytes;
    const uint64_t bytes = std::min(end - at, range.slice_bytes - within);
    const uint64_t content = range.content_offset + slice * stride + within;
    const uint64_t from = std::max(content, request.first);
    const uint64_t until = std::min(content + bytes, request.first + request.count);
    if (from < until) to(at + (from - content), from - request.first, until - from);
    at += bytes;
  }
}

/// Bytes of a level's content.
inline uint64_t content_of(const Request& request, const pack::Range& range) noexcept {
  return range.slice_bytes * (range.level == pack::kNoLevel ? 1 : request.entry.slices);
}

}  // namespace loader
}  // namespace weft
