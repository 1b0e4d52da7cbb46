// SPDX-License-Identifier: MIT OR Apache-2.0
//
// TopK. Its count finds the k-th key: a pass counts a digit of the candidates, the keys whose higher digits are those
// of the k-th key. Each workgroup begins by choosing the k-th key's digit of the pass before from all its counters,
// which takes less time than a dispatch in between. A last dispatch, without a digit of its own, only chooses. The
// first pass with few candidates gathers them, in any order, for the passes after it: only counts come of them.
//
// Then keys move, by look-back or by reduce-then-scan: which keys come before the k-th key, which are equal to it, and
// where they go. Each is counted; keys that come before go first, then the earliest of equal ones.
//
// kernel: SUFFIX _count DEFINES WEFT_TOP_K_COUNT
// kernel: SUFFIX _look_back TYPES u32:counts DEFINES WEFT_TOP_K_LOOK_BACK
// kernel: SUFFIX _upsweep TYPES u32:counts DEFINES WEFT_TOP_K_UPSWEEP
// kernel: SUFFIX _downsweep TYPES u32:counts DEFINES WEFT_TOP_K_DOWNSWEEP
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_OP 0  // add
#ifdef WEFT_TOP_K_COUNT
#include "weft/compact.glsl"
#endif
#include "weft/workgroup_scan.glsl"
#include "sort/top_k.h"

#ifdef WEFT_TOP_K_COUNT
const uint kRows = 8;
#else
#include "weft/tile.h"
#endif
const uint kTileItems = kWorkgroupSize * kRows;

#include "weft/tile_range.glsl"

#ifdef WEFT_TOP_K_COUNT
layout(push_constant, std430) uniform Push { TopKCountPush push; };
#else
layout(push_constant, std430) uniform Push { TopKPush push; };
#endif

#include "sort/sort_items.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer States { TopKState at; };

#ifdef WEFT_TOP_K_COUNT
const uint kBins = 1u << kDigitBits;

shared uint weft_top_k_counters[kBins * kCopies];
shared uvec3 weft_top_k_digit;  // the k-th key's, how many candidates have a smaller one, and how many have it

uint top_k_lane() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

// The state of the pass before, and the digit that it counted.
TopKState top_k_next(TopKState last) {
  Words bins = Words(word64_subtract(push.bins, uvec2(kBins * 4u, 0u)));
  const uint run = (kBins + kWorkgroupSize - 1u) / kWorkgroupSize;
  const uint first = min(top_k_lane() * run, kBins);
  const uint end = min(first + run, kBins);
  uint counted = 0u;
  for (uint bin = first; bin < end; ++bin) counted += bins.at[bin];
  uint all;
  uint before = workgroup_exclusive(counted, 0u, all);
  for (uint bin = first; bin < end; ++bin) {
    const uint n = bins.at[bin];
    if (before < last.wanted && last.wanted - before <= n) weft_top_k_digit = uvec3(bin, before, n);
    before += n;
  }
  barrier();
  const uvec3 digit = weft_top_k_digit;
  const uint gathered = last.gathered_here != 0u ? last.candidates : last.gathered;
  return TopKState(last.digits | word64_shift_left(digit.x, push.last_shift), last.before + digit.y,
                   last.wanted - digit.y, digit.z, gathered, 0u, 0u);
}

