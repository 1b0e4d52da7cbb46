// SPDX-License-Identifier: MIT OR Apache-2.0
// How requests are cut into pieces: one read each.
#include <algorithm>

#include "loader/engine.hpp"

namespace weft::loader {

Interval needed(const Request& request, const pack::Range& range) noexcept {
  const uint64_t begin = request.first, end = request.first + request.count;
  if (request.level_range) return {begin, request.count};
  if (request.entry.slices <= 1 || range.level == pack::kNoLevel) {
    const uint64_t from = std::max(begin, range.content_offset);
    const uint64_t until = std::min(end, range.content_offset + range.slice_bytes);
    return from < until ? Interval{from - range.content_offset, until - from} : Interval{};
  }
  const uint64_t head = request.pack->directory.range(request.entry, 0).slice_bytes;
  const uint64_t stride = (request.entry.content_bytes - head) / request.entry.slices;
  const uint64_t at = range.content_offset, bytes = range.slice_bytes;
  if (end <= at) return {};
  const uint64_t first_slice = begin < at + bytes ? 0 : (begin - at - bytes) / stride + 1;
  const uint64_t last_slice = std::min<uint64_t>(request.entry.slices - 1, (end - 1 - at) / stride);
  if (first_slice > last_slice) return {};
  const uint64_t first_at = at + first_slice * stride, last_at = at + last_slice * stride;
  const uint64_t from = first_slice * bytes + (begin > first_at ? begin - first_at : 0);
  const uint64_t until = last_slice * bytes + std::min(bytes, end - last_at);
  return from < until ? Interval{from, until - from} : Interval{};
}

namespace {

/// Bytes of the pack that a part takes.
Interval stored_of(const pack::Range& range, const Interval& content) {
  if (range.coding == pack::Coding::gstd) return {range.position, range.stored_bytes};
  return {range.position + content.first, content.count};
}

}  // namespace

bool Engine::is_decoded_to_staging(const Request& request, const Part& part) const noexcept {
  if (part.range.coding != pack::Coding::gstd || part.on_device) return false;
  return !request.to_host() || (request.entry.slices > 1 && !request.level_range);
}

// A device takes longer for few tiles than a thread that has nothing else to do.
bool Engine::is_for_host(const Request& request) const noexcept {
  return request.count <= config_.host_decode_bytes && live_.size() <= config_.threads + 1;
}

// Adds what the part needs besides its stored bytes.
void Engine::add_part(Piece& piece, Part part) {
  const Request& request = *piece.request;
  // Whether a file suits the device is known when it is read.
  if (request.decoded_whole) part.on_device = request.on_device && !is_for_host(request);
  if (part.range.coding == pack::Coding::gstd) {
    part.on_device = request.on_device && !is_for_host(request) && device_->can_decode(part.range.tile_bytes);
    const uint64_t tiles = part.tiles.empty() ? part.content.count / part.range.tile_bytes + 2 : part.tiles.size();
    piece.table_bytes += tiles * (2 * sizeof(GstdTile));
    if (is_decoded_to_staging(request, part)) {
      part.decoded_at = piece.decoded_bytes;
      piece.decoded_bytes += (part.content.count + 255) / 256 * 256;
    }
  }
  piece.parts.push_back(std::move(part));
}

// The piece's read: whole blocks.
void Engine::set_read(Piece& piece, uint64_t position, uint64_t bytes) {
  piece.position = position;
  piece.bytes = bytes;
  piece.read_from = position / Space::kBlock * Space::kBlock;
  piece.read_bytes = Space::rounded(position + bytes - piece.read_from);
  piece.staging_bytes = piece.read_bytes + Space::rounded(piece.decoded_bytes);
}

// Ranges that fit, one after the other in the pack, in one read.
PiecePtr Engine::cut_short(const std::shared_ptr<Request>& request) {
  auto piece = std::make_unique<Piece>();
  piece->request = request;
  uint64_t begin = 0, end = 0, content = 0;
  uint32_t index = request->next_range;
  const uint32_t last = request->level_range ? *request->level_range + 1 : request->entry.range_count;
  for (; index < last; ++index) {
    const pack::Range range = request->pack->directory.range(request->entry, index);
    const Interval interval = needed(*request, range);
    if (interval.count == 0) continue;
    const Interval stored = stored_of(range, interval);
    const uint64_t from = piece->parts.empty() ? stored.first : begin;
    if (!request->whole_piece &&
        (stored.first + stored.count - from > piece_bytes_ || content + interval.count > piece_content_))
      break;
    begin = from;
    end = stored.first + stored.count;
    content += interval.count;
    Part part;
    part.range = range;
    part.content = interval;
    add_part(*piece, std::move(part));
  }
  if (piece->parts.empty()) {
    request->all_cut = index == last;
    return nullptr;
  }
  // The content's size is known when it is decoded.
  if (request->decoded_whole) piece->decoded_bytes = request->decoded_room;
  set_read(*piece, begin, end - begin);
  request->next_range = index;
  request->all_cut = index == last;
  return piece;
}

// The next stretch of a raw range that is too long for one read.
PiecePtr Engine::cut_raw(const std::shared_ptr<Request>& request, const pack::Range& range) {
  const Interval interval = needed(*request, range);
  const uint64_t at = interval.first + request->next_byte;
  const uint64_t into_block = (range.position + at) % Space::kBlock;
  auto piece = std::make_unique<Piece>();
  piece->request = request;
  Part part;
  part.range = range;
  part.content = {at, std::min(interval.count - request->next_byte, piece_bytes_ - into_block)};
  request->next_byte += part.content.count;
  const bool ends = request->next_byte == interval.count;
  if (config_.verify && interval.first == 0 && interval.count == range.stored_bytes) {
    piece->hash_turn = request->hash_made++;
    piece->hash_ends = ends;
  }
  const Interval stored = stored_of(range, part.content);
  add_part(*piece, std::move(part));
  set_read(*piece, stored.first, stored.count);
  if (ends) leave_range(*request);
  return piece;
}

// Tiles of a Gstd range that is too long, as many as one read has. Null: the next segment's are to be found first.
PiecePtr Engine::cut_tiles(const std::shared_ptr<Request>& request, const pack::Range& range) {
  LongRange* const plan = request->long_range.get();
  if (plan == nullptr || plan->next == plan->tiles.size()) return nullptr;
  const auto first = plan->tiles.begin() + static_cast<std::ptrdiff_t>(plan->next);
  const uint64_t begin = first->source;
  uint64_t end = begin, content = 0;
  auto last = first;
  for (; last != plan->tiles.end(); ++last) {
    const uint64_t tile_end = last->source + 4 * uint64_t{last->words};
    if (last != first && (tile_end - begin > piece_bytes_ || content + last->count > piece_content_)) break;
    end = tile_end;
    content += last->count;
  }
  auto piece = std::make_unique<Piece>();
  piece->request = request;
  Part part;
  part.range = range;
  part.content = {first->output, content};
  part.tiles.assign(first, last);
  plan->next += static_cast<size_t>(last - first);
  const Interval interval = needed(*request, range);
  const bool ends = part.content.first + content == interval.first + interval.count;
  add_part(*piece, std::move(part));
  set_read(*piece, range.position + begin, end - begin);
  if (ends) leave_range(*request);
  return piece;
}

void Engine::leave_range(Request& request) {
  request.next_byte = 0;
  if (request.long_range != nullptr) {
    plans_ -= request.long_range->budget;
    give_budget(request.long_range->budget);
    request.long_range = nullptr;
  }
  request.all_cut = request.level_range || ++request.next_range == request.entry.range_count;
}

// The request's next piece. Null: there is none, or `needs_plan`.
PiecePtr Engine::cut(const std::shared_ptr<Request>& request, bool& needs_plan) {
  needs_plan = false;
  if (request->next_byte == 0 && (request->long_range == nullptr)) {
    if (PiecePtr piece = cut_short(request)) return piece;
    if (request->all_cut) return nullptr;
  }
  // cut_short has stopped at a range that is too long, perhaps after some that are not needed.
  for (;; ++request->next_range) {
    const pack::Range range = request->pack->directory.range(request->entry, request->next_range);
    if (needed(*request, range).count == 0) continue;
    if (range.coding == pack::Coding::raw) return cut_raw(request, range);
    PiecePtr piece = cut_tiles(request, range);
    needs_plan = piece == nullptr;
    return piece;
  }
}

}  // namespace weft::loader
