// SPDX-License-Identifier: MIT OR Apache-2.0
// What becomes of bytes in staging: on the CPU, or a list for the device.
#include <algorithm>
#include <array>
#include <cstring>

#include <weft/gdeflate.hpp>
#include <weft/ktx2.hpp>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "gstd/checksum.hpp"
#include "gstd/little_endian.hpp"
#include "loader/engine.hpp"

namespace weft::loader {

namespace {

constexpr size_t kMaxCopies = 1 << 16;  // of a piece, for the device

const Outcome kDamaged{RequestStatus::corrupt, "a checksum does not match the stored bytes"};
const Outcome kBadStream{RequestStatus::corrupt, "the asset's stream is invalid"};

const Outcome kNoMemory{RequestStatus::out_of_memory, "no host memory"};
const Outcome kTooLarge{RequestStatus::over_limit, "the file's content is larger than the destination"};

Outcome decode_zstd(std::span<const std::byte> file, std::span<std::byte> to, Decoder& decoder, size_t& bytes) {
  if (decoder.zstd == nullptr) decoder.zstd = ZSTD_createDCtx();
  if (decoder.zstd == nullptr) return kNoMemory;
  bytes = ZSTD_decompressDCtx(decoder.zstd, to.data(), to.size(), file.data(), file.size());
  if (!ZSTD_isError(bytes)) return {};
  switch (ZSTD_getErrorCode(bytes)) {
    case ZSTD_error_dstSize_tooSmall: return kTooLarge;
    case ZSTD_error_memory_allocation: return kNoMemory;
    default: return {RequestStatus::corrupt, "the file is no valid Zstandard"};
  }
}

Outcome decode_gdeflate(std::span<const std::byte> file, std::span<std::byte> to, size_t& bytes) {
  const auto decoded = [&]() -> Status {
    const Result<std::vector<gdeflate::Page>> pages = gdeflate::pages(file);
    if (!pages) return pages.error();
    for (const gdeflate::Page& page : *pages) bytes += page.bytes;
    return bytes <= to.size() ? gdeflate::decompress(file, to.first(bytes)) : Status{};
  }();
  if (!decoded)
    return decoded.error().code == ErrorCode::out_of_host_memory
               ? kNoMemory
               : Outcome{RequestStatus::corrupt, "the file is no valid GDeflate"};
  return bytes <= to.size() ? Outcome{} : kTooLarge;
}

}  // namespace

Decoder::~Decoder() { ZSTD_freeDCtx(zstd); }

void Engine::process(PiecePtr piece, Decoder& decoder) {
  bool failed;
  {
    const std::unique_lock lock(mutex_);
    failed = piece->request->failure != RequestStatus::ok;
  }
  if (failed) {
    finish(std::move(piece), {});
    return;
  }
  Outcome outcome;
  try {
    if (piece->hash_turn && !hash_in_turn(piece, outcome)) return;
    if (outcome.ok()) outcome = work_on(*piece, decoder);
  } catch (...) {
    outcome = {RequestStatus::out_of_memory, "no host memory"};
  }
  if (!outcome.ok() || !piece->is_for_device()) {
    finish(std::move(piece), outcome);
    return;
  }
  const std::unique_lock lock(mutex_);
  piece->request->report.decoded = Clock::now();
  give_device(std::move(piece));
}

// Hashes pieces of a long range in their order. Returns false, and keeps the piece, if it is not its turn.
bool Engine::hash_in_turn(PiecePtr& piece, Outcome& outcome) {
  Request& request = *piece->request;
  {
    const std::unique_lock lock(mutex_);
    if (request.hash_next != *piece->hash_turn && request.failure == RequestStatus::ok) {
      const uint32_t turn = *piece->hash_turn;
      request.waiting.emplace(turn, std::move(piece));
      return false;
    }
    if (request.failure != RequestStatus::ok) return true;
  }
  const Part& part = piece->parts.front();
  request.hash.add({at(staged(*piece, part.range.position + part.content.first)), part.content.count});
  if (piece->hash_ends) {
    if (request.hash.value() != part.range.stored_hash) outcome = kDamaged;
    request.hash = {};
  }
  const std::unique_lock lock(mutex_);
  const auto next = request.waiting.find(++request.hash_next);
  if (next != request.waiting.end()) {
    to_process_.push_front(std::move(next->second));
    request.waiting.erase(next);
  }
  return true;
}

Outcome Engine::work_on(Piece& piece, Decoder& decoder) {
  if (piece.request->decoded_whole) return decode_file(piece, decoder);
  for (Part& part : piece.parts) {
    Outcome outcome;
    if (part.range.coding == pack::Coding::raw) {
      outcome = take_raw(piece, part);
    } else {
      if (part.tiles.empty()) outcome = find_tiles(piece, part);
      if (outcome.ok()) {
        if (part.on_device)
          give_tiles(piece, part);
        else
          outcome = decode_on_host(piece, part, decoder);
      }
    }
    if (!outcome.ok()) return outcome;
  }
  return {};
}

Outcome Engine::take_raw(Piece& piece, const Part& part) {
  const uint64_t staging = staged(piece, part.range.position + part.content.first);
  if (config_.verify && !piece.hash_turn && part.content.first == 0 && part.content.count == part.range.stored_bytes &&
      pack::hash_of(std::span<const std::byte>(at(staging), part.content.count)) != part.range.stored_hash)
    return kDamaged;
  return deliver(piece, part, staging);
}

// Of a short range, whose stream is in staging.
Outcome Engine::find_tiles(const Piece& piece, Part& part) {
  const std::span<const std::byte> stream(at(staged(piece, part.range.position)), part.range.stored_bytes);
  gstd::DecompressConfig limits;
  limits.max_content = content_of(*piece.request, part.range);
  const auto content = gstd::decompressed_size(stream, limits);
  if (!content || *content != *limits.max_content) return kBadStream;
  auto tiles = gstd_tiles_of_range(stream, 0, part.content.first, part.content.count, part.content.first, limits);
  if (!tiles)
    return tiles.error().code == ErrorCode::out_of_host_memory ? Outcome{RequestStatus::out_of_memory, "no host memory"}
                                                               : kBadStream;
  // The table's size was reserved by the directory's tile size.
  const bool as_declared =
      std::ranges::all_of(*tiles, [&](const GstdTile& tile) { return tile.bytes <= part.range.tile_bytes; });
  if (!as_declared || tiles->size() > part.content.count / part.range.tile_bytes + 2) return kBadStream;
  const bool all_sums = std::ranges::all_of(*tiles, [](const GstdTile& tile) { return tile.has_checksum != 0; });
  if (config_.verify && !all_sums && pack::hash_of(stream) != part.range.stored_hash) return kDamaged;
  part.tiles = *std::move(tiles);
  return {};
}

void Engine::give_tiles(Piece& piece, const Part& part) {
  for_each_stretch(*piece.request, part.range, part.content, [&](uint64_t from, uint64_t to, uint64_t) {
    for (GstdTile tile : part.tiles) {
      tile.source = staged(piece, part.range.position + tile.source);
      tile.output = tile.output - from + to;
      piece.tiles.push_back(tile);
    }
  });
}

Outcome Engine::decode_on_host(Piece& piece, const Part& part, Decoder& decoder) {
  const bool staged_first = is_decoded_to_staging(*piece.request, part);
  std::byte* output = at(piece.decoded + part.decoded_at);  // of the interval's first byte
  if (!staged_first) {
    const auto to = std::get<std::span<std::byte>>(piece.request->to);
    for_each_stretch(*piece.request, part.range, part.content,
                     [&](uint64_t, uint64_t at_byte, uint64_t) { output = to.data() + at_byte; });
  }
  for (const GstdTile& tile : part.tiles) {
    const Outcome outcome = decode_tile(piece, part, tile, output + (tile.output - part.content.first), decoder);
    if (!outcome.ok()) return outcome;
  }
  return staged_first ? deliver(piece, part, piece.decoded + part.decoded_at) : Outcome{};
}

Outcome Engine::decode_tile(const Piece& piece, const Part& part, const GstdTile& tile, std::byte* output,
                            Decoder& decoder) {
  const gstd::StoredTile stored{static_cast<gstd::TileType>(tile.kind),
                                {at(staged(piece, part.range.position + tile.source)), 4 * size_t{tile.words}},
                                tile.source};
  const bool whole = tile.count == tile.bytes;
  const std::span<std::byte> bytes = whole ? std::span(output, tile.bytes) : decoder.tiles.room(tile.bytes);
  if (decoder.tiles.unpack(stored, bytes, false)) return kBadStream;
  if (config_.verify && tile.has_checksum != 0 && gstd::checksum(bytes) != tile.checksum) return kDamaged;
  if (!whole) std::memcpy(output, bytes.data() + tile.first, tile.count);
  return {};
}

// Brings a part's bytes in staging to the destination.
Outcome Engine::deliver(Piece& piece, const Part& part, uint64_t staging) {
  Outcome outcome;
  const auto* const host = std::get_if<std::span<std::byte>>(&piece.request->to);
  for_each_stretch(*piece.request, part.range, part.content, [&](uint64_t from, uint64_t to, uint64_t bytes) {
    const uint64_t source = staging + (from - part.content.first);
    if (host != nullptr)
      std::memcpy(host->data() + to, at(source), bytes);
    else if (piece.copies.size() < kMaxCopies)
      piece.copies.push_back({source, to, bytes});
    else
      outcome = {RequestStatus::unsupported, "an image in too many slices for a copy to the device"};
  });
  return outcome;
}

// What the KTX2 file's header says of a level: its bytes without padding, and the size of its content.
Outcome Engine::find_level(const Request& request, const Part& part, std::span<const std::byte>& stored,
                           uint64_t& content) const {
  const Outcome invalid{RequestStatus::corrupt, "the KTX2 file's header is invalid"};
  const auto outcome_of = [&](const Error& error) {
    return error.code == ErrorCode::out_of_host_memory ? kNoMemory : invalid;
  };
  std::array<std::byte, ktx2::kHeadBytes> room;
  const pack::Range range = request.pack->directory.range(request.entry, 0);
  const auto head = std::span(room).first(std::min<uint64_t>(range.stored_bytes, room.size()));
  if (range.level != pack::kNoLevel || head.empty()) return invalid;
  if (const int64_t result = read_now(request, range.position, head); result <= 0) return outcome_of_read(result);
  const auto header = ktx2::read_header(head);
  if (!header) return outcome_of(header.error());
  switch (header->supercompression) {
    case ktx2::Supercompression::basis_lz:
      return {RequestStatus::unsupported, "BasisLZ supercompression of KTX2 is not decoded"};
    case ktx2::Supercompression::zstd: break;
    case ktx2::Supercompression::zlib:
      return {RequestStatus::unsupported, "ZLIB supercompression of KTX2 is not decoded"};
    default: return {RequestStatus::unsupported, "the KTX2 file's supercompression is unknown"};
  }
  const auto levels = ktx2::read_levels(*header, head, request.entry.content_bytes);
  if (!levels) return outcome_of(levels.error());
  if (part.range.level >= levels->size()) return invalid;
  const ktx2::Level& level = (*levels)[part.range.level];
  content = level.slice_bytes * header->layers * header->faces;
  if (level.stored_bytes > stored.size()) return invalid;
  stored = stored.first(level.stored_bytes);
  return {};
}

// Tables count as part of the budget until the piece ends. `entry_bytes`: on the host.
bool Engine::take_table(Piece& piece, uint64_t entries, uint64_t entry_bytes) {
  if (entries > kMaxEntries && entries > piece.decoded_bytes / kTableBytes) return false;
  const std::unique_lock lock(mutex_);
  if (!take_budget(entries * entry_bytes)) return false;
  piece.table_bytes += entries * entry_bytes;
  return true;
}

// Where each frame's content is to go is known if all before it declare theirs.
bool Engine::list_frames(Piece& piece, std::span<const std::byte> file, uint64_t source, uint64_t content) {
  const uint64_t room = std::min(piece.decoded_bytes, content);
  uint64_t count = 0, declared = 0;
  bool is_open = false;
  for (auto rest = file; !rest.empty();) {
    ZSTD_frameHeader header;
    const size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    if (ZSTD_isError(size) != 0 || ZSTD_getFrameHeader(&header, rest.data(), rest.size()) != 0) return false;
    rest = rest.subspan(size);
    if (header.frameType == ZSTD_skippableFrame) continue;
    if (is_open) return false;
    ++count;
    is_open = header.frameContentSize == ZSTD_CONTENTSIZE_UNKNOWN;
    if (is_open) continue;
    if (header.frameContentSize > room - declared) return false;
    declared += header.frameContentSize;
  }
  if (!take_table(piece, count, 2 * sizeof(ZstdFrame) + sizeof(ZstdBounds) + sizeof(void*))) return false;
  piece.frames.reserve(count);
  piece.bounds.reserve(count);
  uint64_t output = 0;
  for (size_t at = 0; at < file.size();) {
    const size_t size = ZSTD_findFrameCompressedSize(&file[at], file.size() - at);
    const auto table = zstd_frames(file.subspan(at, size), source + at, output);
    if (!table || table->frames.size() > 1) return false;
    at += size;
    if (table->frames.empty()) continue;
    piece.frames.push_back(table->frames.front());
    piece.bounds.push_back(table->bounds);
    output += table->output_bytes;
  }
  if (is_open) {
    uint32_t& capacity = piece.frames.back().capacity;
    output -= capacity;
    capacity = static_cast<uint32_t>(std::min<uint64_t>(capacity, room - declared));
    output += capacity;
  }
  piece.is_open = is_open;
  piece.is_exact = content != kToEnd;
  piece.output_bytes = output;
  return output != 0 && (!is_open || !piece.is_exact || output == content);
}

bool Engine::list_pages(Piece& piece, std::span<const std::byte> file, uint64_t source) {
  if (file.size() < 8 || source % 4 != 0) return false;
  const uint64_t count = gstd::load_u32(file.data()) >> 16;
  if (!take_table(piece, count, sizeof(gdeflate::Page) + 2 * sizeof(GdeflatePage) + sizeof(void*))) return false;
  const auto pages = gdeflate::pages(file);
  if (!pages) return false;
  uint64_t content = 0;
  std::vector<GdeflatePage> table;
  for (const gdeflate::Page& page : *pages) {
    if (page.first % 4 != 0 || page.size % 4 != 0 || page.bytes > piece.decoded_bytes - content) return false;
    table.push_back({source + page.first, content, page.size / 4, page.bytes});
    content += page.bytes;
  }
  piece.pages = std::move(table);
  piece.output_bytes = content;
  return true;
}

// Makes the device's table. False: the CPU decodes the file, and says what is wrong with it.
bool Engine::list_file(Piece& piece, const Part& part, std::span<const std::byte> file, uint64_t content) {
  if (!part.on_device) return false;
  const uint64_t source = piece.staging + static_cast<uint64_t>(file.data() - at(piece.staging));
  if (piece.request->entry.kind == pack::Kind::gdeflate) return list_pages(piece, file, source);
  if (list_frames(piece, file, source, content)) return true;
  piece.frames.clear();
  return false;
}

Outcome Engine::decode_file(Piece& piece, Decoder& decoder) {
  Request& request = *piece.request;
  Part& part = piece.parts.front();
  std::span<const std::byte> file(at(staged(piece, part.range.position)), part.content.count);
  if (config_.verify && pack::hash_of(file) != part.range.stored_hash) return kDamaged;
  uint64_t content = kToEnd;
  if (request.level_range)
    if (const Outcome outcome = find_level(request, part, file, content); !outcome.ok()) return outcome;
  const bool is_image = std::holds_alternative<ImageDestination>(request.to);
  part.on_device = list_file(piece, part, file, is_image ? std::min(content, request.decoded_room) : content);
  size_t bytes = part.on_device ? piece.output_bytes : 0;
  if (!part.on_device) {
    std::span<std::byte> to;
    if (const auto* host = std::get_if<std::span<std::byte>>(&request.to))
      to = *host;
    else
      to = {at(piece.decoded), piece.decoded_bytes};
    const Outcome outcome = request.entry.kind == pack::Kind::gdeflate ? decode_gdeflate(file, to, bytes)
                                                                       : decode_zstd(file, to, decoder, bytes);
    if (!outcome.ok()) return outcome;
  }
  if (content != kToEnd && bytes != content) return {RequestStatus::corrupt, "the level has another size than it says"};
  if (is_image && bytes != request.decoded_room)
    return {RequestStatus::invalid_argument, "the level has another size than the image takes"};
  if (!request.to_host() && !part.on_device && bytes != 0) piece.copies.push_back({piece.decoded, 0, bytes});
  const std::unique_lock lock(mutex_);
  request.report.bytes = bytes;
  return {};
}

}  // namespace weft::loader
