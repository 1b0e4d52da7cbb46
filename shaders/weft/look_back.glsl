// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Look-back: one dispatch over tiles whose results depend on all tiles before them.
//
// Tiles form blocks of kLookBackLanes. Each tile publishes the aggregate of its items. The workgroup of a block's last
// tile publishes the block's aggregate, and its inclusive prefix, the aggregate of everything up to the block's end.
// The prefix of a tile is then always combined in the same way,
//
//     inclusive prefix of an earlier block ∘ aggregates of the blocks since then, folded from the left
//     ∘ aggregates of the tiles before it in its own block, as one subgroup operation
//
// so that the bits of floats do not depend on timing. Integers take the same way: what combines them in any order is
// slower (docs/performance/scan.md). One round of reads by one subgroup covers kLookBackLanes blocks.
//
// A state needs no memory ordering: 32 bits of value and a flag travel in the same 64-bit atomic word. Where a value's
// last word is a count, the count plus 1 is the flag of the word before it. A word is written once and whoever writes
// it writes the same, so a state is never torn, only not ready.
//
// Nothing depends on another workgroup ever running on: after kSpinLimit polls a workgroup defers its tile. A second
// dispatch, the fallback pass, does the deferred tiles, mostly none. By then every workgroup of the first has ended,
// and has published its tile; a block that is not closed, or a state that is missing all the same, is computed. So the
// pass ends on devices without forward progress between workgroups too. The two are pipelines of the same module: in
// the first, the code of the fallback would take the registers that hold a tile, so kFallbackPass is a constant and
// each is compiled without the other.
//
// The includer defines look_back_aggregate() and look_back_finish(), declared below.
#ifndef WEFT_LOOK_BACK_GLSL
#define WEFT_LOOK_BACK_GLSL

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require

#include "weft/look_back.h"
#include "weft/workgroup_scan.glsl"

const bool kFallbackPass = kSpinLimit == 0u;
const uint kFaultDelay = 1, kFaultOmit = 2, kFaultOpen = 3;

// Scratch: counters, then the states; all zero before the pass. Then the deferred tiles.
struct LookBack {
  uvec2 address;
  uint tiles;  // for how many there is room; the same for all workgroups
};

layout(buffer_reference, std430, buffer_reference_align = 16) buffer LookBackCounters {
  uint ticket;
  uint deferred;
  uint fallback_ticket;
  uint padding;
};

layout(buffer_reference, std430, buffer_reference_align = 4) buffer LookBackList { uint at[]; };

#if defined(WEFT_SEGMENT_GLSL) || WEFT_ACCUMULATOR == WEFT_COUNTS || WEFT_ACCUMULATOR == WEFT_RUNS
// No count that a later tile reads is 2^32 - 1: there are fewer items before that tile.
#define WEFT_STATE_WORDS (WEFT_ACCUMULATOR_WORDS - 1)
uint state_flag(Accumulator v, uint i) {
  return i == WEFT_STATE_WORDS - 1 ? word_of(v, WEFT_ACCUMULATOR_WORDS - 1) + 1u : 1u;
}
#else
#define WEFT_STATE_WORDS WEFT_ACCUMULATOR_WORDS
uint state_flag(Accumulator v, uint i) { return 1u; }
#endif

uint64_t state_word(Accumulator v, uint i) { return pack64(uvec2(word_of(v, i), state_flag(v, i))); }

layout(buffer_reference, std430, buffer_reference_align = 16) buffer LookBackStates { uint64_t at[]; };

#if !WEFT_SUBGROUP_EMULATED

// A group of lanes looks at as many states at once.
const uint kLookBackLanes = kSubgroupSize;
bool look_back_looks() { return subgroup_index() == 0u; }
uint look_back_lane() { return subgroup_lane(); }
uvec4 look_back_ballot(bool value) { return subgroup_ballot(value); }
Accumulator look_back_from(Accumulator v, uint lane) { return subgroup_shuffle(v, lane); }
#if WEFT_ACCUMULATOR == WEFT_COUNTS || WEFT_ACCUMULATOR == WEFT_RUNS
// Two numbers, by shuffles. Of two reductions of a subgroup that follow a loop, NVIDIA's compiler may skip the second:
// driver 580 keeps in one predicate whether the loop ended well and whether all lanes are here.
Accumulator look_back_combine(Accumulator v) {
  [[unroll]] for (uint distance = 1u; distance < kSubgroupSize; distance <<= 1)
    v = combine(v, look_back_from(v, look_back_lane() ^ distance));
  return v;
}
#else
Accumulator look_back_combine(Accumulator v) { return subgroup_reduce(v); }
#endif

