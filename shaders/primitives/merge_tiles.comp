// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of Merge: a workgroup has a tile, of which each subgroup finds its part and merges it in registers. Where places
// matter, each key brings its own along, counted through both pieces of the subgroup: it makes the order among equal keys, and says
// where the value lies.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/merge_ranges.glsl"
#include "weft/subgroup_merge.glsl"

layout(constant_id = 7) const bool kHasPlaces = false;  // values or indices are written, or keys are a snippet's
layout(constant_id = 8) const bool kWritesKeys = true;
layout(constant_id = 9) const bool kWritesIndices = false;
layout(constant_id = 10) const uint kValueBytes = 0;  // 1, 2, a multiple of 4, or 0: none are written

// Pieces of both ranges, found and loaded as such.
struct MergePieces {
  uvec2 keys_a, keys_b;
};

bool merge_path_a_first(MergePieces pieces, uint a, uint b) {
  return !merge_key_less(merge_key_at(pieces.keys_b, b), merge_key_at(pieces.keys_a, a));
}

WEFT_SUBGROUP_MERGE_PATH(MergePieces, kTileItems)

// ---- elements of the network ----

struct MergeElement {
  MergeKey key;
  uint place;
};

#if WEFT_MERGE_OWN

// What lies between the pieces is told by its place alone.
const uint kNoPlace = 0x80000000u;

MergeElement merge_padding(uint place) {
  MergeElement element;
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w) element.key.words[w] = 0u;
  element.place = kNoPlace | place;
  return element;
}
MergeElement merge_element(MergeKey key, uint place) { return MergeElement(key, place); }
uint merge_place(MergeElement element) { return element.place; }

MergeElement subgroup_shuffle_xor(MergeElement element, uint mask) {
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w)
    element.key.words[w] = subgroup_shuffle_xor(element.key.words[w], mask);
  element.place = subgroup_shuffle_xor(element.place, mask);
  return element;
}

bool merge_less(MergeElement a, MergeElement b) {
  if (((a.place | b.place) & kNoPlace) != 0u) return a.place < b.place;
  // In front of a key of B there is one of A unless B's is less; two of one piece keep their order.
  const bool earlier = a.place < b.place;
  const bool behind_is_less = earlier ? merge_key_less(b.key, a.key) : merge_key_less(a.key, b.key);
  return earlier != behind_is_less;
}

MergeElement merge_chosen(bool first, MergeElement a, MergeElement b) {
  [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w) a.key.words[w] = first ? a.key.words[w] : b.key.words[w];
  a.place = first ? a.place : b.place;
  return a;
}

const bool kIsWord = false;

#else

// A key of less than a word has its place in the same word; places are below 2^16.
const bool kIsPacked = kKeyBytes < 4u ? kHasPlaces : false;
const bool kIsWord = kKeyWords == 2u ? false : kIsPacked ? true : !kHasPlaces;

MergeElement merge_element(MergeKey key, uint place) {
  return MergeElement(kIsPacked ? uvec2((key.x << 16) | place, 0u) : key, place);
}
// Between the pieces; places are behind all others.
MergeElement merge_padding(uint place) { return merge_element(uvec2(kKeyMask, ~0u), place); }
uint merge_place(MergeElement element) { return kIsPacked ? element.key.x & 0xffffu : element.place; }

MergeElement subgroup_shuffle_xor(MergeElement element, uint mask) {
  element.key.x = subgroup_shuffle_xor(element.key.x, mask);
  if (kKeyWords == 2u) element.key.y = subgroup_shuffle_xor(element.key.y, mask);
  if (kHasPlaces) {
    if (!kIsPacked) element.place = subgroup_shuffle_xor(element.place, mask);
  }
  return element;
}

bool merge_less(MergeElement a, MergeElement b) {
  if (kHasPlaces) {
    // As one number, the place below the key.
    if (kKeyWords == 1u) return word64_less(uvec2(a.place, a.key.x), uvec2(b.place, b.key.x));
    const bool low_less = word64_less(uvec2(a.place, a.key.x), uvec2(b.place, b.key.x));
    return a.key.y < b.key.y || (a.key.y == b.key.y && low_less);
  }
  return word64_less(a.key, b.key);
}

