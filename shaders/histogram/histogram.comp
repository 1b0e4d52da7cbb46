// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of Histogram. A workgroup counts its tiles in a table in shared memory, and adds that to the output at
// the end. A row of the table holds copies of one counter, in neighbouring words, and lanes next to each other use
// copies next to each other: then few of them meet in a bank, even where all items are equal. Items of one byte are
// counted by value, and values become bins at the end.
//
// More counters than the table holds are counted in the output. There, and where copies are few, a lane adds equal
// items that follow each other at once.
//
// kernel: TYPES u8:u32 u16:u32 u32:u32 i32:u32 f32:u32
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_VECTOR_BY_ITEM
#define WEFT_OP 0
#include "weft/tile.glsl"
#include "histogram/histogram.h"
#include "histogram/histogram_table.h"

layout(push_constant, std430) uniform Push { HistogramPush push; };

// One counter and level at least, since arrays of none are not allowed.
const uint kTableWords = kTableRows == 0u ? 1u : kTableRows * kCopies;
const uint kLevelWords = kTableLevels == 0u ? 1u : kTableLevels;
shared uint weft_counters[kTableWords];
shared uint weft_levels[kLevelWords];

const uint kNoBin = ~0u;
const bool kMergesNeighbours = kTableRows == 0u || kCopies < 8u;

uint invocation() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

// Items as unsigned numbers of the same order. -0 is 0; NaN of either sign lie beyond the infinities.
uint key_of(uint bits) {
#if WEFT_ITEM == WEFT_F32
  const uint plain = bits == 0x80000000u ? 0u : bits;
  return plain ^ ((plain >> 31) != 0u ? ~0u : 0x80000000u);
#elif WEFT_ITEM == WEFT_I32
  return bits ^ 0x80000000u;
#else
  return bits;
#endif
}

uint level_key(uint i) { return kTableLevels != 0u ? weft_levels[i] : key_of(Words(push.levels).at[i]); }

// The last bin whose lower level is not above the key. A search of 17 steps at most.
uint bin_by_levels(uint key) {
  if (key < level_key(0u) || key >= level_key(push.bins)) return kNoBin;
  uint bin = 0u;
  for (uint step = 1u << findMSB(push.bins); step != 0u; step >>= 1)
    if (bin + step < push.bins && level_key(bin + step) <= key) bin += step;
  return bin;
}

// ⌊offset · bins / width⌋. The reciprocal is too large by less than 1, which an offset below 2^32 makes less than 1 /
// width.
uint bin_evenly(uint offset) {
  if (push.shift < 32u) return offset >> push.shift;
  uint high_0, low_0, high_1, low_1, carry;
  umulExtended(offset, push.reciprocal.x, high_0, low_0);
  umulExtended(offset, push.reciprocal.y, high_1, low_1);
  uaddCarry(high_0, low_1, carry);
  return offset * push.multiple + high_1 + carry;
}

uint bin_of(uint bits) {
  const uint key = key_of(bits);
  if (kByLevels) return bin_by_levels(key);
  const uint offset = key - push.first_key;
  if (offset > push.last) return kNoBin;
#if WEFT_ITEM == WEFT_F32
  precise const float above = uintBitsToFloat(bits) - uintBitsToFloat(push.lower);
  precise const float scaled = above * uintBitsToFloat(push.scale);
  return min(uint(scaled), push.bins - 1u);
#else
  return min(bin_evenly(offset), push.bins - 1u);
#endif
}

// ---- counting ----

void count_items(uint counter, uint copy, uint n) {
  if (kTableRows != 0u)
    atomicAdd(weft_counters[counter * kCopies + copy], n);
  else
    atomicAdd(Words(push.outputs).at[counter], n);
}

// Equal items a lane has not added yet.
struct Pending {
  uint counter;
  uint n;
};

void count_item(uint bits, uint copy, inout Pending pending) {
#if WEFT_ITEM == WEFT_U8
  const uint counter = bits;
#else
  const uint counter = bin_of(bits);
#endif
  if (kMergesNeighbours) {
    if (counter == pending.counter) {
      ++pending.n;
    } else {
      if (pending.counter != kNoBin) count_items(pending.counter, copy, pending.n);
      pending = Pending(counter, 1u);
    }
  } else if (counter != kNoBin) {
    count_items(counter, copy, 1u);
  }
}

void count_vector(TileVector packed, uint copy, inout Pending pending) {
  uint vector[WEFT_VECTOR_INPUT_WORDS];
  vector_unpack(packed, vector);
  [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k) count_item(vector_bits(vector, k).x, copy, pending);
}

void main() {
  if (kTableRows != 0u)
    for (uint i = invocation(); i < kTableWords; i += kWorkgroupSize) weft_counters[i] = 0u;
  if (kTableLevels != 0u)
    for (uint i = invocation(); i <= push.bins; i += kWorkgroupSize) weft_levels[i] = key_of(Words(push.levels).at[i]);
  barrier();

  const TileRange range = tile_range(count_of(push.count, push.count_words, push.count_value), push.head);
  const uint copy = invocation() & (kCopies - 1u);
  Pending pending = Pending(kNoBin, 0u);
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    const uint tile = i * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (!tile_exists(range, tile)) break;
    const uvec2 present = tile_present(range, tile);
    const uvec2 source = tile_input_address(push.items, range, tile);
    const bool loadable = tile_is_loadable(source, present);
    // Searches are too much code to be written out for each row.
    if (loadable && !kByLevels) {
      TileWords words;
      tile_load(source, words);
#define WEFT_COUNT_ROW(row) \
  if (row < kRows) count_vector(words.row_##row, copy, pending);
      WEFT_FOR_ROWS(WEFT_COUNT_ROW)
#undef WEFT_COUNT_ROW
    } else {
      [[dont_unroll]] for (uint row = 0; row < kRows; ++row) {
        const uint v = tile_vector(row);
        uint vector[WEFT_VECTOR_INPUT_WORDS];
        if (loadable)
          vector_unpack(TileVectors(source).at[v], vector);
        else
          tile_load_vector(source, present, v, vector);
        const uvec2 inside = tile_present_in_vector(present, v);
        [[unroll]] for (uint k = 0; k < WEFT_VECTOR_ITEMS; ++k)
          if (k >= inside.x && k < inside.y) count_item(vector_bits(vector, k).x, copy, pending);
      }
    }
  }
  if (pending.counter != kNoBin) count_items(pending.counter, copy, pending.n);

  if (kTableRows == 0u) return;
  barrier();
  for (uint row = invocation(); row < kTableRows; row += kWorkgroupSize) {
    uint n = 0u;
    // Each lane begins with another copy, so that they read from different banks.
    for (uint c = 0u; c < kCopies; ++c) n += weft_counters[row * kCopies + ((c + row) & (kCopies - 1u))];
#if WEFT_ITEM == WEFT_U8
    const uint bin = n == 0u ? kNoBin : bin_of(row);
#else
    const uint bin = row;
#endif
    if (n != 0u && bin != kNoBin) atomicAdd(Words(push.outputs).at[bin], n);
  }
}
