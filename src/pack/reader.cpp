// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/pack.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "gstd/guarded.hpp"
#include "gstd/little_endian.hpp"
#include "pack/hash.hpp"
#include "pack/layout.hpp"

namespace weft::pack {
namespace {

using gstd::load_u32;
using gstd::load_u64;

constexpr size_t kReadBytes = 1u << 20;
constexpr uint64_t kMaxPackBytes = uint64_t{1} << 62;

struct Refusal {
  Fault fault;
  uint64_t position;
  std::string what;
};

Error error_of(const Refusal& refusal, Verdict* verdict) {
  if (verdict != nullptr) *verdict = {refusal.fault, refusal.position};
  return {refusal.fault == Fault::unknown_version ? ErrorCode::unsupported : ErrorCode::corrupt_stream,
          "pack: byte " + std::to_string(refusal.position) + ": " + refusal.what};
}

struct Header {
  uint64_t generation = 0, directory_position = 0, directory_bytes = 0, pack_bytes = 0, directory_hash = 0;
  uint32_t entries = 0, ranges = 0;
  uint64_t name_bytes = 0;
};

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

// `slot` has at least kHeaderBytes.
std::optional<Refusal> load_header(std::span<const std::byte> slot, uint64_t position, Header& header) {
  const auto number = [&](size_t at) { return load_u64(slot.data() + at); };
  if (number(HeaderAt::magic) != kMagic) return Refusal{Fault::not_pack, position, "no magic number WEFTPACK"};
  if (load_u32(slot.data() + HeaderAt::version) != kFormatVersion)
    return Refusal{Fault::unknown_version, position + HeaderAt::version, "the version is unknown"};
  if (hash_of(slot.first(HeaderAt::header_hash)) != number(HeaderAt::header_hash))
    return Refusal{Fault::header_checksum, position + HeaderAt::header_hash, "the header is damaged"};
  const auto bad = [&](size_t at, const char* what) { return Refusal{Fault::bad_header, position + at, what}; };
  const uint64_t entries = number(HeaderAt::entries), ranges = number(HeaderAt::ranges);
  header.generation = number(HeaderAt::generation);
  header.directory_position = number(HeaderAt::directory_position);
  header.directory_bytes = number(HeaderAt::directory_bytes);
  header.pack_bytes = number(HeaderAt::pack_bytes);
  header.directory_hash = number(HeaderAt::directory_hash);
  header.name_bytes = number(HeaderAt::name_bytes);
  if (header.generation == 0) return bad(HeaderAt::generation, "the generation is 0");
  if (load_u32(slot.data() + HeaderAt::reserved) != 0 ||
      !all_zero(slot.subspan(HeaderAt::reserved_bytes, HeaderAt::directory_hash - HeaderAt::reserved_bytes)))
    return bad(HeaderAt::reserved, "reserved bytes are not 0");
  if (header.directory_position < kPayloadAt || header.directory_position % kBlockBytes != 0 ||
      header.directory_position > kMaxPackBytes)
    return bad(HeaderAt::directory_position, "the directory's position is no block after the header");
  if (entries > UINT32_MAX || ranges > UINT32_MAX || header.name_bytes > kMaxPackBytes ||
      header.directory_bytes != kEntryBytes * entries + kRangeBytes * ranges + header.name_bytes)
    return bad(HeaderAt::directory_bytes, "the directory's size is not that of its parts");
  if (header.pack_bytes != header.directory_position + header.directory_bytes)
    return bad(HeaderAt::pack_bytes, "the pack does not end with its directory");
  header.entries = static_cast<uint32_t>(entries);
  header.ranges = static_cast<uint32_t>(ranges);
  return std::nullopt;
}

std::optional<Refusal> check_length(const Header& header, uint64_t given_bytes) {
  if (header.pack_bytes <= given_bytes) return std::nullopt;
  return Refusal{Fault::truncated, given_bytes, "the pack has " + std::to_string(header.pack_bytes) + " bytes"};
}

/// The bytes of a directory, whose size is that of its parts.
class Directory {
 public:
  Directory() = default;
  Directory(const Header& header, std::span<const std::byte> bytes)
      : entries_(bytes.data()),
        ranges_(entries_ + kEntryBytes * header.entries),
        names_(ranges_ + kRangeBytes * header.ranges) {}

