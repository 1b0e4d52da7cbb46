// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Where segments begin: at items whose key differs from the key before, or that a flag marks. Keys, or flags in their
// stead, are a range beside the items of tile.glsl and are cut into the same tiles and vectors. The heads of a
// vector are 4 bits, lowest first; of a lane's rows 4 bits each. The first item of a range is always a head.
//
// Keys and flags are compared as bits, in whole words. The includer defines WEFT_VECTOR_ITEMS 4, so that a vector of
// the narrowest keys is a word.
//
#ifndef WEFT_TILE_HEADS_GLSL
#define WEFT_TILE_HEADS_GLSL

#include "weft/tile.glsl"
#include "weft/tile_heads.h"

const uint kByKeys8 = 0, kByKeys16 = 1, kByKeys32 = 2, kByKeys64 = 3;
const uint kByHeadBits = 4, kByHeadBytes = 5, kByHeadWords = 6;

const bool kByKeys = kSegmentsBy <= kByKeys64;
// Of one key, or of its flag; without a meaning for bits.
const uint kKeyBytes = kSegmentsBy == kByKeys8 || kSegmentsBy == kByHeadBytes ? 1u
                       : kSegmentsBy == kByKeys16                             ? 2u
                       : kSegmentsBy == kByKeys64                             ? 8u
                                                                              : 4u;

// Where a tile's keys lie. Bits lie a word further, since up to 3 of those before the tile's first word are its own.
uvec2 tile_keys_address(uvec2 keys, TileRange range, uint tile) {
  if (kSegmentsBy == kByHeadBits)
    return word64_subtract(word64_add(keys, word64_multiply(tile, kTileItems / 8u)), uvec2(4u, 0u));
  return word64_add(word64_subtract(keys, uvec2(range.head * kKeyBytes, 0u)),
                    word64_multiply(tile, kTileItems * kKeyBytes));
}

// ---- any tile ----

// The key before item p of a tile, which is not the range's first.
uvec2 tile_key_before(uvec2 keys_address, uint p) {
  const uvec2 base = word64_subtract(keys_address, uvec2(kKeyBytes, 0u));
  const uint byte = (base.x & 3u) + p * kKeyBytes;
  Words words = Words(uvec2(base.x & ~3u, base.y));
  const uint word = words.at[byte >> 2];
  if (kKeyBytes == 8u) return uvec2(word, words.at[(byte >> 2) + 1u]);
  if (kKeyBytes == 4u) return uvec2(word, 0u);
  return uvec2((word >> (8u * (byte & 3u))) & ((1u << (8u * kKeyBytes)) - 1u), 0u);
}

uvec2 tile_key(uvec2 keys_address, uint p) { return tile_key_before(keys_address, p + 1u); }

bool tile_flag(uvec2 keys_address, TileRange range, uint p) {
  if (kSegmentsBy != kByHeadBits) return tile_key(keys_address, p).x != 0u;
  const uint bit = p + 32u - range.head;
  return ((Words(keys_address).at[bit >> 5] >> (bit & 31u)) & 1u) != 0u;
}

// The heads of vector v of a tile, among the items that are present.
uint tile_heads_of_vector(uvec2 keys_address, TileRange range, uint tile, uvec2 present, uint v) {
  uint heads = 0u;
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) {
    const uint p = v * WEFT_VECTOR_ITEMS + k;
    if (p < present.x || p >= present.y) continue;
    bool is_head = tile == 0u && p == range.head;
    if (!is_head) {
      if (kByKeys)
        is_head = tile_key(keys_address, p) != tile_key_before(keys_address, p);
      else
        is_head = tile_flag(keys_address, range, p);
    }
    if (is_head) heads |= 1u << k;
  }
  return heads;
}

// ---- full tiles whose keys are aligned to vectors ----

// Whether tile_keys_load() may load them.
bool tile_keys_are_loadable(uvec2 keys_address, TileRange range) {
  if (kSegmentsBy == kByHeadBits) return range.head == 0u;
  return (keys_address.x & (min(WEFT_VECTOR_ITEMS * kKeyBytes, 16u) - 1u)) == 0u;
}

// A lane's keys of a row. What narrow keys do not need is 0, so that drivers drop it.
struct KeyVector {
  uvec4 low, high;
};
struct TileKeys {
  KeyVector row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7;
  uvec2 before;  // on lane 0: the words before the subgroup's first row
};

KeyVector tile_keys_load_vector(uvec2 keys_address, uint v) {
  KeyVector keys;
  keys.low = uvec4(0u);
  keys.high = uvec4(0u);
  if (kSegmentsBy == kByHeadBits) {
    keys.low.x = (Words(keys_address).at[(v >> 3) + 1u] >> (4u * (v & 7u))) & 15u;
  } else if (kKeyBytes == 1u) {
    keys.low.x = Words(keys_address).at[v];
  } else if (kKeyBytes == 2u) {
    keys.low.xy = Words2(keys_address).at[v];
  } else if (kKeyBytes == 4u) {
    keys.low = Words4(keys_address).at[v];
  } else {
    keys.low = Words4(keys_address).at[2u * v];
    keys.high = Words4(keys_address).at[2u * v + 1u];
  }
  return keys;
}

