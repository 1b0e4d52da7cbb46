// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Items of the kernels `*_by_score`: structs in an order of the user's own.
#pragma once

#include <cstdint>

#include "support/random.hpp"

namespace weft::test {

struct ScoredRecord {
  float score;
  int32_t level;
  uint32_t name;
};

/// Of 50 scores and few levels, so that many are equal but for their names.
inline ScoredRecord scored_record(uint64_t seed, uint64_t i) {
  const uint64_t word = random_word(seed, i);
  return {static_cast<float>(word % 50), static_cast<int32_t>(word >> 20) % 3, static_cast<uint32_t>(word >> 32)};
}

/// Higher scores first, then lower levels.
inline bool is_ahead_by_score(const ScoredRecord& a, const ScoredRecord& b) {
  return a.score != b.score ? a.score > b.score : a.level < b.level;
}

}  // namespace weft::test