  const std::byte* entry_bytes(uint32_t index) const { return entries_ + kEntryBytes * index; }
  const std::byte* range_bytes(uint32_t index) const { return ranges_ + kRangeBytes * index; }

  Entry entry(uint32_t index) const {
    const std::byte* const from = entry_bytes(index);
    const auto word = [&](size_t at) { return load_u32(from + at); };
    Entry entry;
    entry.path_hash = load_u64(from + EntryAt::path_hash);
    entry.content_hash = load_u64(from + EntryAt::content_hash);
    entry.content_bytes = load_u64(from + EntryAt::content_bytes);
    entry.position = load_u64(from + EntryAt::position);
    entry.stored_bytes = load_u64(from + EntryAt::stored_bytes);
    entry.path = {reinterpret_cast<const char*>(names_) + load_u64(from + EntryAt::path_offset),
                  word(EntryAt::path_bytes)};
    entry.first_range = word(EntryAt::first_range);
    entry.range_count = word(EntryAt::ranges);
    entry.kind = static_cast<Kind>(from[EntryAt::kind]);
    entry.slices = word(EntryAt::slices);
    entry.image = {static_cast<ImageFile>(from[EntryAt::image_file]),
                   word(EntryAt::vk_format),
                   word(EntryAt::width),
                   word(EntryAt::height),
                   word(EntryAt::depth),
                   word(EntryAt::levels),
                   word(EntryAt::layers),
                   word(EntryAt::faces)};
    return entry;
  }

  Range range(uint32_t index) const {
    const std::byte* const from = range_bytes(index);
    Range range;
    range.position = load_u64(from + RangeAt::position);
    range.stored_bytes = load_u64(from + RangeAt::stored_bytes);
    range.content_offset = load_u64(from + RangeAt::content_offset);
    range.slice_bytes = load_u64(from + RangeAt::slice_bytes);
    range.stored_hash = load_u64(from + RangeAt::stored_hash);
    range.level = load_u32(from + RangeAt::level);
    range.coding = static_cast<Coding>(from[RangeAt::coding]);
    range.table_bytes = load_u32(from + RangeAt::table_bytes);
    range.tile_bytes = load_u32(from + RangeAt::tile_bytes);
    return range;
  }

 private:
  const std::byte *entries_ = nullptr, *ranges_ = nullptr, *names_ = nullptr;
};

uint64_t content_of(const Entry& entry, const Range& range) {
  return range.level == kNoLevel ? range.slice_bytes : range.slice_bytes * entry.slices;
}

/// Checks a directory, entry by entry.
class Checker {
 public:
  Checker(const Header& header, const Directory& directory) : header_(header), directory_(directory) {}

  std::optional<Refusal> check();

 private:
  std::optional<Refusal> check_entry(uint32_t index);
  std::optional<Refusal> check_image(const Entry& entry) const;
  std::optional<Refusal> check_ranges(const Entry& entry);
  std::optional<Refusal> check_range(const Entry& entry, uint32_t index);
  std::optional<Refusal> check_cover(const Entry& entry) const;
  std::optional<Refusal> check_overlap();

  uint64_t entry_at(uint32_t index, size_t at) const {
    return header_.directory_position + kEntryBytes * uint64_t{index} + at;
  }
  uint64_t range_at(uint32_t index, size_t at) const {
    return entry_at(header_.entries, 0) + kRangeBytes * uint64_t{index} + at;
  }
  Refusal refuse(Fault fault, uint64_t position, const Entry& entry, const char* what) const {
    return {fault, position, std::string(entry.path) + ": " + what};
  }

