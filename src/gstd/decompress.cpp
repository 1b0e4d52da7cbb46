// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gstd.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "gstd/container.hpp"
#include "gstd/reading.hpp"
#include "gstd/segment_walk.hpp"
#include "gstd/source.hpp"
#include "gstd/unpacker.hpp"

namespace weft::gstd {
namespace {

constexpr uint32_t kTilesToDecodePerThread = 8;  // in a Decompressor's batch

Result<uint64_t> decompress_all(std::span<const std::byte> stream, std::span<std::byte> output,
                                const DecompressConfig& config, Unpacker& unpacker) {
  DecompressConfig limited = config;
  limited.max_content = std::min<uint64_t>(config.max_content.value_or(UINT64_MAX), output.size());
  const Source source(stream);
  SegmentWalk walk(source, limited);
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

}  // namespace

Result<uint64_t> decompress_to(std::span<const std::byte> stream, std::span<std::byte> output,
                               const DecompressConfig& config) noexcept {
  return reading(config, [&] {
    Unpacker unpacker(config);
    return decompress_all(stream, output, config, unpacker);
  });
}

Result<std::vector<std::byte>> decompress(std::span<const std::byte> stream, const DecompressConfig& config) noexcept {
  return reading(config, [&]() -> Result<std::vector<std::byte>> {
    DecompressConfig limited = config;
    if (!limited.max_content) limited.max_content = kDefaultMaxContent;
    const Result<uint64_t> size = content_size(Source(stream), limited);
    if (!size) return size.error();
    std::vector<std::byte> content;
    if (*size > content.max_size()) throw std::bad_alloc();
    content.resize(static_cast<size_t>(*size));
    Unpacker unpacker(config);
    if (const Result<uint64_t> done = decompress_all(stream, content, limited, unpacker); !done) return done.error();
    return content;
  });
}

struct Decompressor::State {
  explicit State(const DecompressConfig& from)
      : config(from), unpacker(from), order(from.max_content.value_or(UINT64_MAX)), check(from.verify) {}

  enum class Next { header, frame, tables, tiles };

  void reset();
  Status write(std::span<const std::byte> stream, const Sink& sink);
  Status finish(const Sink& sink);
  // Processes the awaited bytes, which are complete, and sets what comes next.
  Status take(const Sink& sink);
  Status take_header();
  Status take_tables();
  // Gives the sink the run's content up to the first refused tile. Returns the refusal.
  Status give_tiles(const Sink& sink);
  void await_header();
  void await_tiles();
  Status refuse(const Refusal& refusal) const { return error_of(refusal, config.verdict); }

  DecompressConfig config;
  Unpacker unpacker;
  HeaderOrder order;
  StreamCheck check;
  Status outcome;  // not ok: the error that ended the work
  bool ended = false;