#else

// Emulated subgroups have barriers inside, and look-back is not uniform: one invocation looks at one state at a time.
const uint kLookBackLanes = 1u;
bool look_back_looks() { return gl_LocalInvocationIndex == 0u; }
uint look_back_lane() { return 0u; }
uvec4 look_back_ballot(bool value) { return uvec4(value ? 1u : 0u, 0u, 0u, 0u); }
Accumulator look_back_from(Accumulator v, uint lane) { return v; }
Accumulator look_back_combine(Accumulator v) { return v; }

#endif

bool look_back_leads() { return look_back_looks() && look_back_lane() == 0u; }

uint look_back_blocks(LookBack state) { return (state.tiles + kLookBackLanes - 1u) / kLookBackLanes; }

LookBackCounters look_back_counters(LookBack state) { return LookBackCounters(state.address); }

LookBackStates look_back_states(LookBack state) {
  return LookBackStates(word64_add(state.address, 16u));
}

// Where a state's words begin.
uint slot_of_tile(LookBack state, uint tile) { return tile * WEFT_STATE_WORDS; }
uint slot_of_block(LookBack state, uint block) { return (state.tiles + block) * WEFT_STATE_WORDS; }
uint slot_of_prefix(LookBack state, uint block) {
  return (state.tiles + look_back_blocks(state) + block) * WEFT_STATE_WORDS;
}

// After the states: the deferred tiles.
LookBackList look_back_list(LookBack state) {
  return LookBackList(word64_add(word64_add(state.address, 16u),
                                 word64_multiply(slot_of_prefix(state, look_back_blocks(state)), 8u)));
}