MergeElement merge_chosen(bool first, MergeElement a, MergeElement b) {
  MergeElement element = b;
  element.key.x = first ? a.key.x : b.key.x;
  if (kKeyWords == 2u) element.key.y = first ? a.key.y : b.key.y;
  if (kHasPlaces) element.place = first ? a.place : b.place;
  return element;
}

#endif

void merge_order(inout MergeElement earlier, inout MergeElement later) {
#if !WEFT_MERGE_OWN
  if (kIsWord) {
    merge_order(earlier.key.x, later.key.x);
    return;
  }
#endif
  const bool in_order = merge_less(earlier, later);
  const MergeElement first = merge_chosen(in_order, earlier, later);
  later = merge_chosen(in_order, later, earlier);
  earlier = first;
}

MergeElement merge_keep(MergeElement own, MergeElement other, bool later) {
#if !WEFT_MERGE_OWN
  if (kIsWord) {
    own.key.x = merge_keep(own.key.x, other.key.x, later);
    return own;
  }
#endif
  return merge_chosen(merge_less(own, other) != later, own, other);
}

WEFT_SUBGROUP_MERGE(MergeElement)

// ---- outputs ----

// Stores the low bits of `bits`, 1 or 2 bytes, as this lane's item `i` of `count` at `target`; lanes of a subgroup have neighbours. Items
// of one word go there together, from the first lane that has one.
void store_narrow(uvec2 target, uint bytes, uint i, uint count, uint bits) {
  const uint at = (target.x & 3u) + i * bytes;
  const uint begin = at & 3u;
  const uint item_mask = ~0u >> (32u - 8u * bytes);
  bits &= item_mask;
  uint word = bits << (8u * begin);
  uint mask = i < count ? item_mask << (8u * begin) : 0u;
  [[unroll]] for (uint k = 1u; k < 4u; ++k) {
    const uint next = subgroup_shuffle_down(bits, k);
    const uint byte = begin + k * bytes;
    if (byte < 4u && subgroup_lane() + k < kSubgroupSize && i + k < count) {
      word |= next << (8u * byte);
      mask |= item_mask << (8u * byte);
    }
  }
  if (begin < bytes || subgroup_lane() == 0u) merge_word(Words(uvec2(target.x & ~3u, target.y)), at >> 2, word, mask);
}

void store_key(uvec2 target, uint i, uint count, MergeElement element) {
#if WEFT_MERGE_OWN
  if (i < count) {
    [[unroll]] for (uint w = 0; w < WEFT_ITEM_WORDS; ++w)
      Words(target).at[i * WEFT_ITEM_WORDS + w] = element.key.words[w];
  }
#else
  const uvec2 bits = merge_key_bits(kIsPacked ? uvec2(element.key.x >> 16, 0u) : element.key);
  if (kKeyBytes < 4u) {
    store_narrow(target, kKeyBytes, i, count, bits.x);
  } else if (i < count) {
    if (kKeyWords == 1u) {
      Words(target).at[i] = bits.x;
    } else if ((target.x & 7u) == 0u) {
      Words2(target).at[i] = bits;
    } else {
      Words(target).at[2u * i] = bits.x;
      Words(target).at[2u * i + 1u] = bits.y;
    }
  }
#endif
}

// What lies between the pieces ends up behind both even where they are not sorted: it rises and falls once by itself. An address is made
// of this, so that it is bounded all the same.
uint bounded_place(MergeElement element, uint count) { return min(merge_place(element), count - min(count, 1u)); }

uvec2 value_address(uvec2 values, uint index) { return word64_add(values, word64_multiply(index, kValueBytes)); }

