// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Last dispatch of a pass of RadixSort: a workgroup goes through the tiles of its share, and moves each key behind those with a smaller
// digit, or with the same digit and an earlier place.
//
// A subgroup owns consecutive rows of a tile, of one key a lane. Row by row, lanes with the same digit find each other by ballots, one
// for each bit of the digit; what the subgroup had of the digit before is in a counter of its own, two of 16 bits in a word. Sums over
// subgroups and digits then give each key its place in the tile. The tile is put in that order in shared memory, part by part, so that
// what neighbouring lanes store goes to neighbouring places; values follow on the same way.
//
// Rows are written out, not looped over, so that keys stay in registers (docs/decisions/tile-registers.md).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/radix_sort_digits.glsl"

layout(constant_id = 5) const uint kRows = 16;       // at most 16; of kWorkgroupSize keys each make a tile
layout(constant_id = 6) const uint kValueWords = 0;  // 0: keys alone
layout(constant_id = 7) const uint kPartRows = 16;   // at most kRows: what is staged at a time

const uint kPartKeys = kWorkgroupSize * kPartRows;
const uint kColumns = kBins / 2u;  // words of a subgroup's counters; at most as many as lanes
const uint kCounterWords = kSubgroupCount * kColumns;
const uint kStageWords = kPartKeys * (kKeyWords > kValueWords ? kKeyWords : kValueWords);

// First the counters, then what is staged.
shared uint weft_sort_words[kCounterWords > kStageWords ? kCounterWords : kStageWords];
// Where keys of a digit go, less their places in the tile.
shared uint weft_sort_begins[kBins];

#define WEFT_FOR_SORT_ROWS(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)

uint counter_word(uint digit) { return subgroup_index() * kColumns + (digit >> 1); }
uint counter_shift(uint digit) { return (digit & 1u) << 4; }

// How many keys of the subgroup in front of this lane's have its digit, in this row and those before; with the digit in the upper half.
uint sort_rank(uint digit) {
  uvec4 peers = ballot_mask_before(kSubgroupSize);
  [[unroll]] for (uint bit = 0; bit < 8; ++bit)
    if (bit < kDigitBits) {
      const uint is_set = (digit >> bit) & 1u;
      peers &= subgroup_ballot(is_set != 0u) ^ uvec4(is_set - 1u);
    }
  const uint rank = subgroup_rank(peers);
  const uint number = ballot_bit_count(peers);
  const uint word = counter_word(digit);
  const uint shift = counter_shift(digit);
  const uint before = (weft_sort_words[word] >> shift) & 0xffffu;
  subgroup_shared_barrier();
  // The last of them counts for all. Another digit's counter may share the word.
  if (rank + 1u == number) atomicAdd(weft_sort_words[word], number << shift);
  subgroup_shared_barrier();
  return (before + rank) | (digit << 16);
}

uint sort_place(uint rank) {
  const uint digit = rank >> 16;
  return (rank & 0xffffu) + ((weft_sort_words[counter_word(digit)] >> counter_shift(digit)) & 0xffffu);
}

void stage_put(uint place, uvec2 item, uint words) {
  if (kPartRows < kRows && place >= kPartKeys) return;
  weft_sort_words[place] = item.x;
  if (words == 2u) weft_sort_words[kPartKeys + place] = item.y;
}

uvec2 stage_get(uint place, uint words) {
  uvec2 item = uvec2(weft_sort_words[place], 0u);
  if (words == 2u) item.y = weft_sort_words[kPartKeys + place];
  return item;
}

void sort_store(uvec2 items, uint index, uvec2 item, uint words) {
  const uvec2 address = sort_address(items, index, words);
  if (words == 1u) {
    Words(address).at[0] = item.x;
  } else if ((items.x & 7u) == 0u) {
    Words2(address).at[0] = item;
  } else {
    Words(address).at[0] = item.x;
    Words(address).at[1] = item.y;
  }
}

// Of the two digits of this lane's column: where the workgroup's keys of each begin in the output.
uvec2 sort_begins(uint column) {
  uvec2 before = uvec2(0u);
  uvec2 total = uvec2(0u);
  if (column < kColumns) {
    if (push.totals != uvec2(0u)) {
      before = uvec2(sort_table_entry(2u * column, gl_WorkGroupID.x).at[0],
                     sort_table_entry(2u * column + 1u, gl_WorkGroupID.x).at[0]);
      total = Words2(push.totals).at[column];
    } else {
      for (uint group = 0u; group < push.groups; ++group) {
        const uvec2 counts = Words2(push.table).at[group * kColumns + column];
        total += counts;
        if (group < gl_WorkGroupID.x) before += counts;
      }
    }
  }
  uint all;
  const uint first = workgroup_exclusive(total.x + total.y, 1u, all);
  return before + uvec2(first, first + total.x);
}

