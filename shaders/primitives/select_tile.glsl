// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Selection inside a tile: which items go to which side, their ranks, and moving them to where the items before the tile end.
//
// Items are tested vector by vector, and the answers held as bits. Ranks follow from counts of bits, scanned row by row across a
// subgroup's lanes and then across subgroups. Items go through shared memory in the order of their ranks, so that what is
// written to each side is one contiguous piece; where what is moved is not what was tested, their places in the tile do, and the
// items are read from there.
//
// Counts are relative to a chunk of at most 2^31 items, so that they and what look-back posts are single words; what came before
// the chunk is carried in 64 bits.
//
// Variants: WEFT_ITEM, what is tested: u8, u16, u32, u32x2 for all of 8 bytes, bits, or struct for a member of a struct.
// WEFT_ACCUMULATOR: u32 for one or two sides, counts for three.
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_SELECT_TILE_GLSL
#define WEFT_SELECT_TILE_GLSL

#include "weft/workgroup_scan.glsl"
#include "primitives/select.h"

#if WEFT_ITEM == WEFT_BITS || WEFT_ITEM == WEFT_STRUCT

layout(constant_id = 3) const uint kRows = 4;
#if WEFT_ITEM == WEFT_BITS
#define WEFT_SELECT_VECTOR 32
#else
#define WEFT_SELECT_VECTOR 1
#endif
const uint kTileItems = kWorkgroupSize * kRows * WEFT_SELECT_VECTOR;
#include "weft/tile_range.glsl"
uint tile_vector(uint row) { return (subgroup_index() * kRows + row) * kSubgroupSize + subgroup_lane(); }

#else

#define WEFT_VECTOR_BY_ITEM
#include "weft/tile.glsl"
#define WEFT_SELECT_VECTOR WEFT_VECTOR_ITEMS

#endif

// A lane's items are single bits of a word: kRows * WEFT_SELECT_VECTOR is at most 32, and kRows at most 4.
const uint kVectorMask = WEFT_SELECT_VECTOR == 32 ? ~0u : (1u << (WEFT_SELECT_VECTOR & 31)) - 1u;

layout(constant_id = 7) const uint kTest = 0;
const uint kTestRange = 0, kTestBits = 1, kTestRunHead = 2;
layout(constant_id = 8) const uint kOrder = 0;
const uint kOrderUnsigned = 0, kOrderSigned = 1, kOrderFloat = 2;
layout(constant_id = 9) const uint kMove = 1;
const uint kMoveTested = 1, kMoveGathered = 2;  // bits
const bool kMovesTested = (kMove & kMoveTested) != 0u;
const bool kGathers = (kMove & kMoveGathered) != 0u;
layout(constant_id = 10) const uint kMovedBytes = 4;  // gathered: 1, 2 or a multiple of 4
layout(constant_id = 11) const uint kIndexWords = 0;  // 0: no indices are written
layout(constant_id = 12) const bool kTwoSides = false;
layout(constant_id = 13) const uint kStride = 4;       // struct: bytes, a multiple of 4
layout(constant_id = 14) const uint kMember = 0;       // struct: where the member begins
layout(constant_id = 15) const uint kMemberBytes = 4;  // struct: 1, 2, 4 or 8; run heads: or any multiple of 4

layout(push_constant, std430) uniform Push { SelectPush push; };

const bool kThreeSides = WEFT_ACCUMULATOR == WEFT_COUNTS;
const bool kSplits = kTwoSides || kThreeSides;

TileRange select_range() {
  return tile_range(count_of(push.count, (push.flags & kSelectCountIsWide) != 0u ? 2u : 1u, push.count_value),
                    push.flags >> 8);
}

// A tile, by its place in the chunk.
struct SelectTile {
  uvec2 source;
  uvec2 present;  // places of the tile's items that are there
  uint index;     // of the tile in the whole range
  bool fast;      // its vectors are loaded as such
};

bool select_tile_exists(TileRange range, uint tile) {
  return tile < push.chunk_tiles && tile_exists(range, push.first_tile + tile);
}

SelectTile select_tile_of(TileRange range, uint tile) {
  SelectTile result;
  result.index = push.first_tile + tile;
  result.present = tile_present(range, result.index);
#if WEFT_ITEM == WEFT_BITS
  result.source = word64_add(push.items, word64_multiply(result.index, kTileItems / 8u));
  result.fast = false;
#elif WEFT_ITEM == WEFT_STRUCT
  // 64 by 32 bits: a stride times items of all tiles before.
  const uvec2 first = word64_multiply(result.index, kTileItems);
  result.source = word64_add(push.items, word64_add(word64_multiply(first.x, kStride), uvec2(0u, first.y * kStride)));
  result.fast = false;
#else
  result.source = tile_input_address(push.items, range, result.index);
  result.fast = tile_is_loadable(result.source, result.present);
#endif
  return result;
}

