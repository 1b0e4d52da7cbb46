// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First dispatch of SegmentedSort: sets the bit of each key with which a segment begins that is not empty, and lists
// the segments of middle length and the runs of those that are long. In which order these stand depends on timing, but
// nothing that is written for the caller depends on it.
//
// A segment of more than one run has an entry more after its last, for the totals of its digits. Where offsets
// decrease, segments may have more keys than there are, and more entries than fit: those are left out.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/subgroup.glsl"

const uint kLaneOffsets = 4u;
const uint kTileItems = kWorkgroupSize * kLaneOffsets;
#include "weft/tile_range.glsl"
#include "segment/segmented_sort.h"
#include "segment/segmented_sort_heads.h"

layout(push_constant, std430) uniform Push { SegmentedSortHeadsPush push; };

// An index in one of the lists for each entry that lanes of the subgroup have: this lane's first.
uint list_reserve(uint total, uint entries) {
  const uint before = subgroup_exclusive_add(entries);
  const uint all = subgroup_shuffle(before + entries, kSubgroupSize - 1u);
  uint base = 0u;
  if (subgroup_lane() == 0u && all != 0u) base = atomicAdd(Words(push.totals).at[total], all);
  return subgroup_shuffle(base, 0u) + before;
}

// Offset i, at most `keys`.
uint offset_at(uvec2 i, uint keys) {
  Words words = Words(word64_add(push.offsets, word64_times(i, 4u * kOffsetWords)));
  const uint low = min(words.at[0], keys);
  if (kOffsetWords == 1u) return low;
  return words.at[1] != 0u ? keys : low;
}

void heads_set(uint word, uint bits) {
  Words target = Words(word64_add(push.heads, word64_multiply(word, 4u)));
  if (bits != 0u) atomicOr(target.at[0], bits);
}

void main() {
  const uvec2 count = count_of(push.count, push.count_words, push.count_value);
  const uint keys = count_of(push.key_count, push.key_count_words, uvec2(push.key_count_value, 0u)).x;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint lane = subgroup_index() * kSubgroupSize + subgroup_lane();
  const uvec2 first = word64_add(word64_multiply(group, kTileItems), lane * kLaneOffsets);

  uint offsets[kLaneOffsets + 1u];
  [[unroll]] for (uint k = 0; k <= kLaneOffsets; ++k)
    offsets[k] = offset_at(word64_min(word64_add(first, k), count), keys);

  uint word = 0u, bits = 0u, lane_runs = 0u, lane_middle = 0u;
  uint runs[kLaneOffsets];
  bool is_middle[kLaneOffsets];
  [[unroll]] for (uint k = 0; k < kLaneOffsets; ++k) {
    // After the last segment both are the last offset.
    const uint begin = offsets[k], end = max(offsets[k + 1u], offsets[k]);
    runs[k] = 0u;
    is_middle[k] = end - begin > push.short_keys && end - begin <= push.middle_keys;
    lane_middle += is_middle[k] ? 1u : 0u;
    if (begin < end) {
      if (begin >> 5 != word) {
        heads_set(word, bits);
        bits = 0u;
        word = begin >> 5;
      }
      bits |= 1u << (begin & 31u);
      if (end - begin > push.middle_keys) runs[k] = (end - begin - 1u) / push.run_keys + 1u;
    }
    lane_runs += runs[k] > 1u ? runs[k] + 1u : runs[k];
  }
  heads_set(word, bits);
  if (group == 0u && lane == 0u) Words(push.totals).at[2] = offset_at(count, keys);

  uint middle = list_reserve(3u, lane_middle);
  uint base = list_reserve(0u, lane_runs);
  [[unroll]] for (uint k = 0; k < kLaneOffsets; ++k) {
    Words2 segments = Words2(push.middle);
    if (is_middle[k] && middle < push.max_middle) segments.at[middle] = uvec2(offsets[k], offsets[k + 1u]);
    middle += is_middle[k] ? 1u : 0u;
    const uint entries = runs[k] > 1u ? runs[k] + 1u : runs[k];
    const bool fits = entries <= push.max_runs && base <= push.max_runs - entries;
    if (fits) {
      for (uint i = 0u; i < entries; ++i) {
        Words4 run = Words4(word64_add(push.runs, word64_multiply(base + i, 16u)));
        run.at[0] = uvec4(offsets[k], offsets[k + 1u], base, runs[k]);
      }
      if (runs[k] > 1u) {
        const uint split = atomicAdd(Words(push.totals).at[1], 1u);
        Words splits = Words(word64_add(push.runs, word64_multiply(push.max_runs, 16u)));
        if (split < push.max_split) splits.at[split] = base;
      }
    }
    base += entries;
  }
}
