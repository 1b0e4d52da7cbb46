// SPDX-License-Identifier: MIT OR Apache-2.0
//
// BinarySearch: a lane searches for 4 needles at once, so that 4 loads are under way. All searches of a dispatch take
// the same steps: what is left of the haystack has the same length in each.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/ordered_key.glsl"
#include "weft/subgroup.glsl"
#include "search/binary_search.h"

const uint kLaneNeedles = 4;
const uint kTileItems = kWorkgroupSize * kLaneNeedles;

#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { BinarySearchPush push; };

// Whether a key is before a needle's bound.
bool is_before(uvec2 key, uvec2 needle) { return kLower ? word64_less(key, needle) : !word64_less(needle, key); }

void main() {
  const uint needles = count_of(push.needle_count, push.needle_count_words, uvec2(push.needle_maximum, 0u)).x;
  const uint haystack = count_of(push.haystack_count, push.haystack_count_words, uvec2(push.haystack_maximum, 0u)).x;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (!word64_less(word64_multiply(group, kTileItems), uvec2(needles, 0u))) return;
  const uint first = group * kTileItems;
  const uint left = needles - first;
  const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();

  // Absent needles are the last one.
  uvec4 low, high;
  [[unroll]] for (uint k = 0; k < kLaneNeedles; ++k) {
    const uvec2 needle = ordered_key_load(push.needles, first + min(position + k * kWorkgroupSize, left - 1u));
    low[k] = needle.x;
    high[k] = needle.y;
  }

  // Each bound is one of bounds[k] to bounds[k] + length.
  uvec4 bounds = uvec4(0u);
  uint length = haystack;
  for (uint i = 0u; i < 32u && length > 1u; ++i) {
    const uint step = length >> 1;
    uvec4 keys_low, keys_high;
    [[unroll]] for (uint k = 0; k < kLaneNeedles; ++k) {
      const uvec2 key = ordered_key_load(push.haystack, bounds[k] + step - 1u);
      keys_low[k] = key.x;
      keys_high[k] = key.y;
    }
    [[unroll]] for (uint k = 0; k < kLaneNeedles; ++k)
      bounds[k] += is_before(uvec2(keys_low[k], keys_high[k]), uvec2(low[k], high[k])) ? step : 0u;
    length -= step;
  }
  if (length == 1u) {
    [[unroll]] for (uint k = 0; k < kLaneNeedles; ++k)
      bounds[k] += is_before(ordered_key_load(push.haystack, bounds[k]), uvec2(low[k], high[k])) ? 1u : 0u;
  }

  Words outputs = Words(word64_add(push.outputs, word64_multiply(first, 4u)));
  [[unroll]] for (uint k = 0; k < kLaneNeedles; ++k)
    if (position + k * kWorkgroupSize < left) outputs.at[position + k * kWorkgroupSize] = bounds[k];
}
