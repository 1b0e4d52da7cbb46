// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gstd/lanes.hpp"
#include "gstd/tile.hpp"
#include "support/sanitized.hpp"

namespace weft::gstd::test {

using weft::test::kSanitized;

/// A small generator of numbers, the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 32);
  }
  uint32_t below(uint32_t end) { return static_cast<uint32_t>(uint64_t{next()} * end >> 32); }
  bool one_in(uint32_t n) { return below(n) == 0; }

 private:
  uint64_t state_;
};

/// decode_tile with each set of vector instructions that this processor has, and then with none.
template <Vectors most>
TileVerdict decode_tile_by(std::span<const uint32_t> words, std::span<std::byte> output) {
  return decode_tile(words, output, most);
}
using TileDecoder = TileVerdict (*)(std::span<const uint32_t>, std::span<std::byte>);
constexpr TileDecoder kFastDecoders[] = {decode_tile_by<Vectors::all>, decode_tile_by<Vectors::up_to_256>,
                                         decode_tile_by<Vectors::up_to_128>, decode_tile_by<Vectors::none>};
constexpr TileDecoder kDecoders[] = {decode_tile_reference, kFastDecoders[0], kFastDecoders[1], kFastDecoders[2],
                                     kFastDecoders[3]};

struct Sample {
  std::string name;
  std::vector<std::byte> bytes;
};

/// Data of several kinds, each of `size` bytes.
inline std::vector<Sample> samples_of(size_t size) {
  std::vector<Sample> samples;
  const auto add = [&](const char* name, const std::function<uint32_t(size_t)>& byte) {
    samples.push_back({name, std::vector<std::byte>(size)});
    for (size_t i = 0; i < size; ++i) samples.back().bytes[i] = static_cast<std::byte>(byte(i));
  };
  Random random(size);
  add("zeros", [](size_t) { return 0u; });
  add("one value, then another", [&](size_t i) { return i < size / 2 ? 17u : 200u; });
  add("random", [&](size_t) { return random.next(); });
  add("few values", [&](size_t) { return random.below(3) * 5; });
  add("period of 7", [](size_t i) { return static_cast<uint32_t>(i % 7 * 31); });
  const std::vector<std::string> words = {"the ",    "weft ", "of ",  "a ",     "loom ",
                                          "passes ", "over ", "and ", "under ", "\n"};
  std::string text;
  while (text.size() < size) text += words[random.below(static_cast<uint32_t>(words.size()))];
  add("text", [&](size_t i) { return static_cast<uint32_t>(text[i]); });
  uint32_t position = 0;
  add("vertices", [&](size_t i) {
    if (i % 8 == 0) position += random.below(9);
    return i % 8 < 6 ? (position * (1 + static_cast<uint32_t>(i % 8 / 2)) >> (8 * (i % 2))) : random.below(4) * 60;
  });
  int32_t level = 0, slope = 0;
  add("sound", [&](size_t i) {
    if (i % 2 == 0) {
      slope += static_cast<int32_t>(random.below(65)) - 32 - level / 64;
      level += slope / 4;
    }
    return static_cast<uint32_t>(level >> (8 * (i % 2)));
  });
  add("pixels",
      [&](size_t i) { return static_cast<uint32_t>(i / 3 % 64 * 2 + i % 3 * 40 + i / 3 / 64 + random.below(3)); });
  add("runs", [&](size_t i) { return i % 97 < 80 ? static_cast<uint32_t>(i / 97) : random.next(); });
  return samples;
}

/// Decodes in an allocation of exactly the words, into one of exactly the bytes.
inline TileVerdict decode(TileDecoder decoder, std::span<const uint32_t> words, std::vector<std::byte>& output) {
  const std::vector<uint32_t> exact(words.begin(), words.end());
  std::fill(output.begin(), output.end(), std::byte{0xa5});
  return decoder(exact, output);
}

}  // namespace weft::gstd::test
