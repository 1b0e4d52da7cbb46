// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Each workgroup takes one tile. The neighbours of a vector's items are the vector itself, moved by one item: what is
// missing at its end comes from the lane beside, or, at the end of a subgroup's row, from memory.
//
// u32x2 stands for integers of 8 bytes.
// kernel: TYPES u8:u8 u16:u16 u32:u32 u32x2:u32x2 f16:f16 f32:f32 f64:f64
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_OP kOpAdd
#include "weft/tile.glsl"
#include "scan/adjacent_difference.h"

layout(push_constant, std430) uniform Push { AdjacentDifferencePush push; };

#define WEFT_VECTOR_WORDS WEFT_VECTOR_INPUT_WORDS
// Of an item, or of the items that share a word.
#define WEFT_EDGE_WORDS (WEFT_ITEM_BYTES == 8 ? 2u : 1u)

// The words of a vector that its neighbour needs: those of its last item, or, where neighbours are right, of its first.
uvec2 vector_edge(uint vector[WEFT_VECTOR_WORDS]) {
  return kRight ? uvec2(vector[0], vector[WEFT_EDGE_WORDS - 1u])
                : uvec2(vector[WEFT_VECTOR_WORDS - WEFT_EDGE_WORDS], vector[WEFT_VECTOR_WORDS - 1]);
}

// The neighbour of each word's items, given the edge of the vector beside.
void vector_neighbours(uint vector[WEFT_VECTOR_WORDS], uvec2 beside, out uint neighbours[WEFT_VECTOR_WORDS]) {
  [[unroll]] for (uint i = 0; i < WEFT_VECTOR_WORDS; ++i) {
    uint other = beside[i & (WEFT_EDGE_WORDS - 1u)];
    if (kRight && i + WEFT_EDGE_WORDS < WEFT_VECTOR_WORDS) other = vector[i + WEFT_EDGE_WORDS];
    if (!kRight && i >= WEFT_EDGE_WORDS) other = vector[i - WEFT_EDGE_WORDS];
#if WEFT_ITEM_BYTES < 4
    const uint bits = 8u * WEFT_ITEM_BYTES;
    other = kRight ? (vector[i] >> bits) | (other << (32u - bits)) : (vector[i] << bits) | (other >> (32u - bits));
#endif
    neighbours[i] = other;
  }
}

#if WEFT_ITEM == WEFT_U8 || WEFT_ITEM == WEFT_U16
// Items of a word at once: borrows are kept from the next item.
uint difference(uint a, uint b) {
  return ((a | kPackedHighBits) - (b & ~kPackedHighBits)) ^ ((a ^ ~b) & kPackedHighBits);
}
#elif WEFT_ITEM == WEFT_F16
uint difference(uint a, uint b) {
  uint result = 0u;
  [[unroll]] for (uint shift = 0; shift < 32u; shift += 16u)
    result |= half_of_float(float_of_half((a >> shift) & 0xffffu) - float_of_half((b >> shift) & 0xffffu)) << shift;
  return result;
}
#elif WEFT_ITEM == WEFT_F32
uint difference(uint a, uint b) { return floatBitsToUint(uintBitsToFloat(a) - uintBitsToFloat(b)); }
#elif WEFT_ITEM == WEFT_F64
uvec2 difference(uvec2 a, uvec2 b) { return unpackDouble2x32(packDouble2x32(a) - packDouble2x32(b)); }
#elif WEFT_ITEM == WEFT_U32X2
// u64 and i64, without 64-bit integers.
uvec2 difference(uvec2 a, uvec2 b) { return word64_subtract(a, b); }
#else
uint difference(uint a, uint b) { return a - b; }
#endif

