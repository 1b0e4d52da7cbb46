// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First dispatch of SegmentedSort: sorts the short segments, and lists the segments of middle length and the runs of
// those that are long.
//
// A workgroup has some neighbouring segments, and reads the offsets of kWorkgroupSize of them at a time. Short ones are
// cut into blocks of kMergeKeys keys, the last of which is padded by elements that come after all others. Segments of
// up to kWorkgroupSize blocks together are a tile, a block a lane. Each lane sorts its block in registers. Then runs of
// blocks are merged in pairs, a lane having kMergeKeys keys of the merge: as often as the longest segment needs, and
// only where the segment is as long. Every key is read and written once.
//
// In which order lists stand depends on timing, but nothing that is written for the caller depends on it. A segment of
// more than one run has an entry more after its last, for the totals of its digits. Where offsets decrease, segments
// may have more keys than there are, and more entries than fit: those are left out.
//
// Keys lie in shared memory as ordered numbers, and with them the positions from which their values are loaded.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_OP 0  // add
#include "weft/workgroup_scan.glsl"
#include "segment/segmented_sort.h"
#include "segment/segmented_sort_tiles.h"

const uint kTileItems = kWorkgroupSize * kMergeKeys;
#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { SegmentedSortTilesPush push; };

#include "weft/lane_sort.glsl"
#include "weft/merge_path.glsl"
#include "sort/sort_items.glsl"

// A block's elements lie in as many words and one more, so that lanes that read theirs meet in no bank.
const uint kBlockWords = kMergeKeys + 1u;
const uint kTileWords = kWorkgroupSize * kBlockWords;
// Blocks between the rows in which the workgroup loads and stores.
const uint kRowBlocks = kWorkgroupSize / kMergeKeys;

shared uint weft_segment_low[kTileWords];
shared uint weft_segment_high[kKeyWords == 2u ? kTileWords : 1u];
shared uint weft_segment_from[kValueWords != 0u ? kTileWords : 1u];
// Each block's first key; and its keys, 0 where there is none, its index in its segment, and that segment's blocks.
shared uvec2 weft_segment_blocks[kWorkgroupSize];
shared uint weft_segment_longest;  // the most blocks of a segment, if more than one
shared uint weft_segment_next;     // the first block of the next tile, if there is one

const uint kKeyBits = 5u, kIndexBits = 10u;

uint block_keys(uint bits) { return bits & ((1u << kKeyBits) - 1u); }
uint block_index(uint bits) { return (bits >> kKeyBits) & ((1u << kIndexBits) - 1u); }
uint block_count(uint bits) { return bits >> (kKeyBits + kIndexBits); }

// ---- elements: a key, and where it was ----

struct BlockElement {
  uvec2 key;
  uint from;
};

// After all others.
BlockElement block_padding() { return BlockElement(uvec2(~0u, kKeyWords == 2u ? ~0u : 0u), ~0u); }

bool key_less(uvec2 a, uvec2 b) {
  if (kKeyWords == 1u) return a.x < b.x;
  return word64_less(a, b);
}

bool element_less(BlockElement a, BlockElement b) {
  if (kValueWords == 0u) return key_less(a.key, b.key);
  return key_less(a.key, b.key) || (a.from < b.from && a.key == b.key);
}

BlockElement element_mix(BlockElement a, BlockElement b, bool is_b) {
  return BlockElement(mix(a.key, b.key, bvec2(is_b)), mix(a.from, b.from, is_b));
}

void merge_order(inout BlockElement earlier, inout BlockElement later) {
  if (kKeyWords == 1u && kValueWords == 0u) {
    const uint first = min(earlier.key.x, later.key.x);
    later.key.x = max(earlier.key.x, later.key.x);
    earlier.key.x = first;
    return;
  }
  const bool swaps = element_less(later, earlier);
  const BlockElement first = element_mix(earlier, later, swaps);
  later = element_mix(later, earlier, swaps);
  earlier = first;
}

uvec2 tile_key(uint word) {
  uvec2 key = uvec2(weft_segment_low[word], 0u);
  if (kKeyWords == 2u) key.y = weft_segment_high[word];
  return key;
}

void tile_put_key(uint word, uvec2 key) {
  weft_segment_low[word] = key.x;
  if (kKeyWords == 2u) weft_segment_high[word] = key.y;
}

BlockElement tile_element(uint word) {
  BlockElement element = BlockElement(tile_key(word), 0u);
  if (kValueWords != 0u) element.from = weft_segment_from[word];
  return element;
}

void tile_put(uint word, BlockElement element) {
  tile_put_key(word, element.key);
  if (kValueWords != 0u) weft_segment_from[word] = element.from;
}

// ---- merging ----

// Two runs of whole blocks, one after the other from `word` on, of which the first has count_a elements.
struct TileRuns {
  uint word, count_a;
};

BlockElement runs_element(TileRuns runs, uint i) { return tile_element(runs.word + i + i / kMergeKeys); }