// Moves value j of `source` to place i of `count`, if that is below.
void move_value(uvec2 source, uint j, uvec2 target, uint i, uint count) {
  if (kValueBytes < 4u) {
    const uint byte = (source.x & 3u) + j * kValueBytes;
    uint bits = 0u;
    if (i < count) bits = Words(uvec2(source.x & ~3u, source.y)).at[byte >> 2] >> (8u * (byte & 3u));
    store_narrow(target, kValueBytes, i, count, bits);
    return;
  }
  if (i >= count) return;
  const uint low = source.x | target.x;
  if (kValueBytes == 8u) {
    if ((low & 7u) == 0u) {
      Words2(target).at[i] = Words2(source).at[j];
      return;
    }
  }
  if (kValueBytes == 16u) {
    if ((low & 15u) == 0u) {
      Words4(target).at[i] = Words4(source).at[j];
      return;
    }
  }
  const uint words = kValueBytes / 4u;
  for (uint w = 0; w < words; ++w) Words(target).at[i * words + w] = Words(source).at[j * words + w];
}

// How many keys of A are in front of each subgroup's.
shared uint weft_merge_cuts[kSubgroupCount];

void main() {
  const uint total_a = count_a();
  const uint total = total_a + count_b();
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (tile >= tile_count(total)) return;
  const uint begin = tile_begin(tile, total);
  const uint keys = tile_begin(tile + 1u, total) - begin;
  Words splits = Words(push.splits);
  // Of ranges that are not sorted, cuts may fall, here and below.
  const uint tile_a = subgroup_uniform(splits.at[tile]);
  const uint tile_count_a = clamp(subgroup_uniform(splits.at[tile + 1u]), tile_a, tile_a + keys) - tile_a;
  const uint tile_b = begin - tile_a;

  const uint diagonal = min(subgroup_index() * kSubgroupMergeKeys, keys);
  const uint count = min(keys - diagonal, kSubgroupMergeKeys);
  const uint cut = subgroup_merge_path_split(
      MergePieces(merge_key_address(push.keys_a, tile_a), merge_key_address(push.keys_b, tile_b)), diagonal, tile_count_a,
      keys - tile_count_a);
  if (subgroup_lane() == 0u) weft_merge_cuts[subgroup_index()] = cut;
  barrier();
  const bool is_last = subgroup_index() + 1u == kSubgroupCount;
  const uint next = is_last ? tile_count_a : subgroup_uniform(weft_merge_cuts[min(subgroup_index() + 1u, kSubgroupCount - 1u)]);
  const uint piece_count_a = clamp(next, cut, cut + count) - cut;
  const uint piece_count_b = count - piece_count_a;
  const uint piece_a = tile_a + cut;
  const uint piece_b = tile_b + diagonal - cut;
  const uvec2 keys_a = merge_key_address(push.keys_a, piece_a);
  const uvec2 keys_b = merge_key_address(push.keys_b, piece_b);

  MergeElement elements[kMergeKeys];
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint i = r * kSubgroupSize + subgroup_lane();
    const uint j = kSubgroupMergeKeys - 1u - i;
    elements[r] = merge_padding(i + piece_count_b);
    if (i < piece_count_a) elements[r] = merge_element(merge_key_at(keys_a, i), i);
    if (j < piece_count_b) elements[r] = merge_element(merge_key_at(keys_b, j), piece_count_a + j);
  }
  subgroup_merge(elements);

  const uint first = begin + diagonal;
  if (kWritesKeys) {
    const uvec2 target = merge_key_address(push.keys_out, first);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      store_key(target, r * kSubgroupSize + subgroup_lane(), count, elements[r]);
  }
  if (kWritesIndices) {
    Words target = Words(word64_add(push.indices_out, word64_multiply(first, 4u)));
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
      const uint i = r * kSubgroupSize + subgroup_lane();
      const uint place = bounded_place(elements[r], count);
      const uint index = place < piece_count_a ? piece_a + place : total_a + piece_b + (place - piece_count_a);
      if (i < count) target.at[i] = index;
    }
  }
  if (kValueBytes != 0u) {
    const uvec2 values_a = value_address(push.values_a, piece_a);
    const uvec2 values_b = value_address(push.values_b, piece_b);
    const uvec2 target = value_address(push.values_out, first);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
      const uint i = r * kSubgroupSize + subgroup_lane();
      const uint place = bounded_place(elements[r], count);
      const bool of_a = place < piece_count_a;
      move_value(of_a ? values_a : values_b, of_a ? place : place - piece_count_a, target, i, count);
    }
  }
}