  Next next = Next::header;
  size_t awaited = kBeginningBytes;
  uint64_t left_of_frame = 0;
  std::vector<std::byte> bytes;  // awaited, so far
  uint64_t position = 0;         // of `bytes`, in the stream
  uint64_t segment_at = 0;
  std::vector<std::byte> table_bytes;
  Tables tables;
  TileRun run;
  std::vector<std::byte> content;
};

void Decompressor::State::reset() {
  order = HeaderOrder(config.max_content.value_or(UINT64_MAX));
  outcome = {};
  ended = false;
  await_header();
  bytes.clear();
  position = 0;
}

void Decompressor::State::await_header() {
  next = Next::header;
  awaited = kBeginningBytes;
}

void Decompressor::State::await_tiles() {
  run.first += run.count;
  const uint32_t tiles = order.header().tiles();
  if (run.first == tiles) return await_header();
  next = Next::tiles;
  run.count = std::min(tiles - run.first, unpacker.threads() == 1 ? 1 : unpacker.threads() * kTilesToDecodePerThread);
  awaited = 4 * size_t{tables.word_offset(run.first + run.count) - tables.word_offset(run.first)};
}

Status Decompressor::State::give_tiles(const Sink& sink) {
  const SegmentHeader& header = order.header();
  run.data = bytes;
  run.data_at = position;
  const uint64_t begin = uint64_t{run.first} << header.tile_log;
  const uint64_t end = std::min<uint64_t>(uint64_t{run.first + run.count} << header.tile_log, header.content_bytes);
  content.resize(end - begin);
  auto refusal = unpacker.unpack(header, tables, run, 0, content);
  uint32_t good = unpacker.good_tiles();
  if (!refusal) {
    check.add(unpacker.sums());
    // If the stream's checksum refuses the content, the sink does not get its end.
    if (run.first + run.count == header.tiles()) refusal = check.end_segment(header, segment_at);
    if (refusal) --good;
  }
  const auto given = std::span(content).first(std::min<size_t>(size_t{good} << header.tile_log, content.size()));
  if (!given.empty())
    if (Status status = sink(given); !status) return status;
  return refusal ? refuse(*refusal) : Status();
}

Status Decompressor::State::take_header() {
  if (const auto refusal = order.next(bytes, position)) return refuse(*refusal);
  if (order.frame_bytes() != 0) {
    left_of_frame = order.frame_bytes() - kBeginningBytes;
    next = left_of_frame != 0 ? Next::frame : Next::header;
    return {};
  }
  segment_at = position;
  if (order.first_of_stream()) check.begin();
  next = Next::tables;
  awaited = order.header().tables_bytes();
  if (awaited != 0) return {};
  bytes.clear();
  return take_tables();
}

Status Decompressor::State::take_tables() {
  const SegmentHeader& header = order.header();
  if (const auto refusal = check_tables(header, bytes, segment_at)) return refuse(*refusal);
  table_bytes.swap(bytes);
  tables = Tables(header, table_bytes);
  run = {};
  await_tiles();
  if (next == Next::header)  // an empty stream
    if (const auto refusal = check.end_segment(header, segment_at)) return refuse(*refusal);
  return {};
}

Status Decompressor::State::take(const Sink& sink) {
  switch (next) {
    case Next::header: return take_header();
    case Next::frame: break;
    case Next::tables: return take_tables();
    case Next::tiles:
      if (Status status = give_tiles(sink); !status) return status;
      await_tiles();
      break;
  }
  return {};
}

Status Decompressor::State::write(std::span<const std::byte> stream, const Sink& sink) {
  if (ended) return mistake("write after finish");
  while (!stream.empty()) {
    if (next == Next::frame) {
      const size_t skipped = static_cast<size_t>(std::min<uint64_t>(left_of_frame, stream.size()));
      stream = stream.subspan(skipped);
      position += skipped;
      left_of_frame -= skipped;
      if (left_of_frame == 0) await_header();
      continue;
    }
    const size_t more = std::min(awaited - bytes.size(), stream.size());
    bytes.insert(bytes.end(), stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(more));
    stream = stream.subspan(more);
    if (bytes.size() < awaited) break;
    if (next == Next::header) awaited = header_bytes(bytes);
    if (bytes.size() < awaited) continue;
    const size_t taken = bytes.size();
    if (Status status = take(sink); !status) return status;
    position += taken;
    bytes.clear();
  }
  return {};
}

Status Decompressor::State::finish(const Sink& sink) {
  if (ended) return mistake("a second finish");
  ended = true;
  if (next == Next::header) {
    if (bytes.empty() && order.may_end()) return {};
    // A part of a header may have a fault that comes before its truncation.
    if (const auto refusal = order.next(bytes, position)) return refuse(*refusal);
  }
  const uint64_t end = position + bytes.size();
  if (next == Next::tiles) {
    // All complete tiles: the sink's bytes do not depend on the size of a batch.
    run.count = 0;
    const uint32_t first_word = tables.word_offset(run.first);
    while (4 * size_t{tables.word_offset(run.first + run.count + 1) - first_word} <= bytes.size()) ++run.count;
    if (run.count != 0)
      if (Status status = give_tiles(sink); !status) return status;
  }
  return refuse(
      {Fault::truncated, end,
       next == Next::frame ? "the stream ends within a skippable frame" : "the stream ends within a segment"});
}

Decompressor::Decompressor(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

Result<Decompressor> Decompressor::create(const DecompressConfig& config) noexcept {
  return reading(config, [&]() -> Result<Decompressor> { return Decompressor(std::make_unique<State>(config)); });
}

Status Decompressor::write(std::span<const std::byte> stream, const Sink& sink) noexcept {
  State& state = *state_;
  if (state.outcome) state.outcome = reading(state.config, [&] { return state.write(stream, sink); });
  return guarded([&] { return state.outcome; });
}

Status Decompressor::finish(const Sink& sink) noexcept {
  State& state = *state_;
  if (state.outcome) state.outcome = reading(state.config, [&] { return state.finish(sink); });
  return guarded([&] { return state.outcome; });
}

void Decompressor::reset() noexcept { state_->reset(); }

Result<uint64_t> Decompressor::decompress_to(std::span<const std::byte> stream, std::span<std::byte> output) noexcept {
  State& state = *state_;
  state.reset();
  return reading(state.config, [&] { return decompress_all(stream, output, state.config, state.unpacker); });
}

}  // namespace weft::gstd