// ---- testing ----

// Bit k of either: item k goes to the first side, to the second of three.
struct SelectMasks {
  uint first;
  uint second;
};

#if WEFT_ITEM != WEFT_BITS

#if WEFT_ITEM == WEFT_STRUCT || WEFT_ITEM_BYTES == 8
#define SelectKey uvec2
SelectKey key_from(uvec2 bits) { return bits; }
bool key_less(uvec2 a, uvec2 b) { return word64_less(a, b); }
uvec2 key_subtract(uvec2 a, uvec2 b) { return word64_subtract(a, b); }
uvec2 key_sign(uint bytes) { return bytes == 8u ? uvec2(0u, 0x80000000u) : uvec2(1u << (8u * bytes - 1u), 0u); }
uvec2 key_below(uvec2 sign) { return word64_subtract(sign, uvec2(1u, 0u)); }
#else
#define SelectKey uint
SelectKey key_from(uvec2 bits) { return bits.x; }
bool key_less(uint a, uint b) { return a < b; }
uint key_subtract(uint a, uint b) { return a - b; }
uint key_sign(uint bytes) { return 1u << (8u * bytes - 1u); }
uint key_below(uint sign) { return sign - 1u; }
#endif

#if WEFT_ITEM == WEFT_STRUCT
const uint kKeyBytes = kMemberBytes;
#else
const uint kKeyBytes = WEFT_ITEM_BYTES;
#endif

// Keys order as unsigned numbers as items do; floats by IEEE totalOrder.
SelectKey key_of(uvec2 bits) {
  const SelectKey key = key_from(bits);
  if (kOrder == kOrderUnsigned) return key;
  const SelectKey sign = key_sign(kKeyBytes);
  if (kOrder == kOrderSigned) return key ^ sign;
  return key ^ ((key & sign) != SelectKey(0u) ? key_below(sign) | sign : sign);
}

// 0: first side, 1: second, 2: third. Of one or two sides the second is what is not kept.
uint select_side(uvec2 bits) {
  const SelectKey low = key_from(push.low);
  const SelectKey span = key_from(push.span);
  if (kThreeSides) {
    const SelectKey key = key_of(bits);
    return key_less(key, low) ? 0u : key_less(span, key) ? 2u : 1u;
  }
  bool passes;
  if (kTest == kTestBits)
    passes = (key_from(bits) & low) == span;
  else
    passes = !key_less(span, key_subtract(key_of(bits), low));
  return passes != ((push.flags & kSelectInverted) != 0u) ? 0u : 1u;
}

#ifdef WEFT_OWN_SNIPPET

uvec2 call_a() { return push.low; }
uvec2 call_b() { return push.span; }

// An item of one or two words.
#if WEFT_ITEM != WEFT_STRUCT
Item own_item_of(uvec2 bits) {
  uint words[WEFT_ITEM_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ITEM_WORDS; ++i) words[i] = bits[i];
  return own_item(words);
}
Item own_item_of(uint bits) { return own_item_of(uvec2(bits, 0u)); }
#endif

#ifdef WEFT_OWN_UNIQUE
bool own_differs(Item a, Item b) { return !same(a, b); }
#else
bool own_keeps(Item item) { return keep(item); }
#endif

#endif

#if defined(WEFT_OWN_SNIPPET) && !defined(WEFT_OWN_UNIQUE)
#if WEFT_ITEM != WEFT_STRUCT
#define WEFT_SELECT_SIDE(bits) (own_keeps(own_item_of(bits)) ? 0u : 1u)
#endif
#else
#define WEFT_SELECT_SIDE(bits) select_side(bits)
#endif

void select_mark(uint side, uint k, inout SelectMasks masks) {
  masks.first |= side == 0u ? 1u << k : 0u;
  if (kThreeSides) masks.second |= side == 1u ? 1u << k : 0u;
}

#endif

#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT

#if WEFT_ITEM_BYTES == 8
#define SelectBefore uvec2
SelectBefore vector_last(uint words[WEFT_VECTOR_INPUT_WORDS]) { return uvec2(words[2], words[3]); }
#else
#define SelectBefore uint  // the word before a vector; its highest item is the one before
SelectBefore vector_last(uint words[WEFT_VECTOR_INPUT_WORDS]) { return words[WEFT_VECTOR_INPUT_WORDS - 1]; }
#endif

