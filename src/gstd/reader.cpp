// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gstd.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "gstd/container.hpp"
#include "gstd/reading.hpp"
#include "gstd/segment_walk.hpp"
#include "gstd/source.hpp"
#include "gstd/unpacker.hpp"

namespace weft::gstd {
namespace {

constexpr uint32_t kReadBytes = 16u << 20;  // of tiles' data in one read, unless a tile is larger

struct IndexedSegment {
  SegmentHeader header;
  uint64_t position, content_at;       // of the segment and of its content
  Tables tables;                       // if its content is indexed
  std::vector<std::byte> table_bytes;  // of the tables, if they were read
};

StreamInfo empty_info(const Source& source) {
  StreamInfo info;
  info.stream_bytes = source.size();
  info.tile_checksums = info.stream_checksum = true;
  info.least_tile_bytes = std::numeric_limits<uint32_t>::max();
  return info;
}

void add_segment(const SegmentWalk& walk, const Tables& tables, StreamInfo& info) {
  const SegmentHeader& header = walk.header();
  ++info.segments;
  info.streams += walk.order().first_of_stream();
  info.content_bytes = walk.order().content_end();
  info.least_tile_bytes = std::min(info.least_tile_bytes, header.tile_bytes());
  info.most_tile_bytes = std::max(info.most_tile_bytes, header.tile_bytes());
  info.tile_checksums &= header.has(kTileChecksums);
  info.stream_checksum &= header.has(header.is_small ? kTileChecksums : kStreamChecksum);
  for (uint32_t tile = 0; tile < header.tiles(); ++tile) switch (tables.type(tile)) {
      case TileType::raw: ++info.raw_tiles; break;
      case TileType::fill: ++info.fill_tiles; break;
      case TileType::compressed: ++info.compressed_tiles; break;
    }
}

Result<StreamInfo> inspect_source(const Source& source, const DecompressConfig& config) {
  StreamInfo info = empty_info(source);
  SegmentWalk walk(source, config);
  for (;;) {
    const Result<bool> more = walk.next();
    if (!more) return more.error();
    info.skippable_frames = walk.order().frames();
    if (!*more) return info;
    const Result<Tables> tables = walk.tables();
    if (!tables) return tables.error();
    add_segment(walk, *tables, info);
  }
}

Error beyond(uint64_t end, uint64_t content_end) {
  return mistake("the range ends at byte " + std::to_string(end) + ", the content at byte " +
                 std::to_string(content_end));
}

// The index of segments, and their decoder.
class RangeReader {
 public:
  RangeReader(std::span<const std::byte> stream, const DecompressConfig& config)
      : source_(stream), config_(config), unpacker_(config) {}
  RangeReader(ReadAt read, uint64_t stream_bytes, const DecompressConfig& config)
      : read_(std::move(read)), source_(read_, stream_bytes), config_(config), unpacker_(config) {}
  RangeReader(const RangeReader&) = delete;
  RangeReader& operator=(const RangeReader&) = delete;

  const DecompressConfig& config() const { return config_; }
  const StreamInfo& info() const { return info_; }
  // Reads all headers and tables.
  Status index_all();
  // Reads headers up to `end` of the content, and tables of segments in [first, end).
  Status index(uint64_t first, uint64_t end);
  // Reads content that is indexed.
  Status read(uint64_t first, std::span<std::byte> output);

 private:
  Status add(SegmentWalk& walk, bool with_tables);
  Status read_segment(const IndexedSegment& segment, uint64_t first, std::span<std::byte> output);