void main() {
  const uint count = count_of(push.count, push.count_words, uvec2(push.count_maximum, 0u)).x;
  if (count == 0u) return;
  TopKState state = TopKState(uvec2(0u), 0u, min(push.k, count), count, 0u, 0u, 0u);
  uvec2 above = uvec2(0u);  // the digits so far
  if (push.first_pass == 0u) {
    state = top_k_next(States(word64_subtract(push.state, uvec2(32u, 0u))).at);
    above = ~word64_subtract(word64_shift_left(1u, push.last_shift), uvec2(1u, 0u));
  }
  States states = States(push.state);
  if (gl_WorkGroupID.x == 0u && gl_LocalInvocationIndex == 0u) {
    states.at.digits = state.digits;
    states.at.before = state.before;
    states.at.wanted = state.wanted;
    states.at.candidates = state.candidates;
    states.at.gathered = state.gathered;
  }
  if (push.digit_mask == 0u) return;

  for (uint i = top_k_lane(); i < kBins * kCopies; i += kWorkgroupSize) weft_top_k_counters[i] = 0u;
  barrier();

  const bool gathers = push.first_pass == 0u && state.gathered == 0u && state.candidates <= push.capacity;
  const uvec2 keys = state.gathered != 0u ? push.candidates : push.keys;
  const uint length = subgroup_uniform(state.gathered != 0u ? state.gathered : count);
  const uint copy = top_k_lane() & (kCopies - 1u);
  const uint tiles = tile_count(length);
  for (uint tile = gl_WorkGroupID.x; tile < tiles; tile += gl_NumWorkGroups.x) {
    const uint first = tile * kTileItems;
    const uint left = length - first;
    const uvec2 source = sort_address(keys, first + top_k_lane(), kKeyWords);
    uvec2 tile_keys[kRows];
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      tile_keys[row] = uvec2(0u);
      if (row * kWorkgroupSize + top_k_lane() < left)
        tile_keys[row] = sort_load(source, row * kWorkgroupSize, kKeyWords);
    }
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      const uvec2 ordered = sort_ordered(tile_keys[row]);
      const bool is_candidate =
          row * kWorkgroupSize + top_k_lane() < left && ((ordered ^ state.digits) & above) == uvec2(0u);
      if (is_candidate)
        atomicAdd(weft_top_k_counters[sort_bits(ordered, push.shift, push.digit_mask) * kCopies + copy], 1u);
      if (gathers) {
        uint gathered;
        const uint rank = subgroup_compact(is_candidate, gathered);
        uint position = 0u;
        if (subgroup_lane() == 0u && gathered != 0u) position = atomicAdd(states.at.gathered_here, gathered);
        position = subgroup_broadcast(position, 0u) + rank;
        if (is_candidate && position < push.capacity) sort_store(push.candidates, position, tile_keys[row], kKeyWords);
      }
    }
  }
  barrier();

  Words bins = Words(push.bins);
  for (uint bin = top_k_lane(); bin < kBins; bin += kWorkgroupSize) {
    uint n = 0u;
    // Each lane begins with another copy, so that they read from different banks.
    for (uint c = 0u; c < kCopies; ++c) n += weft_top_k_counters[bin * kCopies + ((c + bin) & (kCopies - 1u))];
    if (n != 0u) atomicAdd(bins.at[bin], n);
  }
}
#else
TileRange pass_range() {
  return tile_range(count_of(push.count, push.count_words, uvec2(push.count_maximum, 0u)), 0u);
}

struct TopKTile {
  uint first;    // position of its first key
  uint present;  // its keys
};

TopKTile pass_tile(TileRange range, uint tile) {
  return TopKTile(tile * kTileItems, tile_present(range, tile).y);
}

// This lane's key in a row, by its position in the tile.
uint top_k_position(uint row) { return (subgroup_index() * kRows + row) * kSubgroupSize + subgroup_lane(); }

struct TopKKeys {
  uvec2 at[kRows];
};

void top_k_fetch(TopKTile tile, out TopKKeys keys) {
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    keys.at[row] = uvec2(0u);
    if (top_k_position(row) < tile.present)
      keys.at[row] = sort_load(push.keys, tile.first + top_k_position(row), kKeyWords);
  }
}

// Bit `row` of either: this lane's key comes before the k-th key, or is equal to it.
uvec2 top_k_masks(TopKTile tile, TopKKeys keys) {
  const uvec2 last = States(push.state).at.digits;
  uvec2 masks = uvec2(0u);
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const uvec2 ordered = sort_ordered(keys.at[row]);
    const bool present = top_k_position(row) < tile.present;
    masks.x |= uint(present && word64_less(ordered, last)) << row;
    masks.y |= uint(present && ordered == last) << row;
  }
  return masks;
}

