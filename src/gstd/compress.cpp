// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gstd.hpp>

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <utility>

#include "gstd/checksum.hpp"
#include "gstd/container.hpp"
#include "gstd/filters.hpp"
#include "gstd/stored_tile.hpp"
#include "gstd/tile.hpp"
#include "gstd/workers.hpp"

namespace weft::gstd {
namespace {

constexpr uint32_t kTilesPerThread = 16;  // that are shared out at a time

// A choice's number is one more than that of the format's filter.
constexpr int number_of(TileFilter choice) { return static_cast<int>(choice) - 1; }
static_assert(number_of(TileFilter::none) == static_cast<int>(Filter::none));
static_assert(number_of(TileFilter::delta) == static_cast<int>(Filter::delta));
static_assert(number_of(TileFilter::planes) == static_cast<int>(Filter::planes));
static_assert(number_of(TileFilter::delta_planes) == static_cast<int>(Filter::delta_planes));
static_assert(number_of(TileFilter::zigzag_planes) == static_cast<int>(Filter::zigzag_planes));
static_assert(number_of(TileFilter::zigzag3_planes) == static_cast<int>(Filter::zigzag_planes_3));
static_assert(number_of(TileFilter::colour_planes) == static_cast<int>(Filter::colour_planes));
static_assert(number_of(TileFilter::bc1) == static_cast<int>(Filter::bc1));
static_assert(number_of(TileFilter::bc7) == static_cast<int>(Filter::bc7));

Error refuse(std::string what) { return {ErrorCode::invalid_argument, "gstd: " + std::move(what)}; }

Status check(const CompressConfig& config) {
  if (config.level < kMinLevel || config.level > kMaxLevel)
    return refuse("level is " + std::to_string(config.level) + ", not 1 to 22");
  if (!std::has_single_bit(config.tile_bytes) || config.tile_bytes < kLeastTileBytes ||
      config.tile_bytes > kMostTileBytes)
    return refuse("tile_bytes is " + std::to_string(config.tile_bytes) + ", not a power of two from 2^14 to 2^20");
  if (config.segment_bytes < kLeastSegmentBytes || config.segment_bytes > kMostSegmentBytes ||
      config.segment_bytes % config.tile_bytes != 0)
    return refuse("segment_bytes is " + std::to_string(config.segment_bytes) +
                  ", not a multiple of tile_bytes from 2^20 to 2^30");
  if (name_of(config.filter) == nullptr) return refuse("filter is none of the enumeration's");
  const bool strided = config.filter >= TileFilter::delta && config.filter <= TileFilter::colour_planes;
  if (config.stride != 0 && !strided) return refuse("stride is given for a filter that has none");
  if (config.stride != 0 && !is_filter(static_cast<uint32_t>(number_of(config.filter)), config.stride))
    return refuse("filter " + std::string(name_of(config.filter)) + " has no stride of " +
                  std::to_string(config.stride));
  return {};
}

// Texture blocks have no stride, which is 1 then.
uint32_t usual_stride(TileFilter filter) {
  if (filter == TileFilter::delta || filter >= TileFilter::bc1) return 1;
  return filter == TileFilter::colour_planes ? 3 : 4;
}

TileEncoderConfig encoder_config(const CompressConfig& config) {
  TileEncoderConfig result;
  result.level = config.level;
  result.filters = config.filter != TileFilter::none;
  result.contexts = config.contexts;
  if (config.filter > TileFilter::none) {
    result.forced_filter = number_of(config.filter);
    result.forced_stride = config.stride != 0 ? config.stride : usual_stride(config.filter);
  }
  return result;
}

void append(std::vector<std::byte>& bytes, std::span<const uint32_t> words) {
  if constexpr (std::endian::native == std::endian::little) {
    const std::span<const std::byte> of_words = std::as_bytes(words);
    bytes.insert(bytes.end(), of_words.begin(), of_words.end());
    return;
  }
  const size_t at = bytes.size();
  bytes.resize(at + 4 * words.size());
  for (size_t word = 0; word < words.size(); ++word) store_u32(&bytes[at + 4 * word], words[word]);
}

void append(std::vector<std::byte>& bytes, uint32_t word) { append(bytes, std::span(&word, 1)); }

// A tile as a worker leaves it.
struct PackedTile {
  TileType type = TileType::raw;
  uint32_t sum = 0;
  std::vector<uint32_t> words;
};

// What one thread packs tiles with.
void pack(std::span<const std::byte> tile, bool sums, TileEncoder& encoder, PackedTile& packed) {
  const uint32_t most = raw_words(static_cast<uint32_t>(tile.size()));
  packed.words.clear();
  packed.sum = sums ? checksum(tile) : 0;
  if (const auto word = repeated_word(tile)) {
    packed.type = TileType::fill;
    packed.words.push_back(*word);
    return;
  }
  packed.type = TileType::compressed;
  if (encoder.encode(tile, packed.words) && !packed.words.empty() && packed.words.size() < most) return;
  packed.type = TileType::raw;
  packed.words.assign(most, 0);
  for (uint32_t word = 0; word + 1 < most; ++word) packed.words[word] = load_u32(&tile[4 * size_t{word}]);
  for (size_t i = 4 * (size_t{most} - 1); i < tile.size(); ++i)
    packed.words.back() |= std::to_integer<uint32_t>(tile[i]) << 8 * (i % 4);
}

template <class Call>
Status guarded(const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::out_of_host_memory, "gstd: the host is out of memory"};
  }
}

