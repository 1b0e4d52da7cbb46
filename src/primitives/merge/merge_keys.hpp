// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include <weft/kernels.hpp>
#include <weft/status.hpp>
#include <weft/types.hpp>

#include "primitives/core/arguments.hpp"
#include "primitives/core/search_keys.hpp"

namespace weft::primitives {

/// What kernels around merge_key.glsl and merge_element.glsl are told of their elements.
struct MergeKeys {
  uint32_t bytes;
  uint32_t words;   ///< at least 1
  uint32_t order;   ///< as kKeyOrder
  bool has_places;  ///< whether an element has its place beside its key, or in the same word
  uint32_t element_words;
  uint32_t of_lane;  ///< elements of a lane, a power of two
};

/// Refuses what kernels that merge do not move or write. Own kernels are to be made for the primitive `own_primitive`.
template <class Config>
Status check_merge_config(const char* primitive, const char* own_primitive, const Config& config) {
  const auto refused = [&](const std::string& why) {
    return Error{ErrorCode::unsupported, std::string(primitive) + ": " + why};
  };
  if (config.own_kernels)
    if (Status status = check_own_kernels(primitive, *config.own_kernels, own_primitive); !status) return status;
  if (!config.own_kernels && config.key == Type::u32x2)
    return refused("keys are u8, u16, u32, u64, i32, i64, f16, f32 or f64, not u32x2");
  const uint32_t bytes = config.value_bytes;
  if (bytes > 256 || (bytes % 4 != 0 && bytes != 1 && bytes != 2))
    return refused("values have 1, 2, or a multiple of 4 bytes up to 256, not " + std::to_string(bytes));
  if (!config.keys && bytes == 0 && !config.indices) return refused("neither keys, values nor indices are wanted");
  return {};
}

/// Of the same; a lane has `narrow` elements of one word, `wide` of more, and half as many of more than three.
inline MergeKeys merge_keys(Type key, const std::optional<KernelSet>& own_kernels, bool has_places, uint32_t narrow,
                            uint32_t wide) {
  MergeKeys keys{};
  keys.bytes = own_kernels ? own_kernels->item_bytes() : size_of(key);
  keys.words = std::max(1u, keys.bytes / 4);
  keys.order = key_order(key);
  // A snippet's less() may call keys equal that are not the same.
  keys.has_places = has_places || own_kernels;
  // Keys of less than a word have room for their places.
  const bool is_word = keys.bytes < 4 || (keys.bytes == 4 && !keys.has_places);
  keys.element_words = keys.words + (is_word || !keys.has_places ? 0 : 1);
  keys.of_lane = std::bit_floor(is_word ? narrow : wide);
  if (keys.words + 1 > 3) keys.of_lane = std::max(1u, keys.of_lane / 2);
  return keys;
}

}  // namespace weft::primitives
