// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A pass of TopK: counts a digit of the candidates, the keys whose higher digits are those of the k-th key. Each
// workgroup begins by choosing the k-th key's digit of the pass before from all its counters, which takes less time
// than a dispatch in between. A last dispatch, without a digit of its own, only chooses.
//
// The first pass with few candidates gathers them, in any order, for the passes after it: only counts come of them.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_OP 0  // add
#include "weft/compact.glsl"
#include "weft/workgroup_scan.glsl"
#include "sort/top_k.h"

const uint kRows = 8;
const uint kTileItems = kWorkgroupSize * kRows;
const uint kBins = 1u << kDigitBits;

#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { TopKCountPush push; };

#include "sort/sort_items.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer States { TopKState at; };

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
