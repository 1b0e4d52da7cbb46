// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second dispatch of SegmentedSort: sorts the short segments. A workgroup has those that begin in a tile but not in its
// last kShortKeys keys, from which on the next tile has them. They are no longer than that, so that each lies whole in
// the tile of one workgroup.
//
// Segments are cut into blocks of kMergeKeys, each of which one lane sorts in registers. Then blocks are merged in
// pairs, and a key looks for its position in the other block of its pair: as often as the longest segment needs, and
// only where the segment is as long. Blocks are those of the segment, and not of the tile, so that nothing crosses
// segments.
//
// Keys lie in shared memory as ordered numbers, and with them their positions in the tile, at which values are.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/subgroup.glsl"
#include "segment/segmented_sort.h"
#include "segment/segmented_sort_tiles.h"

layout(push_constant, std430) uniform Push { SegmentedSortPush push; };

#include "sort/sort_items.glsl"
#include "weft/lane_sort.glsl"

const uint kTileKeys = kWorkgroupSize * kRows;  // at most 2^14
const uint kStepKeys = kTileKeys - kShortKeys;
const uint kTileWords = kTileKeys / 32u;
const uint kMarkWords = (kTileWords + 31u) / 32u;
const uint kNoHead = 0xffffu;

shared uint weft_segment_low[kTileKeys];
shared uint weft_segment_high[kKeyWords == 2u ? kTileKeys : 1u];
shared uint weft_segment_positions[kValueWords != 0u ? kTileKeys : 1u];
shared uint weft_segment_heads[kTileWords];
shared uint weft_segment_previous[kTileWords];  // the last head before the word
shared uint weft_segment_next[kTileWords];      // the first after it
shared uint weft_segment_marks[kMarkWords];     // a bit for each word that has a head
shared uint weft_segment_longest;
// Where blocks of at least two keys begin, in any order.
shared uint weft_segment_blocks[kTileKeys / 2u];
shared uint weft_segment_block_count;

uvec2 tile_key(uint position) {
  uvec2 key = uvec2(weft_segment_low[position], 0u);
  if (kKeyWords == 2u) key.y = weft_segment_high[position];
  return key;
}

uint tile_position(uint position) {
  if (kValueWords == 0u) return 0u;
  return weft_segment_positions[position];
}

void tile_put(uint position, uvec2 key, uint from) {
  weft_segment_low[position] = key.x;
  if (kKeyWords == 2u) weft_segment_high[position] = key.y;
  if (kValueWords != 0u) weft_segment_positions[position] = from;
}

bool key_less(uvec2 a, uvec2 b) {
  if (kKeyWords == 1u) return a.x < b.x;
  return word64_less(a, b);
}

// The bits of 32 keys of which `left` come before the end of all segments, or as many fewer: that end is a head too.
uint heads_word(uint first, uint left) {
  uint bits = 0u;
  if (left != 0u) bits = Words(word64_add(push.heads, word64_multiply(first >> 5, 4u))).at[0];
  if (left < 32u) bits = (bits & ((1u << left) - 1u)) | (1u << left);
  return bits;
}

// Of the segment of the key at `position`: where in the tile it begins, and in the upper half where it ends. 0 where it
// is not the tile's.
uint segment_bounds(uint position) {
  const uint word = position >> 5;
  const uint heads = weft_segment_heads[word];
  const uint through = (2u << (position & 31u)) - 1u;  // 2 << 31 is 0
  const uint before = heads & through, after = heads & ~through;
  const uint begin = before != 0u ? 32u * word + uint(findMSB(before)) : weft_segment_previous[word];
  const uint end = after != 0u ? 32u * word + uint(findLSB(after)) : weft_segment_next[word];
  const bool is_own = begin < kStepKeys && end != kNoHead && end - begin <= kShortKeys;
  return is_own ? begin | (end << 16) : 0u;
}

// A key of a block, and where it was in the tile.
struct BlockElement {
  uvec2 key;
  uint from;
};

