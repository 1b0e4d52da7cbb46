// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second dispatch of SegmentedSort: sorts the short segments. A workgroup has those that begin in the first half of its
// tile. They are no longer than the other half, in which the next tile begins, so that each lies whole in the tile of
// one workgroup.
//
// A key's position in its segment is the number of keys that come before it. Those of its block of kBlockKeys are
// counted one by one; then blocks are merged in pairs, and a key looks for its position in the other block of its pair:
// as often as the longest segment needs, and only where the segment is as long. Blocks are those of the segment, and
// not of the tile, so that nothing crosses segments. There is nothing in it that lanes of a subgroup do together.
//
// Keys lie in shared memory as ordered numbers, and with them their positions in the tile, at which values are.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/subgroup.glsl"
#include "segment/segmented_sort.h"
#include "segment/segmented_sort_tiles.h"

layout(push_constant, std430) uniform Push { SegmentedSortPush push; };

#include "sort/sort_items.glsl"

const uint kTileKeys = kWorkgroupSize * kRows;  // at most 2^14
const uint kStepKeys = kTileKeys / 2u;
const uint kTileWords = kTileKeys / 32u;
const uint kBlockKeys = 16u;
const uint kNoHead = 0xffffu;

shared uint weft_segment_low[kTileKeys];
shared uint weft_segment_high[kKeyWords == 2u ? kTileKeys : 1u];
shared uint weft_segment_positions[kValueWords != 0u ? kTileKeys : 1u];
shared uint weft_segment_heads[kTileWords];
shared uint weft_segment_previous[kTileWords];  // the last head before the word
shared uint weft_segment_next[kTileWords];      // the first after it
shared uint weft_segment_longest;

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
  const bool is_own = begin < kStepKeys && end != kNoHead && end - begin <= kStepKeys;
  return is_own ? begin | (end << 16) : 0u;
}

// How many of the keys [begin, end) come before the one at `position`, which is among them.
uint rank_in_block(uvec2 key, uint position, uint begin, uint end) {
  uint rank = 0u;
  for (uint other = begin; other < end; ++other) {
    const uvec2 other_key = tile_key(other);
    rank += (other < position ? !key_less(key, other_key) : key_less(other_key, key)) ? 1u : 0u;
  }
  return rank;
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

// Reads the tile's heads, and finds the nearest before and after each word. `left`: keys from the tile's first on.
void tile_find_heads(uint first, uint left, uint lane) {
  for (uint word = lane; word < kTileWords; word += kWorkgroupSize)
    weft_segment_heads[word] = 32u * word <= left ? heads_word(first + 32u * word, left - 32u * word) : 0u;
  barrier();
  for (uint word = lane; word < kTileWords; word += kWorkgroupSize) {
    uint previous = kNoHead, next = kNoHead;
    for (uint i = word; i != 0u && previous == kNoHead; --i) {
      const uint heads = weft_segment_heads[i - 1u];
      if (heads != 0u) previous = 32u * (i - 1u) + uint(findMSB(heads));
    }
    for (uint i = word + 1u; i < kTileWords && next == kNoHead; ++i) {
      const uint heads = weft_segment_heads[i];
      if (heads != 0u) next = 32u * i + uint(findLSB(heads));
    }
    weft_segment_previous[word] = previous;
    weft_segment_next[word] = next;
  }
  barrier();
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

  if (lane == 0u) weft_segment_longest = 0u;
  tile_find_heads(first, end_of_all - first, lane);

  // Row by row: the segment's bounds, and 0 where there is no key; the key that lies there; and where it goes.
  uint bounds[kRows];
  uvec2 keys[kRows];
  uint positions[kRows];
  uint longest = 0u;
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint position = row * kWorkgroupSize + lane;
    bounds[row] = segment_bounds(position);
    keys[row] = uvec2(0u);
    if (bounds[row] != 0u) keys[row] = sort_load(sort_address(push.keys, first + position, kKeyWords), 0u, kKeyWords);
    longest = max(longest, (bounds[row] >> 16) - (bounds[row] & 0xffffu));
  }
  longest = subgroup_max(longest);
  if (subgroup_lane() == 0u) atomicMax(weft_segment_longest, longest);
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint position = row * kWorkgroupSize + lane;
    keys[row] = sort_ordered(keys[row]);
    if (bounds[row] != 0u) tile_put(position, keys[row], position);
  }
  barrier();
  longest = subgroup_uniform(weft_segment_longest);
  if (longest == 0u) return;

  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint position = row * kWorkgroupSize + lane;
    const uint begin = bounds[row] & 0xffffu, end = bounds[row] >> 16;
    positions[row] = position;
    if (bounds[row] != 0u) {
      const uint block = position - ((position - begin) & (kBlockKeys - 1u));
      positions[row] = block + rank_in_block(keys[row], position, block, min(block + kBlockKeys, end));
    }
  }
  barrier();
  [[unroll]] for (uint row = 0; row < kRows; ++row)
    if (bounds[row] != 0u) tile_put(positions[row], keys[row], row * kWorkgroupSize + lane);
  barrier();

  for (uint size = kBlockKeys; size < longest; size *= 2u) {
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
