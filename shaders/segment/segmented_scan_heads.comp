// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of SegmentedScan: sets the bit of each item with which a segment begins. An invocation has 4 neighbouring
// offsets, and joins bits of one word. Of equal neighbours only the last sets a bit, so that many empty segments do not
// wait for one another.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/subgroup.glsl"

const uint kLaneOffsets = 4u;
const uint kTileItems = kWorkgroupSize * kLaneOffsets;
#include "weft/tile_range.glsl"
#include "segment/segmented_scan.h"


layout(push_constant, std430) uniform Push { SegmentedScanPush push; };

uvec2 offset_at(uvec2 i) {
  Words words = Words(word64_add(push.offsets, word64_times(i, 4u * kOffsetWords)));
  return kOffsetWords == 2u ? uvec2(words.at[0], words.at[1]) : uvec2(words.at[0], 0u);
}

void heads_set(uvec2 word, uint bits) {
  Words target = Words(word64_add(push.heads, word64_times(word, 4u)));
  if (bits != 0u) atomicOr(target.at[0], bits);
}

void main() {
  const uvec2 count = count_of(push.count, push.count_words, push.count_value);
  const uvec2 items = count_of(push.item_count, push.item_count_words, push.item_count_value);
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint lane = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uvec2 first = word64_add(word64_multiply(group, kTileItems), lane * kLaneOffsets);
  uvec2 word = uvec2(0u);
  uint bits = 0u;
  uvec2 offset = offset_at(word64_min(first, count));
  [[unroll]] for (uint k = 0; k < kLaneOffsets; ++k) {
    const uvec2 i = word64_add(first, k);
    const uvec2 next = offset_at(word64_min(word64_add(i, 1u), count));
    if (!word64_less(count, i) && (next != offset || i == count) && word64_less(offset, items)) {
      const uvec2 own = word64_shift_right(offset, 5u);
      if (own != word) {
        heads_set(word, bits);
        bits = 0u;
        word = own;
      }
      bits |= 1u << (offset.x & 31u);
    }
    offset = next;
  }
  heads_set(word, bits);
}
