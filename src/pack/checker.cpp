// SPDX-License-Identifier: MIT OR Apache-2.0
// What makes a header or a directory invalid.
#include <algorithm>
#include <array>
#include <utility>

#include "gstd/container.hpp"
#include "pack/reader_state.hpp"

namespace weft::pack {
namespace {

using gstd::load_u32;
using gstd::load_u64;

constexpr uint64_t kMaxPackBytes = uint64_t{1} << 62;

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

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
  if (tile < gstd::kMinTileBytes || tile > gstd::kMaxTileBytes || (tile & (tile - 1)) != 0 ||
      range.table_bytes < gstd::kMinHeaderBytes || range.table_bytes > range.stored_bytes)
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

Error error_of(const Refusal& refusal, Verdict* verdict) {
  if (verdict != nullptr) *verdict = {refusal.fault, refusal.position};
  return {refusal.fault == Fault::unknown_version ? ErrorCode::unsupported : ErrorCode::corrupt_stream,
          "pack: byte " + std::to_string(refusal.position) + ": " + refusal.what};
}

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

std::optional<Refusal> check(const Header& header, const Directory& directory) {
  return Checker(header, directory).check();
}

}  // namespace weft::pack
