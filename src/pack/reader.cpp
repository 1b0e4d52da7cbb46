// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/pack.hpp>

#include <cstring>
#include <utility>

#include "gstd/guarded.hpp"
#include "pack/reader_state.hpp"

namespace weft::pack {
namespace {

std::optional<Refusal> check_length(const Header& header, uint64_t given_bytes) {
  if (header.pack_bytes <= given_bytes) return std::nullopt;
  return Refusal{Fault::truncated, given_bytes, "the pack has " + std::to_string(header.pack_bytes) + " bytes"};
}

}  // namespace

std::optional<Refusal> PackReader::State::choose_header(std::span<const std::byte> slots, uint64_t given_bytes) {
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

std::optional<Refusal> PackReader::State::use(std::span<const std::byte> bytes) {
  if (hash_of(bytes) != header.directory_hash)
    return Refusal{Fault::directory_checksum, header.directory_position, "the directory is damaged"};
  directory = Directory(header, bytes);
  return check(header, directory);
}

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
    const bool before = gstd::load_u64(state_->directory.entry_bytes(first + half) + EntryAt::path_hash) < path_hash;
    if (before) first += half + 1;
    count = before ? count - half - 1 : half;
  }
  if (first == size() || gstd::load_u64(state_->directory.entry_bytes(first) + EntryAt::path_hash) != path_hash)
    return std::nullopt;
  return entry(first);
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
