// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A group of 32 lanes on a subgroup of any width and on either backend, for algorithms of 32 parts:
//   subgroups of 32        one group each; every function is the subgroup's own
//   64 and 128             two and four groups each, by shuffles inside the group and ballots cut to it
//   4, 8 and 16            a group is 8, 4 or 2 neighbouring subgroups, which meet in shared memory
// (Clustered subgroup operations would serve 64 and 128, but not every device has them.)
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow, since there are barriers inside
// below 32 and on the emulated backend. Divergence is an argument: in the `_where` forms, lanes not `taking_part`
// contribute nothing and receive 0 or false. The workgroup is a multiple of 32 and of kSubgroupSize. Items are dealt to
// lanes by lanes_group() and lanes_lane(), never by the local invocation index.
#ifndef WEFT_LANES_GLSL
#define WEFT_LANES_GLSL

#include "weft/subgroup.glsl"

const uint kLanesGroupCount = kWorkgroupSize / 32u;

// The invocation's position when subgroups are laid end to end: bits 0 to 4 are the lane, the others the group.
uint lanes_position() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

uint lanes_lane() { return lanes_position() & 31u; }
uint lanes_group() { return lanes_position() >> 5; }
uint lanes_group_count() { return kLanesGroupCount; }

// The bits of the lanes before this one.
uint lanes_mask_before() { return (1u << lanes_lane()) - 1u; }

// Where groups span subgroups, one word per invocation passes between them.
#if WEFT_SUBGROUP_EMULATED
#define weft_lanes_words weft_subgroup_words
#else
const uint kLanesWords = kSubgroupSize < 32u ? kWorkgroupSize : 1u;
shared uint weft_lanes_words[kLanesWords];
#endif

// The value of lane `lane` of this group, taken modulo 32; every lane may name another.
uint lanes_shuffle(uint value, uint lane) {
  if (kSubgroupSize == 32u) return subgroup_shuffle(value, lane & 31u);
  if (kSubgroupSize > 32u) return subgroup_shuffle(value, (subgroup_lane() & ~31u) | (lane & 31u));
  weft_lanes_words[lanes_position()] = value;
  barrier();
  const uint result = weft_lanes_words[(lanes_position() & ~31u) | (lane & 31u)];
  barrier();
  return result;
}

// The value `delta` lanes before or after in this group; undefined where there is no such lane.
uint lanes_shuffle_up(uint value, uint delta) {
  return kSubgroupSize >= 32u ? subgroup_shuffle_up(value, delta) : lanes_shuffle(value, lanes_lane() - delta);
}
uint lanes_shuffle_down(uint value, uint delta) {
  return kSubgroupSize >= 32u ? subgroup_shuffle_down(value, delta) : lanes_shuffle(value, lanes_lane() + delta);
}
// `mask` is below 32.
uint lanes_shuffle_xor(uint value, uint mask) {
  return kSubgroupSize >= 32u ? subgroup_shuffle_xor(value, mask) : lanes_shuffle(value, lanes_lane() ^ mask);
}

// The value of lane `lane`, which is the same for all lanes of the group.
uint lanes_broadcast(uint value, uint lane) { return lanes_shuffle(value, lane); }

// Bit i is lane i's value.
uint lanes_ballot(bool value) {
  const uvec4 ballot = subgroup_ballot(value);
  if (kSubgroupSize == 32u) return ballot.x;
  if (kSubgroupSize > 32u) {
    const uint part = subgroup_lane() >> 5;
    return part < 2u ? (part == 0u ? ballot.x : ballot.y) : (part == 2u ? ballot.z : ballot.w);
  }
  if (subgroup_lane() == 0u) weft_lanes_words[subgroup_index()] = ballot.x;
  barrier();
  const uint first = lanes_group() * (32u / kSubgroupSize);
  uint bits = 0u;
  for (uint i = 0u; i < 32u / kSubgroupSize; ++i) bits |= weft_lanes_words[first + i] << (i * kSubgroupSize);
  barrier();
  return bits;
}
bool lanes_any(bool value) { return kSubgroupSize == 32u ? subgroup_any(value) : lanes_ballot(value) != 0u; }
bool lanes_all(bool value) { return kSubgroupSize == 32u ? subgroup_all(value) : lanes_ballot(value) == ~0u; }

// COMBINED combines a, another lane's value or another subgroup's, with b.
#define WEFT_LANES_REDUCE(NAME, COMBINED)                                             \
  uint lanes_##NAME(uint b) {                                                         \
    if (kSubgroupSize == 32u) return subgroup_##NAME(b);                              \
    if (kSubgroupSize > 32u) {                                                        \
      for (uint mask = 1u; mask < 32u; mask <<= 1) {                                  \
        const uint a = subgroup_shuffle_xor(b, mask);                                 \
        b = COMBINED;                                                                 \
      }                                                                               \
      return b;                                                                       \
    }                                                                                 \
    const uint total = subgroup_##NAME(b);                                            \
    if (subgroup_lane() == 0u) weft_lanes_words[subgroup_index()] = total;            \
    barrier();                                                                        \
    const uint first = lanes_group() * (32u / kSubgroupSize);                         \
    b = weft_lanes_words[first];                                                      \
    for (uint i = 1u; i < 32u / kSubgroupSize; ++i) {                                 \
      const uint a = weft_lanes_words[first + i];                                     \
      b = COMBINED;                                                                   \
    }                                                                                 \
    barrier();                                                                        \
    return b;                                                                         \
  }

