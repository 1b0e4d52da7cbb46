// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of SortedSearch: a workgroup has a tile, of which each subgroup finds its part and merges it in registers. Where a needle
// ends up, less the needles in front of it, is its bound.
//
// A key and its place in the part pass through the merge as one number, the key less the part's smallest above the place. Where the keys of
// a tile lie too far apart for that, each needle's bound is searched for in its part instead.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/sorted_search_tiles.glsl"
#include "weft/subgroup_merge.glsl"

WEFT_SUBGROUP_MERGE_PATH(MergeRanges, kTileItems)

// ---- elements of the network ----

// Of keys of one word `bits.y` is not used.
struct SearchElement {
  uvec2 bits;
};

SearchElement subgroup_shuffle_xor(SearchElement element, uint mask) {
  element.bits.x = subgroup_shuffle_xor(element.bits.x, mask);
  if (kKeyWords == 2u) element.bits.y = subgroup_shuffle_xor(element.bits.y, mask);
  return element;
}

SearchElement search_chosen(bool first, SearchElement a, SearchElement b) {
  return SearchElement(uvec2(first ? a.bits.x : b.bits.x, first ? a.bits.y : b.bits.y));
}

void merge_order(inout SearchElement earlier, inout SearchElement later) {
  if (kKeyWords == 1u) {
    merge_order(earlier.bits.x, later.bits.x);
  } else {
    const bool in_order = word64_less(earlier.bits, later.bits);
    const SearchElement first = search_chosen(in_order, earlier, later);
    later = search_chosen(in_order, later, earlier);
    earlier = first;
  }
}

SearchElement merge_keep(SearchElement own, SearchElement other, bool later) {
  if (kKeyWords == 1u) {
    own.bits.x = merge_keep(own.bits.x, other.bits.x, later);
    return own;
  }
  return search_chosen(word64_less(own.bits, other.bits) != later, own, other);
}

WEFT_SUBGROUP_MERGE(SearchElement)

// ---- parts ----

// Needles and keys of the haystack that a subgroup merges. On equal keys, the places of needles are in front for lower bounds, or else
// behind.
struct SearchPart {
  uvec2 needles, haystack;
  uint needle_count, key_count;
};

uint needle_places(SearchPart part) { return kMergeEqualFromA ? 0u : part.key_count; }
uint key_places(SearchPart part) { return kMergeEqualFromA ? part.needle_count : 0u; }

const uvec2 kNothing = uvec2(~0u);

// Element i of the part: needles from the first on, keys from the last one back.
uvec2 part_key(SearchPart part, uint i) {
  const bool is_needle = i < part.needle_count;
  const uint index = is_needle ? i : kSubgroupMergeKeys - 1u - i;
  uvec2 key = kNothing;
  if (is_needle || index < part.key_count) key = ordered_key_load(is_needle ? part.needles : part.haystack, index);
  return key;
}
uint part_place(SearchPart part, uint i) {
  return i < part.needle_count ? needle_places(part) + i : key_places(part) + kSubgroupMergeKeys - 1u - i;
}
bool part_has(SearchPart part, uint i) {
  return i < part.needle_count || kSubgroupMergeKeys - 1u - i < part.key_count;
}

// How many of the part's keys are in front of a needle.
uint part_bound(SearchPart part, uint i) {
  const uvec2 needle = ordered_key_load(part.needles, i);
  uint low = 0u;
  uint high = part.key_count;
  for (uint step = 0u; step < 32u && low < high; ++step) {
    const uint middle = low + ((high - low) >> 1);
    const bool is_before = !merge_path_a_first(needle, ordered_key_load(part.haystack, middle), kMergeEqualFromA);
    low = is_before ? middle + 1u : low;
    high = is_before ? high : middle;
  }
  return low;
}

uvec2 key_address(uvec2 keys, uint index) { return word64_add(keys, word64_multiply(index, 4u * kKeyWords)); }

// How many needles are in front of each subgroup's part.
shared uint weft_search_cuts[kSubgroupCount];
shared uint weft_search_is_wide;

