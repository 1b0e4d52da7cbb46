// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gstd.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "gstd/checksum.hpp"
#include "gstd/container.hpp"
#include "gstd/segment_walk.hpp"
#include "gstd/source.hpp"
#include "gstd/stored_tile.hpp"
#include "gstd/workers.hpp"

namespace weft::gstd {
namespace {

constexpr uint32_t kTilesPerThread = 8;     // that a Decompressor shares out at a time
constexpr uint32_t kReadBytes = 16u << 20;  // of tiles' data that are read at once, or a tile

Error out_of_memory() { return {ErrorCode::out_of_host_memory, "the host is out of memory"}; }

// What does not depend on the stream's bytes is no fault of theirs.
Error refuse(std::string what) { return {ErrorCode::invalid_argument, std::move(what)}; }

// Runs what reads a stream: the verdict is good until it says otherwise.
template <class T, class Call>
Result<T> read_stream(const DecompressConfig& config, const Call& call) {
  if (config.verdict != nullptr) *config.verdict = {};
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

template <class Call>
Status read_stream(const DecompressConfig& config, const Call& call) {
  return read_stream<bool>(config,
                           [&]() -> Result<bool> {
                             if (const Status status = call(); !status) return status.error();
                             return true;
                           })
      .status();
}

// Tiles of a segment that are one after the other.
struct TileRun {
  uint32_t first = 0;
  uint32_t count = 0;
  std::span<const std::byte> data;  // of all of them
  uint64_t data_at = 0;             // in the stream
};

// Unpacks tiles by several threads, and compares their checksums.
class Unpacker {
 public:
  explicit Unpacker(const DecompressConfig& config)
      : verify_(config.verify), reference_(config.reference), workers_(config.threads), unpackers_(workers_.count()) {}

  uint32_t threads() const { return workers_.count(); }

  // Fills `output` with bytes [skip, skip + output.size()) of the run's content, of which it begins in the first tile and ends in the
  // last. Reports the first tile that is refused. Then, sums() are the tiles' checksums, if any are wanted.
  std::optional<Refusal> unpack(const SegmentHeader& header, const Tables& tables, const TileRun& run, uint32_t skip,
                                std::span<std::byte> output);
  std::span<const uint32_t> sums() const { return sums_; }

 private:
  bool verify_, reference_;
  Workers workers_;
  std::vector<TileUnpacker> unpackers_;
  std::vector<uint32_t> sums_;
  std::vector<std::optional<Refusal>> refusals_;
};

std::optional<Refusal> Unpacker::unpack(const SegmentHeader& header, const Tables& tables, const TileRun& run,
                                        uint32_t skip, std::span<std::byte> output) {
  const uint32_t base = tables.word_offset(run.first);
  const bool wants_sums = verify_ && (header.has(kTileChecksums) || header.has(kStreamChecksum));
  sums_.resize(run.count);
  refusals_.assign(run.count, std::nullopt);
  const auto job = [&](size_t item, uint32_t worker) {
    const uint32_t tile = run.first + static_cast<uint32_t>(item);
    const size_t data_at = 4 * size_t{tables.word_offset(tile) - base};
    const StoredTile stored{tables.type(tile), run.data.subspan(data_at, 4 * size_t{tables.words(tile)}),
                            run.data_at + data_at};
    // Of the run's content: the tile's, and of that what is wanted.
    const uint64_t begin = uint64_t{item} << header.tile_log, end = begin + header.bytes_of(tile);
    const uint64_t from = std::max<uint64_t>(begin, skip), to = std::min(end, skip + uint64_t{output.size()});
    const auto wanted = output.subspan(from - skip, to - from);
    std::vector<std::byte> whole;
    if (wanted.size() != end - begin) whole.resize(end - begin);
    const std::span<std::byte> content = whole.empty() ? wanted : std::span(whole);
    if (auto refusal = unpackers_[worker].unpack(stored, content, reference_)) {
      refusals_[item] = std::move(refusal);
      return;
    }
    if (wants_sums) {
      sums_[item] = checksum(content);
      if (tables.has_sums() && tables.sum(tile) != sums_[item])
        refusals_[item] =
            Refusal{Fault::tile_checksum, stored.position, "a tile's content is not what its checksum says"};
    }
    if (!whole.empty())
      std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(from - begin), wanted.size(), wanted.begin());
  };
  if (!workers_.run(run.count, job)) throw std::bad_alloc();
  for (auto& refusal : refusals_)
    if (refusal) return std::move(refusal);
  return std::nullopt;
}

// Compares what a stream's last segment says of all its tiles.
class StreamCheck {
 public:
  explicit StreamCheck(bool verify) : verify_(verify) {}

