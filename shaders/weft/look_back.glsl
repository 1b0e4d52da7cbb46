// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Decoupled look-back: one pass over tiles whose results depend on all tiles before them. Tiles are taken by ticket, so that
// every predecessor of a running tile has started. Each posts the combination of its own items (an aggregate), then looks back
// over the posts of its predecessors for one that has posted everything up to its end (a prefix), then posts its own prefix.
//
// Nothing depends on a predecessor ever running on: after kSpinLimit polls the workgroup computes the late tile's aggregate
// itself and offers it. So the pass ends on devices without forward progress between workgroups too.
//
// Posts need no memory ordering: value and flag travel in the same atomic word. Where one word holds all (32-bit values with
// 64-bit atomics) a tile has one, that turns from aggregate to prefix. Else it has two slots, one for each, of words that are
// written once: 32 bits of value and a flag in 64, or 16 in 32. So a post is never torn, only not there yet, and whoever finds
// an aggregate half written can complete it.
//
// Results are exact in the sense that matters for floats: the prefix handed to a tile is always the left fold of the aggregates
// of all tiles before it, however far the look-back had to go, so its bits do not depend on timing.
//
// The includer defines look_back_aggregate(), declared below.
// Specialization constants: 5 kSpinLimit, 6 kFault.
#ifndef WEFT_LOOK_BACK_GLSL
#define WEFT_LOOK_BACK_GLSL

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#if WEFT_STATE_BITS == 64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#endif

#include "weft/workgroup_scan.glsl"

layout(constant_id = 5) const uint kSpinLimit = 64;

// Faults for tests: tiles whose index is a multiple of kFault >> 8 post late (1) or never (2).
layout(constant_id = 6) const uint kFault = 0;
const uint kFaultDelay = 1, kFaultOmit = 2;

const uint kPostNone = 0, kPostAggregate = 1, kPostPrefix = 2;

// Scratch: the ticket counter in the first 16 bytes, then the posts of all tiles. All zero before the pass.
layout(buffer_reference, std430, buffer_reference_align = 16) buffer LookBackScratch {
  uint ticket;
  uint padding[3];
#if WEFT_STATE_BITS == 64
  uint64_t posts[];
#else
  uint posts[];
#endif
};

#if WEFT_STATE_BITS == 64
#define WEFT_SLOT_WORDS WEFT_ACCUMULATOR_WORDS
#define WEFT_POST_WORD uint64_t
uint64_t post_word(uint flag, Accumulator v, uint i) { return pack64(uvec2(word_of(v, i), flag)); }
uint post_flag(uint64_t word) { return unpack32(word).y; }
#else
#define WEFT_SLOT_WORDS (2 * WEFT_ACCUMULATOR_WORDS)
#define WEFT_POST_WORD uint
uint post_word(uint flag, Accumulator v, uint i) {
  return (flag << 16) | ((word_of(v, i >> 1) >> (16u * (i & 1u))) & 0xffffu);
}
uint post_flag(uint word) { return word >> 16; }
#endif

#if WEFT_SLOT_WORDS == 1
#define WEFT_TILE_POST_WORDS 1
uint post_slot(uint tile, uint flag) { return tile; }
#else
#define WEFT_TILE_POST_WORDS (2 * WEFT_SLOT_WORDS)
uint post_slot(uint tile, uint flag) {
  return tile * WEFT_TILE_POST_WORDS + (flag == kPostPrefix ? WEFT_SLOT_WORDS : 0u);
}
#endif

// The aggregate of any tile, on all invocations; every invocation of the workgroup calls. Bit for bit what the tile's own
// workgroup posts.
Accumulator look_back_aggregate(uint tile);

shared Accumulator weft_look_back_prefix;
shared uint weft_look_back_late;
shared uint weft_look_back_tile;

// The next tile, the same for the whole workgroup.
uint look_back_ticket(LookBackScratch scratch) {
  if (gl_LocalInvocationIndex == 0u) weft_look_back_tile = atomicAdd(scratch.ticket, 1u);
  barrier();
  return weft_look_back_tile;
}

