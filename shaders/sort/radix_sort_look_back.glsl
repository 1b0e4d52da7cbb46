// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Where a tile's keys go, by look-back: for each digit of its own, a lane adds up what the tiles before have of it.
//
// A tile state is one word for a tile and a digit: its kind in the two highest bits, a number of keys in the others, so
// that it needs no memory ordering. A tile first publishes its aggregate, its own keys of the digit, and later the
// inclusive prefix: keys before the next tile's, with those of smaller digits. All who write a word write the same
// number, and no aggregate replaces a prefix.
//
// Nothing depends on another workgroup ever running on. If a state is not ready after kSpinLimit polls, the workgroup
// counts that tile's digits itself, in the keys that this pass reads, which no workgroup writes to, publishes them, and
// goes on. So the order in which workgroups start matters to the time alone: unless it is that of their numbers, they
// take tiles by a ticket, so that all before have started.
#ifndef WEFT_RADIX_SORT_LOOK_BACK_GLSL
#define WEFT_RADIX_SORT_LOOK_BACK_GLSL

#extension GL_KHR_memory_scope_semantics : require

#include "sort/radix_sort_look_back.h"

const uint kTileAggregate = 1u << 30;
const uint kInclusivePrefix = 2u << 30;
const uint kStateMask = kTileAggregate - 1u;

#define WEFT_FOR_SORT_SIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

// A digit of a lane: keys before its first in this tile, but for those of tiles before `at` and those of smaller
// digits. If that is all, `at` is kFound.
const uint kFound = ~0u;

struct SortDigit {
  uint tile, at;  // `at` is the tile before the walk
  uint before;
  uint keys, first;
};

shared uint weft_sort_ticket;
// Of all walks that did not get on the largest `at`, and 1; 0: there is none.
shared uint weft_sort_deferred;

// The workgroup's tile, on all invocations.
uint sort_take_tile() {
  if (sort_lane() == 0u) {
    weft_sort_deferred = 0u;
    if (kTickets) weft_sort_ticket = atomicAdd(Words(push.ticket).at[0], 1u);
  }
  if (!kTickets) return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  barrier();
  return subgroup_uniform(weft_sort_ticket);
}

uint sort_state_index(uint tile, uint digit) { return tile * kBins + digit; }

bool sort_omits(uint tile) { return (kFault & 255u) == 2u && tile % (kFault >> 8) == 0u; }

