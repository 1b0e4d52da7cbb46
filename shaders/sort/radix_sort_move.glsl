// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A workgroup moves a run of keys to where their digits go, tile by tile.
//
// A subgroup owns consecutive rows of a tile, of one key a lane. Row by row, lanes with the same digit find each other
// by ballots, one for each bit of the digit; what the subgroup had of the digit before is in a counter of its own. Sums
// over subgroups and digits then give each key its position in the tile. The tile is put in that order in shared
// memory, part by part, first keys and then values, so that what neighbouring lanes store goes to neighbouring
// positions. Digits are kept for the values.
//
// Rows are written out, not looped over, so that keys stay in registers (docs/decisions/tile-registers.md). Integer
// instructions bound the speed where memory is fast: full tiles whose positions fit an index have code of their own.
// And since tiles are gone through in a loop, the only branches in it that lanes may take differently are stores
// (docs/decisions/lanes-stay-together.md).
#ifndef WEFT_RADIX_SORT_MOVE_GLSL
#define WEFT_RADIX_SORT_MOVE_GLSL

#include "sort/radix_sort_move.h"

const uint kPartKeys = kWorkgroupSize * kPartRows;
const uint kCounterWords = kSubgroupCount * kBins;
const uint kStageWords = kPartKeys * (kKeyWords > kValueWords ? kKeyWords : kValueWords);

// First the counters, then what is staged.
shared uint weft_sort_words[kCounterWords > kStageWords ? kCounterWords : kStageWords];
// Where keys of a digit go, less their positions in the tile.
shared uint weft_sort_begins[kBins];

#define WEFT_FOR_SORT_ROWS(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)

#define WEFT_FOR_SORT_ROW_PAIRS(DO) \
  DO(0, 1) DO(2, 3) DO(4, 5) DO(6, 7) DO(8, 9) DO(10, 11) DO(12, 13) DO(14, 15)

// Whether a lane has a digit when lanes share them out. (Mostly there is one for each, and nothing to ask.)
bool has_digit(uint lane) { return kBins >= kWorkgroupSize || lane < kBins; }

// Digits that a lane has then: lane, and lane + kWorkgroupSize.
const uint kLaneDigits = kBins > kWorkgroupSize ? 2 : 1;
// That many subgroups' counters a lane holds in registers.
const uint kHeldSubgroups = 8;
#define WEFT_FOR_HELD_SUBGROUPS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

uint sort_counter(uint digit) { return subgroup_index() * kBins + digit; }

// A key of the last digit, and of the last of any part of it.
uvec2 sort_last_key() {
  if (!kFlips) return uvec2(~0u);
  const uint sign = uint(int(~push.flip_high) >> 31);
  const uvec2 key =
      ~uvec2(push.flip_low, push.flip_high) ^ (uvec2(push.flip_negative_low, push.flip_negative_high) & sign);
  return kKeyWords == 1u ? uvec2(key.y, 0u) : key;
}

// How many keys of the subgroup before this lane's have its digit, in this row and those before.
uint sort_rank(uint digit) {
  uvec4 peers = ballot_mask_before(kSubgroupSize);
  [[unroll]] for (uint bit = 0; bit < 8; ++bit)
    if (bit < kDigitBits) {
      // The same twice: NVIDIA's compiler makes less of the one, AMD's of the other.
      const uint bits = (digit >> bit) & 1u;
      const bool is_set = kSubgroupSize <= 32u ? (digit & (1u << bit)) != 0u : bits != 0u;
      const uvec4 ballot = subgroup_ballot(is_set);
      if (kSubgroupSize <= 32u)
        peers.x &= is_set ? ballot.x : ~ballot.x;
      else
        peers &= ballot ^ uvec4(bits - 1u);
    }
  const uint counter = sort_counter(digit);
  const uint rank = subgroup_rank(peers) + weft_sort_words[counter];
  subgroup_shared_barrier();
  if (subgroup_is_last(peers)) weft_sort_words[counter] = rank + 1u;
  subgroup_shared_barrier();
  return rank;
}