  const Header& header_;
  const Directory& directory_;
  uint64_t names_ = 0, ranges_ = 0, last_hash_ = 0;
  std::vector<std::pair<uint64_t, uint32_t>> by_position_;
};

std::optional<Refusal> Checker::check() {
  by_position_.reserve(header_.entries);
  for (uint32_t index = 0; index < header_.entries; ++index)
    if (auto refusal = check_entry(index)) return refusal;
  if (ranges_ != header_.ranges || names_ != header_.name_bytes)
    return Refusal{Fault::bad_header, HeaderAt::ranges, "the directory has ranges or names of no entry"};
  return check_overlap();
}

std::optional<Refusal> Checker::check_entry(uint32_t index) {
  const std::byte* const bytes = directory_.entry_bytes(index);
  const auto bad = [&](Fault fault, size_t at, const char* what) {
    return Refusal{fault, entry_at(index, at), "entry " + std::to_string(index) + ": " + what};
  };
  // Before the path is looked at.
  const uint32_t path_bytes = load_u32(bytes + EntryAt::path_bytes);
  if (load_u64(bytes + EntryAt::path_offset) != names_ || path_bytes > header_.name_bytes - names_)
    return bad(Fault::bad_entry, EntryAt::path_offset, "its path is not the next one");
  names_ += path_bytes;
  const Entry entry = directory_.entry(index);
  if (const std::string fault = fault_of_path(entry.path); !fault.empty())
    return bad(Fault::bad_path, EntryAt::path_offset, fault.c_str());
  if (entry.path_hash != hash_of(entry.path))
    return bad(Fault::bad_entry, EntryAt::path_hash, "its hash is not that of its path");
  if (index > 0 && entry.path_hash <= last_hash_)
    return bad(Fault::bad_entry, EntryAt::path_hash, "entries are not in the order of their hashes");
  last_hash_ = entry.path_hash;
  if (entry.first_range != ranges_ || entry.range_count > header_.ranges - ranges_ || entry.range_count > kMaxRanges ||
      (entry.range_count == 0) != (entry.content_bytes == 0))
    return bad(Fault::bad_entry, EntryAt::ranges, "its ranges are not the next ones");
  ranges_ += entry.range_count;
  if (name_of(entry.kind) == nullptr) return bad(Fault::bad_entry, EntryAt::kind, "its kind is unknown");
  if (load_u32(bytes + EntryAt::kind) >> 16 != 0)
    return bad(Fault::bad_entry, EntryAt::reserved, "reserved bytes are not 0");
  if (auto refusal = check_image(entry)) {
    refusal->position = entry_at(index, EntryAt::image_file);
    return refusal;
  }
  if (entry.range_count == 0) {
    if (entry.position != 0 || entry.stored_bytes != 0 || entry.kind != Kind::raw)
      return bad(Fault::bad_entry, EntryAt::position, "an empty asset has no position");
    return std::nullopt;
  }
  if (entry.position < kPayloadAt || entry.position % kBlockBytes != 0 || entry.stored_bytes == 0 ||
      entry.position > header_.directory_position || entry.stored_bytes > header_.directory_position - entry.position)
    return bad(Fault::bad_entry, EntryAt::position, "its bytes do not begin at a block between header and directory");
  by_position_.emplace_back(entry.position, index);
  return check_ranges(entry);
}

std::optional<Refusal> Checker::check_image(const Entry& entry) const {
  const Image& image = entry.image;
  const bool levels = entry.range_count > 1;
  if (image.file == ImageFile::none) {
    if (image != Image{} || entry.slices != 0 || levels)
      return refuse(Fault::bad_entry, 0, entry, "it is no image, and has levels or an extent");
    return std::nullopt;
  }
  if (name_of(image.file) == nullptr || image.width == 0 || image.height == 0 || image.depth == 0 ||
      image.levels == 0 || image.levels >= kMaxRanges || image.layers == 0 || (image.faces != 1 && image.faces != 6))
    return refuse(Fault::bad_entry, 0, entry, "its image has no extent, levels or layers");
  if (levels ? entry.range_count != image.levels + 1 || entry.slices == 0 : entry.slices != 0)
    return refuse(Fault::bad_entry, 0, entry, "its ranges are not one for each level");
  return std::nullopt;
}

std::optional<Refusal> Checker::check_ranges(const Entry& entry) {
  uint64_t end = entry.position;
  bool has_stream = false;
  for (uint32_t i = 0; i < entry.range_count; ++i) {
    const uint32_t index = entry.first_range + i;
    if (auto refusal = check_range(entry, i)) return refusal;
    const Range range = directory_.range(index);
    has_stream = has_stream || range.coding == Coding::gstd;
    if (range.position < end || (i == 0 && range.position != end) ||
        range.position - entry.position > entry.stored_bytes ||
        range.stored_bytes > entry.stored_bytes - (range.position - entry.position))
      return refuse(Fault::bad_range, range_at(index, RangeAt::position), entry,
                    "its ranges are not one after the other within its bytes");
    end = range.position + range.stored_bytes;
  }
  const uint32_t last = entry.first_range + entry.range_count - 1;
  if (end != entry.position + entry.stored_bytes)
    return refuse(Fault::bad_range, range_at(last, RangeAt::stored_bytes), entry, "its ranges end before its bytes");
  if (has_stream != (entry.kind == Kind::gstd))
    return refuse(Fault::bad_range, range_at(last, RangeAt::coding), entry, "its kind is not that of its ranges");
  return check_cover(entry);
}

std::optional<Refusal> Checker::check_range(const Entry& entry, uint32_t i) {
  const uint32_t index = entry.first_range + i;
  const Range range = directory_.range(index);
  const auto bad = [&](size_t at, const char* what) {
    return refuse(Fault::bad_range, range_at(index, at), entry, what);
  };
  const std::byte* const bytes = directory_.range_bytes(index);
  if (range.coding > Coding::gstd) return bad(RangeAt::coding, "a range's coding is unknown");
  if (load_u32(bytes + RangeAt::coding) >> 8 != 0) return bad(RangeAt::reserved, "reserved bytes are not 0");
  if (!is_aligned(range.position, std::min<uint64_t>(range.stored_bytes, kBlockBytes + 1)))
    return bad(RangeAt::position, "a range begins within a block and does not end there");
  // Levels from the smallest on follow what precedes them.
  if (range.level != (i == 0 ? kNoLevel : entry.image.levels - i)) return bad(RangeAt::level, "not the next level");
  if (range.slice_bytes == 0 || range.slice_bytes > entry.content_bytes ||
      range.content_offset > entry.content_bytes - range.slice_bytes ||
      (i > 0 && range.slice_bytes > entry.content_bytes / entry.slices))
    return bad(RangeAt::content_offset, "a range is not within the content");
  if (range.coding == Coding::raw) {
    if (range.stored_bytes != content_of(entry, range))
      return bad(RangeAt::stored_bytes, "a raw range of another size");
    if (range.table_bytes != 0 || range.tile_bytes != 0) return bad(RangeAt::table_bytes, "a raw range has no tables");
    return std::nullopt;
  }
  const uint32_t tile = range.tile_bytes;
  if (tile < gstd::kMinTileBytes || tile > gstd::kMaxTileBytes || (tile & (tile - 1)) != 0 || range.table_bytes < 60 ||
      range.table_bytes > range.stored_bytes)
    return bad(RangeAt::table_bytes, "a range's tables or tiles have no valid size");
  return std::nullopt;
}

// The first range and the slices are all of the content, each byte once.
std::optional<Refusal> Checker::check_cover(const Entry& entry) const {
  const auto bad = [&] {
    return refuse(Fault::bad_range, range_at(entry.first_range, RangeAt::content_offset), entry,
                  "its ranges do not make up its content");
  };
  const Range first = directory_.range(entry.first_range);
  if (first.content_offset != 0) return bad();
  if (entry.slices == 0) return first.slice_bytes == entry.content_bytes ? std::nullopt : std::optional(bad());
  const uint64_t of_slices = entry.content_bytes - first.slice_bytes, stride = of_slices / entry.slices;
  if (of_slices % entry.slices != 0) return bad();
  std::array<Range, kMaxRanges> levels;
  const size_t count = entry.range_count - 1;
  for (uint32_t i = 0; i < count; ++i) levels[i] = directory_.range(entry.first_range + 1 + i);
  std::sort(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(count),
            [](const Range& a, const Range& b) { return a.content_offset < b.content_offset; });
  uint64_t end = first.slice_bytes;
  for (size_t i = 0; i < count; ++i) {
    if (levels[i].content_offset != end) return bad();
    end += levels[i].slice_bytes;
  }
  return end == first.slice_bytes + stride ? std::nullopt : std::optional(bad());
}

std::optional<Refusal> Checker::check_overlap() {
  std::ranges::sort(by_position_);
  uint64_t end = 0;
  for (const auto& [position, index] : by_position_) {
    const Entry entry = directory_.entry(index);
    if (position < end)
      return refuse(Fault::overlap, entry_at(index, EntryAt::position), entry, "it shares bytes with another asset");
    end = position + entry.stored_bytes;
  }
  return std::nullopt;
}

}  // namespace

struct PackReader::State {
  ReadAt read;
  Header header;
  std::vector<std::byte> kept;
  Directory directory;

