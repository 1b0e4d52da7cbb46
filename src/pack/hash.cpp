// SPDX-License-Identifier: MIT OR Apache-2.0
#include "pack/hash.hpp"

#include <weft/pack.hpp>

#include <algorithm>

#include "gstd/guarded.hpp"

namespace weft::pack {

uint64_t hash_of(std::span<const std::byte> bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

uint64_t hash_of(std::string_view text) noexcept { return XXH3_64bits(text.data(), text.size()); }

Result<uint64_t> hash_of(const ReadAt& read, uint64_t bytes) noexcept {
  return gstd::guarded([&]() -> Result<uint64_t> {
    RunningHash hash;
    std::vector<std::byte> room(std::min<uint64_t>(bytes, 1u << 20));
    for (uint64_t at = 0; at < bytes;) {
      const auto piece = std::span(room).first(std::min<uint64_t>(room.size(), bytes - at));
      if (Status status = read(at, piece); !status) return status.error();
      hash.add(piece);
      at += piece.size();
    }
    return hash.value();
  });
}

}  // namespace weft::pack
