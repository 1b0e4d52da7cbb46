// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of BulkRemove and BulkInsert: an invocation for each tile counts the indices before it.
// This is a merge path of which one range need not be read, since its keys are 0, 1, 2, ...
//
// A kernel defines, beside what bulk_tiles.glsl needs,
//   bool bulk_is_before(BulkCounts counts, uvec2 index, uvec2 i, uvec2 begin)
//     whether index i belongs before the tile that begins at `begin`
//   uvec2 bulk_fewest(BulkCounts counts, uvec2 begin)      indices that do in any case
//   uvec2 bulk_total(BulkCounts counts, uvec2 before)      items of the output, from the indices before its end
#ifndef WEFT_BULK_PARTITION_GLSL
#define WEFT_BULK_PARTITION_GLSL

#include "bulk/bulk_tiles.glsl"

bool bulk_is_before(BulkCounts counts, uvec2 index, uvec2 i, uvec2 begin);
uvec2 bulk_fewest(BulkCounts counts, uvec2 begin);
uvec2 bulk_total(BulkCounts counts, uvec2 before);

// Seven probes a step, which are under way together: the ranges that remain are an eighth. Of indices that are not
// sorted any number from `low` to `high` may come out.
uvec2 bulk_split(BulkCounts counts, uvec2 begin, uvec2 low, uvec2 high) {
  for (uint step = 0u; step < 22u && word64_less(low, high); ++step) {
    const uvec2 stride = word64_shift_right(word64_add(word64_subtract(high, low), 7u), 3u);
    uint before = 0u;
    [[unroll]] for (uint k = 1; k <= 7u; ++k) {
      const uvec2 probe = word64_subtract(word64_add(low, word64_times(stride, k)), uvec2(1u, 0u));
      if (word64_less(probe, high) && bulk_is_before(counts, bulk_index(probe), probe, begin)) before = k;
    }
    const uvec2 from = word64_add(low, word64_times(stride, before));
    if (before < 7u) high = word64_min(high, word64_subtract(word64_add(from, stride), uvec2(1u, 0u)));
    low = from;
  }
  return low;
}

void main() {
  const BulkCounts counts = bulk_counts();
  const uvec2 positions = bulk_positions(counts);
  const TileRange range = tile_range(positions, bulk_head());
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint tile = group * kWorkgroupSize + subgroup_index() * kSubgroupSize + subgroup_lane();
  if (tile != 0u && !tile_exists(range, tile - 1u)) return;
  const uvec2 begin = bulk_tile_begin(tile, positions);
  const uvec2 split = bulk_split(counts, begin, bulk_fewest(counts, begin), word64_min(begin, counts.indices));
  Words2(push.splits).at[tile] = split;
  if (tile_exists(range, tile)) return;
  const uvec2 total = bulk_total(counts, split);
  Words(push.total).at[0] = total.x;
  Words(push.total).at[1] = total.y;
}

#endif
