// SPDX-License-Identifier: MIT OR Apache-2.0
// From the queue of requests to bytes in staging.
#include <algorithm>
#include <array>
#include <cerrno>

#include "gstd/container.hpp"
#include "loader/engine.hpp"

namespace weft::loader {

namespace {

constexpr uint32_t kMaxSegmentTiles = (gstd::kMaxSegmentBytes / gstd::kMinTileBytes);

/// What a segment's tiles and tables take while they are found, and until they are read.
uint64_t plan_bytes(const pack::Range& range, uint64_t content) {
  const uint64_t tiles = std::min<uint64_t>(content / range.tile_bytes + 2, kMaxSegmentTiles);
  return tiles * (2 * sizeof(GstdTile) + 8) + Space::kBlock;
}

}  // namespace

Outcome outcome_of_read(int64_t result) {
  if (result >= 0) return {RequestStatus::short_read, "the file ends before the asset does"};
  return {RequestStatus::io_error, "the system refused a read", static_cast<int>(-result)};
}

// Begins reads as long as there is room, strictly in order: what does not fit yet is not overtaken.
bool Engine::admit() {
  const std::unique_lock lock(mutex_);
  bool any = false, stop = false;
  for (auto item = queue_.begin(); item != queue_.end() && !stop;) {
    const std::shared_ptr<Request> request = item->second;
    ++item;
    while (request->queued && !stop && admit_next(request, stop)) any = true;
  }
  return any;
}

// Returns whether the request went on. Sets `stop` if those behind it must wait as well.
bool Engine::admit_next(const std::shared_ptr<Request>& request, bool& stop) try {
  if (request->planning) return false;
  if (request->pieces == 0 && request->report.read_begun == Clock::time_point{} && request->deadline < Clock::now()) {
    fail(*request, {RequestStatus::expired, "the deadline passed before the first read"});
    end_if_done(request);
    return true;
  }
  // When enough reads are in flight, a piece may still come with one that has not begun.
  const bool is_full = reads_ >= config_.queue_depth;
  stop = is_full && to_read_.empty();
  if (stop) return false;
  if (request->next_piece == nullptr) {
    bool needs_plan = false;
    request->next_piece = cut(request, needs_plan);
    stop = needs_plan && is_full;
    if (stop) return false;
    if (needs_plan) return start_plan(request, stop);
    if (request->next_piece == nullptr) {
      dequeue(*request);
      end_if_done(request);
      return true;
    }
  }
  return start_piece(request, stop);
} catch (...) {
  fail(*request, {RequestStatus::out_of_memory, "no host memory"});
  end_if_done(request);
  return true;
}

// Whether the CPU decodes nothing of it.
bool Engine::is_for_device_alone(const Piece& piece) noexcept {
  return piece.decoded_bytes == 0 && !piece.request->decoded_whole && !piece.request->to_host();
}

// What the CPU reads, which is slow in the device's memory, is not for it, nor are direct reads.
bool Engine::is_for_window(const Piece& piece) const noexcept {
  if (window_.empty() || !is_for_device_alone(piece)) return false;
  if (piece.request->pack->direct.load(std::memory_order_relaxed)) return false;
  return std::ranges::all_of(piece.parts, [&](const Part& part) {
    return part.range.coding == pack::Coding::gstd ? part.on_device : !config_.verify;
  });
}

std::optional<uint64_t> Engine::take_room(const Piece& piece) {
  const uint64_t with_more = piece.decoded_bytes == 0 ? piece_bytes_ : 0;  // for neighbours
  if (is_for_window(piece))
    if (const auto at = window_space_.take(piece.staging_bytes, with_more)) return *at + staging_.size();
  return space_.take(piece.staging_bytes, with_more);
}

// The read that has not begun and ends, in the pack, where the piece's begins.
Piece* Engine::neighbour_of(const Piece& piece) const noexcept {
  Piece* const head = to_read_.last();
  if (head == nullptr || head->request->pack != piece.request->pack || !head->has_read) return nullptr;
  const Piece& last = head->last_joined != nullptr ? *head->last_joined : *head;
  const bool follows = last.read_from + last.read_bytes == piece.read_from && last.decoded_bytes == 0 &&
                       last.read_done == 0 && is_in_window(head->staging) == is_for_window(piece);
  return follows && piece.read_from + piece.read_bytes - head->read_from <= piece_bytes_ ? head : nullptr;
}

// Takes room for the piece after its neighbour's. False: it is not free.
bool Engine::take_room_behind(const Piece& head, Piece& piece) {
  const Piece& last = head.last_joined != nullptr ? *head.last_joined : head;
  piece.staging = last.staging + last.read_bytes;
  if (!is_in_window(head.staging)) return space_.take_at(piece.staging, piece.staging_bytes);
  return window_space_.take_at(piece.staging - staging_.size(), piece.staging_bytes);
}

void Engine::give_room(uint64_t staging) noexcept {
  if (is_in_window(staging))
    window_space_.give_back(staging - staging_.size());
  else
    space_.give_back(staging);
}

bool Engine::start_piece(const std::shared_ptr<Request>& request, bool& stop) {
  Piece& piece = *request->next_piece;
  if (piece.staging_bytes > space_.size()) {
    fail(*request, {RequestStatus::over_limit, "staging memory is smaller than what must be in it at once"});
    end_if_done(request);
    return true;
  }
  Piece* head = neighbour_of(piece);
  if (head != nullptr && !take_room_behind(*head, piece)) head = nullptr;
  if (head == nullptr) {
    const auto staging = reads_ < config_.queue_depth ? take_room(piece) : std::nullopt;
    stop = !staging;
    if (stop) return false;
    piece.staging = *staging;
  }
  if (!take_budget(piece.table_bytes)) {
    give_room(piece.staging);
    stop = true;
    if (pieces_ != 0 || plans_ != 0) return false;
    fail(*request, {RequestStatus::out_of_memory, "the budget leaves no room for tables"});
    end_if_done(request);
    return true;
  }
  piece.decoded = piece.staging + piece.read_bytes;
  request->report.read_bytes += piece.read_bytes;
  if (head != nullptr) {
    join(*head, std::move(request->next_piece));
  } else {
    piece.has_read = true;
    to_read_.push_back(std::move(request->next_piece));
    ++reads_;
  }
  ++request->pieces;
  ++pieces_;
  if (request->report.read_begun == Clock::time_point{}) request->report.read_begun = Clock::now();
  if (request->all_cut) dequeue(*request);
  return true;
}

// Plans take half of what the budget leaves, so that tables of pieces are never short of it.
bool Engine::start_plan(const std::shared_ptr<Request>& request, bool& stop) {
  if (request->long_range == nullptr) {
    const pack::Range range = request->pack->directory.range(request->entry, request->next_range);
    const uint64_t bytes = plan_bytes(range, needed(*request, range).count);
    if (plans_ + bytes > (config_.budget_bytes - (used_ - plans_)) / 2 || bytes > config_.budget_bytes - used_) {
      stop = true;
      if (pieces_ != 0 || plans_ != 0) return false;
      fail(*request, {RequestStatus::out_of_memory, "the budget leaves no room for tables"});
      end_if_done(request);
      return true;
    }
    const auto read = [this, request = request.get(), range](uint64_t position, std::span<std::byte> to) -> Status {
      const int64_t result = read_now(*request, range.position + position, to);
      if (result > 0) return {};
      request->long_range->read_failure = result == 0 ? 1 : result;
      return Error{ErrorCode::system_error, {}};
    };
    request->long_range = std::make_unique<LongRange>(read, range.stored_bytes);
    request->long_range->budget = bytes;
    plans_ += bytes;
    static_cast<void>(take_budget(bytes));
  }
  to_plan_.push_back(request);
  request->planning = true;
  return true;
}

// All of it, on this thread: what the rest depends on. Returns 1, or what File::read did if that was not positive.
int64_t Engine::read_now(const Request& request, uint64_t position, std::span<std::byte> to) const {
  for (size_t done = 0; done < to.size();) {
    int64_t result = request.pack->file.read(position + done, to.subspan(done), false);
    if (config_.hooks != nullptr && config_.hooks->read)
      result = config_.hooks->read(position + done, to.size() - done, result);
    if (result == -EINTR) continue;
    if (result <= 0) return result;
    done += static_cast<size_t>(result);
  }
  return 1;
}

// Finds the next segment's tiles.
void Engine::plan(const std::shared_ptr<Request>& request) {
  const pack::Range range = request->pack->directory.range(request->entry, request->next_range);
  const Interval interval = needed(*request, range);
  Outcome outcome;
  try {
    outcome = plan_segment(*request, range, interval);
  } catch (...) {
    outcome = {RequestStatus::out_of_memory, "no host memory"};
  }
  const std::unique_lock lock(mutex_);
  request->planning = false;
  if (!outcome.ok()) fail(*request, outcome);
  end_if_done(request);
  wake_one();
}

Outcome Engine::plan_segment(Request& request, const pack::Range& range, const Interval& interval) {
  LongRange& plan = *request.long_range;
  plan.tiles.clear();
  plan.next = 0;
  const uint64_t end = interval.first + interval.count;
  const auto refused = [&]() -> Outcome {
    if (plan.read_failure != 0) return outcome_of_read(std::min<int64_t>(plan.read_failure, 0));
    return {RequestStatus::corrupt, "the asset's stream is invalid"};
  };
  while (plan.tiles.empty()) {
    const Result<bool> more = plan.walk.next();
    if (!more || !*more) return refused();
    const gstd::SegmentHeader& header = plan.walk.header();
    const uint64_t begin = plan.walk.order().content_at();
    if (begin >= end || plan.walk.order().content_end() > content_of(request, range) ||
        header.tile_bytes() < range.tile_bytes)
      return {RequestStatus::corrupt, "the asset's stream is not as the directory says"};
    if (plan.walk.order().content_end() <= interval.first) continue;
    const Result<gstd::Tables> tables = plan.walk.tables();
    if (!tables) return refused();
    for (uint32_t t = 0; t < header.tiles(); ++t) {
      const uint64_t tile_begin = begin + uint64_t{t} * header.tile_bytes(), size = header.bytes_of(t);
      if (tile_begin >= end || tile_begin + size <= interval.first) continue;
      const uint64_t from = std::max(tile_begin, interval.first), until = std::min(tile_begin + size, end);
      GstdTile tile;
      tile.source = plan.walk.position() + header.data_at() + 4 * uint64_t{tables->word_offset(t)};
      tile.words = tables->words(t);
      tile.bytes = static_cast<uint32_t>(size);
      tile.kind = static_cast<GstdTileKind>(tables->type(t));
      tile.has_checksum = tables->has_sums() ? 1 : 0;
      tile.checksum = tables->has_sums() ? tables->sum(t) : 0;
      tile.output = from;
      tile.first = static_cast<uint32_t>(from - tile_begin);
      tile.count = static_cast<uint32_t>(until - from);
      plan.tiles.push_back(tile);
    }
  }
  return {};
}

void Engine::prepare_read(Piece& piece) const noexcept {
  const LoaderPack::State& pack = *piece.request->pack;
  // What a direct read left may not be aligned.
  piece.read.direct = piece.read_done % Space::kBlock == 0 && !is_in_window(piece.staging) &&
                      pack.direct.load(std::memory_order_relaxed);
  piece.read.handle = pack.file.handle(piece.read.direct);
  piece.read.position = piece.read_from + piece.read_done;
  piece.read.to = {at(piece.staging + piece.read_done),
                   std::max(piece.read_bytes, piece.with_joined) - piece.read_done};
}

void Engine::join(Piece& head, PiecePtr piece) noexcept {
  head.with_joined = piece->read_from + piece->read_bytes - head.read_from;
  Piece* const last = piece.get();
  (head.last_joined != nullptr ? head.last_joined->joined : head.joined) = std::move(piece);
  head.last_joined = last;
}

// As take_result, and gives the pieces that came with this one what is theirs. Those without go on: together after a
// read that stopped before them, and else by themselves, so that each has its own outcome.
bool Engine::take_results(Piece& piece, int64_t result, Outcome& outcome) {
  if (piece.joined == nullptr) return take_result(piece, result, outcome);
  PiecePtr next = std::move(piece.joined);
  piece.last_joined = nullptr;
  piece.with_joined = 0;
  piece.read.to = piece.read.to.first(piece.read_bytes);
  uint64_t left = result > 0 ? static_cast<uint64_t>(result) : 0;
  const auto take = [&](uint64_t bytes) { return std::exchange(left, left - std::min(left, bytes)) - left; };
  const int64_t of_this = result > 0 ? static_cast<int64_t>(take(piece.read_bytes)) : result;
  PieceList alone;
  while (next != nullptr) {
    PiecePtr one = std::move(next);
    next = std::move(one->joined);
    const uint64_t bytes = take(one->read_bytes);
    Outcome of_one;
    prepare_read(*one);
    if (bytes != 0 && take_result(*one, static_cast<int64_t>(bytes), of_one)) {
      if ((one = end_read(std::move(one), of_one)) != nullptr) {
        const std::unique_lock lock(mutex_);
        to_process_.push_back(std::move(one));
      }
    } else if (bytes == 0 && result > 0 && !alone.empty() && alone.last()->read_done == 0) {
      join(*alone.last(), std::move(one));
    } else {
      alone.push_back(std::move(one));
    }
  }
  {
    const std::unique_lock lock(mutex_);
    for (Piece& one : alone) one.has_read = true;
    reads_ += alone.size();
    to_read_.append(alone);
    wake_one();
  }
  return take_result(piece, of_this, outcome);
}

bool Engine::take_result(Piece& piece, int64_t result, Outcome& outcome) const noexcept {
  if (config_.hooks != nullptr && config_.hooks->read)
    result = config_.hooks->read(piece.read.position, piece.read.to.size(), result);
  if (result == -EINTR) return false;
  if (piece.read.direct && is_refused_direct(result)) {
    if (piece.request->pack->direct.exchange(false, std::memory_order_relaxed))
      log("Loader: direct reads of a pack are refused; its reads go through the page cache");
    return false;
  }
  if (result > 0) piece.read_done += std::min<uint64_t>(static_cast<uint64_t>(result), piece.read.to.size());
  // Behind the last byte may be the file's end.
  if (piece.read_from + piece.read_done >= piece.position + piece.bytes) return true;
  if (result > 0) return false;
  outcome = outcome_of_read(result);
  return true;
}

// Starts and reaps asynchronous reads. Where another thread does, there is nothing to do.
bool Engine::run_reads() {
  if (async_ == nullptr) return false;
  std::unique_lock io(io_mutex_, std::try_to_lock);
  if (!io) return false;
  bool any = false;
  const auto start = [&](PiecePtr piece) {
    prepare_read(*piece);
    piece->read.owner = piece.get();
    if (async_->start(piece->read)) {
      ++system_reads_;
      static_cast<void>(piece.release());
      return true;
    }
    const std::unique_lock lock(mutex_);
    to_start_.push_front(std::move(piece));
    return false;
  };
  for (bool started = true; started;) {
    PiecePtr piece;
    {
      const std::unique_lock lock(mutex_);
      if (to_start_.empty()) break;
      piece = to_start_.pop_front();
    }
    started = start(std::move(piece));
    any |= started;
  }
  std::array<AsyncRead*, 64> done;
  const size_t count = async_->reap(done);
  for (size_t i = 0; i < count; ++i) {
    PiecePtr piece(done[i]->owner);
    Outcome outcome;
    if (!take_results(*piece, piece->read.result, outcome)) {
      start(std::move(piece));
    } else if ((piece = end_read(std::move(piece), outcome)) != nullptr) {
      const std::unique_lock lock(mutex_);
      to_process_.push_back(std::move(piece));
      wake_one();
    }
  }
  io.unlock();
  if (count != 0 && config_.on_work) config_.on_work();
  return any || count != 0;
}

int64_t Engine::read_cached(const Piece& piece) const {
  ++system_reads_;
  const int64_t result = piece.request->pack->file.read_cached(piece.read.position, piece.read.to);
  return config_.hooks != nullptr && config_.hooks->read_cached ? config_.hooks->read_cached(result) : result;
}

// Copies from the page cache what it has: threads do that side by side, and wait for no disk. Then reads the rest. Not
// before direct reads: asking for bytes that are not there makes the system read them ahead, a second time.
void Engine::read(PiecePtr piece, Decoder& decoder) {
  const File& file = piece->request->pack->file;
  Outcome outcome;
  prepare_read(*piece);
  const int64_t cached = piece->read.direct ? File::kNotCached : read_cached(*piece);
  const auto take = [&](int64_t result) {
    const bool has_joined = piece->joined != nullptr;
    const bool is_done = take_results(*piece, result, outcome);
    if (has_joined && config_.on_work) config_.on_work();
    return is_done;
  };
  bool is_done = cached != File::kNotCached && take(cached);
  const loader::AsyncReads* const attached = piece->request->pack->attached;
  if (!is_done && async_ != nullptr && (attached == nullptr || attached == async_.get())) {
    const std::unique_lock lock(mutex_);
    to_start_.push_back(std::move(piece));
    return;
  }
  if (!is_done && std::exchange(decoder.is_soon, false)) {
    // The disk may take long.
    const std::unique_lock lock(mutex_);
    --soon_;
  }
  while (!is_done) {
    prepare_read(*piece);
    ++system_reads_;
    is_done = take(file.read(piece->read.position, piece->read.to, piece->read.direct));
  }
  piece = end_read(std::move(piece), outcome);
  if (piece != nullptr) process(std::move(piece), decoder);
}

PiecePtr Engine::end_read(PiecePtr piece, const Outcome& outcome) {
  {
    const std::unique_lock lock(mutex_);
    reads_ -= piece->has_read ? 1 : 0;
    if (outcome.ok()) {
      piece->request->report.read_done = Clock::now();
      return piece;
    }
  }
  finish(std::move(piece), outcome);
  return nullptr;
}

}  // namespace weft::loader