// Where the subgroup's keys of a digit begin in the tile.
uint sort_first(uint digit) { return weft_sort_words[sort_counter(digit)]; }

// This lane's digit has so many keys in the tile. Its counters become what each subgroup has of it before.
uint sort_sum_counters(uint digit, out uint before[kHeldSubgroups]) {
  uint total = 0u;
  if (kSubgroupCount <= kHeldSubgroups) {
#define WEFT_SUM_COUNTER(i) \
  before[i] = total;        \
  if (i < kSubgroupCount) total += weft_sort_words[i * kBins + digit];
    WEFT_FOR_HELD_SUBGROUPS(WEFT_SUM_COUNTER)
#undef WEFT_SUM_COUNTER
  } else {
    for (uint i = 0u; i < kSubgroupCount; ++i) {
      const uint counted = weft_sort_words[i * kBins + digit];
      weft_sort_words[i * kBins + digit] = total;
      total += counted;
    }
  }
  return total;
}

// Adds the digit's first position in the tile.
void sort_position_counters(uint digit, uint first, uint before[kHeldSubgroups]) {
  if (kSubgroupCount <= kHeldSubgroups) {
#define WEFT_PLACE_COUNTER(i) \
  if (i < kSubgroupCount) weft_sort_words[i * kBins + digit] = first + before[i];
    WEFT_FOR_HELD_SUBGROUPS(WEFT_PLACE_COUNTER)
#undef WEFT_PLACE_COUNTER
  } else {
    for (uint i = 0u; i < kSubgroupCount; ++i) weft_sort_words[i * kBins + digit] += first;
  }
}

// A key or value, word by word in arrays of their own.
void stage_put(uint position, uvec2 item, uint words) {
  const bool is_here = kPartRows == kRows || position < kPartKeys;
  if (is_here) weft_sort_words[position] = item.x;
  if (words == 2u && is_here) weft_sort_words[kPartKeys + position] = item.y;
}

uvec2 staged(uint position, uint words) {
  uvec2 item = uvec2(weft_sort_words[position], 0u);
  if (words == 2u) item.y = weft_sort_words[kPartKeys + position];
  return item;
}

// As one number of 128 bits.
uvec4 shift_down(uvec4 words, uint bits) {
  uvec4 shifted = uvec4(0u);
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    const uint low = k + bits / 32u;
    if (low < 4u) shifted[k] = words[low] >> (bits % 32u);
    if (low + 1u < 4u && bits % 32u != 0u) shifted[k] |= words[low + 1u] << (32u - bits % 32u);
  }
  return shifted;
}

uvec4 shift_up(uvec4 words, uint bits) {
  uvec4 shifted = uvec4(0u);
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    const uint from = bits / 32u;
    if (k >= from) shifted[k] = words[k - from] << (bits % 32u);
    if (k > from && bits % 32u != 0u) shifted[k] |= words[k - from - 1u] >> (32u - bits % 32u);
  }
  return shifted;
}

// Indices are below 2^31, and items of two words lie on a boundary of as much.
uvec2 sort_load_near(uvec2 address, uint index, uint words) {
  if (words == 1u) return uvec2(Words(address).at[index], 0u);
  return Words2(address).at[index];
}

void sort_store_near(uvec2 address, uint index, uvec2 item, uint words) {
  if (words == 1u)
    Words(address).at[index] = item.x;
  else
    Words2(address).at[index] = item;
}

// Where the keys of a lane's digit go. sort_counted(): the tile has so many. sort_placed(): the first of them has that
// position in it. sort_look_back(): what tiles before have, if it is known. By the end of sort_find_begins(), which
// every invocation calls, weft_sort_begins is set.
#ifdef WEFT_SORT_LOOK_BACK
const bool kLooksBack = true;
#include "sort/radix_sort_look_back.glsl"
#else
const bool kLooksBack = false;
const bool kReadsAhead = false;

struct SortDigit {
  uint next;
};

void sort_counted(inout SortDigit own, uint digit, uint keys) {}

void sort_placed(inout SortDigit own, uint digit, uint keys, uint first) {
  weft_sort_begins[digit] = own.next - first;
  own.next += keys;
}

