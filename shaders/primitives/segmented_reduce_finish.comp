// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last pass of SegmentedReduce: one workgroup combines what workgroups have carried out, in order, and completes for each the first
// segment that ended in its tiles.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_VECTOR_ITEMS 4
#include "weft/tile.glsl"
#include "weft/segment.glsl"
#include "weft/partials.glsl"
#include "primitives/segmented_path.glsl"
#include "primitives/value_store.glsl"

void main() {
  const SegmentedItems all = segmented_items();
  const uint run = (push.groups + kWorkgroupSize - 1u) / kWorkgroupSize;
  const uint first = (subgroup_index() * kSubgroupSize + subgroup_lane()) * run;
  const uint end = min(first + run, push.groups);
  // Those without tiles are the last ones, and have stored nothing.
  Segment own = segment_identity();
  for (uint i = 0u; i < run; ++i)
    if (first + i < end && path_tile_exists(all, (first + i) * push.tiles_per_workgroup))
      own = combine(own, partials_load(push.carries, first + i));
  Segment aggregate;
  Segment before = workgroup_exclusive(own, 0u, aggregate);
  for (uint i = 0u; i < run; ++i) {
    const uint group = first + i;
    const uint tile = group * push.tiles_per_workgroup;
    if (group >= end || !path_tile_exists(all, tile)) break;
    const Segment carry = partials_load(push.carries, group);
    const uvec2 segment = Words4(push.cuts).at[tile].xy;
    // There always is one, unless offsets decrease.
    if (group != 0u && carry.heads != 0u && word64_less(segment, all.segments)) {
      const Segment part = partials_load(push.carries, push.groups + group);
      value_store(word64_add(push.outputs, word64_times(segment, WEFT_OUTPUT_BYTES)), combine(before.value, part.value));
    }
    before = combine(before, carry);
  }
}