// Makes segments of content.
struct SegmentWriter {
  // `whole`: the stream stays here, in `data`; its size is told then, and no sink is called.
  SegmentWriter(const CompressConfig& from, std::optional<uint64_t> bytes, bool whole = false)
      : config(from), size(bytes), keeps(whole), workers(from.threads), packed(batch_tiles()) {
    for (uint32_t worker = 0; worker < workers.count(); ++worker) encoders.emplace_back(encoder_config(config));
  }

  uint32_t batch_tiles() const { return workers.count() == 1 ? 1 : workers.count() * kTilesPerThread; }
  Status write(std::span<const std::byte> content, const Sink& sink);
  Status finish(const Sink& sink);
  Status encode(std::span<const std::byte> content);
  Status emit(bool last, const Sink& sink);
  void begin_segment();
  void make_room(size_t bytes, uint64_t content_done);

  CompressConfig config;
  std::optional<uint64_t> size;
  bool keeps;
  Workers workers;
  std::vector<TileEncoder> encoders;
  std::vector<PackedTile> packed;  // of a batch
  std::vector<std::byte> pending;  // content that makes no batch yet
  uint64_t written = 0;
  bool ended = false;
  Status outcome;  // not ok: what ended the work

  // The segment that is being made.
  uint64_t segment_at = 0;     // in the content
  uint32_t segment_bytes = 0;  // content that is encoded
  std::vector<uint32_t> entries, sums;
  std::vector<std::byte> data;
  size_t front_at = 0, words_at = 0;  // in `data`; the front is there if the stream is kept
  WordSum stream_sum;
};

void SegmentWriter::begin_segment() {
  front_at = words_at = data.size();
  if (!keeps) return;
  const uint64_t bytes = std::min<uint64_t>(*size - segment_at, config.segment_bytes);
  const uint64_t tiles = (bytes + config.tile_bytes - 1) / config.tile_bytes;
  words_at += static_cast<size_t>(kHeaderBytes + 4 * (tiles + 1) + (config.tile_checksums ? 4 * tiles : 0));
  data.resize(words_at);
}

// Where a stream that is kept outgrows its room, there will be enough for the rest if that is like what is done: large vectors take long to
// move, and new memory takes longer to touch than a tile's words take to copy.
void SegmentWriter::make_room(size_t bytes, uint64_t content_done) {
  if (!keeps || data.capacity() - data.size() >= bytes) return;
  const double least = static_cast<double>(data.size() + bytes);
  const double likely = least * static_cast<double>(*size) / static_cast<double>(content_done);
  data.reserve(static_cast<size_t>(std::max(likely * 17 / 16, least * 3 / 2)));
}