  void begin() { sum_ = {}; }
  void add(std::span<const uint32_t> sums) {
    for (const uint32_t sum : sums) sum_.add(sum);
  }
  std::optional<Refusal> end_segment(const SegmentHeader& header, uint64_t position) const {
    if (!verify_ || !header.last() || !header.has(kStreamChecksum) || sum_.value() == header.stream_checksum)
      return std::nullopt;
    return Refusal{Fault::stream_checksum, position + HeaderAt::stream_checksum,
                   "the stream's content is not what its checksum says"};
  }

 private:
  bool verify_;
  WordSum sum_;
};

Result<uint64_t> size_of(const Source& source, const DecompressConfig& config) {
  SegmentWalk walk(source, config);
  for (;;) {
    const Result<bool> more = walk.next();
    if (!more) return more.error();
    if (!*more) return walk.order().content_end();
  }
}

Result<uint64_t> decompress_all(std::span<const std::byte> stream, std::span<std::byte> output,
                                const DecompressConfig& config) {
  DecompressConfig limited = config;
  limited.max_content = std::min<uint64_t>(config.max_content, output.size());
  const Source source(stream);
  SegmentWalk walk(source, limited);
  Unpacker unpacker(config);
  StreamCheck check(config.verify);
  for (;;) {
    const Result<bool> more = walk.next();
    if (!more) return more.error();
    if (!*more) return walk.order().content_end();
    const Result<Tables> tables = walk.tables();
    if (!tables) return tables.error();
    const SegmentHeader& header = walk.header();
    if (walk.order().first_of_stream()) check.begin();
    const uint64_t data_at = walk.position() + header.data_at();
    const TileRun run{0, header.tiles(), stream.subspan(data_at, 4 * size_t{header.data_words()}), data_at};
    auto refusal =
        unpacker.unpack(header, *tables, run, 0, output.subspan(walk.order().content_at(), header.content_bytes));
    if (!refusal) {
      check.add(unpacker.sums());
      refusal = check.end_segment(header, walk.position());
    }
    if (refusal) return error_of(*refusal, config.verdict);
  }
}

Status decompress_part(const Source& source, uint64_t first, std::span<std::byte> output,
                       const DecompressConfig& config) {
  if (output.size() > UINT64_MAX - first) return refuse("the range's end is no number of 64 bits");
  const uint64_t end = first + output.size();
  SegmentWalk walk(source, config);
  Unpacker unpacker(config);
  std::vector<std::byte> room;
  for (uint64_t done = first;;) {
    const Result<bool> more = walk.next();
    if (!more) return more.error();
    if (!*more) {
      // An empty range is there as soon as its place is.
      if (done == end && end <= walk.order().content_end()) return {};
      return refuse("the range ends at byte " + std::to_string(end) + ", the content at byte " +
                    std::to_string(walk.order().content_end()));
    }
    if (done >= walk.order().content_end()) continue;
    if (done == end) return {};
    const Result<Tables> tables = walk.tables();
    if (!tables) return tables.error();
    const SegmentHeader& header = walk.header();
    const uint64_t segment_at = walk.order().content_at();
    const uint64_t until = std::min(end, walk.order().content_end());
    // As many tiles at a time as one view of the data takes.
    while (done < until) {
      const auto begin_tile = static_cast<uint32_t>((done - segment_at) >> header.tile_log);
      const auto last_tile = static_cast<uint32_t>((until - 1 - segment_at) >> header.tile_log);
      uint32_t end_tile = begin_tile + 1;
      const uint32_t begin_word = tables->word_offset(begin_tile);
      while (end_tile <= last_tile && tables->word_offset(end_tile + 1) - begin_word <= kReadBytes / 4) ++end_tile;
      const uint32_t end_word = tables->word_offset(end_tile);
      const uint64_t data_at = walk.position() + header.data_at() + 4 * uint64_t{begin_word};
      const auto data = source.view(data_at, 4 * size_t{end_word - begin_word}, room);
      if (!data) return data.error();
      const uint64_t run_at = segment_at + (uint64_t{begin_tile} << header.tile_log);
      const uint64_t run_end =
          std::min(until, segment_at + std::min<uint64_t>(uint64_t{end_tile} << header.tile_log, header.content_bytes));
      const TileRun run{begin_tile, end_tile - begin_tile, *data, data_at};
      const auto refusal = unpacker.unpack(header, *tables, run, static_cast<uint32_t>(done - run_at),
                                           output.subspan(done - first, run_end - done));
      if (refusal) return error_of(*refusal, config.verdict);
      done = run_end;
    }
    if (done == end) return {};
  }
}

Result<StreamInfo> inspect_source(const Source& source, const DecompressConfig& config) {
  StreamInfo info;
  info.stream_bytes = source.size();
  info.tile_checksums = info.stream_checksum = true;
  info.least_tile_bytes = std::numeric_limits<uint32_t>::max();
  SegmentWalk walk(source, config);
  for (;;) {
    const Result<bool> more = walk.next();
    if (!more) return more.error();
    if (!*more) break;
    const Result<Tables> tables = walk.tables();
    if (!tables) return tables.error();
    const SegmentHeader& header = walk.header();
    ++info.segments;
    info.streams += walk.order().first_of_stream();
    info.least_tile_bytes = std::min(info.least_tile_bytes, header.tile_bytes());
    info.most_tile_bytes = std::max(info.most_tile_bytes, header.tile_bytes());
    info.tile_checksums &= header.has(kTileChecksums);
    info.stream_checksum &= header.has(kStreamChecksum);
    for (uint32_t tile = 0; tile < header.tiles(); ++tile) switch (tables->type(tile)) {
        case TileType::raw: ++info.raw_tiles; break;
        case TileType::fill: ++info.fill_tiles; break;
        case TileType::compressed: ++info.compressed_tiles; break;
      }
  }
  info.content_bytes = walk.order().content_end();
  return info;
}

}  // namespace

Result<uint64_t> decompressed_size(std::span<const std::byte> stream, const DecompressConfig& config) {
  return read_stream<uint64_t>(config, [&] { return size_of(Source(stream), config); });
}

Result<uint64_t> decompress_to(std::span<const std::byte> stream, std::span<std::byte> output,
                               const DecompressConfig& config) {
  return read_stream<uint64_t>(config, [&] { return decompress_all(stream, output, config); });
}

Result<std::vector<std::byte>> decompress(std::span<const std::byte> stream, const DecompressConfig& config) {
  return read_stream<std::vector<std::byte>>(config, [&]() -> Result<std::vector<std::byte>> {
    const Result<uint64_t> size = size_of(Source(stream), config);
    if (!size) return size.error();
    std::vector<std::byte> content;
    if (*size > content.max_size()) return out_of_memory();
    content.resize(static_cast<size_t>(*size));
    if (const Result<uint64_t> done = decompress_all(stream, content, config); !done) return done.error();
    return content;
  });
}

Status decompress_range(std::span<const std::byte> stream, uint64_t first, std::span<std::byte> output,
                        const DecompressConfig& config) {
  return read_stream(config, [&] { return decompress_part(Source(stream), first, output, config); });
}

Status decompress_range(const ReadAt& read, uint64_t stream_bytes, uint64_t first, std::span<std::byte> output,
                        const DecompressConfig& config) {
  return read_stream(config, [&] { return decompress_part(Source(read, stream_bytes), first, output, config); });
}

Result<StreamInfo> inspect(std::span<const std::byte> stream, const DecompressConfig& config) {
  return read_stream<StreamInfo>(config, [&] { return inspect_source(Source(stream), config); });
}

Result<StreamInfo> inspect(const ReadAt& read, uint64_t stream_bytes, const DecompressConfig& config) {
  return read_stream<StreamInfo>(config, [&] { return inspect_source(Source(read, stream_bytes), config); });
}

struct Decompressor::State {
  explicit State(const DecompressConfig& from)
      : config(from), unpacker(from), order(from.max_content), check(from.verify) {}

