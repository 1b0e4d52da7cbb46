// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Selection inside a tile: which items go to which partition, and how many. Items are tested vector by vector, and the
// answers held as bits. How they are moved: select_staged.glsl and select_direct.glsl.
//
// Counts are relative to a chunk of at most 2^31 items, so that they and what look-back publishes are single words;
// what came before the chunk is carried in 64 bits.
//
// Run-length encoding takes this too: it selects the heads of runs.
//
// Variants: WEFT_ITEM, what is tested: u8, u16, u32, u32x2 for all of 8 bytes, bits, or struct for a member of a
// struct. WEFT_ACCUMULATOR: u32 for one or two partitions, counts for three, runs for run-length encoding.
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow.
#ifndef WEFT_SELECT_TILE_GLSL
#define WEFT_SELECT_TILE_GLSL

#include "core/dispatch_arguments.glsl"
#include "weft/workgroup_scan.glsl"
#include "select/select.h"

#if WEFT_ITEM == WEFT_BITS || WEFT_ITEM == WEFT_STRUCT

#include "weft/tile.h"
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

const bool kMovesTested = (kMove & kMoveTested) != 0u;
const bool kGathers = (kMove & kMoveGathered) != 0u;
#if WEFT_ACCUMULATOR == WEFT_RUNS
const bool kNonTrivial = (kMove & kMoveNonTrivial) != 0u;
#endif

layout(push_constant, std430) uniform Push { SelectPush push; };

const bool kThreePartitions = WEFT_ACCUMULATOR == WEFT_COUNTS;
const bool kSplits = kTwoPartitions || kThreePartitions;

TileRange select_range() {
  return tile_range(count_of(push.count, (push.flags & kSelectCountIsWide) != 0u ? 2u : 1u, push.count_value),
                    push.flags >> 8);
}

