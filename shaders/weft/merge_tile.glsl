// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A tile of a merge: pieces of two sorted ranges, A and B, in shared memory, of which each lane takes kMergeLaneKeys
// neighbouring keys of the merge. In steps:
//   workgroup_merge_load()  both pieces, into shared memory
//   merge_path_split()      where the lane's keys begin in each
//   lane_merge_order()      from which piece each of them comes
// Then the caller walks through the lane's keys once more, and does with them what it is there for.
// merge_tile_word_a() says where they lie, so that results may take the place of keys (after a barrier, since lanes
// look at the first key of the next).
//
// The includer defines, as constants, kMergeLaneKeys, 1 to 32, and kMergeEqualFromA, as merge_path.glsl's equal_from_a.
#ifndef WEFT_MERGE_TILE_GLSL
#define WEFT_MERGE_TILE_GLSL

#include "weft/merge_path.glsl"
#include "weft/subgroup.glsl"

const uint kMergeTileKeys = kWorkgroupSize * kMergeLaneKeys;

// Pieces lie in vectors of 4 words as they do in memory, so that the vectors at their ends may have words of others.
// After them there is room for the steps of lanes that have run out of keys.
const uint kMergeVectors = (kMergeTileKeys * kKeyWords + 12u) / 4u;
const uint kMergeLoads = (kMergeVectors + kWorkgroupSize - 1u) / kWorkgroupSize;
shared uint weft_merge_words[4u * kMergeVectors + (kMergeLaneKeys + 1u) * kKeyWords];

// A piece of a range in memory: keys [first, first + count) of the `total` that lie at
// `keys`, on a boundary of 4 bytes.
struct MergePiece {
  uvec2 keys;
  uint first, count, total;
};

// Both pieces in shared memory: the positions of their first words, and their keys.
struct MergeTile {
  uint word_a, count_a;
  uint word_b, count_b;
};

uint merge_tile_word(uint word) { return weft_merge_words[word]; }
void merge_tile_store_word(uint word, uint value) { weft_merge_words[word] = value; }

// The key whose first word is at `word`.
uvec2 merge_tile_key(uint word) {
  uvec2 bits = uvec2(merge_tile_word(word), 0u);
  if (kKeyWords == 2u) bits.y = merge_tile_word(word + 1u);
  return ordered_key(bits);
}

uint merge_tile_word_a(MergeTile tile, uint a) { return tile.word_a + a * kKeyWords; }
uint merge_tile_word_b(MergeTile tile, uint b) { return tile.word_b + b * kKeyWords; }

// ---- loading ----

// The whole vectors around a piece. `head`: words before it in the first.
struct MergeVectors {
  uvec2 address;
  uint head, words, count;
};

MergeVectors merge_piece_vectors(MergePiece piece) {
  const uvec2 address = word64_add(piece.keys, word64_multiply(piece.first, 4u * kKeyWords));
  MergeVectors vectors;
  vectors.head = (address.x >> 2) & 3u;
  vectors.address = uvec2(address.x & ~15u, address.y);
  vectors.words = piece.count * kKeyWords;
  vectors.count = piece.count == 0u ? 0u : (vectors.head + vectors.words + 3u) / 4u;
  return vectors;
}

// Whether all of those vectors' words are the range's own.
bool merge_piece_has_vectors(MergePiece piece, MergeVectors vectors) {
  const uint before = min(piece.first, 4u) * kKeyWords;
  const uint behind = min(piece.total - piece.first - piece.count, 4u) * kKeyWords;
  return vectors.count == 0u || (vectors.head <= before && 4u * vectors.count - vectors.head - vectors.words <= behind);
}

void merge_piece_load_words(MergeVectors vectors, uint first_word) {
  Words source = Words(vectors.address);
  for (uint i = subgroup_index() * kSubgroupSize + subgroup_lane(); i < vectors.words; i += kWorkgroupSize)
    merge_tile_store_word(first_word + i, source.at[vectors.head + i]);
}

// Stores vector v. Every 8 lanes begin with another of its words, so that 32 neighbours
// meet in no bank of shared memory.
void merge_tile_store_vector(uint v, uvec4 words) {
  const uint turn = (v >> 3) & 3u;
  words = (turn & 1u) != 0u ? words.yzwx : words;
  words = (turn & 2u) != 0u ? words.zwxy : words;
  [[unroll]] for (uint i = 0; i < 4u; ++i) weft_merge_words[4u * v + ((i + turn) & 3u)] = words[i];
}

// Loads two pieces, which have at most kMergeTileKeys keys together. Every invocation of the workgroup calls, with the
// same arguments. Holds one barrier, after the stores.
MergeTile workgroup_merge_load(MergePiece piece_a, MergePiece piece_b) {
  const MergeVectors a = merge_piece_vectors(piece_a);
  const MergeVectors b = merge_piece_vectors(piece_b);
  const MergeTile tile = MergeTile(a.head, piece_a.count, 4u * a.count + b.head, piece_b.count);
  if (merge_piece_has_vectors(piece_a, a) && merge_piece_has_vectors(piece_b, b)) {
    // All loads first.
    const uint position = subgroup_index() * kSubgroupSize + subgroup_lane();
    uvec4 loaded[kMergeLoads];
    [[unroll]] for (uint i = 0; i < kMergeLoads; ++i) {
      const uint v = i * kWorkgroupSize + position;
      const bool from_a = v < a.count;
      const uvec2 address = from_a ? a.address : b.address;
      if (v < a.count + b.count) loaded[i] = Words4(address).at[from_a ? v : v - a.count];
    }
    [[unroll]] for (uint i = 0; i < kMergeLoads; ++i) {
      const uint v = i * kWorkgroupSize + position;
      if (v < a.count + b.count) merge_tile_store_vector(v, loaded[i]);
    }
  } else {
    merge_piece_load_words(a, tile.word_a);
    merge_piece_load_words(b, tile.word_b);
  }
  barrier();
  return tile;
}

// ---- merging ----

bool merge_path_a_first(MergeTile tile, uint a, uint b) {
  return merge_path_a_first(merge_tile_key(merge_tile_word_a(tile, a)), merge_tile_key(merge_tile_word_b(tile, b)),
                            kMergeEqualFromA);
}

WEFT_MERGE_PATH(MergeTile)

// Of the kMergeLaneKeys keys of the merge that begin with key a of A or key b of B: bit i is set where the i-th is of
// A. After the last key of both, bits are not set.
uint lane_merge_order(MergeTile tile, uint a, uint b) {
  uint word_a = merge_tile_word_a(tile, a);
  uint word_b = merge_tile_word_b(tile, b);
  const uint end_a = merge_tile_word_a(tile, tile.count_a);
  const uint end_b = merge_tile_word_b(tile, tile.count_b);
  uvec2 key_a = merge_tile_key(word_a);
  uvec2 key_b = merge_tile_key(word_b);
  uint order = 0u;
  [[unroll]] for (uint i = 0; i < kMergeLaneKeys; ++i) {
    const bool from_a =
        word_a < end_a && (word_b >= end_b || merge_path_a_first(key_a, key_b, kMergeEqualFromA));
    order |= from_a ? 1u << i : 0u;
    word_a += from_a ? kKeyWords : 0u;
    word_b += from_a ? 0u : kKeyWords;
    // At most kMergeLaneKeys keys after B's last.
    const uvec2 key = merge_tile_key(from_a ? word_a : word_b);
    key_a = from_a ? key : key_a;
    key_b = from_a ? key_b : key;
  }
  return order;
}

#endif
