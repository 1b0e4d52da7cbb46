// SPDX-License-Identifier: MIT OR Apache-2.0
// Any bytes as a pack, as they are and with hashes that fit: what is accepted can be read, and gives what its directory
// says, whole and range by range.
#include <algorithm>
#include <cstring>
#include <vector>

#include <weft/pack.hpp>

#include "fuzz_target.hpp"
#include "pack/layout.hpp"

using namespace weft;

namespace {

constexpr uint64_t kMaxContent = 1 << 22;

void read_all(const pack::PackReader& reader) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < reader.size(); ++i) {
    const pack::Entry entry = reader.entry(i);
    const auto found = reader.find(entry.path);
    fuzz::require(found && found->position == entry.position, "an entry is found by its path");
    fuzz::require(pack::fault_of_path(entry.path).empty(), "paths are valid");
    total += std::min(entry.content_bytes, kMaxContent);
    if (entry.content_bytes > kMaxContent || total > kMaxContent) continue;
    uint64_t bytes = 0, of_ranges = 0;
    const pack::Sink sink = [&](std::span<const std::byte> piece) -> Status {
      bytes += piece.size();
      return {};
    };
    const Status status = reader.extract(entry, sink);
    fuzz::require(bytes <= entry.content_bytes && (!status || bytes == entry.content_bytes), "content has its size");
    (void)reader.read_stored(entry, sink);
    for (uint32_t r = 0; r < entry.range_count; ++r) {
      const pack::Range range = reader.range(entry, r);
      const uint64_t size = range.slice_bytes * (range.level == pack::kNoLevel ? 1 : entry.slices);
      std::vector<std::byte> content(size);
      const bool read = reader.extract(entry, range, content).ok();
      fuzz::require(read || !status, "ranges of good content are good");
      of_ranges += size;
    }
    fuzz::require(of_ranges == entry.content_bytes, "ranges make up the content");
  }
}

void store_u64(std::vector<std::byte>& bytes, size_t at, uint64_t value) {
  for (size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<std::byte>(value >> 8 * i);
}

uint64_t load_u64(const std::vector<std::byte>& bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[at + i]);
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto given = std::as_bytes(std::span(data, size));
  pack::Verdict verdict;
  const auto reader = pack::PackReader::open(given, &verdict);
  if (reader)
    read_all(*reader);
  else
    fuzz::require(verdict.fault != pack::Fault::none, "a refusal has a reason");

  // Hashes must not be what keeps a reader safe.
  std::vector<std::byte> mended(given.begin(), given.end());
  if (size < pack::kPayloadAt) return 0;
  for (const size_t slot : {size_t{0}, size_t{pack::kBlockBytes}}) {
    const uint64_t position = load_u64(mended, slot + pack::HeaderAt::directory_position);
    const uint64_t bytes = load_u64(mended, slot + pack::HeaderAt::directory_bytes);
    if (position <= size && bytes <= size - position)
      store_u64(mended, slot + pack::HeaderAt::directory_hash,
                pack::hash_of(std::span<const std::byte>(mended).subspan(position, bytes)));
    const auto header = std::span<const std::byte>(mended).subspan(slot, pack::HeaderAt::header_hash);
    store_u64(mended, slot + pack::HeaderAt::header_hash, pack::hash_of(header));
  }
  const auto again = pack::PackReader::open(mended, &verdict);
  if (again) read_all(*again);
  return 0;
}