// The value in a slot, and its flag: kPostNone until all its words are there.
uint look_back_read_slot(LookBackScratch scratch, uint slot, out Accumulator v) {
  uint flag = kPostNone;
  uint words[2] = {0u, 0u};
  [[unroll]] for (uint i = 0; i < WEFT_SLOT_WORDS; ++i) {
    const WEFT_POST_WORD word =
        atomicLoad(scratch.posts[slot + i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
#if WEFT_STATE_BITS == 64
    words[i] = unpack32(word).x;
#else
    words[i >> 1] |= (word & 0xffffu) << (16u * (i & 1u));
#endif
    flag = i == 0u || post_flag(word) == flag ? post_flag(word) : kPostNone;
  }
  v = accumulator_of(uvec2(words[0], words[1]));
  return flag;
}

// The best a tile has posted so far: its prefix, its aggregate, or none.
uint look_back_read(LookBackScratch scratch, uint tile, out Accumulator v) {
#if WEFT_SLOT_WORDS == 1
  return look_back_read_slot(scratch, post_slot(tile, kPostAggregate), v);
#else
  Accumulator prefix, aggregate;
  const uint prefix_flag = look_back_read_slot(scratch, post_slot(tile, kPostPrefix), prefix);
  const uint aggregate_flag = look_back_read_slot(scratch, post_slot(tile, kPostAggregate), aggregate);
  v = aggregate;
  if (prefix_flag == kPostPrefix) v = prefix;
  return prefix_flag == kPostPrefix ? kPostPrefix : aggregate_flag;
#endif
}

// Posts for the caller's own tile. One invocation calls.
void look_back_post(LookBackScratch scratch, uint tile, uint flag, Accumulator v) {
  [[unroll]] for (uint i = 0; i < WEFT_SLOT_WORDS; ++i)
    atomicStore(scratch.posts[post_slot(tile, flag) + i], post_word(flag, v, i), gl_ScopeDevice, gl_StorageSemanticsNone,
                gl_SemanticsRelaxed);
}

// Posts for another workgroup's tile what that has not posted itself. If the tile's owner works in place, its outputs may have
// replaced inputs while the value was computed; but it posts before it writes, so then every word of the offer is refused.
// One invocation calls.
void look_back_offer(LookBackScratch scratch, uint tile, uint flag, Accumulator v) {
  memoryBarrierBuffer();
  [[unroll]] for (uint i = 0; i < WEFT_SLOT_WORDS; ++i)
    atomicCompSwap(scratch.posts[post_slot(tile, flag) + i], WEFT_POST_WORD(0), post_word(flag, v, i));
}

bool look_back_omits(uint tile) { return (kFault & 255u) == kFaultOmit && tile % (kFault >> 8) == 0u; }

void look_back_delay(LookBackScratch scratch, uint tile) {
  if ((kFault & 255u) != kFaultDelay || tile % (kFault >> 8) != 0u) return;
  // A bounded wait that no compiler can drop.
  uint seen = 0u;
  for (uint i = 0u; i < 4096u; ++i)
    seen |= atomicLoad(scratch.ticket, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  if (seen == 0u) atomicAdd(scratch.padding[0], 1u);
}

#if !WEFT_SUBGROUP_EMULATED

// A group of lanes looks at as many predecessors at once: lane i at the tile i + 1 before `end`.
const uint kLookBackLanes = kSubgroupSize;
bool look_back_looks() { return subgroup_index() == 0u; }
uint look_back_lane() { return subgroup_lane(); }
uvec4 look_back_ballot(bool value) { return subgroup_ballot(value); }
Accumulator look_back_from(Accumulator v, uint lane) { return subgroup_shuffle(v, lane); }
// In reverse: lane 0 holds what comes last.
Accumulator look_back_combine_reversed(Accumulator v) {
  return subgroup_reduce(subgroup_shuffle(v, kSubgroupSize - 1u - subgroup_lane()));
}

#else

// Emulated subgroups have barriers inside, and look-back is not uniform: one invocation looks at one predecessor at a time.
const uint kLookBackLanes = 1u;
bool look_back_looks() { return gl_LocalInvocationIndex == 0u; }
uint look_back_lane() { return 0u; }
uvec4 look_back_ballot(bool value) { return uvec4(value ? 1u : 0u, 0u, 0u, 0u); }
Accumulator look_back_from(Accumulator v, uint lane) { return v; }
Accumulator look_back_combine_reversed(Accumulator v) { return v; }

#endif

// Walks back from `end` (tiles before it are wanted) until a prefix, over posts that are all there. Returns the tile after the
// one whose post is late, or 0 when done, with `prefix` the combination of all tiles before `end`.
//
// Integers combine each window as it is seen, nearest first. Floats first find the prefix, then come back forwards: a post seen
// as an aggregate may by then be a prefix, which is the same left fold and simply replaces what was carried.
uint look_back_walk(LookBackScratch scratch, uint end, out Accumulator prefix) {
  const uint lane = look_back_lane();
  Accumulator after = identity();
  uint window_end = end;
  uint spins = 0u;
  // Bounded: each round either moves a window back, or is one of kSpinLimit polls at this place.
  for (;;) {
    const bool exists = lane < window_end;
    Accumulator v = identity();
    uint flag = kPostPrefix;  // before tile 0: the identity
    if (exists) flag = look_back_read(scratch, window_end - 1u - lane, v);
    const uint first_prefix = ballot_lowest_bit(look_back_ballot(flag == kPostPrefix));
    const uint first_none = ballot_lowest_bit(look_back_ballot(flag == kPostNone));
    if (first_none < first_prefix) {
      if (++spins >= kSpinLimit) return window_end - first_none;
      continue;
    }
    spins = 0u;
#if WEFT_ACCUMULATOR_IS_FLOAT
    if (first_prefix == 128u) {
      window_end -= kLookBackLanes;
      continue;
    }
    // Forwards from the prefix: window by window, lane by lane.
    Accumulator carried = look_back_from(v, first_prefix);
    for (uint i = first_prefix; i-- > 0u;) carried = combine(carried, look_back_from(v, i));
    while (window_end < end) {
      window_end += kLookBackLanes;
      Accumulator w;
      const uint again = look_back_read(scratch, window_end - 1u - lane, w);
      const uvec4 prefixes = look_back_ballot(again == kPostPrefix);
      for (uint i = kLookBackLanes; i-- > 0u;) {
        const Accumulator own = look_back_from(w, i);
        carried = ballot_bit(prefixes, i) ? own : combine(carried, own);
      }
    }
    prefix = carried;
    return 0u;
#else
    after = combine(look_back_combine_reversed(lane <= first_prefix ? v : identity()), after);
    if (first_prefix < 128u) {
      prefix = after;
      return 0u;
    }
    window_end -= kLookBackLanes;
#endif
  }
}

// The combination of everything before `tile`: `initial`, then all earlier tiles. Posts for the tile. Every invocation of the
// workgroup calls, uniformly, with the tile's aggregate; all get the prefix.
Accumulator look_back_prefix(LookBackScratch scratch, uint tile, Accumulator aggregate, Accumulator initial, bool in_place) {
  const bool posts = !look_back_omits(tile);
  if (gl_LocalInvocationIndex == 0u) {
    look_back_delay(scratch, tile);
    if (posts) {
      if (tile == 0u)
        look_back_post(scratch, 0u, kPostPrefix, combine(initial, aggregate));
      else
        look_back_post(scratch, tile, kPostAggregate, aggregate);
      // Offers are refused from here on; only then may outputs replace inputs.
      if (in_place) memoryBarrierBuffer();
    }
  }
  if (tile == 0u) {
    if (in_place) barrier();
    return initial;
  }
  // Each round but the last adds a post of an earlier tile, so there are at most `tile` + 1 of them.
  for (uint round = 0u; round <= tile; ++round) {
    if (look_back_looks()) {
      Accumulator prefix = identity();
      const uint late = look_back_walk(scratch, tile, prefix);
      if (look_back_lane() == 0u) {
        if (late == 0u && posts) look_back_post(scratch, tile, kPostPrefix, combine(prefix, aggregate));
        weft_look_back_prefix = prefix;
        weft_look_back_late = late;
      }
    }
    barrier();
    const uint late = weft_look_back_late;
    if (late == 0u) break;
    const Accumulator recomputed = look_back_aggregate(late - 1u);
    if (gl_LocalInvocationIndex == 0u) {
      if (late == 1u)
        look_back_offer(scratch, 0u, kPostPrefix, combine(initial, recomputed));
      else
        look_back_offer(scratch, late - 1u, kPostAggregate, recomputed);
    }
    barrier();
  }
  return weft_look_back_prefix;
}

#endif
