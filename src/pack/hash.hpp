// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <xxhash.h>

namespace weft::pack {

/// XXH3-64 of bytes that come in pieces.
class RunningHash {
 public:
  RunningHash() noexcept { XXH3_64bits_reset(&state_); }
  void add(std::span<const std::byte> bytes) noexcept { XXH3_64bits_update(&state_, bytes.data(), bytes.size()); }
  uint64_t value() const noexcept { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

}  // namespace weft::pack