// A value; false until all of it is ready.
bool look_back_read(LookBack state, uint slot, out Accumulator v) {
  LookBackStates states = look_back_states(state);
  bool ready = true;
#if WEFT_ACCUMULATOR_IS_STRUCT
  uint words[WEFT_ACCUMULATOR_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i) words[i] = 0u;
#else
  uint words[2] = {0u, 0u};
#endif
  [[unroll]] for (uint i = 0; i < WEFT_STATE_WORDS; ++i) {
    const uvec2 word =
        unpack32(atomicLoad(states.at[slot + i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed));
    words[i] = word.x;
    if (WEFT_STATE_WORDS < WEFT_ACCUMULATOR_WORDS) words[WEFT_ACCUMULATOR_WORDS - 1] = word.y - 1u;
    ready = ready && word.y != 0u;
  }
#if WEFT_ACCUMULATOR_IS_STRUCT
  v = accumulator_of_words(words);
#else
  v = accumulator_of(uvec2(words[0], words[1]));
#endif
  return ready;
}

// Makes a result matter, so that no compiler drops what gives it.
void look_back_use(LookBack state, uint v) {
  if (v == ~0u) atomicAdd(look_back_counters(state).padding, 1u);
}

// One invocation calls. By exchanges, whose results are used: NVIDIA's compiler makes stores of others, and tiles wait
// longer for what is stored (docs/performance/select.md).
void look_back_publish(LookBack state, uint slot, Accumulator v) {
  LookBackStates states = look_back_states(state);
  uint was = 0u;
  [[unroll]] for (uint i = 0; i < WEFT_STATE_WORDS; ++i)
    was |= unpack32(atomicExchange(states.at[slot + i], state_word(v, i))).y;
  look_back_use(state, was);
}

bool look_back_omits(uint tile) { return (kFault & 255u) == kFaultOmit && tile % (kFault >> 8) == 0u; }

void look_back_delay(LookBack state, uint tile) {
  if ((kFault & 255u) != kFaultDelay || tile % (kFault >> 8) != 0u) return;
  // A bounded wait that no compiler can drop.
  uint seen = 0u;
  for (uint i = 0u; i < 4096u; ++i)
    seen |= atomicLoad(look_back_counters(state).ticket, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  look_back_use(state, seen);
}

shared Accumulator weft_look_back_prefix;
shared uint weft_look_back_not_ready;  // 0, or as look_back_poll() says
shared uint weft_look_back_ticket;

// Which tile a workgroup takes, on all invocations: its number in the order of starting, so that every predecessor has
// started; or its number in the dispatch, where a device starts workgroups in that order. The order matters to the time
// alone.
uint look_back_ticket(LookBack state) {
  if (!kTickets) return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (look_back_leads()) weft_look_back_ticket = atomicAdd(look_back_counters(state).ticket, 1u);
  barrier();
  return subgroup_uniform(weft_look_back_ticket);
}

// Publishes a tile's aggregate. Every invocation may call.
void look_back_publish_tile(LookBack state, uint tile, Accumulator aggregate) {
  if (!look_back_leads()) return;
  look_back_delay(state, tile);
  if (!look_back_omits(tile)) look_back_publish(state, slot_of_tile(state, tile), aggregate);
}

// Publishes a block's aggregate if those of all its tiles are ready by one of so many polls. The lanes of
// look_back_looks() call. The loop holds the polls alone: drivers spend dozens of instructions on every subgroup
// operation in one.
bool look_back_publish_block(LookBack state, uint block, uint polls) {
  const uint slot = slot_of_tile(state, block * kLookBackLanes + look_back_lane());
  Accumulator v;
  bool waits = true;
  for (uint poll = 0u; poll < polls && waits; ++poll)
    waits = look_back_ballot(!look_back_read(state, slot, v)) != uvec4(0u);
  const Accumulator combined = look_back_combine(v);
  if (!waits && look_back_lane() == 0u) look_back_publish(state, slot_of_block(state, block), combined);
  return !waits;
}

// Publishes the block whose last tile is `tile`, if it is one's last. Every invocation may call; those of
// look_back_looks() do the work. Call it some time after look_back_publish_tile(): the block's other tiles have mostly
// started earlier, so they will be ready.
void look_back_close_block(LookBack state, uint tile) {
  if (!look_back_looks() || tile % kLookBackLanes != kLookBackLanes - 1u) return;
  if ((kFault & 255u) == kFaultOpen && tile / kLookBackLanes % (kFault >> 8) == 0u) return;
  look_back_publish_block(state, tile / kLookBackLanes, kSpinLimit);
}

// `base` combined with the lanes from `first` on, from the left.
Accumulator look_back_fold(Accumulator base, Accumulator v, uint first) {
  for (uint i = first; i < kLookBackLanes; ++i) base = combine(base, look_back_from(v, i));
  return base;
}

// The aggregate or, better, inclusive prefix of a window of blocks that ends before `end`; the last lane holds the
// nearest. Before block 0 comes `initial`. Returns the first lane that counts: the last prefix, or 0 and `has_prefix`
// false. `missing_end` is 0, or the block after the last one that is not ready.
uint look_back_window(LookBack state, uint end, Accumulator initial, out Accumulator v, out bool has_prefix,
                      out uint missing_end) {
  const uint lane = look_back_lane();
  const uint back = kLookBackLanes - lane;
  bool is_prefix = back > end;
  bool ready = is_prefix;
  v = back == end + 1u ? initial : identity();
  if (!is_prefix) {
    Accumulator prefix, aggregate;
    is_prefix = look_back_read(state, slot_of_prefix(state, end - back), prefix);
    ready = look_back_read(state, slot_of_block(state, end - back), aggregate) || is_prefix;
    v = aggregate;
    if (is_prefix) v = prefix;
  }
  const uint last_prefix = ballot_highest_bit(look_back_ballot(is_prefix));
  const uint last_missing = ballot_highest_bit(look_back_ballot(!ready));
  has_prefix = last_prefix < 128u;
  const bool waits = last_missing < 128u && (!has_prefix || last_missing > last_prefix);
  missing_end = waits ? end + 1u + last_missing - kLookBackLanes : 0u;
  return has_prefix ? last_prefix : 0u;
}

// Walks back from a tile whose own aggregate, too, must be ready (it may be about to lose its inputs). Gives the
// inclusive prefix of the tile before it, and 0. If that is not ready, gives the tile after one whose aggregate is
// missing, or its block's. The lanes of look_back_looks() call. Loops are bounded: each round moves a window, or is one
// of kSpinLimit polls.
uint look_back_poll(LookBack state, uint tile, Accumulator initial, out Accumulator prefix) {
  const uint lane = look_back_lane();
  const uint block = tile / kLookBackLanes;
  const uint position = tile % kLookBackLanes;
  prefix = identity();
  Accumulator own = identity();
  uint own_end = 0u;  // the tile after the last one of its own block that is not ready
  uint end = block;
  Accumulator v;
  bool has_prefix;
  uint first;
  bool own_ready = false;
  for (uint spins = 0u;;) {
    if (!own_ready) {
      bool missing = false;
      if (lane <= position) missing = !look_back_read(state, slot_of_tile(state, block * kLookBackLanes + lane), own);
      const uint last_missing = ballot_highest_bit(look_back_ballot(missing));
      own_ready = last_missing == 128u;
      own_end = block * kLookBackLanes + last_missing + 1u;
    }
    uint missing_end;
    first = look_back_window(state, end, initial, v, has_prefix, missing_end);
    if (!own_ready || missing_end != 0u) {
      if (++spins < kSpinLimit) continue;
      return own_ready ? missing_end * kLookBackLanes : own_end;
    }
    if (has_prefix) break;
    end -= kLookBackLanes;
    spins = 0u;
  }
  // Forwards again; what was ready still is, or has become better.
  Accumulator base = look_back_fold(look_back_from(v, first), v, first + 1u);
  while (end < block) {
    end += kLookBackLanes;
    uint missing_end;
    first = look_back_window(state, end, initial, v, has_prefix, missing_end);
    base = has_prefix ? look_back_fold(look_back_from(v, first), v, first + 1u) : look_back_fold(base, v, 0u);
  }
  prefix = combine(base, look_back_combine(lane < position ? own : identity()));
  if (position == kLookBackLanes - 1u) {
    const Accumulator through = combine(base, look_back_combine(own));
    if (lane == 0u && !look_back_omits(tile)) look_back_publish(state, slot_of_prefix(state, block), through);
  }
  return 0u;
}

void look_back_defer(LookBack state, uint tile) {
  look_back_list(state).at[atomicAdd(look_back_counters(state).deferred, 1u)] = tile;
}

// The aggregate of everything before `tile`: `initial`, then all earlier tiles. False where the tile was deferred.
// Every invocation of the workgroup calls, uniformly.
bool look_back_prefix(LookBack state, uint tile, Accumulator initial, out Accumulator prefix) {
  if (look_back_looks()) {
    Accumulator walked;
    const uint missing = look_back_poll(state, tile, initial, walked);
    if (look_back_lane() == 0u) {
      weft_look_back_prefix = walked;
      weft_look_back_not_ready = missing;
      if (missing != 0u) look_back_defer(state, tile);
    }
  }
  barrier();
  prefix = weft_look_back_prefix;
  return !subgroup_any(weft_look_back_not_ready != 0u);
}

// ---- the fallback pass ----

// The aggregate of any tile, on all invocations; every invocation of the workgroup calls. Bit for bit what the tile's
// own workgroup publishes.
Accumulator look_back_aggregate(uint tile);

// Writes the outputs of a tile. `prefix`: the aggregate of everything before it. Every invocation of the workgroup
// calls.
void look_back_finish(uint tile, Accumulator prefix);

// Publishes what another workgroup has not, as far as it is missing. In place, outputs may have replaced a tile's
// inputs while its aggregate was computed a second time; but they do so only once it has been published, so then every
// word of the offer is refused. One invocation calls.
void look_back_offer(LookBack state, uint slot, Accumulator v) {
  LookBackStates states = look_back_states(state);
  memoryBarrierBuffer();
  [[unroll]] for (uint i = 0; i < WEFT_STATE_WORDS; ++i)
    atomicCompSwap(states.at[slot + i], uint64_t(0), state_word(v, i));
}

// Makes sure that a block's tiles before `end` are published, and the block where they are all of it. Every invocation
// of the workgroup calls, uniformly.
void look_back_complete(LookBack state, uint end) {
  const uint first = (end - 1u) / kLookBackLanes * kLookBackLanes;
  const uint block = first / kLookBackLanes;
  const bool whole = end - first == kLookBackLanes;
  if (look_back_looks()) {
    const bool published = whole && look_back_publish_block(state, block, 1u);
    if (look_back_lane() == 0u) weft_look_back_not_ready = published ? 0u : 1u;
  }
  barrier();
  const bool open = weft_look_back_not_ready != 0u;
  barrier();
  if (!open) return;

  Accumulator v;
  for (uint tile = first; tile < end; ++tile) {
    if (look_back_leads()) weft_look_back_not_ready = look_back_read(state, slot_of_tile(state, tile), v) ? 0u : 1u;
    barrier();
    const bool missing = weft_look_back_not_ready != 0u;
    barrier();
    if (missing) {
      const Accumulator aggregate = look_back_aggregate(tile);
      if (look_back_leads()) look_back_offer(state, slot_of_tile(state, tile), aggregate);
    }
  }
  barrier();
  if (whole && look_back_looks()) look_back_publish_block(state, block, 1u);
}

// Publishes the blocks before a tile's own that are open although their tiles are published, back to the nearest
// prefix: after one tile that was not ready that may be all of them. Every invocation of the workgroup calls,
// uniformly.
void look_back_close_before(LookBack state, uint tile) {
  for (uint end = tile / kLookBackLanes; end != 0u; end -= min(end, kLookBackLanes)) {
    if (look_back_looks()) {
      const uint lane = look_back_lane();
      const uint back = kLookBackLanes - lane;
      bool is_prefix = back > end;
      bool open = false;
      Accumulator v;
      if (!is_prefix) {
        is_prefix = look_back_read(state, slot_of_prefix(state, end - back), v);
        open = !look_back_read(state, slot_of_block(state, end - back), v);
      }
      const uvec4 prefixes = look_back_ballot(is_prefix);
      const uvec4 opens = look_back_ballot(open);
      const uint first = ballot_highest_bit(prefixes) < 128u ? ballot_highest_bit(prefixes) + 1u : 0u;
      for (uint i = first; i < kLookBackLanes; ++i)
        if (ballot_bit(opens, i)) look_back_publish_block(state, end - (kLookBackLanes - i), 1u);
      if (lane == 0u) weft_look_back_not_ready = prefixes != uvec4(0u) ? 0u : 1u;
    }
    barrier();
    const bool on = weft_look_back_not_ready != 0u;
    barrier();
    if (!on) break;
  }
}

// As look_back_prefix(), but computes what is missing.
Accumulator look_back_complete_prefix(LookBack state, uint tile, Accumulator initial) {
  // Every round but the last completes a block, or the tile's own.
  for (uint round = 0u; round < tile / kLookBackLanes + 3u; ++round) {
    if (look_back_looks()) {
      Accumulator walked;
      const uint missing = look_back_poll(state, tile, initial, walked);
      if (look_back_lane() == 0u) {
        weft_look_back_prefix = walked;
        weft_look_back_not_ready = missing;
      }
    }
    barrier();
    const uint missing = weft_look_back_not_ready;
    barrier();
    if (missing == 0u) break;
    if (round == 0u) look_back_close_before(state, tile);
    look_back_complete(state, missing);
    barrier();
  }
  return weft_look_back_prefix;
}

// Does the deferred tiles; mostly there are none. Each workgroup takes a run of them, so that all but its first find a
// prefix near. Runs go out in the order in which workgroups start: those at work at the same time are neighbours then,
// and none has far to walk to a prefix, however many tiles were deferred and in whatever order a device runs its
// workgroups. Every invocation of the workgroup calls, uniformly.
void look_back_fallback(LookBack state, Accumulator initial) {
  const uint deferred = look_back_counters(state).deferred;
  if (deferred == 0u) return;
  const uint workgroups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
  const uint run = (deferred + workgroups - 1u) / workgroups;
  if (look_back_leads()) weft_look_back_ticket = atomicAdd(look_back_counters(state).fallback_ticket, 1u);
  barrier();
  const uint first = min(weft_look_back_ticket * run, deferred);
  for (uint i = first; i < min(first + run, deferred); ++i) {
    const uint tile = look_back_list(state).at[i];
    look_back_finish(tile, look_back_complete_prefix(state, tile, initial));
    barrier();
  }
}

#endif