  enum class Next { header, tables, tiles };

  Status write(std::span<const std::byte> stream, const Sink& sink);
  // Deals with bytes that are all of what was awaited, and says what comes next.
  Status take(const Sink& sink);
  void await_header();
  void await_tiles();
  Status refuse(const Refusal& refusal) const { return error_of(refusal, config.verdict); }

  DecompressConfig config;
  Unpacker unpacker;
  HeaderOrder order;
  StreamCheck check;
  Status outcome;  // not ok: what ended the work

  Next next = Next::header;
  size_t awaited = kHeaderBytes;
  std::vector<std::byte> bytes;  // of what is awaited
  uint64_t position = 0;         // of these, in the stream
  uint64_t segment_at = 0;
  std::vector<std::byte> table_bytes;
  Tables tables;
  TileRun run;
  std::vector<std::byte> content;
};

void Decompressor::State::await_header() {
  next = Next::header;
  awaited = kHeaderBytes;
}

void Decompressor::State::await_tiles() {
  run.first += run.count;
  const uint32_t tiles = order.header().tiles();
  if (run.first == tiles) return await_header();
  next = Next::tiles;
  run.count = std::min(tiles - run.first, unpacker.threads() == 1 ? 1 : unpacker.threads() * kTilesPerThread);
  awaited = 4 * size_t{tables.word_offset(run.first + run.count) - tables.word_offset(run.first)};
}

Status Decompressor::State::take(const Sink& sink) {
  const SegmentHeader& header = order.header();
  switch (next) {
    case Next::header:
      if (const auto refusal = order.next(bytes, position)) return refuse(*refusal);
      segment_at = position;
      if (order.first_of_stream()) check.begin();
      next = Next::tables;
      awaited = header.tables_bytes();
      break;
    case Next::tables:
      if (const auto refusal = check_tables(header, bytes, segment_at)) return refuse(*refusal);
      table_bytes.swap(bytes);
      tables = Tables(header, table_bytes);
      run = {};
      await_tiles();
      if (next == Next::header)  // an empty stream
        if (const auto refusal = check.end_segment(header, segment_at)) return refuse(*refusal);
      break;
    case Next::tiles: {
      run.data = bytes;
      run.data_at = position;
      const uint64_t begin = uint64_t{run.first} << header.tile_log;
      const uint64_t end = std::min<uint64_t>(uint64_t{run.first + run.count} << header.tile_log, header.content_bytes);
      content.resize(end - begin);
      if (const auto refusal = unpacker.unpack(header, tables, run, 0, content)) return refuse(*refusal);
      check.add(unpacker.sums());
      await_tiles();
      // Content that the stream's checksum refuses is not given to its end.
      if (next == Next::header)
        if (const auto refusal = check.end_segment(header, segment_at)) return refuse(*refusal);
      if (Status status = sink(content); !status) return status;
      break;
    }
  }
  return {};
}

Status Decompressor::State::write(std::span<const std::byte> stream, const Sink& sink) {
  while (!stream.empty()) {
    const size_t more = std::min(awaited - bytes.size(), stream.size());
    bytes.insert(bytes.end(), stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(more));
    stream = stream.subspan(more);
    if (bytes.size() < awaited) break;
    const size_t taken = bytes.size();
    if (Status status = take(sink); !status) return status;
    position += taken;
    bytes.clear();
  }
  return {};
}

Decompressor::Decompressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

Result<Decompressor> Decompressor::create(const DecompressConfig& config) {
  std::unique_ptr<State> state;
  const Status status = read_stream(config, [&]() -> Status {
    state = std::make_unique<State>(config);
    return {};
  });
  if (!status) return status.error();
  return Decompressor(std::move(state));
}

Status Decompressor::write(std::span<const std::byte> stream, const Sink& sink) {
  State& state = *state_;
  if (state.outcome.ok()) state.outcome = read_stream(state.config, [&] { return state.write(stream, sink); });
  return state.outcome;
}

Status Decompressor::finish() {
  State& state = *state_;
  if (!state.outcome) return state.outcome;
  return read_stream(state.config, [&]() -> Status {
    if (state.next == State::Next::header) {
      if (state.bytes.empty() && state.order.may_end()) return {};
      // What there is of a header may tell more than that it is not whole.
      if (const auto refusal = state.order.next(state.bytes, state.position)) return state.refuse(*refusal);
    }
    return state.refuse({Fault::truncated, state.position + state.bytes.size(), "the stream ends within a segment"});
  });
}

}  // namespace weft::gstd