void main() {
  const uint needles = needle_count();
  const uint haystack = haystack_count();
  const uint total = needles + haystack;
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const uint begin = tile_begin(tile, total);
  const uint keys = tile_begin(tile + 1u, total) - begin;
  Words splits = Words(push.splits);
  const uint tile_needle = subgroup_uniform(splits.at[tile]);
  // Of ranges that are not sorted, cuts may fall, here and below.
  const uint tile_needles = clamp(subgroup_uniform(splits.at[tile + 1u]), tile_needle, tile_needle + keys) - tile_needle;
  if (tile_needles == 0u) return;
  const uint tile_key = begin - tile_needle;

  const uint diagonal = min(subgroup_index() * kSubgroupMergeKeys, keys);
  const uint count = min(keys - diagonal, kSubgroupMergeKeys);
  const uint cut = subgroup_merge_path_split(
      MergeRanges(key_address(push.needles, tile_needle), key_address(push.haystack, tile_key), kMergeEqualFromA), diagonal,
      tile_needles, keys - tile_needles);
  if (subgroup_lane() == 0u) weft_search_cuts[subgroup_index()] = cut;
  if (gl_LocalInvocationIndex == 0u) weft_search_is_wide = 0u;
  barrier();
  const bool is_last = subgroup_index() + 1u == kSubgroupCount;
  const uint next =
      is_last ? tile_needles : subgroup_uniform(weft_search_cuts[min(subgroup_index() + 1u, kSubgroupCount - 1u)]);
  SearchPart part;
  part.needle_count = clamp(next, cut, cut + count) - cut;
  part.key_count = count - part.needle_count;
  const uint first_needle = tile_needle + cut;
  const uint first_key = tile_key + diagonal - cut;
  part.needles = key_address(push.needles, first_needle);
  part.haystack = key_address(push.haystack, first_key);
  Words outputs = Words(word64_add(push.outputs, word64_multiply(first_needle, 4u)));

  SearchElement elements[kMergeKeys];
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
    elements[r].bits = part_key(part, r * kSubgroupSize + subgroup_lane());
  // The smallest key is the first needle, at the front, or the first of the haystack, at the end.
  uvec2 front, back;
  front.x = subgroup_broadcast(elements[0].bits.x, 0u);
  front.y = kKeyWords == 2u ? subgroup_broadcast(elements[0].bits.y, 0u) : 0u;
  back.x = subgroup_broadcast(elements[kMergeKeys - 1u].bits.x, kSubgroupSize - 1u);
  back.y = kKeyWords == 2u ? subgroup_broadcast(elements[kMergeKeys - 1u].bits.y, kSubgroupSize - 1u) : 0u;
  const uvec2 least = word64_less(front, back) ? front : back;
  const uint place_bits = findMSB(kSubgroupMergeKeys);
  bool is_wide = false;
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint i = r * kSubgroupSize + subgroup_lane();
    const uint place = part_place(part, i);
    uvec2 bits = kNothing;
    if (part_has(part, i)) {
      if (kKeyWords == 1u) {
        const uint above = elements[r].bits.x - least.x;
        is_wide = is_wide || (above >> (32u - place_bits)) != 0u;
        bits.x = (above << place_bits) | place;
      } else {
        const uvec2 above = word64_subtract(elements[r].bits, least);
        is_wide = is_wide || (above.y >> (32u - place_bits)) != 0u;
        bits = uvec2((above.x << place_bits) | place, (above.y << place_bits) | (above.x >> (32u - place_bits)));
      }
    }
    elements[r].bits = bits;
  }
  if (is_wide) weft_search_is_wide = 1u;
  barrier();

  if (weft_search_is_wide != 0u) {
    // At most kMergeKeys rounds.
    for (uint i = subgroup_lane(); i < part.needle_count; i += kSubgroupSize) outputs.at[i] = first_key + part_bound(part, i);
    return;
  }
  subgroup_merge(elements);
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint place = elements[r].bits.x & (kSubgroupMergeKeys - 1u);
    const uint needle = place - needle_places(part);
    const uint i = r * kSubgroupSize + subgroup_lane();
    if (i < count && needle < part.needle_count) outputs.at[needle] = first_key + (i - needle);
  }
}