// `copied`: the item that has no neighbour, if it is one of the vector's.
void vector_differences(uint vector[WEFT_VECTOR_WORDS], uvec2 beside, uint copied, out uint result[WEFT_VECTOR_WORDS]) {
  uint neighbours[WEFT_VECTOR_WORDS];
  vector_neighbours(vector, beside, neighbours);
#if WEFT_ITEM_BYTES == 8
  [[unroll]] for (uint i = 0; i < WEFT_VECTOR_WORDS; i += 2u) {
    const uvec2 of_item = difference(uvec2(vector[i], vector[i + 1u]), uvec2(neighbours[i], neighbours[i + 1u]));
    result[i] = of_item.x;
    result[i + 1u] = of_item.y;
  }
#else
  [[unroll]] for (uint i = 0; i < WEFT_VECTOR_WORDS; ++i) result[i] = difference(vector[i], neighbours[i]);
#endif
  if (copied >= WEFT_VECTOR_ITEMS) return;
  [[unroll]] for (uint i = 0; i < WEFT_VECTOR_WORDS; ++i) {
    const uint byte = copied * WEFT_ITEM_BYTES - 4u * i;
#if WEFT_ITEM_BYTES < 4
    const uint mask = byte < 4u ? ((1u << (8u * WEFT_ITEM_BYTES)) - 1u) << (8u * byte) : 0u;
#else
    const uint mask = 4u * i / WEFT_ITEM_BYTES == copied ? ~0u : 0u;
#endif
    result[i] = (result[i] & ~mask) | (vector[i] & mask);
  }
}

struct Tile {
  uvec2 source;
  uvec2 target;
  uvec2 present;
  bool has_left;   // items before it
  bool has_right;  // items after it
};

// Of a subgroup's vectors the one whose neighbour no lane has.
const uint kEdgeLane = kRight ? kSubgroupSize - 1u : 0u;

// What the edge lane reads beside its vector v.
uvec2 tile_edge(Tile tile, uint v) {
  const uint first = v * WEFT_VECTOR_ITEMS, end = first + WEFT_VECTOR_ITEMS;
  const bool there = kRight ? end < tile.present.y || (tile.has_right && end == kTileItems)
                            : first < tile.present.y && (first > tile.present.x || tile.has_left);
  if (subgroup_lane() != kEdgeLane || !there) return uvec2(0u);
  Words words = Words(kRight ? word64_add(tile.source, 4u * WEFT_VECTOR_WORDS)
                             : word64_subtract(tile.source, uvec2(4u * WEFT_EDGE_WORDS, 0u)));
  const uint word = v * WEFT_VECTOR_WORDS;
  return uvec2(words.at[word], words.at[word + WEFT_EDGE_WORDS - 1u]);
}

void main() {
  const TileRange range = tile_range(count_of(push.count, push.count_words, push.count_value), push.head);
  const uint number = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (!tile_exists(range, number)) return;
  const Tile tile = Tile(tile_input_address(push.items, range, number), tile_input_address(push.outputs, range, number),
                         tile_present(range, number), number != 0u, tile_exists(range, number + 1u));
  const bool loadable = tile_is_loadable(tile.source, tile.present);
  const bool storable = tile_is_full(tile.present) && tile_output_is_aligned(tile.target);

  [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
    const uint v = tile_vector(row), first = v * WEFT_VECTOR_ITEMS;
    uint vector[WEFT_VECTOR_WORDS];
    if (loadable)
      vector_unpack(TileVectors(tile.source).at[v], vector);
    else
      tile_load_vector(tile.source, tile.present, v, vector);
    uvec2 beside = tile_edge(tile, v);
    const bool at_edge = subgroup_lane() == kEdgeLane;
    const uvec2 own = vector_edge(vector);
    [[unroll]] for (uint i = 0; i < WEFT_EDGE_WORDS; ++i) {
      const uint word = kRight ? subgroup_shuffle_down(own[i], 1u) : subgroup_shuffle_up(own[i], 1u);
      if (!at_edge) beside[i] = word;
    }
    uint copied = WEFT_VECTOR_ITEMS;
    if (kRight && !tile.has_right) copied = tile.present.y - 1u - first;
    if (!kRight && !tile.has_left) copied = tile.present.x - first;
    uint result[WEFT_VECTOR_WORDS];
    vector_differences(vector, beside, copied, result);
    if (storable)
      tile_store_vector(tile.target, v, result);
    else
      tile_store_present(tile.target, v, tile.present, result);
  }
}
