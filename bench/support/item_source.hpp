// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/status.hpp>
#include <weft/types.hpp>

namespace weft::bench {

/// Word `index` of the random data: a hash, so that every program that measures works on the same items.
constexpr uint32_t random_word(uint64_t index, uint32_t seed = 0x77656674) noexcept {
  // The constants are those of "lowbias32", found by Chris Wellons's search for integer hashes of low bias.
  const auto mix = [](uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
  };
  return mix(static_cast<uint32_t>(index) ^ mix(static_cast<uint32_t>(index >> 32) ^ seed));
}

/// The items that are measured on. Integers of every width are cut from one stream of bytes, random or a file's, the
/// file repeated as often as needed. Floats take the low 3 bits of the item at their place in that stream as a
/// magnitude (f16: the lowest bit) and a random sign: sums over any range then stay small integers that float
/// arithmetic adds without rounding, so that results can be compared for equality whatever the order of additions, and
/// no item is a NaN.
class ItemSource {
 public:
  static ItemSource random();
  /// Errors: not_found (cannot be read), invalid_argument (empty).
  static Result<ItemSource> file(const std::string& path);

  const std::string& name() const noexcept { return name_; }  ///< "random", or the file's name without its folder

  /// The first `count` items. Valid until the next call. A longer call extends a shorter one's items.
  std::span<const std::byte> items(Type type, uint64_t count);

 private:
  void extend_bytes(size_t size);
  template <class T>
  void extend_floats(size_t size);

  std::string name_;
  std::vector<std::byte> file_;    // empty: random
  std::vector<std::byte> bytes_;   // the stream's beginning
  std::vector<std::byte> floats_;  // the beginning as items of float_type_
  Type float_type_ = Type::f32;
};

}  // namespace weft::bench
