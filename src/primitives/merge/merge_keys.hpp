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

#include "merge/merge_key.h"
#include "primitives/core/arguments.hpp"
#include "primitives/core/pipeline_builder.hpp"
#include "primitives/core/search_keys.hpp"
#include "weft/ordered_key.h"

namespace weft::primitives {

/// Keys of kernels around merge_key.glsl.
struct MergeKeys {
  uint32_t bytes;
  uint32_t words;  ///< at least 1
  uint32_t element_words;
  uint32_t keys_per_lane;  ///< a power of two
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

/// Gives kernels around merge_key.glsl the constants of their keys.
inline PipelineBuilder& set_key_constants(PipelineBuilder& builder, Type key, uint32_t bytes, SortOrder order) {
  return builder.set(shader::ordered_key::kKeyWords, std::max(1u, bytes / 4))
      .set(shader::ordered_key::kKeyOrder, key_order(key))
      .set(shader::merge_key::kDescending, order == SortOrder::descending)
      .set(shader::merge_key::kKeyBytes, bytes);
}

/// The same by a config.
template <class Config>
PipelineBuilder& set_keys(PipelineBuilder& builder, const Config& config) {
  const uint32_t bytes = config.own_kernels ? config.own_kernels->item_bytes() : size_of(config.key);
  return set_key_constants(builder, config.key, bytes, config.order);
}

/// Of elements of a key, and of its position if that is beside the key or in the same word. A lane has `narrow`
/// elements of one word, `wide` of more, and half as many of more than three.
inline MergeKeys merge_keys(Type key, const std::optional<KernelSet>& own_kernels, bool has_positions, uint32_t narrow,
                            uint32_t wide) {
  MergeKeys keys{};
  keys.bytes = own_kernels ? own_kernels->item_bytes() : size_of(key);
  keys.words = std::max(1u, keys.bytes / 4);
  // A snippet's less() may call keys equal that are not the same.
  if (own_kernels) has_positions = true;
  // Keys of less than a word have room for their positions.
  const bool is_word = keys.bytes < 4 || (keys.bytes == 4 && !has_positions);
  keys.element_words = keys.words + (is_word || !has_positions ? 0 : 1);
  keys.keys_per_lane = std::bit_floor(is_word ? narrow : wide);
  if (keys.words + 1 > 3) keys.keys_per_lane = std::max(1u, keys.keys_per_lane / 2);
  return keys;
}

}  // namespace weft::primitives