void tile_keys_load(uvec2 keys_address, uint tile, inout TileKeys keys) {
#define WEFT_LOAD_KEYS(i) \
  if (i < kRows) keys.row_##i = tile_keys_load_vector(keys_address, tile_vector(i));
  WEFT_FOR_ROWS(WEFT_LOAD_KEYS)
#undef WEFT_LOAD_KEYS
  keys.before = uvec2(0u);
  const uint v = tile_vector(0u);
  if (kByKeys && subgroup_lane() == 0u && (tile != 0u || v != 0u)) {
    Words words = Words(word64_subtract(keys_address, uvec2(8u, 0u)));
    // Narrow keys before it may be fewer than fill the word before last.
    if (kKeyBytes == 8u) keys.before.x = words.at[8u * v];
    keys.before.y = words.at[kKeyBytes * v + 1u];
  }
}

// The words of a vector's last key, or that word of it that holds the last key.
uvec2 key_vector_last(KeyVector keys) {
  return kKeyBytes == 8u   ? keys.high.zw
         : kKeyBytes == 4u ? uvec2(0u, keys.low.w)
         : kKeyBytes == 2u ? uvec2(0u, keys.low.y)
                           : uvec2(0u, keys.low.x);
}

uint heads_of_bools(bvec4 heads) {
  return (heads.x ? 1u : 0u) | (heads.y ? 2u : 0u) | (heads.z ? 4u : 0u) | (heads.w ? 8u : 0u);
}

// Key k of a vector, zero above.
uvec2 key_of_vector(KeyVector keys, uint k) {
  if (kKeyBytes == 8u) return k < 2u ? (k == 0u ? keys.low.xy : keys.low.zw) : (k == 2u ? keys.high.xy : keys.high.zw);
  if (kKeyBytes == 4u) return uvec2(keys.low[k], 0u);
  if (kKeyBytes == 2u) return uvec2((keys.low[k >> 1] >> (16u * (k & 1u))) & 0xffffu, 0u);
  return uvec2((keys.low.x >> (8u * k)) & 0xffu, 0u);
}

uvec4 bytes_of_word(uint word) { return (uvec4(word) >> uvec4(0u, 8u, 16u, 24u)) & 0xffu; }

uint heads_of_flags(KeyVector keys) {
  if (kSegmentsBy == kByHeadBits) return keys.low.x;
  return heads_of_bools(notEqual(kKeyBytes == 1u ? bytes_of_word(keys.low.x) : keys.low, uvec4(0u)));
}

// `before`: the last words of the vector before.
uint heads_of_keys(KeyVector keys, uvec2 before) {
  if (kKeyBytes == 8u) {
    const uvec4 differ_low = keys.low ^ uvec4(before, keys.low.xy);
    const uvec4 differ_high = keys.high ^ uvec4(keys.low.zw, keys.high.xy);
    return heads_of_bools(notEqual(uvec4(differ_low.x | differ_low.y, differ_low.z | differ_low.w,
                                         differ_high.x | differ_high.y, differ_high.z | differ_high.w),
                                   uvec4(0u)));
  }
  if (kKeyBytes == 4u) return heads_of_bools(notEqual(keys.low, uvec4(before.y, keys.low.xyz)));
  if (kKeyBytes == 2u) {
    const uvec2 differ = keys.low.xy ^ ((keys.low.xy << 16) | (uvec2(before.y, keys.low.x) >> 16));
    return heads_of_bools(notEqual(uvec4(differ.x & 0xffffu, differ.x >> 16, differ.y & 0xffffu, differ.y >> 16),
                                   uvec4(0u)));
  }
  const uint differ = keys.low.x ^ ((keys.low.x << 8) | (before.y >> 24));
  return heads_of_bools(notEqual(bytes_of_word(differ), uvec4(0u)));
}

// `edge` holds the words before the row, on lane 0, and then those before the next.
uint tile_heads_of_row(KeyVector keys, inout uvec2 edge) {
  if (!kByKeys) return heads_of_flags(keys);
  const uvec2 last = key_vector_last(keys);
  const uint earlier = (subgroup_lane() - 1u) & (kSubgroupSize - 1u);
  uvec2 found = uvec2(0u);
  if (kKeyBytes == 8u) found.x = subgroup_shuffle(last.x, earlier);
  found.y = subgroup_shuffle(last.y, earlier);
  uvec2 before = found;
  if (subgroup_lane() == 0u) before = edge;
  edge = found;
  return heads_of_keys(keys, before);
}

// The heads of this lane's rows. Every invocation of the workgroup calls, uniformly.
uint tile_heads(TileKeys keys, uint tile) {
  uint heads = tile == 0u && tile_vector(0u) == 0u ? 1u : 0u;
  uvec2 edge = keys.before;
#define WEFT_HEADS_OF_ROW(i) \
  if (i < kRows) heads |= tile_heads_of_row(keys.row_##i, edge) << (4u * i);
  WEFT_FOR_ROWS(WEFT_HEADS_OF_ROW)
#undef WEFT_HEADS_OF_ROW
  return heads;
}

#endif
