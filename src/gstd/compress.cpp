// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gstd.hpp>

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "gstd/checksum.hpp"
#include "gstd/container.hpp"
#include "gstd/filters.hpp"
#include "gstd/guarded.hpp"
#include "gstd/stored_tile.hpp"
#include "gstd/tile.hpp"
#include "gstd/workers.hpp"

namespace weft::gstd {
namespace {

constexpr uint32_t kTilesPerThread = 32;  // in a batch, at whose end threads wait for the last tile

// A choice is the number of the format's filter plus one.
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
  if (config.level < kMinLevel || config.level > kMaxLevel || config.level == 0)
    return refuse("level is " + std::to_string(config.level) + ", not -5 to -1 or 1 to 22");
  if (config.decode_weight > kMaxDecodeWeight)
    return refuse("decode_weight is " + std::to_string(config.decode_weight) + ", not 0 to 16");
  if (!std::has_single_bit(config.tile_bytes) || config.tile_bytes < kMinTileBytes || config.tile_bytes > kMaxTileBytes)
    return refuse("tile_bytes is " + std::to_string(config.tile_bytes) + ", not a power of two from 2^14 to 2^20");
  if (config.segment_bytes < kMinSegmentBytes || config.segment_bytes > kMaxSegmentBytes ||
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

// The stride of texture blocks is 1.
uint32_t usual_stride(TileFilter filter) {
  if (filter == TileFilter::delta || filter >= TileFilter::bc1) return 1;
  return filter == TileFilter::colour_planes ? 3 : 4;
}

TileEncoderConfig encoder_config(const CompressConfig& config) {
  TileEncoderConfig result;
  result.level = config.level;
  result.filters = config.filter != TileFilter::none;
  result.contexts = config.contexts;
  result.decode_weight = config.decode_weight;
  if (config.filter > TileFilter::none) {
    result.forced_filter = number_of(config.filter);
    result.forced_stride = config.stride != 0 ? config.stride : usual_stride(config.filter);
  }
  return result;
}

// A stream's bytes, in memory of its own, which grows, or in the caller's.
class StreamBytes {
 public:
  void clear() {
    own_.clear();
    lent_ = {};
    used_ = 0;
    is_lent_ = false;
  }
  void lend(std::span<std::byte> to) {
    clear();
    lent_ = to;
    is_lent_ = true;
  }
  size_t size() const { return is_lent_ ? used_ : own_.size(); }
  bool has_room(uint64_t bytes) const { return !is_lent_ || lent_.size() - used_ >= bytes; }
  std::byte* at(size_t position) { return (is_lent_ ? lent_.data() : own_.data()) + position; }
  std::span<const std::byte> all() const { return own_; }
  std::vector<std::byte> release() { return std::move(own_); }
  // Makes room for bytes that are written later.
  void skip(size_t bytes) {
    if (is_lent_)
      used_ += bytes;
    else
      own_.resize(own_.size() + bytes);
  }
  void append(std::span<const uint32_t> words) {
    if constexpr (std::endian::native == std::endian::little) {
      const std::span<const std::byte> bytes = std::as_bytes(words);
      if (!is_lent_) {
        own_.insert(own_.end(), bytes.begin(), bytes.end());
        return;
      }
    }
    std::byte* to = at(size());
    if (!is_lent_) {
      skip(4 * words.size());
      to = at(size() - 4 * words.size());
    } else {
      used_ += 4 * words.size();
    }
    for (const uint32_t word : words) {
      store_u32(to, word);
      to += 4;
    }
  }
  // If its own memory has to grow, it gets room for `likely` more bytes.
  void reserve(size_t bytes, double likely) {
    if (is_lent_ || own_.capacity() - own_.size() >= bytes) return;
    const double least = static_cast<double>(own_.size() + bytes);
    own_.reserve(static_cast<size_t>(std::max(least * likely * 17 / 16, least * 3 / 2)));
  }

 private:
  std::vector<std::byte> own_;
  std::span<std::byte> lent_;
  size_t used_ = 0;
  bool is_lent_ = false;
};

// A tile packed by a worker.
struct PackedTile {
  bool is_packed = false;
  TileType type = TileType::raw;
  uint32_t sum = 0;
  std::vector<uint32_t> words;
};

// Packs a tile by a thread's encoder.
void pack(std::span<const std::byte> tile, bool sums, TileEncoder& encoder, PackedTile& packed) {
  const uint32_t most = raw_words(static_cast<uint32_t>(tile.size()));
  packed.words.clear();
  packed.words.reserve(most);
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

// Writes content in segments. Keeps its memory from one stream to the next.
class SegmentWriter {
 public:
  SegmentWriter(const CompressConfig& config, std::optional<uint64_t> size)
      : config_(config), workers_(config.threads, config.executor), size_(size) {}

  // Begins a stream for sinks.
  void reset(std::optional<uint64_t> size);
  // Writes a stream to its own memory or the caller's, with its size declared. Calls no sink.
  Status keep(std::span<const std::byte> content);
  Result<uint64_t> keep_in(std::span<std::byte> room, std::span<const std::byte> content);
  std::vector<std::byte> release() { return data_.release(); }

  Status write(std::span<const std::byte> content, const Sink& sink);
  Status skip(std::span<const std::byte> content);
  Status flush(const Sink& sink);
  Status finish(const Sink& sink);

 private:
  uint32_t batch_tiles() const { return workers_.count() == 1 ? 1 : workers_.count() * kTilesPerThread; }
  Status add(std::span<const std::byte> content, const Sink& sink);
  Status encode(std::span<const std::byte> content);
  Status emit(bool last, const Sink& sink);
  // Whether a stream of this content has a small stream's header.
  bool is_small(uint64_t bytes) const { return bytes <= std::min(kMaxSmallBytes, config_.tile_bytes); }
  SegmentHeader header(bool small) const;
  void write_front(const SegmentHeader& header);
  Status begin_segment();
  Status add_tile(const PackedTile& tile, uint64_t content_done);
  Status add_packed(size_t content_bytes);

  CompressConfig config_;
  Workers workers_;
  std::vector<TileEncoder> encoders_;  // of workers
  std::vector<PackedTile> packed_;     // of a batch
  std::mutex packed_mutex_;            // guards is_packed
  std::mutex adding_mutex_;            // guards what add_packed() adds to, and these:
  size_t added_ = 0;                   // tiles of the batch
  Status adding_;
  std::vector<std::byte> pending_;  // content of an incomplete batch
  std::vector<std::byte> front_;    // of a segment

  // The current stream.
  std::optional<uint64_t> size_;
  bool keeps_ = false;
  uint64_t written_ = 0;
  bool ended_ = false;
  WordSum stream_sum_;
  StreamBytes data_;

  // The current segment.
  uint64_t segment_at_ = 0;     // in the content
  uint32_t segment_bytes_ = 0;  // encoded content
  std::vector<uint32_t> entries_, sums_;
  uint32_t tile_sum_ = 0;               // of the last tile
  size_t front_at_ = 0, words_at_ = 0;  // in `data`; the front is there for a kept stream
};

void SegmentWriter::reset(std::optional<uint64_t> size) {
  pending_.clear();
  size_ = size;
  keeps_ = false;
  written_ = 0;
  ended_ = false;
  stream_sum_ = {};
  data_.clear();
  segment_at_ = 0;
  segment_bytes_ = 0;
  entries_.clear();
  sums_.clear();
  tile_sum_ = 0;
}

Error no_room() { return {ErrorCode::over_limit, "gstd: the output is too small for the stream"}; }

Status SegmentWriter::begin_segment() {
  front_at_ = words_at_ = data_.size();
  if (!keeps_) return {};
  SegmentHeader front = header(is_small(*size_));
  front.content_bytes = static_cast<uint32_t>(std::min<uint64_t>(*size_ - segment_at_, config_.segment_bytes));
  if (!data_.has_room(front.data_at())) return no_room();
  data_.skip(front.data_at());
  words_at_ = data_.size();
  return {};
}

Status SegmentWriter::add_tile(const PackedTile& tile, uint64_t content_done) {
  const size_t bytes = 4 * tile.words.size();
  if (!data_.has_room(bytes)) return no_room();
  // Room for the rest, at the ratio so far: moving a large vector takes long, and touching new memory takes longer than
  // copying a tile's words.
  if (keeps_) data_.reserve(bytes, static_cast<double>(*size_) / static_cast<double>(content_done));
  const uint64_t number = segment_at_ / config_.tile_bytes + entries_.size();
  entries_.push_back(static_cast<uint32_t>((data_.size() - words_at_) / 4) << 2 | static_cast<uint32_t>(tile.type));
  data_.append(tile.words);
  tile_sum_ = tile.sum;
  if (config_.tile_checksums) sums_.push_back(tile.sum + tile_term(number));
  if (config_.stream_checksum) stream_sum_.add(tile.sum);
  return {};
}

// Adds tiles of a batch of so many bytes, up to the first that is not packed yet.
Status SegmentWriter::add_packed(size_t content_bytes) {
  const auto is_packed = [&] {
    const std::scoped_lock lock(packed_mutex_);
    return packed_[added_].is_packed;
  };
  for (; uint64_t{added_} * config_.tile_bytes < content_bytes && is_packed(); ++added_) {
    const uint64_t end = std::min<uint64_t>(uint64_t{added_ + 1} * config_.tile_bytes, content_bytes);
    if (Status status = add_tile(packed_[added_], segment_at_ + segment_bytes_ + end); !status) return status;
  }
  return {};
}

// Encodes at most a batch of tiles of one segment. A thread that has packed a tile adds what is packed, if no other
// does: new memory takes long, and at the end of a batch one thread alone would touch it.
Status SegmentWriter::encode(std::span<const std::byte> content) {
  if (segment_bytes_ == 0)
    if (Status status = begin_segment(); !status) return status;
  const size_t tile_bytes = config_.tile_bytes;
  const size_t tiles = (content.size() + tile_bytes - 1) / tile_bytes;
  const bool wants_sums = config_.tile_checksums || config_.stream_checksum;
  while (encoders_.size() < workers_.count_for(tiles)) encoders_.emplace_back(encoder_config(config_));
  if (packed_.size() < tiles) packed_.resize(tiles);
  for (PackedTile& tile : packed_) tile.is_packed = false;
  added_ = 0;
  adding_ = {};
  const auto job = [&](size_t tile, uint32_t worker) {
    const size_t begin = tile * tile_bytes;
    pack(content.subspan(begin, std::min(tile_bytes, content.size() - begin)), wants_sums, encoders_[worker],
         packed_[tile]);
    {
      const std::scoped_lock lock(packed_mutex_);
      packed_[tile].is_packed = true;
    }
    const std::unique_lock adds(adding_mutex_, std::try_to_lock);
    if (adds && adding_) adding_ = add_packed(content.size());
  };
  if (!workers_.run(tiles, job)) {
    // An interrupted encoder has no valid state for the next tile.
    encoders_.clear();
    throw std::bad_alloc();
  }
  if (adding_) adding_ = add_packed(content.size());
  if (!adding_) return adding_;
  segment_bytes_ += static_cast<uint32_t>(content.size());
  return {};
}

// What is known before its tiles.
SegmentHeader SegmentWriter::header(bool small) const {
  SegmentHeader header;
  header.is_small = small;
  header.tile_log = static_cast<uint8_t>(std::countr_zero(config_.tile_bytes));
  // A small stream's tile checksum is the stream's too.
  if (config_.tile_checksums || (small && config_.stream_checksum)) header.flags |= kTileChecksums;
  if (config_.stream_checksum && !small) header.flags |= kStreamChecksum;
  return header;
}

// Sets `front_`, of header.data_at() bytes.
void SegmentWriter::write_front(const SegmentHeader& header) {
  front_.resize(header.data_at());
  if (!header.is_small) {
    std::byte* to = front_.data() + kHeaderBytes;
    const auto put = [&](uint32_t word) {
      store_u32(to, word);
      to += 4;
    };
    for (const uint32_t entry : entries_) put(entry);
    put(header.data_words() << 2);
    for (const uint32_t sum : sums_) put(sum);
  }
  SegmentHeader sealed = header;
  sealed.tables_checksum = checksum(std::span(front_).subspan(header.header_bytes()));
  sealed.store(front_);
}

Status SegmentWriter::emit(bool last, const Sink& sink) {
  if (segment_bytes_ == 0)
    if (Status status = begin_segment(); !status) return status;
  const size_t data_bytes = data_.size() - words_at_;
  SegmentHeader header = this->header(last && segment_at_ == 0 && is_small(segment_bytes_));
  if (last) header.flags |= kLastSegment;
  header.content_offset = segment_at_;
  header.stream_size = size_.value_or(kUnknownSize);
  header.content_bytes = segment_bytes_;
  header.segment_bytes = header.data_at() + static_cast<uint32_t>(data_bytes);
  header.stream_checksum = last && config_.stream_checksum ? stream_sum_.value() : 0;
  header.tile_type = entries_.empty() ? TileType::raw : TileType{entries_[0] & 3};
  header.tile_checksum = tile_sum_;
  write_front(header);
  if (keeps_) {
    std::copy(front_.begin(), front_.end(), data_.at(front_at_));
  } else {
    if (Status status = sink(front_); !status) return status;
    if (data_.size() != 0)
      if (Status status = sink(data_.all()); !status) return status;
    data_.clear();
  }

  segment_at_ += segment_bytes_;
  segment_bytes_ = 0;
  entries_.clear();
  sums_.clear();
  tile_sum_ = 0;
  return {};
}

Status SegmentWriter::add(std::span<const std::byte> content, const Sink& sink) {
  while (!content.empty()) {
    // A full segment waits until more content shows that it is not the last.
    if (segment_bytes_ == config_.segment_bytes)
      if (Status status = emit(false, sink); !status) return status;
    const size_t batch =
        std::min<size_t>(size_t{batch_tiles()} * config_.tile_bytes, config_.segment_bytes - segment_bytes_);
    if (pending_.size() >= batch) {
      if (Status status = encode(pending_); !status) return status;
      pending_.clear();
      continue;
    }
    // Whole batches, and the known end, are encoded without a copy. But the end of content that may be the last stays
    // pending: a flush cannot pass it on, since the last segment must not be empty.
    if (pending_.empty() && (content.size() > batch || keeps_)) {
      const size_t now = std::min(batch, content.size());
      if (Status status = encode(content.first(now)); !status) return status;
      content = content.subspan(now);
      continue;
    }
    const size_t more = std::min(batch - pending_.size(), content.size());
    pending_.insert(pending_.end(), content.begin(), content.begin() + static_cast<std::ptrdiff_t>(more));
    content = content.subspan(more);
  }
  return {};
}

Status SegmentWriter::write(std::span<const std::byte> content, const Sink& sink) {
  if (ended_) return refuse("write after finish");
  const uint64_t most = size_.value_or(kUnknownSize - 1);
  if (content.size() > most - written_)
    return refuse("there is more content than the " + std::to_string(most) + " bytes that were declared");
  written_ += content.size();
  return add(content, sink);
}

Status SegmentWriter::skip(std::span<const std::byte> content) {
  if (ended_ || written_ != segment_at_) return refuse("skip after write");
  if (content.size() % config_.tile_bytes != 0) return refuse("skip of no whole tiles");
  if (content.size() > size_.value_or(kUnknownSize - 1) - written_) return refuse("skip of more than was declared");
  if (config_.stream_checksum)
    for (size_t at = 0; at < content.size(); at += config_.tile_bytes)
      stream_sum_.add(checksum(content.subspan(at, config_.tile_bytes)));
  written_ += content.size();
  segment_at_ += content.size();
  return {};
}

Status SegmentWriter::flush(const Sink& sink) {
  if (ended_) return refuse("flush after finish");
  if (!pending_.empty()) {
    const size_t whole = (pending_.size() - 1) / config_.tile_bytes * config_.tile_bytes;
    if (whole != 0)
      if (Status status = encode(std::span(pending_).first(whole)); !status) return status;
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(whole));
  }
  return segment_bytes_ == 0 ? Status() : emit(false, sink);
}

Status SegmentWriter::finish(const Sink& sink) {
  if (ended_) return refuse("a second finish");
  if (size_ && written_ != *size_)
    return refuse("there are " + std::to_string(written_) + " bytes of content, not the " + std::to_string(*size_) +
                  " that were declared");
  ended_ = true;
  if (!pending_.empty())
    if (Status status = encode(pending_); !status) return status;
  pending_.clear();
  return emit(true, sink);
}

Status SegmentWriter::keep(std::span<const std::byte> content) {
  size_ = content.size();
  keeps_ = true;
  if (Status status = add(content, {}); !status) return status;
  return emit(true, {});
}

Result<uint64_t> SegmentWriter::keep_in(std::span<std::byte> room, std::span<const std::byte> content) {
  reset(std::nullopt);
  data_.lend(room);
  if (const Status status = keep(content); !status) return status.error();
  return data_.size();
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
  Status outcome;  // not ok: the error that ended the work
};

Compressor::Compressor(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

namespace {

Status check_size(std::optional<uint64_t> content_bytes) {
  if (content_bytes && *content_bytes == kUnknownSize) return refuse("content_bytes is 2^64 - 1");
  return {};
}

}  // namespace

Result<Compressor> Compressor::create(const CompressConfig& config, std::optional<uint64_t> content_bytes) noexcept {
  return guarded([&]() -> Result<Compressor> {
    if (const Status status = check(config); !status) return status.error();
    if (const Status status = check_size(content_bytes); !status) return status.error();
    return Compressor(std::make_unique<State>(config, content_bytes));
  });
}

Status Compressor::write(std::span<const std::byte> content, const Sink& sink) noexcept {
  State& state = *state_;
  if (state.outcome) state.outcome = guarded([&] { return state.write(content, sink); });
  return guarded([&] { return state.outcome; });
}

Status Compressor::skip(std::span<const std::byte> content) noexcept {
  State& state = *state_;
  if (state.outcome) state.outcome = guarded([&] { return state.skip(content); });
  return guarded([&] { return state.outcome; });
}

Status Compressor::flush(const Sink& sink) noexcept {
  State& state = *state_;
  if (state.outcome) state.outcome = guarded([&] { return state.flush(sink); });
  return guarded([&] { return state.outcome; });
}

Status Compressor::finish(const Sink& sink) noexcept {
  State& state = *state_;
  if (state.outcome) state.outcome = guarded([&] { return state.finish(sink); });
  return guarded([&] { return state.outcome; });
}

Status Compressor::reset(std::optional<uint64_t> content_bytes) noexcept {
  State& state = *state_;
  state.SegmentWriter::reset(content_bytes);
  state.outcome = guarded([&] { return check_size(content_bytes); });
  return guarded([&] { return state.outcome; });
}

Result<uint64_t> Compressor::compress_to(std::span<const std::byte> content, std::span<std::byte> output) noexcept {
  State& state = *state_;
  state.outcome = {};
  auto size = guarded([&] { return state.keep_in(output, content); });
  state.SegmentWriter::reset(std::nullopt);  // whatever has thrown
  return size;
}

Result<uint64_t> compress_bound(uint64_t content_bytes, const CompressConfig& config) noexcept {
  return guarded([&]() -> Result<uint64_t> {
    if (const Status status = check(config); !status) return status.error();
    if (const Status status = check_size(content_bytes); !status) return status.error();
    const uint64_t tiles = content_bytes / config.tile_bytes + (content_bytes % config.tile_bytes != 0);
    const uint64_t segments =
        std::max<uint64_t>(1, content_bytes / config.segment_bytes + (content_bytes % config.segment_bytes != 0));
    // An end entry for each segment; fewer than 4 bytes of padding in all, since only the last tile is incomplete.
    const uint64_t more = segments * (kHeaderBytes + 4) + tiles * (config.tile_checksums ? 8 : 4) + 3;
    return content_bytes > UINT64_MAX - more ? UINT64_MAX : content_bytes + more;
  });
}

Result<std::vector<std::byte>> compress(std::span<const std::byte> content, const CompressConfig& config) noexcept {
  return guarded([&]() -> Result<std::vector<std::byte>> {
    if (const Status status = check(config); !status) return status.error();
    SegmentWriter writer(config, content.size());
    if (const Status status = writer.keep(content); !status) return status.error();
    return writer.release();
  });
}

Result<uint64_t> compress_to(std::span<const std::byte> content, std::span<std::byte> output,
                             const CompressConfig& config) noexcept {
  return guarded([&]() -> Result<uint64_t> {
    if (const Status status = check(config); !status) return status.error();
    SegmentWriter writer(config, content.size());
    return writer.keep_in(output, content);
  });
}

}  // namespace weft::gstd