bool merge_path_a_first(TileRuns runs, uint a, uint b) {
  return !element_less(runs_element(runs, runs.count_a + b), runs_element(runs, a));
}

WEFT_MERGE_PATH(TileRuns)

// The elements of the merge from `diagonal` on.
void merge_runs(TileRuns runs, uint count_b, uint diagonal, out BlockElement elements[kMergeKeys]) {
  const uint end = runs.count_a + count_b;
  uint a = merge_path_split(runs, diagonal, runs.count_a, count_b);
  uint b = runs.count_a + diagonal - a;
  BlockElement of_a = block_padding(), of_b = block_padding();
  if (a < runs.count_a) of_a = runs_element(runs, a);
  if (b < end) of_b = runs_element(runs, b);
  [[unroll]] for (uint i = 0; i < kMergeKeys; ++i) {
    const bool is_b = element_less(of_b, of_a);
    elements[i] = element_mix(of_a, of_b, is_b);
    a += is_b ? 0u : 1u;
    b += is_b ? 1u : 0u;
    // Past the end of its run there is padding, which may be taken for equal keys of the other: of keys alone.
    const uint next = is_b ? b : a;
    BlockElement element = block_padding();
    if (next < (is_b ? end : runs.count_a)) element = runs_element(runs, next);
    of_a = element_mix(element, of_a, is_b);
    of_b = element_mix(of_b, element, is_b);
  }
}

// ---- segments ----

Words offsets_from(uvec2 i) { return Words(word64_add(push.offsets, word64_times(i, 4u * kOffsetWords))); }

// Offset i of those, at most `keys`.
uint offset_of(Words offsets, uint i, uint keys) {
  const uint low = min(offsets.at[i * kOffsetWords], keys);
  if (kOffsetWords == 1u) return low;
  return offsets.at[i * kOffsetWords + 1u] != 0u ? keys : low;
}

// An index in one of the lists for each entry that lanes of the subgroup have: this lane's first.
uint list_reserve(uint total, uint entries) {
  const uint before = subgroup_exclusive_add(entries);
  const uint all = subgroup_shuffle(before + entries, kSubgroupSize - 1u);
  uint base = 0u;
  if (subgroup_lane() == 0u && all != 0u) base = atomicAdd(Words(push.totals).at[total], all);
  return subgroup_shuffle(base, 0u) + before;
}

// Lists each lane's segment, if it is not short.
void list_segment(uint begin, uint end) {
  const bool is_long = end - begin > push.middle_keys;
  const bool is_middle = !is_long && end - begin > kShortKeys;
  const uint middle = list_reserve(3u, is_middle ? 1u : 0u);
  Words2 segments = Words2(word64_add(push.totals, uvec2(16u, 0u)));
  if (is_middle && middle < push.max_middle) segments.at[middle] = uvec2(begin, end);

  const uint runs = is_long ? (end - begin - 1u) / push.run_keys + 1u : 0u;
  const uint entries = runs > 1u ? runs + 1u : runs;
  const uint base = list_reserve(0u, entries);
  if (entries > push.max_runs || base > push.max_runs - entries) return;
  const uvec2 list = word64_add(push.totals, word64_multiply((push.max_middle + 1u) / 2u + 1u, 16u));
  for (uint i = 0u; i < entries; ++i) {
    Words4 run = Words4(word64_add(list, word64_multiply(base + i, 16u)));
    run.at[0] = uvec4(begin, end, base, runs);
  }
  if (runs > 1u) {
    const uint split = atomicAdd(Words(push.totals).at[1], 1u);
    Words splits = Words(word64_add(list, word64_multiply(push.max_runs, 16u)));
    if (split < push.max_split) splits.at[split] = base;
  }
}

// ---- a tile ----

void tile_clear(uint lane) {
  weft_segment_blocks[lane] = uvec2(0u);
  if (lane == 0u) weft_segment_longest = 0u;
}

// Loads the keys of all blocks, as they are. Those of padding are the last of all.
void tile_load(uint lane) {
  const uint i = lane % kMergeKeys;
  const uvec2 padding = sort_unordered(block_padding().key);
  uvec2 keys[kMergeKeys];
  [[unroll]] for (uint row = 0; row < kMergeKeys; ++row) {
    const uvec2 block = weft_segment_blocks[row * kRowBlocks + lane / kMergeKeys];
    keys[row] = padding;
    if (i < block_keys(block.y)) keys[row] = sort_load(sort_address(push.keys, block.x + i, kKeyWords), 0u, kKeyWords);
  }
  [[unroll]] for (uint row = 0; row < kMergeKeys; ++row)
    tile_put_key((row * kRowBlocks + lane / kMergeKeys) * kBlockWords + i, keys[row]);
}