void merge_order(inout BlockElement earlier, inout BlockElement later) {
  if (kKeyWords == 1u && kValueWords == 0u) {
    const uint first = min(earlier.key.x, later.key.x);
    later.key.x = max(earlier.key.x, later.key.x);
    earlier.key.x = first;
    return;
  }
  bool in_order = !key_less(later.key, earlier.key);
  if (kValueWords != 0u) in_order = in_order && (key_less(earlier.key, later.key) || earlier.from < later.from);
  const BlockElement first = BlockElement(in_order ? earlier.key : later.key, in_order ? earlier.from : later.from);
  later = BlockElement(in_order ? later.key : earlier.key, in_order ? later.from : earlier.from);
  earlier = first;
}

// Sorts the block of the segment that begins at `begin` and ends at `end`, in place.
void sort_block(uint begin, uint end) {
  const uint last = min(end - begin, kMergeKeys) - 1u;
  BlockElement elements[kMergeKeys];
  // Absent keys are the last.
  [[unroll]] for (uint i = 0; i < kMergeKeys; ++i) {
    elements[i] = BlockElement(tile_key(begin + min(i, last)), tile_position(begin + min(i, last)));
    if (i > last) elements[i] = BlockElement(uvec2(~0u), ~0u);
  }
  WEFT_LANE_SORT(elements)
  [[unroll]] for (uint i = 0; i < kMergeKeys; ++i)
    if (i <= last) tile_put(begin + i, elements[i].key, elements[i].from);
}

// How many of `count` keys from `begin` on, 1 to `size` of them and in order, come before one that lies in the block
// after them, or in the block before. `size` is a power of two.
uint rank_in_other(uvec2 key, uint begin, uint count, uint size, bool is_after) {
  uint rank = 0u;
  for (uint step = size; step != 0u; step >>= 1) {
    const uint last = rank + step - 1u;
    const uvec2 other = tile_key(begin + min(last, count - 1u));
    const bool comes_before = last < count && (is_after ? !key_less(key, other) : key_less(other, key));
    rank += comes_before ? step : 0u;
  }
  return rank;
}

// Whether a block of at least two keys begins there.
bool begins_block(uint position, uint bounds) {
  return ((position - (bounds & 0xffffu)) & (kMergeKeys - 1u)) == 0u && position + 1u < bounds >> 16;
}

// The last head before a word, and the first after it.
uint head_before(uint word) {
  uint mark = word >> 5;
  uint bits = weft_segment_marks[mark] & ((1u << (word & 31u)) - 1u);
  for (; mark != 0u && bits == 0u; bits = weft_segment_marks[mark]) --mark;
  if (bits == 0u) return kNoHead;
  const uint found = 32u * mark + uint(findMSB(bits));
  return 32u * found + uint(findMSB(weft_segment_heads[found]));
}

uint head_after(uint word) {
  uint mark = word >> 5;
  uint bits = weft_segment_marks[mark] & ~((2u << (word & 31u)) - 1u);  // 2 << 31 is 0
  for (; mark + 1u < kMarkWords && bits == 0u; bits = weft_segment_marks[mark]) ++mark;
  if (bits == 0u) return kNoHead;
  const uint found = 32u * mark + uint(findLSB(bits));
  return 32u * found + uint(findLSB(weft_segment_heads[found]));
}

// Reads the tile's heads, and finds the nearest before and after each word. `left`: keys from the tile's first on.
// Whether there are any.
bool tile_find_heads(uint first, uint left, uint lane) {
  for (uint mark = lane; mark < kMarkWords; mark += kWorkgroupSize) weft_segment_marks[mark] = 0u;
  barrier();
  for (uint word = lane; word < kTileWords; word += kWorkgroupSize) {
    const uint heads = 32u * word <= left ? heads_word(first + 32u * word, left - 32u * word) : 0u;
    weft_segment_heads[word] = heads;
    if (heads != 0u) atomicOr(weft_segment_marks[word >> 5], 1u << (word & 31u));
  }
  barrier();
  uint all = 0u;
  [[unroll]] for (uint mark = 0; mark < kMarkWords; ++mark) all |= weft_segment_marks[mark];
  if (subgroup_uniform(all) == 0u) return false;
  for (uint word = lane; word < kTileWords; word += kWorkgroupSize) {
    weft_segment_previous[word] = head_before(word);
    weft_segment_next[word] = head_after(word);
  }
  barrier();
  return true;
}