// Encodes tiles, at most a batch; they do not go beyond the segment.
Status SegmentWriter::encode(std::span<const std::byte> content) {
  if (segment_bytes == 0) begin_segment();
  const size_t tile_bytes = config.tile_bytes;
  const size_t tiles = (content.size() + tile_bytes - 1) / tile_bytes;
  const bool wants_sums = config.tile_checksums || config.stream_checksum;
  const auto job = [&](size_t tile, uint32_t worker) {
    const size_t begin = tile * tile_bytes;
    pack(content.subspan(begin, std::min(tile_bytes, content.size() - begin)), wants_sums, encoders[worker],
         packed[tile]);
  };
  if (!workers.run(tiles, job)) throw std::bad_alloc();
  for (size_t tile = 0; tile < tiles; ++tile) {
    const PackedTile& from = packed[tile];
    entries.push_back(static_cast<uint32_t>((data.size() - words_at) / 4) << 2 | static_cast<uint32_t>(from.type));
    make_room(4 * from.words.size(),
              segment_at + segment_bytes + std::min<uint64_t>((tile + 1) * tile_bytes, content.size()));
    append(data, from.words);
    if (config.tile_checksums) sums.push_back(from.sum);
    if (config.stream_checksum) stream_sum.add(from.sum);
  }
  segment_bytes += static_cast<uint32_t>(content.size());
  return {};
}

Status SegmentWriter::emit(bool last, const Sink& sink) {
  if (segment_bytes == 0) begin_segment();
  const size_t data_bytes = data.size() - words_at;
  SegmentHeader header;
  header.flags = static_cast<uint8_t>((last ? kLastSegment : 0) | (config.tile_checksums ? kTileChecksums : 0) |
                                      (config.stream_checksum ? kStreamChecksum : 0));
  header.tile_log = static_cast<uint8_t>(std::countr_zero(config.tile_bytes));
  header.content_offset = segment_at;
  header.stream_size = size.value_or(kUnknownSize);
  header.content_bytes = segment_bytes;
  header.segment_bytes = header.data_at() + static_cast<uint32_t>(data_bytes);
  header.stream_checksum = last && config.stream_checksum ? stream_sum.value() : 0;

  std::vector<std::byte> front(kHeaderBytes);
  append(front, entries);
  append(front, static_cast<uint32_t>(data_bytes / 4) << 2);
  append(front, sums);
  header.tables_checksum = checksum(std::span(front).subspan(kHeaderBytes));
  header.store(std::span(front).first<kHeaderBytes>());
  if (keeps) {
    std::copy(front.begin(), front.end(), data.begin() + static_cast<std::ptrdiff_t>(front_at));
  } else {
    if (Status status = sink(front); !status) return status;
    if (!data.empty())
      if (Status status = sink(data); !status) return status;
    data.clear();
  }

  segment_at += segment_bytes;
  segment_bytes = 0;
  entries.clear();
  sums.clear();
  return {};
}

Status SegmentWriter::write(std::span<const std::byte> content, const Sink& sink) {
  while (!content.empty()) {
    // A full segment waits until it is known that it is not the last.
    if (segment_bytes == config.segment_bytes)
      if (Status status = emit(false, sink); !status) return status;
    const size_t batch =
        std::min<size_t>(size_t{batch_tiles()} * config.tile_bytes, config.segment_bytes - segment_bytes);
    if (pending.empty() && content.size() >= batch) {
      if (Status status = encode(content.first(batch)); !status) return status;
      content = content.subspan(batch);
      continue;
    }
    const size_t more = std::min(batch - pending.size(), content.size());
    pending.insert(pending.end(), content.begin(), content.begin() + static_cast<std::ptrdiff_t>(more));
    content = content.subspan(more);
    if (pending.size() == batch) {
      if (Status status = encode(pending); !status) return status;
      pending.clear();
    }
  }
  return {};
}

