// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/segments.hpp"

#include <cstring>

#include "support/random.hpp"

namespace weft::test {

std::string text_of(Runs runs) {
  switch (runs) {
    case Runs::ones: return "runs of 1";
    case Runs::twos: return "runs of 2";
    case Runs::eights: return "runs of 8";
    case Runs::mixed: return "mixed runs";
    case Runs::long_: return "long runs";
    case Runs::one: return "one run";
  }
  return {};
}

std::vector<bool> heads_of(uint64_t n, Runs runs, uint64_t seed) {
  std::vector<bool> heads(n);
  const auto length = [&](uint64_t run) -> uint64_t {
    switch (runs) {
      case Runs::ones: return 1;
      case Runs::twos: return 2;
      case Runs::eights: return 8;
      case Runs::mixed: return 1 + random_word(seed, run) % 40;
      case Runs::long_: return 1 + random_word(seed, run) % 9000;
      case Runs::one: return n;
    }
    return 1;
  };
  for (uint64_t i = 0, run = 0; i < n; i += length(run++)) heads[i] = true;
  return heads;
}

std::vector<std::byte> keys_of(const std::vector<bool>& heads, uint32_t bytes, uint64_t seed) {
  std::vector<std::byte> keys(heads.size() * bytes);
  uint64_t key = random_word(seed, 0);
  for (uint64_t i = 0; i < heads.size(); ++i) {
    if (i != 0 && heads[i]) key ^= uint64_t{1} << random_word(seed, i) % (8 * bytes);
    std::memcpy(&keys[i * bytes], &key, bytes);
  }
  return keys;
}

std::vector<std::byte> marks_of(const std::vector<bool>& heads, SegmentsBy segments, uint32_t key_bytes) {
  const uint64_t n = heads.size();
  const auto is_marked = [&](uint64_t i) { return heads[i] && (i != 0 || n % 2 == 0); };
  switch (segments) {
    case SegmentsBy::keys: return keys_of(heads, key_bytes);
    case SegmentsBy::head_bits: {
      std::vector<std::byte> bits((n + 31) / 32 * 4);
      for (uint64_t i = 0; i < n; ++i)
        if (is_marked(i)) bits[i / 8] |= std::byte{1} << i % 8;
      // What lies after the last item means nothing.
      for (uint64_t i = n; i < 8 * bits.size(); ++i) bits[i / 8] |= std::byte{1} << i % 8;
      return bits;
    }
    case SegmentsBy::head_bytes: {
      std::vector<std::byte> flags(n);
      for (uint64_t i = 0; i < n; ++i)
        if (is_marked(i)) flags[i] = std::byte{1} << random_word(3, i) % 8;
      return flags;
    }
    case SegmentsBy::head_words: {
      std::vector<std::byte> flags(4 * n);
      for (uint64_t i = 0; i < n; ++i)
        if (is_marked(i)) flags[4 * i + random_word(3, i) % 4] = std::byte{0x80};
      return flags;
    }
  }
  return {};
}

}  // namespace weft::test
