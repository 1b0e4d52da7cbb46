// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Look-back: one dispatch over tiles whose results depend on all tiles before them.
//
// Tiles form blocks of kLookBackLanes. Of every tile its aggregate is posted, the combination of its items; of every block its
// aggregate, by its last tile's workgroup, and its prefix, the combination of everything up to its end. The prefix of a tile
// is then always put together in the same way,
//
//     prefix of an earlier block ∘ aggregates of the blocks since then, folded from the left ∘ aggregates of the tiles before it
//     in its own block, as one subgroup operation
//
// so that the bits of floats do not depend on timing. One round of reads by one subgroup covers kLookBackLanes blocks.
//
// Posts need no memory ordering: value and flag travel in the same atomic word, 32 bits of value in 64, or 16 in 32. A word is
// written once and whoever writes it writes the same, so a post is never torn, only not there yet.
//
// Nothing depends on another workgroup ever running on: after kSpinLimit polls a workgroup gives its tile up. A second dispatch,
// for which WEFT_LOOK_BACK_REPAIR is defined, does what was given up, which is nothing on most days. By then every workgroup of
// the first has ended, and has posted its tile; a block that nobody closed, or a post that is missing all the same, is computed.
// So the pass ends on devices without forward progress between workgroups too. (In the first dispatch that code would take the
// registers that hold a tile.)
//
// Where WEFT_LOOK_BACK_SHARES is defined, a tile's subgroups post their shares of its aggregate too: whoever goes on with the tile then
// need not combine its items again to know what each subgroup has in front of it. The includer's share_word() and share_of() make
// words of less than 2^31 of them; their highest bit says that they are there.
//
// A repairing includer defines look_back_aggregate(), declared below.
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

// Faults for tests: tiles whose index is a multiple of kFault >> 8 are posted late (1) or never (2); blocks whose index is one are
// not closed (3); tiles whose index is one are posted without their shares (4).
layout(constant_id = 6) const uint kFault = 0;
const uint kFaultDelay = 1, kFaultOmit = 2, kFaultOpen = 3, kFaultShares = 4;

// Scratch: counters, then the posts; all zero before the pass. Then the tiles given up.
struct LookBack {
  uvec2 address;
  uint tiles;  // for how many there is room; the same for all workgroups
};

layout(buffer_reference, std430, buffer_reference_align = 16) buffer LookBackCounters {
  uint ticket;
  uint given_up;
  uint repair_ticket;
  uint padding;
};

layout(buffer_reference, std430, buffer_reference_align = 4) buffer LookBackList { uint at[]; };

#if WEFT_STATE_BITS == 64
#define WEFT_POST_WORDS WEFT_ACCUMULATOR_WORDS
#define WEFT_POST_WORD uint64_t
uint64_t post_word(Accumulator v, uint i) { return pack64(uvec2(word_of(v, i), 1u)); }
bool post_is_there(uint64_t word) { return unpack32(word).y != 0u; }
#else
#define WEFT_POST_WORDS (2 * WEFT_ACCUMULATOR_WORDS)
#define WEFT_POST_WORD uint
uint post_word(Accumulator v, uint i) { return 0x10000u | ((word_of(v, i >> 1) >> (16u * (i & 1u))) & 0xffffu); }
bool post_is_there(uint word) { return word != 0u; }
#endif

layout(buffer_reference, std430, buffer_reference_align = 16) buffer LookBackPosts { WEFT_POST_WORD at[]; };

#if !WEFT_SUBGROUP_EMULATED

// A group of lanes looks at as many posts at once.
const uint kLookBackLanes = kSubgroupSize;
bool look_back_looks() { return subgroup_index() == 0u; }
uint look_back_lane() { return subgroup_lane(); }
uvec4 look_back_ballot(bool value) { return subgroup_ballot(value); }
Accumulator look_back_from(Accumulator v, uint lane) { return subgroup_shuffle(v, lane); }
Accumulator look_back_combine(Accumulator v) { return subgroup_reduce(v); }

#else

// Emulated subgroups have barriers inside, and look-back is not uniform: one invocation looks at one post at a time.
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

LookBackPosts look_back_slots(LookBack state) {
  return LookBackPosts(word64_add(state.address, 16u));
}

// Where a post's words begin.
uint slot_of_tile(LookBack state, uint tile) { return tile * WEFT_POST_WORDS; }
uint slot_of_block(LookBack state, uint block) { return (state.tiles + block) * WEFT_POST_WORDS; }
uint slot_of_prefix(LookBack state, uint block) {
  return (state.tiles + look_back_blocks(state) + block) * WEFT_POST_WORDS;
}