void sort_publish(uint tile, uint digit, uint word) {
  if (sort_omits(tile)) return;
  if ((kFault & 255u) == 1u && tile % (kFault >> 8) == 0u) {
    // A bounded wait that no compiler can drop.
    uint seen = 0u;
    for (uint i = 0u; i < 4096u; ++i)
      seen |= atomicLoad(Words(push.ticket).at[0], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
    if (seen == ~0u) word = 0u;
  }
  atomicStore(Words(push.states).at[sort_state_index(tile, digit)], word, gl_ScopeDevice, gl_StorageSemanticsNone,
              gl_SemanticsRelaxed);
}

void sort_counted(inout SortDigit own, uint digit, uint keys) {
  own.keys = keys;
  sort_publish(own.tile, digit, kTileAggregate | keys);
  if (push.next_states != uvec2(0u)) Words(push.next_states).at[sort_state_index(own.tile, digit)] = 0u;
}

void sort_placed(inout SortDigit own, uint digit, uint keys, uint first) { own.first = first; }

// Adds up what the tiles before have of the digit, as far as it is published. Bounded: each round gets on, or is one of
// kSpinLimit polls.
void sort_walk(inout SortDigit own, uint digit) {
  Words states = Words(push.states);
  for (uint polls = 0u; own.at != kFound && own.at != 0u && polls < kSpinLimit;) {
    const uint from = own.at;
    // Before tile 0 there is no state.
#define WEFT_READ_STATE(i)                                                                                  \
  uint state_##i = 0u;                                                                                      \
  if (i < kSight) {                                                                                         \
    const uint index = sort_state_index(from > i ? from - 1u - i : 0u, digit);                              \
    state_##i = atomicLoad(states.at[index], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed); \
    state_##i = from > i ? state_##i : 0u;                                                                  \
  }
    WEFT_FOR_SORT_SIGHT(WEFT_READ_STATE)
#undef WEFT_READ_STATE
    bool goes_on = true;
#define WEFT_ADD_STATE(i)                                              \
  if (i < kSight) {                                                    \
    const bool is_through = state_##i >= kInclusivePrefix;             \
    goes_on = goes_on && state_##i != 0u;                              \
    own.before += goes_on ? state_##i & kStateMask : 0u;               \
    own.at = goes_on ? (is_through ? kFound : from - 1u - i) : own.at; \
    goes_on = goes_on && !is_through;                                  \
  }
    WEFT_FOR_SORT_SIGHT(WEFT_ADD_STATE)
#undef WEFT_ADD_STATE
    polls = own.at != from ? 0u : polls + 1u;
  }
}

// Walks, and says what was found or where it ended.
void sort_look_back(inout SortDigit own, uint digit) {
  sort_walk(own, digit);
  if (own.at != kFound) {
    atomicMax(weft_sort_deferred, own.at + 1u);
    return;
  }
  weft_sort_begins[digit] = own.before - own.first;
  sort_publish(own.tile, digit, kInclusivePrefix | (own.before + own.keys));
}

void sort_look_back(inout SortDigit own_0, inout SortDigit own_1) {
  const uint lane = sort_lane();
  if (has_digit(lane)) sort_look_back(own_0, lane);
  if (kLaneDigits == 2u) sort_look_back(own_1, lane + kWorkgroupSize);
}

// Counts the digits of a tile, in weft_sort_begins. Every invocation calls.
void sort_count_tile(uint tile) {
  const uint lane = sort_lane();
  for (uint digit = lane; digit < kBins; digit += kWorkgroupSize) weft_sort_begins[digit] = 0u;
  barrier();
  const uint count = sort_count();
  for (uint i = lane; i < kTileKeys; i += kWorkgroupSize) {
    const uint position = tile * kTileKeys + i;
    if (position >= count) break;
    const uvec2 key = sort_load(sort_address(push.keys, position, kKeyWords), 0u, kKeyWords);
    atomicAdd(weft_sort_begins[sort_digit(key)], 1u);
  }
  barrier();
}

// Takes the step over a tile whose state is not ready, and whose digits are counted.
void sort_step(inout SortDigit own, uint tile, uint digit) {
  const uint counted = weft_sort_begins[digit];
  atomicMax(Words(push.states).at[sort_state_index(tile, digit)], kTileAggregate | counted);
  if (own.at != tile + 1u) return;
  own.at = tile;
  own.before += counted;
}

// Before all tiles: adds the keys of smaller digits.
void sort_finish(inout SortDigit own, uint smaller) {
  if (own.at != 0u) return;
  own.at = kFound;
  own.before += smaller;
}

// After a first look back, which mostly finds all, but for tile 0.
void sort_find_begins(inout SortDigit own_0, inout SortDigit own_1) {
  const uint lane = sort_lane();
  // Each round lets the walks that have furthest to go get on.
  for (uint round = 0u; round < own_0.tile + 3u; ++round) {
    barrier();
    const uint deferred = subgroup_uniform(weft_sort_deferred);
    if (deferred == 0u) break;
    barrier();
    if (lane == 0u) weft_sort_deferred = 0u;
    if (deferred == 1u) {
      Words totals = Words(push.totals);
      uint all, rest;
      const uint smaller = workgroup_exclusive(has_digit(lane) ? totals.at[lane] : 0u, 0u, all);
      if (has_digit(lane)) sort_finish(own_0, smaller);
      if (kLaneDigits == 2u)
        sort_finish(own_1, all + workgroup_exclusive(totals.at[lane + kWorkgroupSize], 1u, rest));
    } else {
      sort_count_tile(deferred - 2u);
      if (has_digit(lane)) sort_step(own_0, deferred - 2u, lane);
      if (kLaneDigits == 2u) sort_step(own_1, deferred - 2u, lane + kWorkgroupSize);
    }
    barrier();
    sort_look_back(own_0, own_1);
  }
}

#endif
