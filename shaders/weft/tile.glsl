// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tiles: the share of a range that a workgroup takes at a time, and how it is loaded, combined and stored. Scan, reduce
// and whatever else reads items in order go through here.
//
// A vector is what one lane loads at once: as many items as fill 16 bytes in the wider of item and accumulator. A
// tile is kRows vectors per lane; each subgroup owns kRows consecutive rows of kSubgroupSize vectors, so that every
// load of a subgroup is one contiguous piece. Vectors lie on their natural boundary in memory: where a range does
// not begin on one, tile 0 begins with `head` absent items. Absent items, there and past the end, are neither read
// nor written; they take no part.
//
// Items of less than a word are handled inside whole aligned words. Words at the ends of an output, or of any
// vector where output and input are displaced against each other by less than a word, are merged by atomics,
// so that bytes of others stay.
#ifndef WEFT_TILE_GLSL
#define WEFT_TILE_GLSL

#include "weft/buffers.glsl"
#include "weft/item.glsl"
#include "weft/tile.h"

// What a lane loads at once.
#if WEFT_VECTOR_INPUT_WORDS == 16
struct TileVector {
  uvec4 words_0, words_1, words_2, words_3;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer TileVectors { TileVector at[]; };
#elif WEFT_VECTOR_INPUT_WORDS == 12
struct TileVector {
  uvec4 words_0, words_1, words_2;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer TileVectors { TileVector at[]; };
#elif WEFT_VECTOR_INPUT_WORDS == 8
struct TileVector {
  uvec4 low, high;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer TileVectors { TileVector at[]; };
#elif WEFT_VECTOR_INPUT_WORDS == 4
#define TileVector uvec4
#define TileVectors Words4
#elif WEFT_VECTOR_INPUT_WORDS == 3
#define TileVector uvec3
#define TileVectors Words
#elif WEFT_VECTOR_INPUT_WORDS == 2
#define TileVector uvec2
#define TileVectors Words2
#else
#define TileVector uint
#define TileVectors Words
#endif

const uint kTileVectors = kWorkgroupSize * kRows;
const uint kTileItems = kTileVectors * WEFT_VECTOR_ITEMS;
const uint kTileInputBytes = kTileVectors * WEFT_VECTOR_INPUT_WORDS * 4u;
const uint kTileOutputBytes = kTileVectors * WEFT_VECTOR_OUTPUT_WORDS * 4u;

#include "weft/tile_range.glsl"

// Whether its vectors lie on their boundary. Items of 8 bytes and more may lie on a boundary of 4, and their vectors
// with them.
bool tile_is_aligned(uvec2 tile_address) {
#if WEFT_ITEM_BYTES >= 8 && WEFT_VECTOR_INPUT_WORDS != 3
  return (tile_address.x & (min(WEFT_VECTOR_INPUT_WORDS * 4u, 16u) - 1u)) == 0u;
#else
  return true;
#endif
}

// Whether tile_load() may load it.
bool tile_is_loadable(uvec2 tile_address, uvec2 present) {
  return tile_is_full(present) && tile_is_aligned(tile_address);
}

// The index in its tile of this lane's vector in row `row`.
uint tile_vector(uint row) { return (subgroup_index() * kRows + row) * kSubgroupSize + subgroup_lane(); }

uvec2 tile_input_address(uvec2 input_address, TileRange range, uint tile) {
  return word64_add(word64_subtract(input_address, uvec2(range.head * WEFT_ITEM_BYTES, 0u)),
                    word64_multiply(tile, kTileInputBytes));
}

// ---- loading ----

// This lane's vector v of a tile; words of absent items are 0.
void tile_load_vector(uvec2 tile_address, uvec2 present, uint v, out uint vector[WEFT_VECTOR_INPUT_WORDS]) {
  Words source = Words(tile_address);
  [[unroll]] for (uint i = 0; i < WEFT_VECTOR_INPUT_WORDS; ++i) {
    const uint word = v * WEFT_VECTOR_INPUT_WORDS + i;
    // The word's first and last byte against the first and last byte that is there.
    const bool there = word * 4u + 3u >= present.x * WEFT_ITEM_BYTES && word * 4u < present.y * WEFT_ITEM_BYTES;
    vector[i] = there ? source.at[word] : 0u;
  }
}

// A full tile in registers: one member a row, this lane's vector in it. Members and rows written out, not an
// array and a loop, since drivers move arrays to memory where they do not unroll every loop over them. Rows
// past kRows are never touched.
#define WEFT_FOR_ROWS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
struct TileWords {
  TileVector row_0, row_1, row_2, row_3, row_4, row_5, row_6, row_7;
};

// Only where tile_is_loadable().
void tile_load(uvec2 tile_address, inout TileWords words) {
  TileVectors source = TileVectors(tile_address);
#if WEFT_VECTOR_INPUT_WORDS == 3
  // Vectors of three words have no boundary of their own.
#define WEFT_LOAD_VECTOR(v) uvec3(source.at[3u * v], source.at[3u * v + 1u], source.at[3u * v + 2u])
#else
#define WEFT_LOAD_VECTOR(v) source.at[v]
#endif
#define WEFT_LOAD_ROW(i) \
  if (i < kRows) words.row_##i = WEFT_LOAD_VECTOR(tile_vector(i));
  WEFT_FOR_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW
}

TileVector vector_packed(uint v[WEFT_VECTOR_INPUT_WORDS]) {
#if WEFT_VECTOR_INPUT_WORDS == 16
  return TileVector(uvec4(v[0], v[1], v[2], v[3]), uvec4(v[4], v[5], v[6], v[7]), uvec4(v[8], v[9], v[10], v[11]),
                    uvec4(v[12], v[13], v[14], v[15]));
#elif WEFT_VECTOR_INPUT_WORDS == 12
  return TileVector(uvec4(v[0], v[1], v[2], v[3]), uvec4(v[4], v[5], v[6], v[7]), uvec4(v[8], v[9], v[10], v[11]));
#elif WEFT_VECTOR_INPUT_WORDS == 8
  return TileVector(uvec4(v[0], v[1], v[2], v[3]), uvec4(v[4], v[5], v[6], v[7]));
#elif WEFT_VECTOR_INPUT_WORDS == 4
  return uvec4(v[0], v[1], v[2], v[3]);
#elif WEFT_VECTOR_INPUT_WORDS == 3
  return uvec3(v[0], v[1], v[2]);
#elif WEFT_VECTOR_INPUT_WORDS == 2
  return uvec2(v[0], v[1]);
#else
  return v[0];
#endif
}

// A tile that is aligned and begins with an item. Absent vectors are loaded as the one that is cut, whose absent words
// are 0.
void tile_load_cut(uvec2 tile_address, uvec2 present, inout TileWords words) {
  TileVectors source = TileVectors(tile_address);
  const uint whole = present.y / WEFT_VECTOR_ITEMS;
  uint cut_words[WEFT_VECTOR_INPUT_WORDS];
  tile_load_vector(tile_address, present, whole, cut_words);
  const TileVector cut = vector_packed(cut_words);
#define WEFT_LOAD_ROW(i)                                                          \
  if (i < kRows) {                                                                \
    words.row_##i = cut;                                                          \
    if (tile_vector(i) < whole) words.row_##i = WEFT_LOAD_VECTOR(tile_vector(i)); \
  }
  WEFT_FOR_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW
}

void vector_unpack(TileVector packed, out uint vector[WEFT_VECTOR_INPUT_WORDS]) {
#if WEFT_VECTOR_INPUT_WORDS == 16 || WEFT_VECTOR_INPUT_WORDS == 12
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    vector[i] = packed.words_0[i];
    vector[4 + i] = packed.words_1[i];
    vector[8 + i] = packed.words_2[i];
#if WEFT_VECTOR_INPUT_WORDS == 16
    vector[12 + i] = packed.words_3[i];
#endif
  }
#elif WEFT_VECTOR_INPUT_WORDS == 8
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    vector[i] = packed.low[i];
    vector[4 + i] = packed.high[i];
  }
#elif WEFT_VECTOR_INPUT_WORDS == 1
  vector[0] = packed;
#else
  [[unroll]] for (uint i = 0; i < WEFT_VECTOR_INPUT_WORDS; ++i) vector[i] = packed[i];
#endif
}

// The present items of vector v, as a range inside the vector. May reach past its end.
uvec2 tile_present_in_vector(uvec2 present, uint v) {
  const uint first = v * WEFT_VECTOR_ITEMS;
  return uvec2(present.x - min(first, present.x), present.y - min(first, present.y));
}

#if WEFT_ACCUMULATOR != WEFT_ARG
// The aggregate of vector v, loaded, absent items left out. Where all are there, the same bits as vector_total().
Accumulator tile_vector_total(uint vector[WEFT_VECTOR_INPUT_WORDS], uvec2 present, uint v) {
  if (tile_is_full(present)) return vector_total(vector);
  const uvec2 inside = tile_present_in_vector(present, v);
  return vector_total_where(vector, inside.x, inside.y);
}
#endif

// ---- storing ----

// A vector of a full tile whose outputs are aligned to vectors.
void tile_store_vector(uvec2 tile_address, uint v, uint words[WEFT_VECTOR_OUTPUT_WORDS]) {
#if WEFT_VECTOR_OUTPUT_WORDS == 8
  Words4(tile_address).at[2u * v] = uvec4(words[0], words[1], words[2], words[3]);
  Words4(tile_address).at[2u * v + 1u] = uvec4(words[4], words[5], words[6], words[7]);
#elif WEFT_VECTOR_OUTPUT_WORDS == 4
  Words4(tile_address).at[v] = uvec4(words[0], words[1], words[2], words[3]);
#elif WEFT_VECTOR_OUTPUT_WORDS == 2
  Words2(tile_address).at[v] = uvec2(words[0], words[1]);
#elif WEFT_VECTOR_OUTPUT_WORDS == 1
  Words(tile_address).at[v] = words[0];
#else
  Words target = Words(tile_address);
  [[unroll]] for (uint i = 0; i < WEFT_VECTOR_OUTPUT_WORDS; ++i) target.at[v * WEFT_VECTOR_OUTPUT_WORDS + i] = words[i];
#endif
}

// Other lengths are stored word by word.
#if WEFT_VECTOR_OUTPUT_WORDS == 1 || WEFT_VECTOR_OUTPUT_WORDS == 2 || WEFT_VECTOR_OUTPUT_WORDS == 4 || \
    WEFT_VECTOR_OUTPUT_WORDS == 8
bool tile_output_is_aligned(uvec2 tile_address) {
  return (tile_address.x & (min(WEFT_VECTOR_OUTPUT_WORDS * 4u, 16u) - 1u)) == 0u;
}
#else
bool tile_output_is_aligned(uvec2 tile_address) { return true; }
#endif

// Any vector of any tile: only what is present is written.
void tile_store_present(uvec2 tile_address, uint v, uvec2 present, uint words[WEFT_VECTOR_OUTPUT_WORDS]) {
  const uvec2 inside = tile_present_in_vector(present, v);
  const uint begin = inside.x;
  const uint end = inside.y;
#if WEFT_OUTPUT_BYTES >= 4
  Words target = Words(tile_address);
  [[unroll]] for (uint i = 0; i < WEFT_VECTOR_OUTPUT_WORDS; ++i) {
    const uint item = i / (WEFT_OUTPUT_BYTES / 4u);
    if (item >= begin && item < end) target.at[v * WEFT_VECTOR_OUTPUT_WORDS + i] = words[i];
  }
#else
  // The vector's words shifted up by the address's position in its word; word i of the target joins words i - 1 and i.
  const uint shift = 8u * (tile_address.x & 3u);
  Words target = Words(uvec2(tile_address.x & ~3u, tile_address.y));
  const uint items_per_word = 4u / WEFT_OUTPUT_BYTES;
  uint bits_before = 0u;
  uint mask_before = 0u;
  [[unroll]] for (uint i = 0; i <= WEFT_VECTOR_OUTPUT_WORDS; ++i) {
    uint bits = 0u;
    uint mask = 0u;
    if (i < WEFT_VECTOR_OUTPUT_WORDS) {
      bits = words[i];
      [[unroll]] for (uint k = 0; k < items_per_word; ++k) {
        const uint item = i * items_per_word + k;
        if (item >= begin && item < end)
          mask |= ((1u << (8u * WEFT_OUTPUT_BYTES)) - 1u) << (8u * WEFT_OUTPUT_BYTES * k);
      }
    }
    const uint joined_bits = shift == 0u ? bits : (bits << shift) | (bits_before >> (32u - shift));
    const uint joined_mask = shift == 0u ? mask : (mask << shift) | (mask_before >> (32u - shift));
    merge_word(target, v * WEFT_VECTOR_OUTPUT_WORDS + i, joined_bits, joined_mask);
    bits_before = bits;
    mask_before = mask;
  }
#endif
}

#endif