// Writes the key that lies at `position`, and its value.
void tile_store(uint first, uint position) {
  sort_store(push.keys_out, first + position, sort_unordered(tile_key(position)), kKeyWords);
  if (kValueWords == 0u) return;
  const uvec2 value =
      sort_load(sort_address(push.values, first + tile_position(position), kValueWords), 0u, kValueWords);
  sort_store(push.values_out, first + position, value, kValueWords);
}

void main() {
  const uint end_of_all = subgroup_uniform(Words(push.totals).at[2]);
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uvec2 first_key = word64_multiply(group, kStepKeys);
  if (first_key.y != 0u || first_key.x >= end_of_all) return;
  const uint first = first_key.x;
  const uint lane = subgroup_index() * kSubgroupSize + subgroup_lane();

  if (lane == 0u) weft_segment_longest = weft_segment_block_count = 0u;
  if (!tile_find_heads(first, end_of_all - first, lane)) return;

  // Row by row: the segment's bounds, and 0 where there is no key; the key that lies there; and where it goes.
  uint bounds[kRows];
  uvec2 keys[kRows];
  uint positions[kRows];
  uint longest = 0u, lane_blocks = 0u;
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint position = row * kWorkgroupSize + lane;
    bounds[row] = segment_bounds(position);
    keys[row] = uvec2(0u);
    if (bounds[row] != 0u) keys[row] = sort_load(sort_address(push.keys, first + position, kKeyWords), 0u, kKeyWords);
    longest = max(longest, (bounds[row] >> 16) - (bounds[row] & 0xffffu));
    lane_blocks += begins_block(position, bounds[row]) ? 1u : 0u;
  }
  longest = subgroup_max(longest);
  uint block = subgroup_inclusive_add(lane_blocks), block_base = 0u;
  if (subgroup_lane() == 0u) atomicMax(weft_segment_longest, longest);
  if (subgroup_lane() == kSubgroupSize - 1u) block_base = atomicAdd(weft_segment_block_count, block);
  block += subgroup_shuffle(block_base, kSubgroupSize - 1u) - lane_blocks;
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint position = row * kWorkgroupSize + lane;
    if (begins_block(position, bounds[row])) weft_segment_blocks[block++] = position | (bounds[row] & 0xffff0000u);
    keys[row] = sort_ordered(keys[row]);
    if (bounds[row] != 0u) tile_put(position, keys[row], position);
  }
  barrier();
  longest = subgroup_uniform(weft_segment_longest);
  if (longest == 0u) return;

  const uint blocks = subgroup_uniform(weft_segment_block_count);
  for (uint i = lane; i < blocks; i += kWorkgroupSize) {
    const uint found = weft_segment_blocks[i];
    sort_block(found & 0xffffu, found >> 16);
  }
  barrier();

  for (uint size = kMergeKeys; size < longest; size *= 2u) {
    uint from[kRows];
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      const uint position = row * kWorkgroupSize + lane;
      const uint begin = bounds[row] & 0xffffu, end = bounds[row] >> 16;
      const uint in_segment = position - begin;
      const uint pair = position - (in_segment & (2u * size - 1u));
      const bool is_after = (in_segment & size) != 0u;
      const uint other = is_after ? pair : pair + size;
      // There may be no block after the last.
      const bool has_other = bounds[row] != 0u && other < end;
      positions[row] = kNoHead;
      from[row] = 0u;
      if (has_other) {
        keys[row] = tile_key(position);
        from[row] = tile_position(position);
        positions[row] = pair + (in_segment & (size - 1u)) +
                      rank_in_other(keys[row], other, min(end - other, size), size, is_after);
      }
    }
    barrier();
    [[unroll]] for (uint row = 0; row < kRows; ++row)
      if (positions[row] != kNoHead) tile_put(positions[row], keys[row], from[row]);
    barrier();
  }

  [[unroll]] for (uint row = 0; row < kRows; ++row)
    if (bounds[row] != 0u) tile_store(first, row * kWorkgroupSize + lane);
}