void main() {
  const uint count = sort_count();
  const uvec2 share = sort_share(count);
  if (share.x == share.y) return;
  const uint lane = sort_lane();
  uvec2 begins = sort_begins(lane);
  // This lane's key of the first row in a tile; those of other rows follow kSubgroupSize apart.
  const uint first_place = subgroup_index() * kRows * kSubgroupSize + subgroup_lane();

  const uint tiles = (share.y - share.x - 1u) / kTileKeys + 1u;
  for (uint tile = 0u; tile < tiles; ++tile) {
    const uint tile_begin = share.x + tile * kTileKeys;
    const uint present = min(share.y - tile_begin, kTileKeys);
    const uvec2 source = sort_address(push.keys, tile_begin + first_place, kKeyWords);

    for (uint i = subgroup_lane(); i < kColumns; i += kSubgroupSize)
      weft_sort_words[subgroup_index() * kColumns + i] = 0u;
    subgroup_shared_barrier();

#define WEFT_LOAD_ROW(i)                                    \
  uvec2 key_##i = uvec2(0u);                                \
  if (i < kRows && first_place + i * kSubgroupSize < present) \
    key_##i = sort_load(source, i * kSubgroupSize, kKeyWords);
    WEFT_FOR_SORT_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW

    // Absent keys, the last of all, count as those of the last digit and so stay last.
#define WEFT_RANK_ROW(i) \
  uint rank_##i = 0u;    \
  if (i < kRows) rank_##i = sort_rank(first_place + i * kSubgroupSize < present ? sort_digit(key_##i) : kBins - 1u);
    WEFT_FOR_SORT_ROWS(WEFT_RANK_ROW)
#undef WEFT_RANK_ROW

#define WEFT_LOAD_VALUE(i)                                                         \
  uvec2 value_##i = uvec2(0u);                                                     \
  if (kValueWords != 0u && i < kRows && first_place + i * kSubgroupSize < present) \
    value_##i = sort_load(value_source, i * kSubgroupSize, kValueWords);
    const uvec2 value_source = sort_address(push.values, tile_begin + first_place, kValueWords);
    WEFT_FOR_SORT_ROWS(WEFT_LOAD_VALUE)
#undef WEFT_LOAD_VALUE
    barrier();

    // A lane goes down a column of counters, both of each word at once.
    uint total = 0u;
    if (lane < kColumns)
      for (uint i = 0u; i < kSubgroupCount; ++i) {
        const uint counts = weft_sort_words[i * kColumns + lane];
        weft_sort_words[i * kColumns + lane] = total;
        total += counts;
      }
    const uint low = total & 0xffffu;
    uint all;
    const uint begin = workgroup_exclusive(low + (total >> 16), 0u, all);
    if (lane < kColumns) {
      const uint both = begin | ((begin + low) << 16);
      for (uint i = 0u; i < kSubgroupCount; ++i) weft_sort_words[i * kColumns + lane] += both;
      weft_sort_begins[2u * lane] = begins.x - begin;
      weft_sort_begins[2u * lane + 1u] = begins.y - begin - low;
      begins += uvec2(low, total >> 16);
    }
    barrier();

#define WEFT_PLACE_ROW(i) \
  uint place_##i = 0u;    \
  if (i < kRows) place_##i = sort_place(rank_##i);
    WEFT_FOR_SORT_ROWS(WEFT_PLACE_ROW)
#undef WEFT_PLACE_ROW
    barrier();

    for (uint part = 0u; part < kTileKeys; part += kPartKeys) {
#define WEFT_STAGE_KEY(i) \
  if (i < kRows) stage_put(place_##i - part, key_##i, kKeyWords);
      WEFT_FOR_SORT_ROWS(WEFT_STAGE_KEY)
#undef WEFT_STAGE_KEY
      barrier();
      // Nothing lies at ~0, since counts are below 2^32; and whatever keys and table say, nothing behind the last is written to.
#define WEFT_STORE_KEY(i)                                                          \
  uint target_##i = ~0u;                                                           \
  if (i < kPartRows && part + i * kWorkgroupSize + lane < present) {               \
    const uint place = i * kWorkgroupSize + lane;                                  \
    const uvec2 key = stage_get(place, kKeyWords);                                 \
    target_##i = weft_sort_begins[sort_digit(key)] + part + place;                 \
    if (target_##i < count) sort_store(push.keys_out, target_##i, key, kKeyWords); \
  }
      WEFT_FOR_SORT_ROWS(WEFT_STORE_KEY)
#undef WEFT_STORE_KEY
      barrier();
      if (kValueWords != 0u) {
#define WEFT_STAGE_VALUE(i) \
  if (i < kRows) stage_put(place_##i - part, value_##i, kValueWords);
        WEFT_FOR_SORT_ROWS(WEFT_STAGE_VALUE)
#undef WEFT_STAGE_VALUE
        barrier();
#define WEFT_STORE_VALUE(i)             \
  if (i < kPartRows && target_##i < count) \
    sort_store(push.values_out, target_##i, stage_get(i * kWorkgroupSize + lane, kValueWords), kValueWords);
        WEFT_FOR_SORT_ROWS(WEFT_STORE_VALUE)
#undef WEFT_STORE_VALUE
        barrier();
      }
    }
  }
}