// Bit k: item k differs from the one before it.
uint vector_run_heads(uint words[WEFT_VECTOR_INPUT_WORDS], SelectBefore before) {
  uint heads = 0u;
#ifdef WEFT_OWN_UNIQUE
  Item last = own_item_of(before);
  [[unroll]] for (uint k = 0; k < WEFT_SELECT_VECTOR; ++k) {
    const Item item = own_item_of(vector_bits(words, k));
    heads |= own_differs(last, item) ? 1u << k : 0u;
    last = item;
  }
#elif WEFT_ITEM_BYTES == 8
  heads |= uvec2(words[0], words[1]) != before ? 1u : 0u;
  heads |= words[2] != words[0] || words[3] != words[1] ? 2u : 0u;
#else
  uint last = before;
  [[unroll]] for (uint i = 0; i < WEFT_VECTOR_INPUT_WORDS; ++i) {
#if WEFT_ITEM_BYTES == 4
    heads |= words[i] != last ? 1u << i : 0u;
#elif WEFT_ITEM_BYTES == 2
    const uint differ = words[i] ^ ((words[i] << 16) | (last >> 16));
    heads |= ((differ & 0xffffu) != 0u ? 1u : 0u) << (2 * i);
    heads |= ((differ >> 16) != 0u ? 2u : 0u) << (2 * i);
#else
    // The highest bit of each byte that is not zero, then the four moved together.
    const uint differ = words[i] ^ ((words[i] << 8) | (last >> 24));
    const uint high = (differ | ((differ & 0x7f7f7f7fu) + 0x7f7f7f7fu)) >> 7;
    heads |= ((((high & 0x01010101u) * 0x01020408u) >> 24) & 15u) << (4 * i);
#endif
    last = words[i];
  }
#endif
  return heads;
}

SelectMasks vector_masks(uint words[WEFT_VECTOR_INPUT_WORDS], SelectBefore before) {
  SelectMasks masks = SelectMasks(0u, 0u);
  if (kTest == kTestRunHead) {
    masks.first = vector_run_heads(words, before);
  } else {
    [[unroll]] for (uint k = 0; k < WEFT_SELECT_VECTOR; ++k) select_mark(WEFT_SELECT_SIDE(vector_bits(words, k)), k, masks);
  }
  return masks;
}

// The word before vector v; 0 where there is none. Only for run heads.
SelectBefore select_before(SelectTile tile, uint v) {
  SelectBefore before = SelectBefore(0u);
  if (v == 0u && tile.index == 0u) return before;
  const uint words = WEFT_ITEM_BYTES == 8 ? 2u : 1u;
  // Past the head there is an item in front of the vector; its word lies before the vector's.
  if (tile.index == 0u && v * WEFT_SELECT_VECTOR <= tile.present.x) return before;
  Words source = Words(word64_subtract(word64_add(tile.source, word64_multiply(v, WEFT_VECTOR_INPUT_WORDS * 4u)),
                                       uvec2(words * 4u, 0u)));
#if WEFT_ITEM_BYTES == 8
  before = uvec2(source.at[0], source.at[1]);
#else
  before = source.at[0];
#endif
  return before;
}

void select_mask_row(TileVector packed, uint row, inout SelectBefore carried, inout SelectMasks masks) {
  uint words[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, words);
  SelectBefore before = SelectBefore(0u);
  if (kTest == kTestRunHead) {
    const SelectBefore rotated = subgroup_shuffle(vector_last(words), (subgroup_lane() - 1u) & (kSubgroupSize - 1u));
    before = subgroup_lane() == 0u ? carried : rotated;
    carried = rotated;
  }
  const SelectMasks own = vector_masks(words, before);
  masks.first |= own.first << (row * WEFT_SELECT_VECTOR & 31u);
  if (kThreeSides) masks.second |= own.second << (row * WEFT_SELECT_VECTOR & 31u);
}

#define WEFT_FOR_SELECT_ROWS(DO) DO(0) DO(1) DO(2) DO(3)