  // Both slots may be valid: the later generation counts. A torn write of one leaves the other.
  std::optional<Refusal> choose_header(std::span<const std::byte> slots, uint64_t given_bytes) {
    std::optional<Refusal> refusal;
    bool found = false;
    for (const uint64_t at : {uint64_t{0}, uint64_t{kBlockBytes}}) {
      Header candidate;
      auto reason = load_header(slots.subspan(at, kHeaderBytes), at, candidate);
      if (!reason) {
        if (!found || candidate.generation > header.generation) header = candidate;
        found = true;
      } else if (!refusal || (refusal->fault == Fault::not_pack && reason->fault != Fault::not_pack)) {
        refusal = std::move(reason);
      }
    }
    return found ? check_length(header, given_bytes) : refusal;
  }

  std::optional<Refusal> use(std::span<const std::byte> bytes) {
    if (hash_of(bytes) != header.directory_hash)
      return Refusal{Fault::directory_checksum, header.directory_position, "the directory is damaged"};
    directory = Directory(header, bytes);
    return Checker(header, directory).check();
  }

  Status read_whole(const Entry& entry, const Sink& sink, const ReadConfig& config) const;
};

PackReader::PackReader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
PackReader::~PackReader() = default;
PackReader::PackReader(PackReader&&) noexcept = default;
PackReader& PackReader::operator=(PackReader&&) noexcept = default;

Result<PackReader> PackReader::open(std::span<const std::byte> pack, Verdict* verdict) noexcept {
  if (verdict != nullptr) *verdict = {};
  return gstd::guarded([&]() -> Result<PackReader> {
    auto state = std::make_unique<State>();
    if (pack.size() < kPayloadAt) return error_of({Fault::truncated, pack.size(), "a header has 8192 bytes"}, verdict);
    if (auto refusal = state->choose_header(pack, pack.size())) return error_of(*refusal, verdict);
    const Header& header = state->header;
    if (auto refusal = state->use(pack.subspan(header.directory_position, header.directory_bytes)))
      return error_of(*refusal, verdict);
    state->read = [pack](uint64_t position, std::span<std::byte> to) -> Status {
      std::memcpy(to.data(), pack.data() + position, to.size());
      return {};
    };
    return PackReader(std::move(state));
  });
}

Result<PackReader> PackReader::open(ReadAt read, uint64_t pack_bytes, Verdict* verdict) noexcept {
  if (verdict != nullptr) *verdict = {};
  return gstd::guarded([&]() -> Result<PackReader> {
    auto state = std::make_unique<State>();
    if (pack_bytes < kPayloadAt) return error_of({Fault::truncated, pack_bytes, "a header has 8192 bytes"}, verdict);
    std::vector<std::byte> slots(kPayloadAt);
    if (Status status = read(0, slots); !status) return status.error();
    if (auto refusal = state->choose_header(slots, pack_bytes)) return error_of(*refusal, verdict);
    state->kept.resize(state->header.directory_bytes);
    if (!state->kept.empty())
      if (Status status = read(state->header.directory_position, state->kept); !status) return status.error();
    if (auto refusal = state->use(state->kept)) return error_of(*refusal, verdict);
    state->read = std::move(read);
    return PackReader(std::move(state));
  });
}

Result<PackReader> PackReader::open(std::span<const std::byte> header_slot, std::span<const std::byte> directory,
                                    uint64_t pack_bytes, Verdict* verdict) noexcept {
  if (verdict != nullptr) *verdict = {};
  return gstd::guarded([&]() -> Result<PackReader> {
    auto state = std::make_unique<State>();
    if (header_slot.size() < kHeaderBytes)
      return error_of({Fault::truncated, header_slot.size(), "a header slot has 128 bytes"}, verdict);
    if (auto refusal = load_header(header_slot, 0, state->header)) return error_of(*refusal, verdict);
    if (auto refusal = check_length(state->header, pack_bytes)) return error_of(*refusal, verdict);
    if (directory.size() != state->header.directory_bytes)
      return error_of({Fault::truncated, state->header.directory_position, "the directory has another size"}, verdict);
    if (auto refusal = state->use(directory)) return error_of(*refusal, verdict);
    state->read = [](uint64_t, std::span<std::byte>) -> Status {
      return Error{ErrorCode::invalid_argument, "pack: the reader was opened without its assets"};
    };
    return PackReader(std::move(state));
  });
}

uint32_t PackReader::size() const noexcept { return state_->header.entries; }
Entry PackReader::entry(uint32_t index) const noexcept { return state_->directory.entry(index); }
Range PackReader::range(const Entry& entry, uint32_t index) const noexcept {
  return state_->directory.range(entry.first_range + index);
}
uint64_t PackReader::generation() const noexcept { return state_->header.generation; }
uint64_t PackReader::pack_bytes() const noexcept { return state_->header.pack_bytes; }
uint64_t PackReader::directory_bytes() const noexcept { return state_->header.directory_bytes; }

std::optional<Entry> PackReader::find(std::string_view path) const noexcept {
  auto entry = find_hash(hash_of(path));
  if (entry && entry->path != path) entry.reset();
  return entry;
}

std::optional<Entry> PackReader::find_hash(uint64_t path_hash) const noexcept {
  uint32_t first = 0, count = size();
  while (count > 0) {
    const uint32_t half = count / 2;
    const bool before = load_u64(state_->directory.entry_bytes(first + half) + EntryAt::path_hash) < path_hash;
    if (before) first += half + 1;
    count = before ? count - half - 1 : half;
  }
  if (first == size() || load_u64(state_->directory.entry_bytes(first) + EntryAt::path_hash) != path_hash)
    return std::nullopt;
  return entry(first);
}

Status PackReader::read_stored(const Entry& entry, const Sink& sink, const ReadConfig& config) const noexcept {
  if (config.verdict != nullptr) *config.verdict = {};
  return gstd::guarded([&]() -> Status {
    std::vector<std::byte> room(std::max<uint64_t>(kBlockBytes, std::min<uint64_t>(entry.stored_bytes, kReadBytes)));
    uint64_t end = entry.position;
    for (uint32_t i = 0; i < entry.range_count; ++i) {
      const Range stored = range(entry, i);
      for (uint64_t gap = stored.position - end; gap > 0;) {
        const auto zeros = std::span(room).first(std::min<uint64_t>(room.size(), gap));
        std::ranges::fill(zeros, std::byte{0});
        if (Status status = sink(zeros); !status) return status;
        gap -= zeros.size();
      }
      RunningHash hash;
      for (uint64_t at = 0; at < stored.stored_bytes;) {
        const auto piece = std::span(room).first(std::min<uint64_t>(room.size(), stored.stored_bytes - at));
        if (Status status = state_->read(stored.position + at, piece); !status) return status;
        hash.add(piece);
        if (Status status = sink(piece); !status) return status;
        at += piece.size();
      }
      if (hash.value() != stored.stored_hash)
        return error_of({Fault::stored_hash, stored.position, std::string(entry.path) + ": stored bytes are damaged"},
                        config.verdict);
      end = stored.position + stored.stored_bytes;
    }
    return {};
  });
}

namespace {

// Reads the content of a range, at any position.
class RangeReader {
 public:
  static Result<RangeReader> open(const ReadAt& read, const Entry& entry, const Range& range,
                                  const ReadConfig& config) {
    RangeReader reader;
    reader.read_ = [&read, at = range.position](uint64_t position, std::span<std::byte> to) {
      return read(at + position, to);
    };
    reader.range_ = range;
    reader.path_ = entry.path;
    reader.verdict_ = config.verdict;
    if (range.coding == Coding::raw) return reader;
    gstd::DecompressConfig decompress;
    decompress.threads = config.threads;
    reader.stream_verdict_ = std::make_unique<gstd::Verdict>();
    decompress.verdict = reader.stream_verdict_.get();
    decompress.max_content = content_of(entry, range);
    auto stream = gstd::Reader::open(reader.read_, range.stored_bytes, decompress);
    if (!stream) return reader.refuse(stream.error());
    if (stream->info().content_bytes != content_of(entry, range))
      return error_of({Fault::bad_stream, range.position, reader.path_ + ": its stream has another size"},
                      config.verdict);
    reader.stream_ = *std::move(stream);
    return reader;
  }

