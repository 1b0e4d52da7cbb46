// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gstd/parser.hpp"

namespace weft::gstd {

constexpr size_t kMaxFastBytes = 65536;

/// Finds matches for fast levels: greedily, by the last place that had the same 8 bytes and the last that had the same 5. Its tables are
/// small enough to stay in the caches beside a tile, and its matches need no conversion. One a thread.
class FastParser {
 public:
  /// `level`: 1 to 3; the lower, the sooner it hurries through what does not match.
  explicit FastParser(int level);

  /// Matches of `bytes`, at most kMaxFastBytes, in order, each of at least kMinMatch bytes. `only_long`: there is little to gain by others, as
  /// literals take few bits.
  void parse(std::span<const std::byte> bytes, bool only_long, std::vector<Match>& matches);

 private:
  template <bool only_long, uint32_t log>
  void parse_for(std::span<const std::byte> bytes, std::vector<Match>& matches);

  uint32_t patience_log_;
  std::vector<uint16_t> places_;  // by hashes of 8 bytes, then by hashes of 5
};

}  // namespace weft::gstd