// This subgroup's keys of either kind.
uvec2 top_k_subgroup_counts(uvec2 masks) { return subgroup_reduce(uvec2(bitCount(masks.x), bitCount(masks.y))); }

// `before`: keys of either kind before this subgroup's.
void top_k_store(TopKTile tile, TopKKeys keys, uvec2 masks, uvec2 before) {
  States states = States(push.state);
  const uint first_tie = states.at.before;
  const uint found = first_tie + states.at.wanted;
  [[unroll]] for (uint row = 0; row < kRows; ++row) {
    const bool is_first = ((masks.x >> row) & 1u) != 0u;
    const bool is_tie = ((masks.y >> row) & 1u) != 0u;
    const uvec4 firsts = subgroup_ballot(is_first);
    const uvec4 ties = subgroup_ballot(is_tie);
    const uint to = is_first ? before.x + subgroup_rank(firsts) : first_tie + before.y + subgroup_rank(ties);
    if ((is_first || is_tie) && to < found) {
      sort_store(push.keys_out, to, keys.at[row], kKeyWords);
      if (kValueWords != 0u) {
        const uint from = tile.first + top_k_position(row);
        uvec2 value = uvec2(from, 0u);
        if (push.values != uvec2(0u)) value = sort_load(push.values, from, kValueWords);
        sort_store(push.values_out, to, value, kValueWords);
      }
    }
    before += uvec2(ballot_bit_count(firsts), ballot_bit_count(ties));
  }
}

// ---- the hooks of a pass: scan/scan_pass.glsl describes them ----

#define PassTile TopKTile

#define PassWords uint  // none apart from what is held

struct PassHeld {
  TopKKeys keys;
  uvec2 masks;
};

uvec2 pass_initial() { return identity(); }

uvec2 pass_take(TopKTile tile, uint words, out PassHeld held) {
  top_k_fetch(tile, held.keys);
  held.masks = top_k_masks(tile, held.keys);
  return top_k_subgroup_counts(held.masks);
}

void pass_stage(TopKTile tile, uint words, PassHeld held) {}

void pass_store(TopKTile tile, uint words, PassHeld held, uvec2 prefix, uvec2 subgroups_before, uvec2 total) {
  if (total != uvec2(0u)) top_k_store(tile, held.keys, held.masks, combine(prefix, subgroups_before));
}

void pass_none() {}

#ifdef WEFT_TOP_K_LOOK_BACK
#include "weft/look_back.glsl"

uvec2 look_back_aggregate(uint tile) {
  PassHeld held;
  uvec2 total;
  workgroup_exclusive_of_subgroups(pass_take(pass_tile(pass_range(), tile), 0u, held), 1u, total);
  return total;
}

void look_back_finish(uint index, uvec2 prefix) {
  const TopKTile tile = pass_tile(pass_range(), index);
  PassHeld held;
  uvec2 total;
  const uvec2 subgroups_before = workgroup_exclusive_of_subgroups(pass_take(tile, 0u, held), 0u, total);
  pass_store(tile, 0u, held, prefix, subgroups_before, total);
}

#include "core/prefix_look_back.glsl"
#endif

#ifdef WEFT_TOP_K_DOWNSWEEP
#include "core/prefix_downsweep.glsl"
#endif

#ifdef WEFT_TOP_K_UPSWEEP
// Each workgroup leaves the counts of its run of tiles in partials.
#include "weft/partials.glsl"

void main() {
  const TileRange range = pass_range();
  const uint first_tile = gl_WorkGroupID.x * push.tiles_per_workgroup;
  uvec2 counts = identity();
  for (uint i = 0u; i < push.tiles_per_workgroup; ++i) {
    if (!tile_exists(range, first_tile + i)) break;
    PassHeld held;
    counts = combine(counts, pass_take(pass_tile(range, first_tile + i), 0u, held));
  }
  uvec2 total;
  workgroup_exclusive_of_subgroups(counts, 0u, total);
  if (gl_LocalInvocationIndex == 0u) partials_store(push.scratch, gl_WorkGroupID.x, total);
}
#endif
#endif