  ReadAt read_;
  Source source_;
  DecompressConfig config_;
  StreamInfo info_;
  std::vector<IndexedSegment> segments_;
  Unpacker unpacker_;
  std::vector<std::byte> room_;  // for tiles' data that is read
};

Status RangeReader::add(SegmentWalk& walk, bool with_tables) {
  segments_.push_back({walk.header(), walk.position(), walk.order().content_at(), Tables(), {}});
  IndexedSegment& segment = segments_.back();
  if (!with_tables) return {};
  const Result<Tables> tables = walk.tables();
  if (!tables) return tables.error();
  if (source_.in_memory()) {
    segment.tables = *tables;
  } else {
    segment.table_bytes.assign(tables->bytes().begin(), tables->bytes().end());
    segment.tables = Tables(segment.header, segment.table_bytes);
  }
  return {};
}

Status RangeReader::index_all() {
  info_ = empty_info(source_);
  SegmentWalk walk(source_, config_);
  for (;;) {
    const Result<bool> more = walk.next();
    if (!more) return more.error();
    info_.skippable_frames = walk.order().frames();
    if (!*more) return {};
    if (Status status = add(walk, true); !status) return status;
    add_segment(walk, segments_.back().tables, info_);
  }
}

Status RangeReader::index(uint64_t first, uint64_t end) {
  SegmentWalk walk(source_, config_);
  do {
    const Result<bool> more = walk.next();
    if (!more) return more.error();
    if (!*more) return beyond(end, walk.order().content_end());
    const bool is_wanted = first < end && first < walk.order().content_end();
    if (Status status = add(walk, is_wanted); !status) return status;
  } while (walk.order().content_end() < end);
  return {};
}

// Decodes as many tiles at a time as one view of the data holds.
Status RangeReader::read_segment(const IndexedSegment& segment, uint64_t first, std::span<std::byte> output) {
  const SegmentHeader& header = segment.header;
  const Tables& tables = segment.tables;
  const uint64_t end = first + output.size();
  for (uint64_t done = first; done < end;) {
    const auto begin_tile = static_cast<uint32_t>(done >> header.tile_log);
    const auto last_tile = static_cast<uint32_t>((end - 1) >> header.tile_log);
    uint32_t end_tile = begin_tile + 1;
    const uint32_t begin_word = tables.word_offset(begin_tile);
    while (end_tile <= last_tile && tables.word_offset(end_tile + 1) - begin_word <= kReadBytes / 4) ++end_tile;
    const uint64_t data_at = segment.position + header.data_at() + 4 * uint64_t{begin_word};
    const auto data = source_.view(data_at, 4 * size_t{tables.word_offset(end_tile) - begin_word}, room_);
    if (!data) return data.error();
    const uint64_t run_end = std::min(end, uint64_t{end_tile} << header.tile_log);
    const TileRun run{begin_tile, end_tile - begin_tile, *data, data_at};
    const uint64_t skip = done - (uint64_t{begin_tile} << header.tile_log);
    const auto refusal = unpacker_.unpack(header, tables, run, static_cast<uint32_t>(skip),
                                          output.subspan(done - first, run_end - done));
    if (refusal) return error_of(*refusal, config_.verdict);
    done = run_end;
  }
  return {};
}

Status RangeReader::read(uint64_t first, std::span<std::byte> output) {
  const uint64_t content_end = segments_.back().content_at + segments_.back().header.content_bytes;
  if (output.size() > content_end || first > content_end - output.size()) {
    if (output.size() > UINT64_MAX - first) return mistake("the range's end is no number of 64 bits");
    return beyond(first + output.size(), content_end);
  }
  // The last segment that begins at or before `first`; an empty one does not contain it.
  auto segment = std::ranges::upper_bound(segments_, first, {}, &IndexedSegment::content_at);
  for (--segment; !output.empty(); ++segment) {
    const uint64_t from = first - segment->content_at;
    const auto count = static_cast<size_t>(std::min<uint64_t>(output.size(), segment->header.content_bytes - from));
    if (Status status = read_segment(*segment, from, output.first(count)); !status) return status;
    first += count;
    output = output.subspan(count);
  }
  return {};
}

Status read_range(RangeReader& reader, uint64_t first, std::span<std::byte> output) {
  if (output.size() > UINT64_MAX - first) return mistake("the range's end is no number of 64 bits");
  if (Status status = reader.index(first, first + output.size()); !status) return status;
  return reader.read(first, output);
}

}  // namespace

Result<uint64_t> decompressed_size(std::span<const std::byte> stream, const DecompressConfig& config) noexcept {
  return reading(config, [&]() -> Result<uint64_t> { return content_size(Source(stream), config); });
}

Result<StreamInfo> inspect(std::span<const std::byte> stream, const DecompressConfig& config) noexcept {
  return reading(config, [&] { return inspect_source(Source(stream), config); });
}

Result<StreamInfo> inspect(const ReadAt& read, uint64_t stream_bytes, const DecompressConfig& config) noexcept {
  return reading(config, [&] { return inspect_source(Source(read, stream_bytes), config); });
}

Status decompress_range(std::span<const std::byte> stream, uint64_t first, std::span<std::byte> output,
                        const DecompressConfig& config) noexcept {
  return reading(config, [&]() -> Status {
    RangeReader reader(stream, config);
    return read_range(reader, first, output);
  });
}

Status decompress_range(const ReadAt& read, uint64_t stream_bytes, uint64_t first, std::span<std::byte> output,
                        const DecompressConfig& config) noexcept {
  return reading(config, [&]() -> Status {
    RangeReader reader(read, stream_bytes, config);
    return read_range(reader, first, output);
  });
}

struct Reader::State : RangeReader {
  using RangeReader::RangeReader;
};

Reader::Reader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

Result<Reader> Reader::open(std::span<const std::byte> stream, const DecompressConfig& config) noexcept {
  return reading(config, [&]() -> Result<Reader> {
    auto state = std::make_unique<State>(stream, config);
    if (const Status status = state->index_all(); !status) return status.error();
    return Reader(std::move(state));
  });
}

Result<Reader> Reader::open(ReadAt read, uint64_t stream_bytes, const DecompressConfig& config) noexcept {
  return reading(config, [&]() -> Result<Reader> {
    auto state = std::make_unique<State>(std::move(read), stream_bytes, config);
    if (const Status status = state->index_all(); !status) return status.error();
    return Reader(std::move(state));
  });
}

const StreamInfo& Reader::info() const noexcept { return state_->info(); }

Status Reader::read(uint64_t first, std::span<std::byte> output) noexcept {
  return reading(state_->config(), [&] { return state_->read(first, output); });
}

}  // namespace weft::gstd