#ifdef WEFT_LOOK_BACK_SHARES
const uint kShareWords = kSubgroupCount * WEFT_ACCUMULATOR_WORDS;
#else
const uint kShareWords = 0u;
#endif

// Behind the posts: first the shares, then the tiles given up.
uvec2 look_back_behind_posts(LookBack state) {
  const uint words = slot_of_prefix(state, look_back_blocks(state)) * (WEFT_STATE_BITS / 32u);
  return word64_add(word64_add(state.address, 16u), word64_multiply(words, 4u));
}

LookBackList look_back_list(LookBack state) {
  return LookBackList(word64_add(look_back_behind_posts(state), word64_multiply(state.tiles, kShareWords * 4u)));
}

// A post's value; false until all of it is there.
bool look_back_read(LookBack state, uint slot, out Accumulator v) {
  LookBackPosts posts = look_back_slots(state);
  bool there = true;
#if WEFT_ACCUMULATOR_IS_STRUCT
  uint words[WEFT_ACCUMULATOR_WORDS];
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i) words[i] = 0u;
#else
  uint words[2] = {0u, 0u};
#endif
  [[unroll]] for (uint i = 0; i < WEFT_POST_WORDS; ++i) {
    const WEFT_POST_WORD word =
        atomicLoad(posts.at[slot + i], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
#if WEFT_STATE_BITS == 64
    words[i] = unpack32(word).x;
#else
    words[i >> 1] |= (word & 0xffffu) << (16u * (i & 1u));
#endif
    there = there && post_is_there(word);
  }
#if WEFT_ACCUMULATOR_IS_STRUCT
  v = accumulator_of_words(words);
#else
  v = accumulator_of(uvec2(words[0], words[1]));
#endif
  return there;
}