  Status read(uint64_t first, std::span<std::byte> to) {
    if (!stream_) return read_(first, to);
    const Status status = stream_->read(first, to);
    return status ? status : Status(refuse(status.error()));
  }

 private:
  // The stream's faults, with their position in the pack.
  Error refuse(const Error& error) const {
    if (stream_verdict_->fault == gstd::Fault::none) return error;
    return error_of(
        {Fault::bad_stream, range_.position + stream_verdict_->position, path_ + ": its stream, " + error.message},
        verdict_);
  }

  ReadAt read_;
  Range range_;
  std::string path_;
  Verdict* verdict_ = nullptr;
  std::unique_ptr<gstd::Verdict> stream_verdict_;
  std::optional<gstd::Reader> stream_;
};

}  // namespace

Status PackReader::State::read_whole(const Entry& entry, const Sink& sink, const ReadConfig& config) const {
  if (entry.range_count == 0) return {};
  const Range first = directory.range(entry.first_range);
  std::vector<std::pair<Range, RangeReader>> parts;
  for (uint32_t i = 0; i < entry.range_count; ++i) {
    const Range range = directory.range(entry.first_range + i);
    auto reader = RangeReader::open(read, entry, range, config);
    if (!reader) return reader.status();
    parts.emplace_back(range, *std::move(reader));
  }
  std::ranges::sort(parts, {}, [](const auto& part) { return part.first.content_offset; });

  RunningHash hash;
  std::vector<std::byte> room(std::min<uint64_t>(entry.content_bytes, kReadBytes * std::max(config.threads, 1u)));
  const auto pass = [&](std::pair<Range, RangeReader>& part, uint64_t from) -> Status {
    for (uint64_t at = 0; at < part.first.slice_bytes;) {
      const auto piece = std::span(room).first(std::min<uint64_t>(room.size(), part.first.slice_bytes - at));
      if (Status status = part.second.read(from + at, piece); !status) return status;
      hash.add(piece);
      if (Status status = sink(piece); !status) return status;
      at += piece.size();
    }
    return {};
  };
  if (Status status = pass(parts.front(), 0); !status) return status;
  for (uint32_t slice = 0; slice < entry.slices; ++slice)
    for (size_t i = 1; i < parts.size(); ++i)
      if (Status status = pass(parts[i], slice * parts[i].first.slice_bytes); !status) return status;
  if (hash.value() != entry.content_hash)
    return error_of({Fault::content_hash, first.position, std::string(entry.path) + ": its content is damaged"},
                    config.verdict);
  return {};
}

Status PackReader::extract(const Entry& entry, const Sink& sink, const ReadConfig& config) const noexcept {
  if (config.verdict != nullptr) *config.verdict = {};
  return gstd::guarded([&] { return state_->read_whole(entry, sink, config); });
}

Status PackReader::extract(const Entry& entry, const Range& range, std::span<std::byte> output,
                           const ReadConfig& config) const noexcept {
  if (config.verdict != nullptr) *config.verdict = {};
  return gstd::guarded([&]() -> Status {
    if (output.size() != content_of(entry, range))
      return Error{ErrorCode::invalid_argument, "pack: the output has not the size of the range's content"};
    auto reader = RangeReader::open(state_->read, entry, range, config);
    if (!reader) return reader.status();
    return reader->read(0, output);
  });
}

Asset asset_of(const PackReader& reader, const Entry& entry) {
  Asset asset;
  asset.path = entry.path;
  asset.content_hash = entry.content_hash;
  asset.content_bytes = entry.content_bytes;
  asset.kind = entry.kind;
  asset.image = entry.image;
  asset.slices = entry.slices;
  for (uint32_t i = 0; i < entry.range_count; ++i) asset.ranges.push_back(reader.range(entry, i));
  return asset;
}

}  // namespace weft::pack