// A tile, by its position in the chunk.
struct SelectTile {
  uvec2 source;
  uvec2 present;  // positions of the tile's items that are there
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

// Bit k of either: item k goes to the first partition, to the second of three. Of runs: item k is a head; non-trivial:
// a run's end.
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
uvec2 key_mix(uvec2 a, uvec2 b, bool second) { return mix(a, b, bvec2(second)); }
#else
#define SelectKey uint
SelectKey key_from(uvec2 bits) { return bits.x; }
bool key_less(uint a, uint b) { return a < b; }
uint key_subtract(uint a, uint b) { return a - b; }
uint key_sign(uint bytes) { return 1u << (8u * bytes - 1u); }
uint key_below(uint sign) { return sign - 1u; }
uint key_mix(uint a, uint b, bool second) { return mix(a, b, second); }
#endif

#if WEFT_ITEM == WEFT_STRUCT
const uint kKeyBytes = kMemberBytes;
#else
const uint kKeyBytes = WEFT_ITEM_BYTES;
#endif

// Keys order as unsigned numbers as items do; floats by IEEE totalOrder.
SelectKey key_of(uvec2 bits) {
  const SelectKey key = key_from(bits);
  const SelectKey sign = key_sign(kKeyBytes);
  const SelectKey all = key_below(sign) | sign;
  const SelectKey of_float = key_mix(sign, all, (key & sign) != SelectKey(0u));
  const SelectKey flipped = key_mix(sign, of_float, kOrder == kOrderFloat);
  return key ^ key_mix(flipped, SelectKey(0u), kOrder == kOrderUnsigned);
}

// 0: first partition, 1: second, 2: third. Of one or two partitions the second is what is not kept.
uint select_partition_index(uvec2 bits) {
  const SelectKey low = key_from(push.low);
  const SelectKey span = key_from(push.span);
  if (kThreePartitions) {
    const SelectKey key = key_of(bits);
    return mix(mix(1u, 2u, key_less(span, key)), 0u, key_less(key, low));
  }
  const bool has_bits = (key_from(bits) & low) == span;
  const bool in_range = !key_less(span, key_subtract(key_of(bits), low));
  const bool passes = mix(in_range, has_bits, kTest == kTestBits);
  return mix(1u, 0u, passes != ((push.flags & kSelectInverted) != 0u));
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
#elif WEFT_ACCUMULATOR == WEFT_COUNTS
uint own_partition_index(Item item) { return min(partition_index(item), 2u); }
#else
uint own_partition_index(Item item) { return keep(item) ? 0u : 1u; }
#endif

#endif

#if defined(WEFT_OWN_SNIPPET) && !defined(WEFT_OWN_UNIQUE)
#if WEFT_ITEM != WEFT_STRUCT
#define WEFT_SELECT_PARTITION(bits) own_partition_index(own_item_of(bits))
#endif
#else
#define WEFT_SELECT_PARTITION(bits) select_partition_index(bits)
#endif

void select_mark(uint partition_index, uint k, inout SelectMasks masks) {
  masks.first |= uint(partition_index == 0u) << k;
  if (kThreePartitions) masks.second |= uint(partition_index == 1u) << k;
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
    heads |= uint(words[i] != last) << i;
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
    [[unroll]] for (uint k = 0; k < WEFT_SELECT_VECTOR; ++k)
      select_mark(WEFT_SELECT_PARTITION(vector_bits(words, k)), k, masks);
  }
  return masks;
}

// The word before vector v; 0 where there is none. Only for run heads.
SelectBefore select_before(SelectTile tile, uint v) {
  SelectBefore before = SelectBefore(0u);
  if (v == 0u && tile.index == 0u) return before;
  const uint words = WEFT_ITEM_BYTES == 8 ? 2u : 1u;
  // Past the head there is an item before the vector; its word lies before the vector's.
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
  if (kThreePartitions) masks.second |= own.second << (row * WEFT_SELECT_VECTOR & 31u);
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

// The positions of a vector's items that are there, as bits.
uint select_present(SelectTile tile, uint v) {
  const uint first = v * WEFT_SELECT_VECTOR;
  const uint begin = tile.present.x - min(first, tile.present.x);
  const uint end = min(tile.present.y - min(first, tile.present.y), WEFT_SELECT_VECTOR);
  if (begin >= end) return 0u;
  return (end == 32u ? ~0u : (1u << end) - 1u) & ~((1u << begin) - 1u);
}

#if WEFT_ITEM == WEFT_STRUCT

uvec2 select_member(SelectTile tile, uint position) {
  const uint byte = position * kStride + kMember;
  Words source = Words(tile.source);
  const uint word = source.at[byte >> 2];
  if (kMemberBytes == 8u) return uvec2(word, source.at[(byte >> 2) + 1u]);
  const uint mask = (1u << (8u * (kMemberBytes & 3u))) - 1u;
  return uvec2(kMemberBytes >= 4u ? word : (word >> (8u * (byte & 3u))) & mask, 0u);
}

#ifdef WEFT_OWN_SNIPPET
// The item `before` items before the one at `position`.
Item select_own_item(SelectTile tile, uint position, uint before) {
  const uvec2 address = word64_add(tile.source, word64_multiply(position, kStride));
  Words source = Words(word64_subtract(address, uvec2(before * kStride, 0u)));
  uint words[WEFT_ITEM_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ITEM_WORDS; ++i) words[i] = source.at[i];
  return own_item(words);
}
#endif

bool select_member_is_run_head(SelectTile tile, uint position) {
  if (tile.index == 0u && position == 0u) return true;
#ifdef WEFT_OWN_UNIQUE
  return own_differs(select_own_item(tile, position, 1u), select_own_item(tile, position, 0u));
#else
  Words item = Words(word64_add(tile.source, word64_multiply(position, kStride)));
  Words before =
      Words(word64_subtract(word64_add(tile.source, word64_multiply(position, kStride)), uvec2(kStride, 0u)));
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
        select_mark(own_partition_index(select_own_item(tile, v, 0u)), 0u, own);
#else
        select_mark(select_partition_index(select_member(tile, v)), 0u, own);
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
    if (kThreePartitions) masks.second |= (own.second & present) << (row * WEFT_SELECT_VECTOR & 31u);
  }
  return masks;
}

// ---- ends of runs of two or more items ----
//
// Such a run ends before a head that does not follow a head. A range's first item counts too, so that these ends are to
// runs of two or more as heads are to all runs: what ends at one is the run that the one before has announced.

#if WEFT_ACCUMULATOR == WEFT_RUNS

#if WEFT_ITEM != WEFT_STRUCT
#if WEFT_ITEM_BYTES >= 4
// Item `before` items before the one at `position`.
SelectBefore select_item(SelectTile tile, uint position, uint before) {
  Words source = Words(
      word64_subtract(word64_add(tile.source, position * WEFT_ITEM_BYTES), uvec2(before * WEFT_ITEM_BYTES, 0u)));
#if WEFT_ITEM_BYTES == 8
  return uvec2(source.at[0], source.at[1]);
#else
  return source.at[0];
#endif
}
#endif
#endif

// Whether the item before this subgroup's first is a head; of a subgroup without items, any.
bool select_follows_head(SelectTile tile) {
  if (!kNonTrivial) return false;
  const uint position = subgroup_index() * kRows * kSubgroupSize * WEFT_SELECT_VECTOR;
  const bool is_near = position <= tile.present.y;
  const bool has_two = is_near && (tile.index != 0u || position >= tile.present.x + 2u);
  const bool has_one = tile.index == 0u && position == tile.present.x + 1u;
  // Without a branch: other items of the tile stand in.
  const uint first = tile.present.x;
#if WEFT_ITEM == WEFT_STRUCT
  const bool differs = own_differs(select_own_item(tile, has_two ? position : first + 2u, 2u),
                                   select_own_item(tile, has_two ? position : first + 1u, 1u));
#elif WEFT_ITEM_BYTES >= 4
  const SelectBefore earlier = select_item(tile, has_two ? position : first + 2u, 2u);
  const SelectBefore later = select_item(tile, has_two ? position : first + 1u, 1u);
#ifdef WEFT_OWN_UNIQUE
  const bool differs = own_differs(own_item_of(earlier), own_item_of(later));
#else
  const bool differs = earlier != later;
#endif
#else
  // Both in the word before.
  const uint byte = has_two ? position * WEFT_ITEM_BYTES : (first * WEFT_ITEM_BYTES & ~3u) + 4u;
  const uint word = Words(word64_subtract(word64_add(tile.source, byte), uvec2(4u, 0u))).at[0];
  const uint bits = 8u * WEFT_ITEM_BYTES;
  const bool differs = (((word >> (32u - bits)) ^ (word >> (32u - 2u * bits))) & ((1u << bits) - 1u)) != 0u;
#endif
  return has_one || (has_two && differs);
}

// Of a lane's heads, as bits, of `vector` neighbours in each row. `carried`: on lane 0, whether the item before the
// first row is a head.
uint select_run_ends(uint heads, uint vector, bool carried) {
  const uint rotated = subgroup_shuffle(heads, (subgroup_lane() - 1u) & (kSubgroupSize - 1u));
  // The heads before the vectors' first items, in these items' positions.
  const uint across = mix(rotated >> (vector - 1u), rotated << 1 | uint(carried), subgroup_lane() == 0u);
  const uint first_items = ~0u / ((1u << vector) - 1u);
  return heads & ~((across & first_items) | (heads << 1 & ~first_items));
}

#endif

// What a lane holds of a tile between counting and moving: which items go where, and by vectors the items of a full
// tile. Variables of their own, since copies for functions take time on NVIDIA's devices.
SelectMasks weft_select_masks;
#if WEFT_ITEM != WEFT_BITS && WEFT_ITEM != WEFT_STRUCT
TileWords weft_select_words;
#endif

// Loads and tests a tile by vectors.
void select_take(SelectTile tile) {
#if WEFT_ITEM == WEFT_BITS || WEFT_ITEM == WEFT_STRUCT
  weft_select_masks = select_masks_by_rows(tile);
#else
  if (tile.fast) {
    tile_load(tile.source, weft_select_words);
    weft_select_masks = select_masks_of_words(tile, weft_select_words);
  } else {
    weft_select_masks = select_masks_by_rows(tile);
  }
#endif
#if WEFT_ACCUMULATOR == WEFT_RUNS
  if (kNonTrivial)
    weft_select_masks.second = select_run_ends(weft_select_masks.first, WEFT_SELECT_VECTOR, select_follows_head(tile));
#endif
}

// ---- counting ----

#if WEFT_ACCUMULATOR == WEFT_COUNTS
uint first_count(uvec2 counts) { return counts.x; }
uint second_count(uvec2 counts) { return counts.y; }
#elif WEFT_ACCUMULATOR == WEFT_RUNS
uint first_count(uvec2 counts) { return counts.x; }
uint second_count(uvec2 counts) { return 0u; }
#else
uint first_count(uint counts) { return counts; }
uint second_count(uint counts) { return 0u; }
#endif

// How many of this subgroup's items of a tile go to each partition, on all of its lanes. `last`, of runs: the position
// of the lane's last head, if it has one.
Accumulator select_aggregate(SelectTile tile, uint last) {
  const SelectMasks masks = weft_select_masks;
#if WEFT_ACCUMULATOR == WEFT_COUNTS
  return subgroup_reduce(uvec2(bitCount(masks.first), bitCount(masks.second)));
#elif WEFT_ACCUMULATOR == WEFT_RUNS
  // Positions begin at 1, at the chunk's first tile.
  const uint end = (tile.index - push.first_tile) * kTileItems + last + 1u;
  return subgroup_reduce(uvec2(bitCount(kNonTrivial ? masks.second : masks.first), masks.first == 0u ? 0u : end));
#else
  return subgroup_reduce(bitCount(masks.first));
#endif
}

// By vectors.
Accumulator select_aggregate(SelectTile tile) {
  const uint bit = uint(findMSB(weft_select_masks.first | 1u));
  return select_aggregate(
      tile, tile_vector(bit / WEFT_SELECT_VECTOR) * WEFT_SELECT_VECTOR + bit % WEFT_SELECT_VECTOR);
}

uvec2 select_first_position(TileRange range, SelectTile tile) {
  // Below zero where tile 0 has a head.
  return word64_subtract(word64_multiply(tile.index, kTileItems), uvec2(range.head, 0u));
}

// ---- chunks ----

uint select_carry_from() { return (push.flags & kSelectOddChunk) != 0u ? 4u : 0u; }

// How many items before the chunk went to the first and, of three, to the second partition.
void select_carried(out uvec2 first, out uvec2 second) {
  first = uvec2(0u);
  second = uvec2(0u);
  if (push.first_tile == 0u) return;
  Words carry = Words(push.scratch);
  const uint from = select_carry_from();
  first = uvec2(carry.at[from], carry.at[from + 1u]);
  second = uvec2(carry.at[from + 2u], carry.at[from + 3u]);
}

// Hands on what the next chunk finds by select_carried().
void select_carry(uvec2 first, uvec2 second) {
  Words carry = Words(push.scratch);
  const uint to = 4u - select_carry_from();
  carry.at[to] = first.x;
  carry.at[to + 1u] = first.y;
  carry.at[to + 2u] = second.x;
  carry.at[to + 3u] = second.y;
}

void select_write_counts(uvec2 first, uvec2 second, uvec2 third) {
  if (!kSplits && push.indices_2 != uvec2(0u)) dispatch_arguments_store(push.indices_2, first, push.out_2);
  Words counts = Words(push.counts);
  if ((push.flags & kSelectCountsAreWide) != 0u) {
    counts.at[0] = first.x;
    counts.at[1] = first.y;
    if (kSplits) {
      counts.at[2] = kThreePartitions ? second.x : third.x;
      counts.at[3] = kThreePartitions ? second.y : third.y;
    }
    if (kThreePartitions) {
      counts.at[4] = third.x;
      counts.at[5] = third.y;
    }
  } else {
    counts.at[0] = first.x;
    if (kSplits) counts.at[1] = kThreePartitions ? second.x : third.x;
    if (kThreePartitions) counts.at[2] = third.x;
  }
}

// Where there is no item at all, the first workgroup of the first chunk writes the counts.
void select_write_none(TileRange range) {
  if (push.first_tile == 0u && range.end == uvec2(0u) && gl_LocalInvocationIndex == 0u)
    select_write_counts(uvec2(0u), uvec2(0u), uvec2(0u));
}

uvec2 select_state() { return word64_add(push.scratch, 32u); }

#endif