// One invocation calls.
void look_back_post(LookBack state, uint slot, Accumulator v) {
  LookBackPosts posts = look_back_slots(state);
  [[unroll]] for (uint i = 0; i < WEFT_POST_WORDS; ++i)
    atomicStore(posts.at[slot + i], post_word(v, i), gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

bool look_back_omits(uint tile) { return (kFault & 255u) == kFaultOmit && tile % (kFault >> 8) == 0u; }

void look_back_delay(LookBack state, uint tile) {
  if ((kFault & 255u) != kFaultDelay || tile % (kFault >> 8) != 0u) return;
  // A bounded wait that no compiler can drop.
  uint seen = 0u;
  for (uint i = 0u; i < 4096u; ++i)
    seen |= atomicLoad(look_back_counters(state).ticket, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  if (seen == ~0u) atomicAdd(look_back_counters(state).padding, 1u);
}

shared Accumulator weft_look_back_prefix;
shared uint weft_look_back_late;
shared uint weft_look_back_ticket;

// The workgroup's number in the order of starting, on all invocations: every predecessor has started.
uint look_back_ticket(LookBack state) {
  if (look_back_leads()) weft_look_back_ticket = atomicAdd(look_back_counters(state).ticket, 1u);
  barrier();
  return subgroup_uniform(weft_look_back_ticket);
}

// Posts a tile's aggregate. Every invocation may call.
void look_back_post_tile(LookBack state, uint tile, Accumulator aggregate) {
  if (!look_back_leads()) return;
  look_back_delay(state, tile);
  if (!look_back_omits(tile)) look_back_post(state, slot_of_tile(state, tile), aggregate);
}

// Posts a block if all of its tiles are posted. The lanes of look_back_looks() call.
bool look_back_post_block(LookBack state, uint block) {
  const uint lane = look_back_lane();
  Accumulator v;
  const bool there = look_back_read(state, slot_of_tile(state, block * kLookBackLanes + lane), v);
  if (look_back_ballot(!there) != uvec4(0u)) return false;
  const Accumulator combined = look_back_combine(v);
  if (lane == 0u) look_back_post(state, slot_of_block(state, block), combined);
  return true;
}

// Posts the block whose last tile is `tile`, if it is one's last. Every invocation may call; those of look_back_looks() do the work.
// Call it some time after look_back_post_tile(): the block's other tiles have started earlier, so they will be there.
void look_back_close_block(LookBack state, uint tile) {
  if (!look_back_looks() || tile % kLookBackLanes != kLookBackLanes - 1u) return;
  if ((kFault & 255u) == kFaultOpen && tile / kLookBackLanes % (kFault >> 8) == 0u) return;
  for (uint spins = 0u; spins < kSpinLimit; ++spins)
    if (look_back_post_block(state, tile / kLookBackLanes)) break;
}

// `base` combined with the lanes from `first` on, from the left.
Accumulator look_back_fold(Accumulator base, Accumulator v, uint first) {
  for (uint i = first; i < kLookBackLanes; ++i) base = combine(base, look_back_from(v, i));
  return base;
}

// The aggregate or, better, prefix of a window of blocks that ends before `end`; the last lane holds the nearest. In front of
// block 0 stands `initial`. Returns the first lane that counts: the last prefix, or 0 and `has_prefix` false. `late_end` is 0, or the
// block after the last one that is late.
uint look_back_window(LookBack state, uint end, Accumulator initial, out Accumulator v, out bool has_prefix,
                      out uint late_end) {
  const uint lane = look_back_lane();
  const uint back = kLookBackLanes - lane;
  bool is_prefix = back > end;
  bool there = is_prefix;
  v = back == end + 1u ? initial : identity();
  if (!is_prefix) {
    Accumulator prefix, aggregate;
    is_prefix = look_back_read(state, slot_of_prefix(state, end - back), prefix);
    there = look_back_read(state, slot_of_block(state, end - back), aggregate) || is_prefix;
    v = aggregate;
    if (is_prefix) v = prefix;
  }
  const uint last_prefix = ballot_highest_bit(look_back_ballot(is_prefix));
  const uint last_missing = ballot_highest_bit(look_back_ballot(!there));
  has_prefix = last_prefix < 128u;
  const bool late = last_missing < 128u && (!has_prefix || last_missing > last_prefix);
  late_end = late ? end + 1u + last_missing - kLookBackLanes : 0u;
  return has_prefix ? last_prefix : 0u;
}

// Walks back from a tile whose own aggregate, too, must be there (it may be about to lose its inputs). Gives the combination of
// all before it, and 0; or, where that cannot be had, the tile after one that has not posted, or whose block has not. The lanes of
// look_back_looks() call. Loops are bounded: each round moves a window, or is one of kSpinLimit polls.
uint look_back_poll(LookBack state, uint tile, Accumulator initial, out Accumulator prefix) {
  const uint lane = look_back_lane();
  const uint block = tile / kLookBackLanes;
  const uint place = tile % kLookBackLanes;
  prefix = identity();
  Accumulator own = identity();
  uint late = 0u;  // the tile after the last one of its own block that is late
  uint end = block;
  Accumulator v;
  bool has_prefix;
  uint first;
  bool own_there = false;
  for (uint spins = 0u;;) {
    if (!own_there) {
      bool missing = false;
      if (lane <= place) missing = !look_back_read(state, slot_of_tile(state, block * kLookBackLanes + lane), own);
      const uint last_missing = ballot_highest_bit(look_back_ballot(missing));
      own_there = last_missing == 128u;
      late = block * kLookBackLanes + last_missing + 1u;
    }
    uint late_end;
    first = look_back_window(state, end, initial, v, has_prefix, late_end);
    if (!own_there || late_end != 0u) {
      if (++spins < kSpinLimit) continue;
      return own_there ? late_end * kLookBackLanes : late;
    }
    if (has_prefix) break;
    end -= kLookBackLanes;
    spins = 0u;
  }
  // Forwards again; what was there still is, or has become better.
  Accumulator base = look_back_fold(look_back_from(v, first), v, first + 1u);
  while (end < block) {
    end += kLookBackLanes;
    uint late_end;
    first = look_back_window(state, end, initial, v, has_prefix, late_end);
    base = has_prefix ? look_back_fold(look_back_from(v, first), v, first + 1u) : look_back_fold(base, v, 0u);
  }
  prefix = combine(base, look_back_combine(lane < place ? own : identity()));
  if (place == kLookBackLanes - 1u) {
    const Accumulator through = combine(base, look_back_combine(own));
    if (lane == 0u && !look_back_omits(tile)) look_back_post(state, slot_of_prefix(state, block), through);
  }
  return 0u;
}

#if defined(WEFT_LOOK_BACK_AT_SIGHT) && !defined(WEFT_LOOK_BACK_REPAIR)

#if WEFT_ACCUMULATOR == WEFT_F16 || WEFT_ACCUMULATOR == WEFT_F32 || WEFT_ACCUMULATOR == WEFT_F64 || \
    WEFT_ACCUMULATOR == WEFT_OWN

// The lanes from `first` on, combined from the left. Lanes before it are passed over.
Accumulator look_back_fold_at_sight(Accumulator v, uint first) {
  Accumulator folded = look_back_from(v, 0u);
  [[unroll]] for (uint i = 1u; i < kLookBackLanes; ++i) {
    const Accumulator next = look_back_from(v, i);
    const Accumulator both = combine(folded, next);
    if (i > first)
      folded = both;
    else
      folded = next;
  }
  return folded;
}

#else

// In whatever order: the results are exact.
Accumulator look_back_fold_at_sight(Accumulator v, uint first) {
  Accumulator own = v;
  if (look_back_lane() < first) own = identity();
  return look_back_combine(own);
}

#endif

// Walks back as look_back_poll() does; for includers that define WEFT_LOOK_BACK_AT_SIGHT. Where a subgroup has many lanes, mostly the first sight is enough: a prefix among the blocks in
// front of the tile's, and nothing late behind it. It goes through without a branch: drivers spend dozens of instructions on every
// subgroup operation in a loop or behind a branch that lanes may take differently. Calls as there.
uint look_back_walk(LookBack state, uint tile, Accumulator initial, out Accumulator prefix) {
  if (kLookBackLanes < 32u) return look_back_poll(state, tile, initial, prefix);
  const uint lane = look_back_lane();
  const uint block = tile / kLookBackLanes;
  const uint place = tile % kLookBackLanes;
  const uint back = kLookBackLanes - lane;
  // Lanes behind the tile read its post once more, and those in front of block 0 that block's.
  Accumulator own, through_block, of_block;
  const bool own_there = look_back_read(state, slot_of_tile(state, tile - place + min(lane, place)), own);
  const bool in_front = back > block;
  const uint other = in_front ? 0u : block - back;
  const bool has_prefix = look_back_read(state, slot_of_prefix(state, other), through_block);
  const bool has_aggregate = look_back_read(state, slot_of_block(state, other), of_block);
  Accumulator v = of_block;
  if (has_prefix) v = through_block;
  if (in_front) v = identity();
  if (back == block + 1u) v = initial;
  const uint first = ballot_highest_bit(look_back_ballot(in_front || has_prefix));
  const uint missing = ballot_highest_bit(look_back_ballot(!(in_front || has_prefix || has_aggregate)));
  const uvec4 own_missing = look_back_ballot(!own_there);
  const Accumulator base = look_back_fold_at_sight(v, first);
  Accumulator before = own;
  if (lane >= place) before = identity();
  prefix = combine(base, look_back_combine(before));
  if (own_missing != uvec4(0u) || first == 128u || (missing != 128u && missing > first))
    return look_back_poll(state, tile, initial, prefix);
  if (place == kLookBackLanes - 1u) {
    const Accumulator through = combine(base, look_back_combine(own));
    if (lane == 0u && !look_back_omits(tile)) look_back_post(state, slot_of_prefix(state, block), through);
  }
  return 0u;
}

#else

uint look_back_walk(LookBack state, uint tile, Accumulator initial, out Accumulator prefix) {
  return look_back_poll(state, tile, initial, prefix);
}

#endif

#ifndef WEFT_LOOK_BACK_REPAIR

#ifdef WEFT_LOOK_BACK_SHARES

layout(buffer_reference, std430, buffer_reference_align = 4) buffer LookBackShares { uint at[]; };

LookBackShares look_back_shares(LookBack state, uint tile) {
  return LookBackShares(word64_add(look_back_behind_posts(state), word64_multiply(tile, kShareWords * 4u)));
}

uint share_word(uint tile, Accumulator share, uint i);
Accumulator share_of(uint tile, uvec2 words);

// Posts what this subgroup adds to its tile; the same on all of its lanes. Every invocation of the workgroup calls.
void look_back_post_share(LookBack state, uint tile, Accumulator share) {
  if (subgroup_lane() != 0u || (kFault & 255u) == kFaultShares && tile % (kFault >> 8) == 0u) return;
  LookBackShares shares = look_back_shares(state, tile);
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i)
    atomicStore(shares.at[subgroup_index() * WEFT_ACCUMULATOR_WORDS + i], 0x80000000u | share_word(tile, share, i),
                gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// A subgroup's share; false where it is not there.
bool look_back_read_share(LookBack state, uint tile, uint subgroup, out Accumulator share) {
  LookBackShares shares = look_back_shares(state, tile);
  uvec2 words = uvec2(0x80000000u);
  [[unroll]] for (uint i = 0; i < WEFT_ACCUMULATOR_WORDS; ++i)
    words[i] = atomicLoad(shares.at[subgroup * WEFT_ACCUMULATOR_WORDS + i], gl_ScopeDevice, gl_StorageSemanticsNone,
                          gl_SemanticsRelaxed);
  share = share_of(tile, words & 0x7fffffffu);
  return (words.x & words.y & 0x80000000u) != 0u;
}

shared Accumulator weft_look_back_before[kSubgroupCount];
shared Accumulator weft_look_back_total;
shared uint weft_look_back_share_late;

// Leaves in shared memory what each subgroup has in front of it in a tile, and the tile's total. The last subgroup does it, while the
// first one looks back.
void look_back_collect_shares(LookBack state, uint tile) {
#if !WEFT_SUBGROUP_EMULATED
  if (subgroup_index() != kSubgroupCount - 1u) return;
  const uint lane = subgroup_lane();
  Accumulator carry = identity();
  bool late = false;
  [[unroll]] for (uint chunk = 0u; chunk < kSubgroupCount; chunk += kSubgroupSize) {
    const uint subgroup = min(chunk + lane, kSubgroupCount - 1u);
    Accumulator share;
    bool missing = !look_back_read_share(state, tile, subgroup, share);
    [[dont_unroll]] for (uint spins = 0u; missing && spins < kSpinLimit; ++spins)
      missing = !look_back_read_share(state, tile, subgroup, share);
    late = late || missing;
    if (chunk + lane >= kSubgroupCount) share = identity();
    const Accumulator inclusive = combine(carry, subgroup_inclusive(share));
    const Accumulator shifted = subgroup_shuffle_up(inclusive, 1u);
    Accumulator before = shifted;
    if (lane == 0u) before = carry;
    carry = subgroup_shuffle(inclusive, kSubgroupSize - 1u);
    if (chunk + lane < kSubgroupCount) weft_look_back_before[chunk + lane] = before;
  }
  const bool any_late = subgroup_any(late);
  if (lane == 0u) {
    weft_look_back_total = carry;
    weft_look_back_share_late = any_late ? 1u : 0u;
  }
#else
  if (gl_LocalInvocationIndex != 0u) return;
  bool late = false;
  Accumulator carry = identity();
  for (uint subgroup = 0u; subgroup < kSubgroupCount; ++subgroup) {
    Accumulator share;
    bool missing = true;
    for (uint spins = 0u; missing && spins < kSpinLimit; ++spins)
      missing = !look_back_read_share(state, tile, subgroup, share);
    late = late || missing;
    weft_look_back_before[subgroup] = carry;
    carry = combine(carry, share);
  }
  weft_look_back_total = carry;
  weft_look_back_share_late = late ? 1u : 0u;
#endif
}

// The combination of everything before `tile`, of the subgroups before this one in it, and of the tile. False where the tile was
// given up. Every invocation of the workgroup calls, uniformly.
bool look_back_prefix(LookBack state, uint tile, out Accumulator prefix, out Accumulator before, out Accumulator total) {
  if (look_back_looks()) {
    Accumulator walked;
    const uint late = look_back_walk(state, tile, identity(), walked);
    if (look_back_lane() == 0u) {
      weft_look_back_prefix = walked;
      weft_look_back_late = late;
    }
  }
  look_back_collect_shares(state, tile);
  barrier();
  // A vote, so that compilers know that all lanes go on together.
  const bool late = subgroup_any((weft_look_back_late | weft_look_back_share_late) != 0u);
  if (late && look_back_leads()) look_back_list(state).at[atomicAdd(look_back_counters(state).given_up, 1u)] = tile;
  prefix = subgroup_uniform(weft_look_back_prefix);
  before = subgroup_uniform(weft_look_back_before[subgroup_index()]);
  total = subgroup_uniform(weft_look_back_total);
  return !late;
}

#else

// The combination of everything before `tile`: `initial`, then all earlier tiles. False where the tile was given up. Every
// invocation of the workgroup calls, uniformly.
bool look_back_prefix(LookBack state, uint tile, Accumulator initial, out Accumulator prefix) {
  if (look_back_looks()) {
    Accumulator walked;
    const uint late = look_back_walk(state, tile, initial, walked);
    if (look_back_lane() == 0u) {
      weft_look_back_prefix = walked;
      weft_look_back_late = late;
      if (late != 0u) look_back_list(state).at[atomicAdd(look_back_counters(state).given_up, 1u)] = tile;
    }
  }
  barrier();
  prefix = weft_look_back_prefix;
  return !subgroup_any(weft_look_back_late != 0u);
}

#endif

#else

// The aggregate of any tile, on all invocations; every invocation of the workgroup calls. Bit for bit what the tile's own
// workgroup posts.
Accumulator look_back_aggregate(uint tile);

// Posts what another workgroup is late with, as far as it is not there. In place, outputs may have replaced a tile's inputs while
// its aggregate was computed a second time; but they do so only once it has been posted, so then every word of the offer is refused.
// One invocation calls.
void look_back_offer(LookBack state, uint slot, Accumulator v) {
  LookBackPosts posts = look_back_slots(state);
  memoryBarrierBuffer();
  [[unroll]] for (uint i = 0; i < WEFT_POST_WORDS; ++i)
    atomicCompSwap(posts.at[slot + i], WEFT_POST_WORD(0), post_word(v, i));
}

// Makes sure that a block's tiles before `end` are posted, and the block where they are all of it. Every invocation of the
// workgroup calls, uniformly.
void look_back_complete(LookBack state, uint end) {
  const uint first = (end - 1u) / kLookBackLanes * kLookBackLanes;
  const uint block = first / kLookBackLanes;
  const bool whole = end - first == kLookBackLanes;
  if (look_back_looks()) {
    const bool posted = whole && look_back_post_block(state, block);
    if (look_back_lane() == 0u) weft_look_back_late = posted ? 0u : 1u;
  }
  barrier();
  const bool open = weft_look_back_late != 0u;
  barrier();
  if (!open) return;

  Accumulator v;
  for (uint tile = first; tile < end; ++tile) {
    if (look_back_leads()) weft_look_back_late = look_back_read(state, slot_of_tile(state, tile), v) ? 0u : 1u;
    barrier();
    const bool missing = weft_look_back_late != 0u;
    barrier();
    if (missing) {
      const Accumulator aggregate = look_back_aggregate(tile);
      if (look_back_leads()) look_back_offer(state, slot_of_tile(state, tile), aggregate);
    }
  }
  barrier();
  if (whole && look_back_looks()) look_back_post_block(state, block);
}

// Posts the blocks in front of a tile's own that are open although their tiles are posted, back to the nearest prefix: after one late
// tile that may be all of them. Every invocation of the workgroup calls, uniformly.
void look_back_close_behind(LookBack state, uint tile) {
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
        if (ballot_bit(opens, i)) look_back_post_block(state, end - (kLookBackLanes - i));
      if (lane == 0u) weft_look_back_late = prefixes != uvec4(0u) ? 0u : 1u;
    }
    barrier();
    const bool on = weft_look_back_late != 0u;
    barrier();
    if (!on) break;
  }
}

// The share of the tiles given up that this workgroup repairs: entries x to y of the list. Shares go out in the order in which
// workgroups start: those at work at the same time are neighbours then, and none has far to walk to a prefix, however many tiles
// were given up and in whatever order a device runs its workgroups. Every invocation of the workgroup calls, uniformly.
uvec2 look_back_repair_share(LookBack state) {
  const uint given_up = look_back_counters(state).given_up;
  const uint workgroups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
  const uint share = (given_up + workgroups - 1u) / workgroups;
  if (look_back_leads()) weft_look_back_ticket = atomicAdd(look_back_counters(state).repair_ticket, 1u);
  barrier();
  const uint first = min(weft_look_back_ticket * share, given_up);
  return uvec2(first, min(first + share, given_up));
}

// As in the first dispatch, but computes what is missing.
Accumulator look_back_prefix(LookBack state, uint tile, Accumulator initial) {
  // Every round but the last completes a block, or the tile's own.
  for (uint round = 0u; round < tile / kLookBackLanes + 3u; ++round) {
    if (look_back_looks()) {
      Accumulator walked;
      const uint late = look_back_walk(state, tile, initial, walked);
      if (look_back_lane() == 0u) {
        weft_look_back_prefix = walked;
        weft_look_back_late = late;
      }
    }
    barrier();
    const uint late = weft_look_back_late;
    barrier();
    if (late == 0u) break;
    if (round == 0u) look_back_close_behind(state, tile);
    look_back_complete(state, late);
    barrier();
  }
  return weft_look_back_prefix;
}

#endif
#endif