SelectMasks select_masks_of_words(SelectTile tile, TileWords words) {
  SelectMasks masks = SelectMasks(0u, 0u);
  SelectBefore carried = SelectBefore(0u);
  if (kTest == kTestRunHead && subgroup_lane() == 0u) carried = select_before(tile, tile_vector(0u));
#define WEFT_MASK_ROW(i) \
  if (i < kRows) select_mask_row(words.row_##i, i, carried, masks);
  WEFT_FOR_SELECT_ROWS(WEFT_MASK_ROW)
#undef WEFT_MASK_ROW
  if (kTest == kTestRunHead && tile.index == 0u && tile_vector(0u) == 0u) masks.first |= 1u;
  return masks;
}

#endif

// The places of a vector's items that are there, as bits.
uint select_present(SelectTile tile, uint v) {
  const uint first = v * WEFT_SELECT_VECTOR;
  const uint begin = tile.present.x - min(first, tile.present.x);
  const uint end = min(tile.present.y - min(first, tile.present.y), WEFT_SELECT_VECTOR);
  if (begin >= end) return 0u;
  return (end == 32u ? ~0u : (1u << end) - 1u) & ~((1u << begin) - 1u);
}

#if WEFT_ITEM == WEFT_STRUCT

uvec2 select_member(SelectTile tile, uint place) {
  const uint byte = place * kStride + kMember;
  Words source = Words(tile.source);
  const uint word = source.at[byte >> 2];
  if (kMemberBytes == 8u) return uvec2(word, source.at[(byte >> 2) + 1u]);
  return uvec2(kMemberBytes >= 4u ? word : (word >> (8u * (byte & 3u))) & ((1u << (8u * (kMemberBytes & 3u))) - 1u), 0u);
}

#ifdef WEFT_OWN_SNIPPET
// The item `before` items before the one at `place`.
Item select_own_item(SelectTile tile, uint place, uint before) {
  const uvec2 address = word64_add(tile.source, word64_multiply(place, kStride));
  Words source = Words(word64_subtract(address, uvec2(before * kStride, 0u)));
  uint words[WEFT_ITEM_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ITEM_WORDS; ++i) words[i] = source.at[i];
  return own_item(words);
}
#endif

bool select_member_is_run_head(SelectTile tile, uint place) {
  if (tile.index == 0u && place == 0u) return true;
#ifdef WEFT_OWN_UNIQUE
  return own_differs(select_own_item(tile, place, 1u), select_own_item(tile, place, 0u));
#else
  Words item = Words(word64_add(tile.source, word64_multiply(place, kStride)));
  Words before = Words(word64_subtract(word64_add(tile.source, word64_multiply(place, kStride)), uvec2(kStride, 0u)));
  if (kMemberBytes < 4u) {
    const uint mask = ((1u << (8u * (kMemberBytes & 3u))) - 1u) << (8u * (kMember & 3u));
    return ((item.at[kMember >> 2] ^ before.at[kMember >> 2]) & mask) != 0u;
  }
  bool differs = false;
  for (uint i = 0u; i < kMemberBytes / 4u; ++i)
    differs = differs || item.at[kMember / 4u + i] != before.at[kMember / 4u + i];
  return differs;
#endif
}

#endif

// Row by row, for any tile.
SelectMasks select_masks_by_rows(SelectTile tile) {
  SelectMasks masks = SelectMasks(0u, 0u);
  [[dont_unroll]] for (uint row = 0u; row < kRows; ++row) {
    const uint v = tile_vector(row);
    const uint present = select_present(tile, v);
    SelectMasks own = SelectMasks(0u, 0u);
#if WEFT_ITEM == WEFT_BITS
    if (present != 0u) own.first = Words(tile.source).at[v];
    if ((push.flags & kSelectInverted) != 0u) own.first = ~own.first;
#elif WEFT_ITEM == WEFT_STRUCT
    if (present != 0u) {
      if (kTest == kTestRunHead)
        own.first = select_member_is_run_head(tile, v) ? 1u : 0u;
      else
#if defined(WEFT_OWN_SNIPPET) && !defined(WEFT_OWN_UNIQUE)
        select_mark(own_keeps(select_own_item(tile, v, 0u)) ? 0u : 1u, 0u, own);
#else
        select_mark(select_side(select_member(tile, v)), 0u, own);
#endif
    }
#else
    uint words[WEFT_VECTOR_INPUT_WORDS];
    tile_load_vector(tile.source, tile.present, v, words);
    SelectBefore before = SelectBefore(0u);
    if (kTest == kTestRunHead && present != 0u) before = select_before(tile, v);
    own = vector_masks(words, before);
    // The first item of all.
    if (kTest == kTestRunHead && tile.index == 0u && tile.present.x - v * WEFT_SELECT_VECTOR < WEFT_SELECT_VECTOR)
      own.first |= 1u << (tile.present.x - v * WEFT_SELECT_VECTOR);
#endif
    masks.first |= (own.first & present) << (row * WEFT_SELECT_VECTOR & 31u);
    if (kThreeSides) masks.second |= (own.second & present) << (row * WEFT_SELECT_VECTOR & 31u);
  }
  return masks;
}

#if WEFT_ITEM == WEFT_BITS || WEFT_ITEM == WEFT_STRUCT

// What a lane holds of a tile; nothing.
struct SelectWords {
  uint none;
};
void select_fetch(SelectTile tile, inout SelectWords words) {}
SelectMasks select_masks(SelectTile tile, SelectWords words) { return select_masks_by_rows(tile); }

#else

#define SelectWords TileWords
void select_fetch(SelectTile tile, inout TileWords words) {
  if (tile.fast) tile_load(tile.source, words);
}
SelectMasks select_masks(SelectTile tile, TileWords words) {
  if (tile.fast) return select_masks_of_words(tile, words);
  return select_masks_by_rows(tile);
}

#endif

// ---- ranks ----

#if WEFT_ACCUMULATOR == WEFT_COUNTS
Accumulator select_counts(SelectMasks masks) { return uvec2(bitCount(masks.first), bitCount(masks.second)); }
uint first_count(uvec2 counts) { return counts.x; }
uint second_count(uvec2 counts) { return counts.y; }
#else
Accumulator select_counts(SelectMasks masks) { return bitCount(masks.first); }
uint first_count(uint counts) { return counts; }
uint second_count(uint counts) { return 0u; }
#endif

// How many items of a tile go to each side, on all invocations.
Accumulator select_aggregate(SelectTile tile, uint slot) {
  SelectWords words;
  select_fetch(tile, words);
  return workgroup_reduce(select_counts(select_masks(tile, words)), slot);
}

Accumulator select_aggregate_by_rows(SelectTile tile, uint slot) {
  return workgroup_reduce(select_counts(select_masks_by_rows(tile)), slot);
}

// How many of a mask's items lie in the subgroup before this lane's in each row, rows 0 and 1 in the halves of x, 2 and 3 in y.
// Rows before count too.
uvec2 subgroup_row_ranks(uint mask, out uint total) {
  uint counts[4];
  [[unroll]] for (uint row = 0; row < 4; ++row)
    counts[row] = row < kRows ? bitCount((mask >> (row * WEFT_SELECT_VECTOR & 31u)) & kVectorMask) : 0u;
  const uvec2 own = uvec2(counts[0] | counts[1] << 16, counts[2] | counts[3] << 16);
  uvec2 inclusive = uvec2(subgroup_inclusive_add(own.x), 0u);
  if (kRows > 2) inclusive.y = subgroup_inclusive_add(own.y);
  const uint low = subgroup_shuffle(inclusive.x, kSubgroupSize - 1u);
  uint high = 0u;
  if (kRows > 2) high = subgroup_shuffle(inclusive.y, kSubgroupSize - 1u);
  const uint two = (low & 0xffffu) + (low >> 16);
  total = two + (high & 0xffffu) + (high >> 16);
  return inclusive - own + uvec2(low << 16, two | (two + (high & 0xffffu)) << 16);
}

uint row_rank(uvec2 ranks, uint row) { return ((row < 2u ? ranks.x : ranks.y) >> (16u * (row & 1u))) & 0xffffu; }

struct SelectRanks {
  uvec2 first;   // of subgroup_row_ranks
  uvec2 second;
  Accumulator before;  // of the subgroups before
  Accumulator total;   // of the tile
};

SelectRanks select_ranks(SelectMasks masks) {
  SelectRanks ranks;
  uint first, second = 0u;
  ranks.first = subgroup_row_ranks(masks.first, first);
#if WEFT_ACCUMULATOR == WEFT_COUNTS
  ranks.second = subgroup_row_ranks(masks.second, second);
  ranks.before = workgroup_exclusive_of_subgroups(uvec2(first, second), 0u, ranks.total);
#else
  ranks.second = uvec2(0u);
  ranks.before = workgroup_exclusive_of_subgroups(first, 0u, ranks.total);
#endif
  return ranks;
}

// ---- moving, through shared memory ----

#if WEFT_ITEM == WEFT_U32X2
const uint kStagedWords = 2;
#else
const uint kStagedWords = 1;
#endif
const uint kStageCapacity = kTileItems * kStagedWords < 4096u ? kTileItems * kStagedWords : 4096u;
shared uint weft_select_stage[kStageCapacity];

// Entries that fit at a time: values take kStagedWords words, places in the tile one.
uint stage_entries(bool values) { return values ? kStageCapacity / kStagedWords : kStageCapacity; }

uint select_staged(SelectTile tile, SelectRanks ranks) {
  return kSplits ? tile.present.y - tile.present.x : first_count(ranks.total);
}

// Stages what this lane holds of a row, as far as its position is in the round that begins at `from`.
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
void select_stage_row(SelectTile tile, SelectMasks masks, SelectRanks ranks, uint row, bool values, uint from,
                      uint words[WEFT_VECTOR_INPUT_WORDS]) {
#else
void select_stage_row(SelectTile tile, SelectMasks masks, SelectRanks ranks, uint row, bool values, uint from) {
#endif
  const uint v = tile_vector(row);
  const uint shift = row * WEFT_SELECT_VECTOR & 31u;
  const uint first = (masks.first >> shift) & kVectorMask;
  const uint second = (masks.second >> shift) & kVectorMask;
  uint rank_first = first_count(ranks.before) + row_rank(ranks.first, row);
  uint rank_second = second_count(ranks.before) + row_rank(ranks.second, row);
  const uint entries = stage_entries(values);
  const bool all_fit = kTileItems <= entries;
  uint present = kVectorMask;
  if (kSplits && !tile.fast) present = select_present(tile, v);
  [[unroll]] for (uint k = 0; k < WEFT_SELECT_VECTOR; ++k) {
    const bool in_first = ((first >> k) & 1u) != 0u;
    const bool in_second = kThreeSides && ((second >> k) & 1u) != 0u;
    uint position = rank_first;
    bool takes_part = in_first;
    if (kSplits) {
      const uint place = v * WEFT_SELECT_VECTOR + k - tile.present.x;
      const uint others = first_count(ranks.total) + second_count(ranks.total);
      if (!in_first) position = others + place - rank_first - rank_second;
      if (in_second) position = first_count(ranks.total) + rank_second;
      takes_part = ((present >> k) & 1u) != 0u;
    }
    const uint slot = position - from;
    if (takes_part && (all_fit || slot < entries)) {
#if WEFT_ITEM == WEFT_U32X2
      if (values) {
        weft_select_stage[2u * slot] = words[2u * k];
        weft_select_stage[2u * slot + 1u] = words[2u * k + 1u];
      } else {
        weft_select_stage[slot] = v * WEFT_SELECT_VECTOR + k;
      }
#elif WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
      weft_select_stage[slot] = values ? vector_bits(words, k).x : v * WEFT_SELECT_VECTOR + k;
#else
      weft_select_stage[slot] = v * WEFT_SELECT_VECTOR + k;
#endif
    }
    rank_first += in_first ? 1u : 0u;
    rank_second += in_second ? 1u : 0u;
  }
}

void select_stage(SelectTile tile, SelectWords words, SelectMasks masks, SelectRanks ranks, bool values, uint from) {
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  if (values && tile.fast) {
#define WEFT_STAGE_ROW(i)                                                  \
  if (i < kRows) {                                                         \
    vector_unpack(words.row_##i, vector);                                  \
    select_stage_row(tile, masks, ranks, i, true, from, vector);           \
  }
    WEFT_FOR_SELECT_ROWS(WEFT_STAGE_ROW)
#undef WEFT_STAGE_ROW
    return;
  }
  [[dont_unroll]] for (uint row = 0u; row < kRows; ++row) {
    if (values) tile_load_vector(tile.source, tile.present, tile_vector(row), vector);
    select_stage_row(tile, masks, ranks, row, values, from, vector);
  }
#else
  [[dont_unroll]] for (uint row = 0u; row < kRows; ++row) select_stage_row(tile, masks, ranks, row, false, from);
#endif
}

// Writes `count` staged values, from entry `from` of the stage on.
void select_flush_values(uvec2 target, uint from, uint count) {
#if WEFT_ITEM == WEFT_U8 || WEFT_ITEM == WEFT_U16
  const uint per_word = 4u / WEFT_ITEM_BYTES;
  const uint shift = (target.x & 3u) / WEFT_ITEM_BYTES;
  Words words = Words(uvec2(target.x & ~3u, target.y));
  for (uint i = gl_LocalInvocationIndex; i < (shift + count + per_word - 1u) / per_word; i += kWorkgroupSize) {
    uint bits = 0u;
    uint mask = 0u;
    [[unroll]] for (uint k = 0; k < per_word; ++k) {
      const uint entry = i * per_word + k - shift;
      if (entry < count) {
        bits |= weft_select_stage[from + entry] << (8u * WEFT_ITEM_BYTES * k);
        mask |= ((1u << (8u * WEFT_ITEM_BYTES)) - 1u) << (8u * WEFT_ITEM_BYTES * k);
      }
    }
    merge_word(words, i, bits, mask);
  }
#else
  Words words = Words(target);
  for (uint i = gl_LocalInvocationIndex; i < count * kStagedWords; i += kWorkgroupSize)
    words.at[i] = weft_select_stage[from * kStagedWords + i];
#endif
}

// Writes the indices of `count` items whose places in the tile are staged; `first` is the index of place 0.
void select_flush_indices(uvec2 target, uint from, uint count, uvec2 first) {
  Words words = Words(target);
  for (uint i = gl_LocalInvocationIndex; i < count; i += kWorkgroupSize) {
    const uvec2 index = word64_add(first, weft_select_stage[from + i]);
    words.at[i * kIndexWords] = index.x;
    if (kIndexWords == 2u) words.at[2u * i + 1u] = index.y;
  }
}

// Copies `count` items whose places in the tile are staged; `source` is where place 0 lies.
void select_flush_gathered(uvec2 target, uint from, uint count, uvec2 source) {
  if (kMovedBytes >= 4u) {
    Words words = Words(target);
    const uint per_item = kMovedBytes / 4u;
    for (uint i = gl_LocalInvocationIndex; i < count * per_item; i += kWorkgroupSize) {
      const uint item = i / per_item;
      const uint byte = weft_select_stage[from + item] * kMovedBytes + (i - item * per_item) * 4u;
      words.at[i] = Words(word64_add(source, byte)).at[0];
    }
  } else {
    const uint bytes = kMovedBytes & 3u;
    const uint per_word = bytes == 2u ? 2u : 4u;
    const uint item_mask = (1u << (8u * bytes)) - 1u;
    const uint shift = (target.x & 3u) / bytes;
    Words words = Words(uvec2(target.x & ~3u, target.y));
    for (uint i = gl_LocalInvocationIndex; i < (shift + count + per_word - 1u) / per_word; i += kWorkgroupSize) {
      uint bits = 0u;
      uint mask = 0u;
      for (uint k = 0u; k < per_word; ++k) {
        const uint entry = i * per_word + k - shift;
        if (entry < count) {
          const uvec2 address = word64_add(source, weft_select_stage[from + entry] * bytes);
          const uint word = Words(uvec2(address.x & ~3u, address.y)).at[0];
          bits |= ((word >> (8u * (address.x & 3u))) & item_mask) << (8u * bytes * k);
          mask |= item_mask << (8u * bytes * k);
        }
      }
      merge_word(words, i, bits, mask);
    }
  }
}

// 64 by 32 bits.
uvec2 word64_times(uvec2 a, uint b) { return word64_add(word64_multiply(a.x, b), uvec2(0u, a.y * b)); }

// Where a tile's items go: how many of the whole range lie before it on each side.
struct SelectTargets {
  uvec2 first, second, third;
  uvec2 first_place;  // index of the tile's place 0; below zero where tile 0 has a head
};

void select_flush_side(SelectTile tile, SelectTargets targets, uint pass, uvec2 out_address, uvec2 index_address,
                       uvec2 before, uint begin, uint end, uint from, uint entries) {
  // The part of [begin, end) that is in the round.
  const uint lower = max(begin, from);
  const uint upper = min(end, from + entries);
  if (lower >= upper) return;
  const uvec2 at = word64_add(before, lower - begin);
  const uint count = upper - lower;
  if (pass == 0u) {
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
    select_flush_values(word64_add(out_address, word64_times(at, WEFT_ITEM_BYTES)), lower - from, count);
#endif
  } else {
    if (kIndexWords != 0u)
      select_flush_indices(word64_add(index_address, word64_times(at, kIndexWords * 4u)), lower - from, count,
                           targets.first_place);
    // Of one side, gathered items go to the second output where tested ones go to the first.
    const uvec2 target = kMovesTested ? push.out_1 : out_address;
    if (kGathers)
      select_flush_gathered(
          word64_add(target, word64_times(at, kMovedBytes)), lower - from, count,
          word64_add(push.moved, word64_times(targets.first_place, kMovedBytes)));
  }
}

void select_flush(SelectTile tile, SelectRanks ranks, SelectTargets targets, uint pass, uint from) {
  const uint entries = stage_entries(pass == 0u);
  const uint first = first_count(ranks.total);
  const uint second = first + second_count(ranks.total);
  select_flush_side(tile, targets, pass, push.out_0, push.indices_0, targets.first, 0u, first, from, entries);
  if (kThreeSides)
    select_flush_side(tile, targets, pass, push.out_1, push.indices_1, targets.second, first, second, from, entries);
  if (kTwoSides)
    select_flush_side(tile, targets, pass, push.out_1, push.indices_1, targets.third, second,
                      select_staged(tile, ranks), from, entries);
  if (kThreeSides)
    select_flush_side(tile, targets, pass, push.out_2, push.indices_2, targets.third, second,
                      select_staged(tile, ranks), from, entries);
}

const uint kFirstPass = kMovesTested ? 0u : 1u;
const uint kPasses = kGathers || kIndexWords != 0u ? 2u : 1u;

// Stages the first entries of the first pass: what may be done before the tile's targets are known.
void select_stage_first(SelectTile tile, SelectWords words, SelectMasks masks, SelectRanks ranks) {
  select_stage(tile, words, masks, ranks, kFirstPass == 0u, 0u);
}

// The rest. A barrier lies between select_stage_first() and this.
void select_finish(SelectTile tile, SelectWords words, SelectMasks masks, SelectRanks ranks, SelectTargets targets) {
  const uint staged = select_staged(tile, ranks);
  [[unroll]] for (uint pass = 0u; pass < 2u; ++pass) {
    if (pass < kFirstPass || pass >= kPasses) continue;
    const uint entries = stage_entries(pass == 0u);
    for (uint from = 0u; from == 0u || (kTileItems > entries && from < staged); from += entries) {
      if (from != 0u || pass != kFirstPass) {
        barrier();
        select_stage(tile, words, masks, ranks, pass == 0u, from);
        barrier();
      }
      select_flush(tile, ranks, targets, pass, from);
    }
  }
}

// ---- chunks ----

uint select_carry_from() { return (push.flags & kSelectOddChunk) != 0u ? 4u : 0u; }

// How many items before the chunk went to the first and, of three, to the second side.
void select_carried(out uvec2 first, out uvec2 second) {
  first = uvec2(0u);
  second = uvec2(0u);
  if (push.first_tile == 0u) return;
  Words carry = Words(push.scratch);
  const uint from = select_carry_from();
  first = uvec2(carry.at[from], carry.at[from + 1u]);
  second = uvec2(carry.at[from + 2u], carry.at[from + 3u]);
}

// From the counts of the chunk's tiles before this one.
SelectTargets select_targets(TileRange range, SelectTile tile, Accumulator prefix) {
  SelectTargets targets;
  select_carried(targets.first, targets.second);
  targets.first = word64_add(targets.first, first_count(prefix));
  targets.second = word64_add(targets.second, second_count(prefix));
  targets.first_place = word64_subtract(word64_multiply(tile.index, kTileItems), uvec2(range.head, 0u));
  const uvec2 before = word64_add(targets.first_place, tile.present.x);
  targets.third = word64_subtract(word64_subtract(before, targets.first), targets.second);
  return targets;
}

void select_write_counts(uvec2 first, uvec2 second, uvec2 third) {
  Words counts = Words(push.counts);
  if ((push.flags & kSelectCountsAreWide) != 0u) {
    counts.at[0] = first.x;
    counts.at[1] = first.y;
    if (kSplits) {
      counts.at[2] = kThreeSides ? second.x : third.x;
      counts.at[3] = kThreeSides ? second.y : third.y;
    }
    if (kThreeSides) {
      counts.at[4] = third.x;
      counts.at[5] = third.y;
    }
  } else {
    counts.at[0] = first.x;
    if (kSplits) counts.at[1] = kThreeSides ? second.x : third.x;
    if (kThreeSides) counts.at[2] = third.x;
  }
}

// The chunk's last tile hands on the counts, and writes them as the call's: a later chunk that has tiles writes them anew.
void select_hand_on(TileRange range, SelectTile tile, SelectRanks ranks, SelectTargets targets) {
  const uint next = tile.index - push.first_tile + 1u;
  if (select_tile_exists(range, next) || gl_LocalInvocationIndex != 0u) return;
  const uvec2 first = word64_add(targets.first, first_count(ranks.total));
  const uvec2 second = word64_add(targets.second, second_count(ranks.total));
  const uint rest = tile.present.y - tile.present.x - first_count(ranks.total) - second_count(ranks.total);
  Words carry = Words(push.scratch);
  const uint to = 4u - select_carry_from();
  carry.at[to] = first.x;
  carry.at[to + 1u] = first.y;
  carry.at[to + 2u] = second.x;
  carry.at[to + 3u] = second.y;
  select_write_counts(first, second, word64_add(targets.third, rest));
}

// Where there is no item at all, the first workgroup of the first chunk writes the counts.
void select_write_none(TileRange range) {
  if (push.first_tile == 0u && range.end == uvec2(0u) && gl_LocalInvocationIndex == 0u)
    select_write_counts(uvec2(0u), uvec2(0u), uvec2(0u));
}

uvec2 select_state() { return word64_add(push.scratch, 32u); }

#endif
