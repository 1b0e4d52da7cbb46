// SPDX-License-Identifier: MIT OR Apache-2.0
#include "gstd/unpacker.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace weft::gstd {

void Unpacker::refuse(size_t item, Refusal refusal) {
  const std::lock_guard lock(mutex_);
  if (item >= refused_) return;
  refused_ = item;
  refusal_ = std::move(refusal);
}

std::optional<Refusal> Unpacker::unpack(const SegmentHeader& header, const Tables& tables, const TileRun& run,
                                        uint32_t skip, std::span<std::byte> output) {
  const uint32_t base = tables.word_offset(run.first);
  const bool wants_sums = verify_ && (header.has(kTileChecksums) || header.has(kStreamChecksum));
  sums_.resize(run.count);
  refused_ = run.count;
  refusal_.reset();
  if (unpackers_.size() < workers_.count_for(run.count)) unpackers_.resize(workers_.count_for(run.count));
  const auto job = [&](size_t item, uint32_t worker) {
    if (item > refused_) return;
    TileUnpacker& unpacker = unpackers_[worker];
    const uint32_t tile = run.first + static_cast<uint32_t>(item);
    const size_t data_at = 4 * size_t{tables.word_offset(tile) - base};
    const StoredTile stored{tables.type(tile), run.data.subspan(data_at, 4 * size_t{tables.words(tile)}),
                            run.data_at + data_at};
    // In the run's content: the tile, and its requested part.
    const uint64_t begin = uint64_t{item} << header.tile_log, end = begin + header.bytes_of(tile);
    const uint64_t from = std::max<uint64_t>(begin, skip), to = std::min(end, skip + uint64_t{output.size()});
    const auto wanted = output.subspan(from - skip, to - from);
    const bool is_whole = wanted.size() == end - begin;
    const std::span<std::byte> content = is_whole ? wanted : unpacker.room(end - begin);
    if (auto refusal = unpacker.unpack(stored, content, reference_)) return refuse(item, *std::move(refusal));
    if (wants_sums) {
      sums_[item] = checksum(content);
      if (tables.has_sums() && tables.sum(tile) != sums_[item])
        return refuse(item, {Fault::tile_checksum, stored.position, "a tile's content is not what its checksum says"});
    }
    if (!is_whole) std::ranges::copy(content.subspan(from - begin, wanted.size()), wanted.begin());
  };
  if (!workers_.run(run.count, job)) throw std::bad_alloc();
  return std::exchange(refusal_, std::nullopt);
}

std::optional<Refusal> StreamCheck::end_segment(const SegmentHeader& header, uint64_t position) const {
  if (!verify_ || !header.last() || !header.has(kStreamChecksum) || sum_.value() == header.stream_checksum)
    return std::nullopt;
  return Refusal{Fault::stream_checksum, position + HeaderAt::stream_checksum,
                 "the stream's content is not what its checksum says"};
}

}  // namespace weft::gstd
