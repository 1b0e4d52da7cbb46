// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Segments given by offsets, and how they are cut into tiles of even work. Items and ends of segments lie on one path,
// each segment's end after its items. An item is one unit of it and an end kSegmentUnits, and a tile takes kTileUnits:
// so it has no more than kTileUnits items and kTileUnits / kSegmentUnits ends, whatever lengths segments have. (Merge
// path of ends and items, as Merrill and Garland cut sparse matrices, with weights.)
//
// Offsets are clamped, so that whatever they are, cuts lie in the ranges; where they decrease, they cut nothing
// sensible. The includer has included weft/tile_range.glsl.
#ifndef WEFT_SEGMENTED_PATH_GLSL
#define WEFT_SEGMENTED_PATH_GLSL

#include "segment/segmented_reduce.h"

const uint kSegmentUnits = 4u;  // as in src/primitives/segment/segmented_reduce.cpp

layout(push_constant, std430) uniform Push { SegmentedReducePush push; };

struct SegmentedItems {
  uvec2 segments;  // how many
  uvec2 present;   // items there are, in segments or not
  uvec2 first;     // the first item of a segment
  uvec2 items;     // how many items segments have
  uvec2 units;     // of the whole path
};

// Offset i of segments + 1.
uvec2 offset_at(uvec2 i) {
  Words words = Words(word64_add(push.offsets, word64_times(i, 4u * kOffsetWords)));
  return kOffsetWords == 2u ? uvec2(words.at[0], words.at[1]) : uvec2(words.at[0], 0u);
}

SegmentedItems segmented_items() {
  SegmentedItems all;
  all.segments = count_of(push.count, push.count_words, push.count_value);
  all.present = count_of(push.item_count, push.item_count_words, push.item_count_value);
  all.first = subgroup_uniform(word64_min(offset_at(uvec2(0u)), all.present));
  const uvec2 end = subgroup_uniform(word64_min(offset_at(all.segments), all.present));
  all.items = word64_subtract(word64_max(end, all.first), all.first);
  all.units = word64_add(all.items, word64_times(all.segments, kSegmentUnits));
  return all;
}

// How many of the segments' items lie before the end of segment s.
uvec2 segment_end(SegmentedItems all, uvec2 s) {
  const uvec2 end = word64_max(offset_at(word64_add(s, 1u)), all.first);
  return word64_min(word64_subtract(end, all.first), all.items);
}

// How many ends and items are before a position on the path.
struct PathCut {
  uvec2 segments;
  uvec2 items;
};

bool path_tile_exists(SegmentedItems all, uint tile) {
  return word64_less(word64_multiply(tile, kTileUnits), all.units);
}

// An end of a segment that has only some of its units before the position is before it.
PathCut path_search(SegmentedItems all, uvec2 units) {
  const uvec2 rounded = uvec2(kSegmentUnits - 1u, 0u);
  const uint shift = uint(findMSB(kSegmentUnits));
  uvec2 high = word64_min(all.segments, word64_shift_right(word64_add(units, rounded), shift));
  uvec2 low = uvec2(0u);
  if (word64_less(all.items, units))
    low = word64_min(high, word64_shift_right(word64_add(word64_subtract(units, all.items), rounded), shift));
  // Three probes a step, which are under way together: a quarter of the range remains.
  for (uint step = 0u; step < 33u && word64_less(low, high); ++step) {
    const uvec2 stride = word64_shift_right(word64_add(word64_subtract(high, low), 3u), 2u);
    uint before = 0u;
    [[unroll]] for (uint k = 1; k <= 3u; ++k) {
      const uvec2 probe = word64_subtract(word64_add(low, word64_times(stride, k)), uvec2(1u, 0u));
      if (!word64_less(probe, high)) continue;
      const uvec2 position = word64_add(segment_end(all, probe), word64_times(probe, kSegmentUnits));
      if (word64_less(position, units)) before = k;
    }
    const uvec2 from = word64_add(low, word64_times(stride, before));
    if (before < 3u) high = word64_min(high, word64_subtract(word64_add(from, stride), uvec2(1u, 0u)));
    low = from;
  }
  const uvec2 ends = word64_times(low, kSegmentUnits);
  uvec2 items = word64_subtract(word64_max(units, ends), ends);
  if (low != uvec2(0u)) items = word64_max(items, segment_end(all, word64_subtract(low, uvec2(1u, 0u))));
  return PathCut(low, word64_min(items, all.items));
}

// Where a tile begins, or the last one ends.
PathCut path_cut(SegmentedItems all, uint tile) {
  if (tile == 0u) return PathCut(uvec2(0u), uvec2(0u));
  if (!path_tile_exists(all, tile)) return PathCut(all.segments, all.items);
  const uvec4 cut = Words4(push.cuts).at[tile];
  return PathCut(subgroup_uniform(cut.xy), subgroup_uniform(cut.zw));
}

#endif