Status SegmentWriter::finish(const Sink& sink) {
  if (!pending.empty())
    if (Status status = encode(pending); !status) return status;
  pending.clear();
  return emit(true, sink);
}

}  // namespace

const char* name_of(TileFilter filter) noexcept {
  switch (filter) {
    case TileFilter::automatic: return "auto";
    case TileFilter::none: return "none";
    case TileFilter::delta: return "delta";
    case TileFilter::planes: return "planes";
    case TileFilter::delta_planes: return "delta-planes";
    case TileFilter::zigzag_planes: return "zigzag-planes";
    case TileFilter::zigzag2_planes: return "zigzag2-planes";
    case TileFilter::zigzag3_planes: return "zigzag3-planes";
    case TileFilter::colour_planes: return "colour-planes";
    case TileFilter::bc1: return "bc1";
    case TileFilter::bc2: return "bc2";
    case TileFilter::bc3: return "bc3";
    case TileFilter::bc4: return "bc4";
    case TileFilter::bc5: return "bc5";
    case TileFilter::bc7: return "bc7";
  }
  return nullptr;
}

struct Compressor::State : SegmentWriter {
  using SegmentWriter::SegmentWriter;
};

Compressor::Compressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

Result<Compressor> Compressor::create(const CompressConfig& config, std::optional<uint64_t> content_bytes) {
  if (const Status status = check(config); !status) return status.error();
  if (content_bytes && *content_bytes == kUnknownSize) return refuse("content_bytes is 2^64 - 1");
  std::unique_ptr<State> state;
  const Status status = guarded([&]() -> Status {
    state = std::make_unique<State>(config, content_bytes);
    return {};
  });
  if (!status) return status.error();
  return Compressor(std::move(state));
}

Status Compressor::write(std::span<const std::byte> content, const Sink& sink) {
  State& state = *state_;
  if (state.ended) return refuse("write after finish");
  const uint64_t most = state.size.value_or(kUnknownSize - 1);
  if (content.size() > most - state.written)
    return refuse("there is more content than the " + std::to_string(most) + " bytes that were told");
  state.written += content.size();
  if (state.outcome.ok()) state.outcome = guarded([&] { return state.write(content, sink); });
  return state.outcome;
}

Status Compressor::finish(const Sink& sink) {
  State& state = *state_;
  if (state.ended) return refuse("a second finish");
  if (state.size && state.written != *state.size)
    return refuse("there are " + std::to_string(state.written) + " bytes of content, not the " +
                  std::to_string(*state.size) + " that were told");
  state.ended = true;
  if (!state.outcome) return state.outcome;
  return guarded([&] { return state.finish(sink); });
}

Result<uint64_t> compress_bound(uint64_t content_bytes, const CompressConfig& config) {
  if (const Status status = check(config); !status) return status.error();
  if (content_bytes == kUnknownSize) return refuse("content_bytes is 2^64 - 1");
  const uint64_t tiles = content_bytes / config.tile_bytes + (content_bytes % config.tile_bytes != 0);
  const uint64_t segments =
      std::max<uint64_t>(1, content_bytes / config.segment_bytes + (content_bytes % config.segment_bytes != 0));
  // An end entry a segment; fewer than 4 bytes of padding in all, as only the last tile is not whole.
  const uint64_t more = segments * (kHeaderBytes + 4) + tiles * (config.tile_checksums ? 8 : 4) + 3;
  return content_bytes > UINT64_MAX - more ? UINT64_MAX : content_bytes + more;
}

Result<std::vector<std::byte>> compress(std::span<const std::byte> content, const CompressConfig& config) {
  if (const Status status = check(config); !status) return status.error();
  std::vector<std::byte> stream;
  const Status status = guarded([&]() -> Status {
    SegmentWriter writer(config, content.size(), true);
    if (Status written = writer.write(content, {}); !written) return written;
    if (Status finished = writer.finish({}); !finished) return finished;
    stream = std::move(writer.data);
    return {};
  });
  if (!status) return status.error();
  return stream;
}

}  // namespace weft::gstd