// Stores them, and their values.
void tile_store(uint lane) {
  const uint i = lane % kMergeKeys;
  uvec2 values[kMergeKeys];
  [[unroll]] for (uint row = 0; row < kMergeKeys; ++row) {
    const uint block = row * kRowBlocks + lane / kMergeKeys;
    values[row] = uvec2(0u);
    if (kValueWords != 0u && i < block_keys(weft_segment_blocks[block].y)) {
      const uint from = weft_segment_from[block * kBlockWords + i];
      values[row] = sort_load(sort_address(push.values, from, kValueWords), 0u, kValueWords);
    }
  }
  [[unroll]] for (uint row = 0; row < kMergeKeys; ++row) {
    const uint block = row * kRowBlocks + lane / kMergeKeys;
    const uvec2 found = weft_segment_blocks[block];
    if (i < block_keys(found.y)) {
      sort_store(push.keys_out, found.x + i, sort_unordered(tile_key(block * kBlockWords + i)), kKeyWords);
      if (kValueWords != 0u) sort_store(push.values_out, found.x + i, values[row], kValueWords);
    }
  }
}

// Sorts the segments whose blocks are listed. Holds a barrier before it reads the list, and none after it.
void tile_sort(uint lane) {
  barrier();
  const uvec2 block = weft_segment_blocks[lane];
  const uint own_keys = block_keys(block.y), index = block_index(block.y), blocks = block_count(block.y);
  const uint longest = subgroup_uniform(weft_segment_longest);
  tile_load(lane);
  barrier();

  BlockElement elements[kMergeKeys];
  if (own_keys != 0u) {
    [[unroll]] for (uint i = 0; i < kMergeKeys; ++i) {
      elements[i].key = sort_ordered(tile_key(lane * kBlockWords + i));
      elements[i].from = i < own_keys ? block.x + i : ~0u;
    }
    WEFT_LANE_SORT(elements)
    [[unroll]] for (uint i = 0; i < kMergeKeys; ++i) tile_put(lane * kBlockWords + i, elements[i]);
  }
  barrier();

  for (uint size = 1u; size < longest; size *= 2u) {
    const uint in_pair = index & (2u * size - 1u);
    const uint after = index - in_pair + size;  // there may be no run after the last
    if (after < blocks) {
      const TileRuns runs = TileRuns((lane - in_pair) * kBlockWords, size * kMergeKeys);
      merge_runs(runs, min(size, blocks - after) * kMergeKeys, in_pair * kMergeKeys, elements);
    }
    barrier();
    if (after < blocks) {
      [[unroll]] for (uint i = 0; i < kMergeKeys; ++i) tile_put(lane * kBlockWords + i, elements[i]);
    }
    barrier();
  }
  tile_store(lane);
}

void main() {
  const uvec2 count = count_of(push.count, push.count_words, push.count_value);
  const uint keys = count_of(push.key_count, push.key_count_words, uvec2(push.key_count_value, 0u)).x;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint lane = subgroup_index() * kSubgroupSize + subgroup_lane();
  if (group == 0u && lane == 0u) Words(push.totals).at[2] = offset_of(offsets_from(count), 0u, keys);

  for (uint first = 0u; first < push.group_segments; first += kWorkgroupSize) {
    if (first != 0u) barrier();
    tile_clear(lane);
    const uvec2 segment = word64_min(word64_add(word64_multiply(group, push.group_segments), first + lane), count);
    Words offsets = offsets_from(segment);
    const uint begin = offset_of(offsets, 0u, keys);
    uint end = begin;
    if (first + lane < push.group_segments && word64_less(segment, count))
      end = max(offset_of(offsets, 1u, keys), begin);

    const bool is_short = end - begin <= kShortKeys;
    const uint blocks = is_short ? (end - begin + kMergeKeys - 1u) / kMergeKeys : 0u;
    // Blocks, of which there are at most half as many as lanes, and above them segments that are not short.
    uint all;
    const uint before = workgroup_exclusive(is_short ? blocks : 1u << 20, 0u, all) & 0xfffffu;
    if (subgroup_uniform(all >> 20) != 0u) list_segment(begin, end);
    all = subgroup_uniform(all & 0xfffffu);

    uint next = 0u;
    for (uint tile = 0u; tile < all; tile = next) {
      if (tile != 0u) {
        barrier();
        tile_clear(lane);
        barrier();
      }
      const uint tile_end = tile + kWorkgroupSize;
      if (before >= tile && before + blocks <= tile_end) {
        for (uint i = 0u; i < blocks; ++i) {
          const uint first_key = begin + i * kMergeKeys;
          weft_segment_blocks[before - tile + i] =
              uvec2(first_key, min(end - first_key, kMergeKeys) | (i | blocks << kIndexBits) << kKeyBits);
        }
        if (blocks > 1u) atomicMax(weft_segment_longest, blocks);
      } else if (before <= tile_end && before + blocks > tile_end) {
        weft_segment_next = before;
      }
      tile_sort(lane);
      next = all <= tile_end ? all : subgroup_uniform(weft_segment_next);
    }
  }
}