void sort_look_back(inout SortDigit own_0, inout SortDigit own_1) {}
void sort_find_begins(inout SortDigit own_0, inout SortDigit own_1) {}

#endif

#define WEFT_LOAD_VALUE_NEAR(i) \
  if (i < kRows && i * kSubgroupSize < left) value_##i = sort_load_near(value_source, i * kSubgroupSize, kValueWords);

#define WEFT_LOAD_VALUE(i)                                                                                            \
  if (i < kRows) {                                                                                                    \
    const uint position = first_position + i * kSubgroupSize;                                                         \
    value_##i = sort_load(sort_address(values_in, position < present ? position : 0u, kValueWords), 0u, kValueWords); \
  }

#define WEFT_LOAD_VALUES                                                                            \
  {                                                                                                 \
    const uvec2 values_in = sort_address(push.values, first_key, kValueWords);                     \
    const uvec2 value_source = sort_address(push.values, first_key + first_position, kValueWords); \
    const uint left = kLooksBack ? present - min(present, first_position) : kTileKeys;             \
    if (fast || (kLooksBack && kValueWords == 1u)) {                                                \
      WEFT_FOR_SORT_ROWS(WEFT_LOAD_VALUE_NEAR)                                                      \
    } else {                                                                                        \
      WEFT_FOR_SORT_ROWS(WEFT_LOAD_VALUE)                                                           \
    }                                                                                               \
  }