WEFT_LANES_REDUCE(add, a + b)
WEFT_LANES_REDUCE(min, min(a, b))
WEFT_LANES_REDUCE(max, max(a, b))

// The sum over the lanes up to and with this one.
uint lanes_inclusive_add(uint value) {
  if (kSubgroupSize == 32u) return subgroup_inclusive_add(value);
  if (kSubgroupSize > 32u) {
    for (uint delta = 1u; delta < 32u; delta <<= 1) {
      const uint earlier = subgroup_shuffle_up(value, delta);
      if (lanes_lane() >= delta) value += earlier;
    }
    return value;
  }
  const uint inclusive = subgroup_inclusive_add(value);
  if (subgroup_lane() == kSubgroupSize - 1u) weft_lanes_words[subgroup_index()] = inclusive;
  barrier();
  // (As many steps for all, so that compilers unroll them.)
  const uint first = lanes_group() * (32u / kSubgroupSize);
  uint before = 0u;
  for (uint i = 0u; i < 32u / kSubgroupSize; ++i)
    before += first + i < subgroup_index() ? weft_lanes_words[first + i] : 0u;
  barrier();
  return before + inclusive;
}

// The same in steps by hand: NVIDIA's compiler leaves loops that hold subgroup operations as they are, and its own sum
// takes longer.
uint lanes_plus_earlier(uint value, uint delta) {
  const uint before = subgroup_shuffle_up(value, delta);
  return value + (lanes_lane() >= delta ? before : 0u);
}
uint lanes_inclusive_add_unrolled(uint value) {
  if (kSubgroupSize < 32u) return lanes_inclusive_add(value);
  value = lanes_plus_earlier(value, 1u);
  value = lanes_plus_earlier(value, 2u);
  value = lanes_plus_earlier(value, 4u);
  value = lanes_plus_earlier(value, 8u);
  return lanes_plus_earlier(value, 16u);
}

// The largest over the lanes up to and with this one.
uint lanes_inclusive_max(uint value) {
  if (kSubgroupSize == 32u) return subgroup_inclusive_max(value);
  for (uint delta = 1u; delta < 32u; delta <<= 1) {
    const uint earlier = lanes_shuffle_up(value, delta);
    if (lanes_lane() >= delta) value = max(value, earlier);
  }
  return value;
}

// Writes to shared memory by the group's lanes before it are seen by its lanes after it.
void lanes_shared_barrier() {
  if (kSubgroupSize >= 32u) {
    subgroup_shared_barrier();
  } else {
    barrier();
  }
}

// The same for device memory.
void lanes_buffer_barrier() {
  if (kSubgroupSize >= 32u) {
    subgroup_buffer_barrier();
  } else {
    memoryBarrierBuffer();
    barrier();
  }
}

// Declares to the compiler that a value is the same on all lanes of a group, where a group is a subgroup: without it, a
// branch that depends on the value is compiled for lanes that diverge, and so is every shuffle after it. What comes
// from memory, shuffles and ballots is not proved to be the same; what is computed of values that are, is, but for
// what loops carry. Of conditions, votes prove it everywhere. Of numbers a broadcast should;
// WEFT_LANES_REDUCE_UNIFORM, a constant that the includer may define, takes a reduction, which one vendor's
// compiler believes where it does not believe a broadcast.
#ifndef WEFT_LANES_REDUCE_UNIFORM
#define WEFT_LANES_REDUCE_UNIFORM false
#endif
#if WEFT_SUBGROUP_EMULATED
uint lanes_uniform(uint value) { return value; }
bool lanes_uniform(bool value) { return value; }
#else
uint lanes_uniform(uint value) {
  if (kSubgroupSize != 32u) return value;
  return WEFT_LANES_REDUCE_UNIFORM ? subgroup_max(value) : subgroup_uniform(value);
}
// (Without a branch, which some software devices pay for in every loop.)
bool lanes_uniform(bool value) { return mix(value, subgroup_any(value), kSubgroupSize == 32u); }
#endif

// The sum over the lanes before this one.
uint lanes_exclusive_add(uint value) { return lanes_inclusive_add(value) - value; }

// ---- over the active lanes only ----

uint lanes_ballot_where(bool taking_part, bool value) {
  const uint ballot = lanes_ballot(taking_part && value);
  return taking_part ? ballot : 0u;
}
bool lanes_any_where(bool taking_part, bool value) { return lanes_ballot_where(taking_part, value) != 0u; }
bool lanes_all_where(bool taking_part, bool value) {
  const bool none_lacks_it = lanes_ballot(taking_part && !value) == 0u;
  return taking_part && none_lacks_it;
}
uint lanes_add_where(bool taking_part, uint value) {
  const uint sum = lanes_add(taking_part ? value : 0u);
  return taking_part ? sum : 0u;
}
uint lanes_inclusive_add_where(bool taking_part, uint value) {
  const uint sum = lanes_inclusive_add(taking_part ? value : 0u);
  return taking_part ? sum : 0u;
}
uint lanes_exclusive_add_where(bool taking_part, uint value) {
  const uint own = taking_part ? value : 0u;
  const uint sum = lanes_inclusive_add(own) - own;
  return taking_part ? sum : 0u;
}
uint lanes_min_where(bool taking_part, uint value) {
  const uint least = lanes_min(taking_part ? value : ~0u);
  return taking_part ? least : 0u;
}
uint lanes_max_where(bool taking_part, uint value) {
  const uint most = lanes_max(taking_part ? value : 0u);
  return taking_part ? most : 0u;
}

#endif
