// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/pack.hpp>

#include <optional>
#include <string>
#include <vector>

#include "gstd/little_endian.hpp"
#include "pack/layout.hpp"

namespace weft::pack {

/// Why a pack is refused.
struct Refusal {
  Fault fault;
  uint64_t position;
  std::string what;
};

/// Also writes the verdict, if there is one.
Error error_of(const Refusal& refusal, Verdict* verdict);

struct Header {
  uint64_t generation = 0, directory_position = 0, directory_bytes = 0, pack_bytes = 0, directory_hash = 0;
  uint32_t entries = 0, ranges = 0;
  uint64_t name_bytes = 0;
};

/// Takes a header slot of at least kHeaderBytes that is at `position` of the pack.
std::optional<Refusal> load_header(std::span<const std::byte> slot, uint64_t position, Header& header);

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
    const auto word = [&](size_t at) { return gstd::load_u32(from + at); };
    Entry entry;
    entry.path_hash = gstd::load_u64(from + EntryAt::path_hash);
    entry.content_hash = gstd::load_u64(from + EntryAt::content_hash);
    entry.content_bytes = gstd::load_u64(from + EntryAt::content_bytes);
    entry.position = gstd::load_u64(from + EntryAt::position);
    entry.stored_bytes = gstd::load_u64(from + EntryAt::stored_bytes);
    entry.path = {reinterpret_cast<const char*>(names_) + gstd::load_u64(from + EntryAt::path_offset),
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
    range.position = gstd::load_u64(from + RangeAt::position);
    range.stored_bytes = gstd::load_u64(from + RangeAt::stored_bytes);
    range.content_offset = gstd::load_u64(from + RangeAt::content_offset);
    range.slice_bytes = gstd::load_u64(from + RangeAt::slice_bytes);
    range.stored_hash = gstd::load_u64(from + RangeAt::stored_hash);
    range.level = gstd::load_u32(from + RangeAt::level);
    range.coding = static_cast<Coding>(from[RangeAt::coding]);
    range.table_bytes = gstd::load_u32(from + RangeAt::table_bytes);
    range.tile_bytes = gstd::load_u32(from + RangeAt::tile_bytes);
    return range;
  }

 private:
  const std::byte *entries_ = nullptr, *ranges_ = nullptr, *names_ = nullptr;
};

/// Content bytes of a range.
inline uint64_t content_of(const Entry& entry, const Range& range) {
  return range.level == kNoLevel ? range.slice_bytes : range.slice_bytes * entry.slices;
}

/// Checks a directory, entry by entry.
std::optional<Refusal> check(const Header& header, const Directory& directory);

struct PackReader::State {
  ReadAt read;
  Header header;
  std::vector<std::byte> kept;
  Directory directory;

  /// Both slots may be valid: the later generation counts. A torn write of one leaves the other.
  std::optional<Refusal> choose_header(std::span<const std::byte> slots, uint64_t given_bytes);
  std::optional<Refusal> use(std::span<const std::byte> bytes);
  Status read_whole(const Entry& entry, const Sink& sink, const ReadConfig& config) const;
};

}  // namespace weft::pack