// Moves the keys of a tile: `present` from `first_key` on, each below `count`; all of them, within reach of an index
// and on boundaries of their size where it is `fast`. Every invocation of the workgroup calls.
// One function: rows are variables, which macros write out, so that they stay in registers.
void sort_move_tile(uint first_key, uint present, uint count, bool fast, inout SortDigit own_0,
                    inout SortDigit own_1) {
  const uint lane = sort_lane();
  // This lane's key of the first row; those of other rows follow kSubgroupSize apart.
  const uint first_position = subgroup_index() * kRows * kSubgroupSize + subgroup_lane();
  const uvec2 tile_keys_in = sort_address(push.keys, first_key, kKeyWords);
  const uvec2 source = sort_address(push.keys, first_key + first_position, kKeyWords);

  for (uint i = 0u; i < kBins; i += kSubgroupSize)
    if (kBins >= kSubgroupSize || subgroup_lane() < kBins) weft_sort_words[sort_counter(i + subgroup_lane())] = 0u;
  subgroup_shared_barrier();

#define WEFT_DECLARE_ROW(i) uvec2 key_##i = uvec2(0u);
  WEFT_FOR_SORT_ROWS(WEFT_DECLARE_ROW)
#undef WEFT_DECLARE_ROW
  if (fast) {
#define WEFT_LOAD_ROW(i) \
  if (i < kRows) key_##i = sort_load_near(source, i * kSubgroupSize, kKeyWords);
    WEFT_FOR_SORT_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW
  } else {
    // Absent keys, the last of all, have the last digit and so stay last. Instead of one the tile's first key is
    // loaded.
    const uvec2 last_key = sort_last_key();
#define WEFT_LOAD_ROW(i)                                                                                           \
  if (i < kRows) {                                                                                                 \
    const uint position = first_position + i * kSubgroupSize;                                                      \
    key_##i = sort_load(sort_address(tile_keys_in, position < present ? position : 0u, kKeyWords), 0u, kKeyWords); \
    key_##i = position < present ? key_##i : last_key;                                                             \
  }
    WEFT_FOR_SORT_ROWS(WEFT_LOAD_ROW)
#undef WEFT_LOAD_ROW
  }

  // Values are wanted when keys are stored: until then they come into the cache, 8 words by each load.
  uint ahead = 0u;
  if (kValueWords != 0u && kReadsAhead) {
    const uint own = subgroup_index() * kRows * kSubgroupSize * kValueWords + subgroup_lane() * 8u;
    Words values = Words(sort_address(push.values, first_key, kValueWords));
    [[unroll]] for (uint i = 0; i < kRows * kValueWords; i += 8u)
      ahead |= values.at[min(own + i * kSubgroupSize, present * kValueWords - 1u)];
    // Of no effect, which no compiler knows.
    ahead &= push.digit_mask >> kDigitBits;
  }

  // Ranks and positions have 16 bits: two in a register.
#define WEFT_RANK_ROWS(i, j)                                     \
  uint positions_##i = 0u;                                       \
  if (i < kRows) positions_##i = sort_rank(sort_digit(key_##i)); \
  if (j < kRows) positions_##i |= sort_rank(sort_digit(key_##j)) << 16;
  WEFT_FOR_SORT_ROW_PAIRS(WEFT_RANK_ROWS)
#undef WEFT_RANK_ROWS
  positions_0 |= ahead;

  barrier();

  uint tile_keys = 0u, all;
  uint before_0[kHeldSubgroups], before_1[kHeldSubgroups];
  if (has_digit(lane)) {
    tile_keys = sort_sum_counters(lane, before_0);
    sort_counted(own_0, lane, tile_keys);
  }
  const uint first = workgroup_exclusive(tile_keys, 0u, all);
  if (has_digit(lane)) {
    sort_position_counters(lane, first, before_0);
    sort_placed(own_0, lane, tile_keys, first);
  }
  if (kLaneDigits == 2u) {
    const uint digit = lane + kWorkgroupSize;
    uint rest;
    tile_keys = sort_sum_counters(digit, before_1);
    sort_counted(own_1, digit, tile_keys);
    const uint other = all + workgroup_exclusive(tile_keys, 1u, rest);
    sort_position_counters(digit, other, before_1);
    sort_placed(own_1, digit, tile_keys, other);
  }
  barrier();

#define WEFT_PLACE_ROWS(i, j)                                      \
  if (i < kRows) positions_##i += sort_first(sort_digit(key_##i)); \
  if (j < kRows) positions_##i += sort_first(sort_digit(key_##j)) << 16;
  WEFT_FOR_SORT_ROW_PAIRS(WEFT_PLACE_ROWS)
#undef WEFT_PLACE_ROWS

#define WEFT_DECLARE_VALUE(i) uvec2 value_##i = uvec2(0u);
  WEFT_FOR_SORT_ROWS(WEFT_DECLARE_VALUE)
#undef WEFT_DECLARE_VALUE
  if (kValueWords != 0u && !kLooksBack) WEFT_LOAD_VALUES
  // Of what is stored, row by row: a byte each, the first row's lowest.
  uvec4 stored = uvec4(0u);
  barrier();
  // Tiles after wait for this one's prefixes; what is missing is looked for again when the first keys are staged.
  sort_look_back(own_0, own_1);
  for (uint part = 0u; part < kTileKeys; part += kPartKeys) {
#define WEFT_STAGE_ROWS(i, j)                                                     \
  if (i < kRows) stage_put((positions_##i & 0xffffu) - part, key_##i, kKeyWords); \
  if (j < kRows) stage_put((positions_##i >> 16) - part, key_##j, kKeyWords);
    WEFT_FOR_SORT_ROW_PAIRS(WEFT_STAGE_ROWS)
#undef WEFT_STAGE_ROWS
    if (part == 0u) sort_find_begins(own_0, own_1);
    barrier();
    uvec4 part_digits = uvec4(0u);
    // Whatever keys and table say, nothing after the last position is written to.
    if (fast) {
#define WEFT_STORE_ROW(i)                                                       \
  if (i < kPartRows) {                                                          \
    const uint position = i * kWorkgroupSize + lane;                            \
    const uvec2 key = staged(position, kKeyWords);                              \
    const uint digit = sort_digit(key);                                         \
    if (kValueWords != 0u) part_digits[i / 4] |= digit << (8 * (i % 4));        \
    const uint target = weft_sort_begins[digit] + part + position;              \
    if (target < count) sort_store_near(push.keys_out, target, key, kKeyWords); \
  }
      WEFT_FOR_SORT_ROWS(WEFT_STORE_ROW)
#undef WEFT_STORE_ROW
    } else {
      // Nothing lies at ~0, since counts are below 2^32.
#define WEFT_STORE_ROW(i)                                                          \
  if (i < kPartRows) {                                                             \
    const uint position = i * kWorkgroupSize + lane;                               \
    const uvec2 key = staged(position, kKeyWords);                                 \
    const uint digit = sort_digit(key);                                            \
    if (kValueWords != 0u) part_digits[i / 4] |= digit << (8 * (i % 4));           \
    const uint begin = weft_sort_begins[digit];                                    \
    const uint target = part + position < present ? begin + part + position : ~0u; \
    if (target < count) sort_store(push.keys_out, target, key, kKeyWords);         \
  }
      WEFT_FOR_SORT_ROWS(WEFT_STORE_ROW)
#undef WEFT_STORE_ROW
    }
    if (kValueWords != 0u)
      stored = shift_down(stored, 8u * kPartRows) | shift_up(part_digits, 8u * (kRows - kPartRows));
    barrier();
  }
  // At the end, so that registers are few: while one workgroup waits for its values another moves keys.
  if (kValueWords != 0u && kLooksBack) WEFT_LOAD_VALUES
  if (kValueWords != 0u) {
    // Barriers between rows: without them NVIDIA's compiler has more rows under way than registers.
    for (uint part = 0u; part < kTileKeys; part += kPartKeys) {
#define WEFT_STAGE_ROWS(i, j)                                                         \
  if (i < kRows) stage_put((positions_##i & 0xffffu) - part, value_##i, kValueWords); \
  if (j < kRows) stage_put((positions_##i >> 16) - part, value_##j, kValueWords);
      WEFT_FOR_SORT_ROW_PAIRS(WEFT_STAGE_ROWS)
#undef WEFT_STAGE_ROWS
      barrier();
      if (fast) {
#define WEFT_STORE_ROW(i)                                                                             \
  if (i < kPartRows) {                                                                                \
    if (i != 0) subgroup_execution_barrier();                                                         \
    const uint position = i * kWorkgroupSize + lane;                                                  \
    const uint target = weft_sort_begins[(stored[i / 4] >> (8 * (i % 4))) & 0xffu] + part + position; \
    const uvec2 value = staged(position, kValueWords);                                                \
    if (target < count) sort_store_near(push.values_out, target, value, kValueWords);                 \
  }
        WEFT_FOR_SORT_ROWS(WEFT_STORE_ROW)
#undef WEFT_STORE_ROW
      } else {
#define WEFT_STORE_ROW(i)                                                          \
  if (i < kPartRows) {                                                             \
    const uint position = i * kWorkgroupSize + lane;                               \
    const uint begin = weft_sort_begins[(stored[i / 4] >> (8 * (i % 4))) & 0xffu]; \
    const uint target = part + position < present ? begin + part + position : ~0u; \
    const uvec2 value = staged(position, kValueWords);                             \
    if (target < count) sort_store(push.values_out, target, value, kValueWords);   \
  }
        WEFT_FOR_SORT_ROWS(WEFT_STORE_ROW)
#undef WEFT_STORE_ROW
      }
      stored = shift_down(stored, 8u * kPartRows);
      barrier();
    }
  }
}

// Whether items are too far for an index, or not on boundaries of their size.
bool sort_is_far(uint count) {
  uint far = count >> 31;
  if (kKeyWords == 2u) far |= (push.keys.x | push.keys_out.x) & 7u;
  if (kValueWords == 2u) far |= (push.values.x | push.values_out.x) & 7u;
  return far != 0u;
}

#ifndef WEFT_SORT_LOOK_BACK

// Moves the keys [x, y), each below `count`. Every invocation of the workgroup calls.
void sort_move(uvec2 share, uint count, SortDigit own_0, SortDigit own_1) {
  const bool far = sort_is_far(count);
  const uint tiles = tile_count(share.y - share.x);
  for (uint tile = 0u; tile < tiles; ++tile) {
    const uint first = share.x + tile * kTileKeys;
    const uint present = min(share.y - first, kTileKeys);
    sort_move_tile(first, present, count, present == kTileKeys && !far, own_0, own_1);
  }
}

#endif
#endif
