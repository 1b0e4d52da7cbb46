// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Subgroup operations, and the only file that touches GL_KHR_shader_subgroup. Two backends with one meaning:
//   native    the device's own operations; kSubgroupSize is what the pipeline requires, or what the device always has
//   emulated  shared memory, any power of two from 4 to 128 (WEFT_SUBGROUP_EMULATED=1)
//
// Who calls: every invocation of the workgroup, in workgroup-uniform control flow, since the emulated backend has
// barriers inside. Divergence is an argument instead: in the `_where` forms, lanes whose `taking_part` is false take no
// part. The workgroup is one-dimensional and a multiple of kSubgroupSize. It may hold more subgroups than a subgroup
// has lanes. Items are dealt to lanes by subgroup_index() and subgroup_lane(), never by the local invocation index.
//
// Specialization constants: 0 the workgroup's size, 1 the subgroup's, 99 how sums are made.
#ifndef WEFT_SUBGROUP_GLSL
#define WEFT_SUBGROUP_GLSL

#ifndef WEFT_SUBGROUP_EMULATED
#define WEFT_SUBGROUP_EMULATED 0
#endif

#extension GL_EXT_control_flow_attributes : require
#if !WEFT_SUBGROUP_EMULATED
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kWorkgroupSize = 256;
layout(constant_id = 1) const uint kSubgroupSize = 32;
const uint kSubgroupCount = kWorkgroupSize / kSubgroupSize;

// ---- bits of a ballot: lane i is bit i % 32 of component i / 32 ----

// (Here and below without branches: some software devices need twice the time to build a loop for every branch in it.)
uint ballot_bit_count(uvec4 ballot) {
  const ivec4 counts = bitCount(ballot);
  return uint(counts.x + mix(0, counts.y + counts.z + counts.w, kSubgroupSize > 32u));
}

bool ballot_bit(uvec4 ballot, uint lane) { return ((ballot[lane >> 5] >> (lane & 31u)) & 1u) != 0u; }

// The bits of the lanes before `lane`; lane may be 128.
uvec4 ballot_mask_before(uint lane) {
  uvec4 mask;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    const uint first = 32u * i;
    mask[i] = lane >= first + 32u ? ~0u : (lane > first ? (1u << (lane - first)) - 1u : 0u);
  }
  return mask;
}

// How many lanes before `lane` have their bit set.
uint ballot_exclusive_bit_count(uvec4 ballot, uint lane) {
  return ballot_bit_count(ballot & ballot_mask_before(lane));
}

// The first lane whose bit is set; 128 where none is.
uint ballot_lowest_bit(uvec4 ballot) {
  return ballot.x != 0u   ? uint(findLSB(ballot.x))
         : ballot.y != 0u ? 32u + uint(findLSB(ballot.y))
         : ballot.z != 0u ? 64u + uint(findLSB(ballot.z))
         : ballot.w != 0u ? 96u + uint(findLSB(ballot.w))
                          : 128u;
}

// The last lane whose bit is set; 128 where none is.
uint ballot_highest_bit(uvec4 ballot) {
  const uvec4 positions = uvec4(findMSB(ballot)) + uvec4(0u, 32u, 64u, 96u);
  const uint low = mix(128u, positions.x, ballot.x != 0u);
  const uint high =
      mix(mix(mix(low, positions.y, ballot.y != 0u), positions.z, ballot.z != 0u), positions.w, ballot.w != 0u);
  return mix(low, high, kSubgroupSize > 32u);
}

// The last lane whose bit is set, counted from `base`; `otherwise` where none is.
uint ballot_highest_bit_from(uvec4 ballot, uint base, uint otherwise) {
  const uint highest = mix(uint(findMSB(ballot.x)), ballot_highest_bit(ballot), kSubgroupSize > 32u);
  const uint bits = ballot.x | mix(0u, ballot.y | ballot.z | ballot.w, kSubgroupSize > 32u);
  return mix(otherwise, base + highest, bits != 0u);
}

// The last lane up to and with `lane` whose bit is set; 128 where none is.
uint ballot_highest_bit_through(uvec4 ballot, uint lane) {
  if (kSubgroupSize <= 32u) {
    const uint bits = ballot.x & ((2u << lane) - 1u);  // 2 << 31 is 0
    return bits != 0u ? uint(findMSB(bits)) : 128u;
  }
  return ballot_highest_bit(ballot & ballot_mask_before(lane + 1u));
}

// The lane in which the run of `lane` begins. Bits tell where runs begin; lane 0 begins one in any case.
uint ballot_run_start(uvec4 ballot, uint lane) {
  if (kSubgroupSize <= 32u) return uint(findMSB((ballot.x & ((2u << lane) - 1u)) | 1u));
  ballot.x |= 1u;
  return ballot_highest_bit(ballot & ballot_mask_before(lane + 1u));
}

#if !WEFT_SUBGROUP_EMULATED

uint subgroup_lane() { return gl_SubgroupInvocationID; }
uint subgroup_index() { return gl_SubgroupID; }

// Declares to the compiler that all lanes have the same value: it keeps it once for the subgroup, and branches that
// depend on it need no care for lanes that take the other way. What comes from shared or device memory is not proved to
// be the same without it.
uint subgroup_uniform(uint value) { return subgroupBroadcastFirst(value); }

// How many lanes before this one have their bit set.
uint subgroup_rank(uvec4 ballot) {
  return ballot_bit_count(ballot & gl_SubgroupLtMask);
}

// Whether no lane after this one has its bit set.
bool subgroup_is_last(uvec4 ballot) { return (ballot & gl_SubgroupGtMask) == uvec4(0u); }

// The last lane before this one whose bit is set, counted from `base`; `otherwise` where none is.
uint subgroup_highest_before(uvec4 ballot, uint base, uint otherwise) {
  return ballot_highest_bit_from(ballot & gl_SubgroupLtMask, base, otherwise);
}

// The value of the lane named; every lane may name another. `lane` is below kSubgroupSize.
uint subgroup_shuffle(uint value, uint lane) { return subgroupShuffle(value, lane); }
// The value `delta` lanes before or after; undefined where there is no such lane.
uint subgroup_shuffle_up(uint value, uint delta) { return subgroupShuffleUp(value, delta); }
uint subgroup_shuffle_down(uint value, uint delta) { return subgroupShuffleDown(value, delta); }
uint subgroup_shuffle_xor(uint value, uint mask) { return subgroupShuffleXor(value, mask); }

uvec4 subgroup_ballot(bool value) { return subgroupBallot(value); }
bool subgroup_any(bool value) { return subgroupAny(value); }
bool subgroup_all(bool value) { return subgroupAll(value); }

// No lane goes on before all have come here.
void subgroup_execution_barrier() { subgroupBarrier(); }

// Writes to shared memory by the subgroup's lanes before it are seen by its lanes after it.
void subgroup_shared_barrier() {
  subgroupMemoryBarrierShared();
  subgroupBarrier();
}

// The same for device memory.
void subgroup_buffer_barrier() {
  subgroupMemoryBarrierBuffer();
  subgroupBarrier();
}

uvec4 subgroup_ballot_where(bool taking_part, bool value) {
  uvec4 ballot = uvec4(0u);
  if (taking_part) ballot = subgroupBallot(value);
  return ballot;
}
bool subgroup_any_where(bool taking_part, bool value) {
  bool any_set = false;
  if (taking_part) any_set = subgroupAny(value);
  return any_set;
}
bool subgroup_all_where(bool taking_part, bool value) {
  bool all_set = false;
  if (taking_part) all_set = subgroupAll(value);
  return all_set;
}
uint subgroup_add_where(bool taking_part, uint value) {
  uint sum = 0u;
  if (taking_part) sum = subgroupAdd(value);
  return sum;
}
uint subgroup_exclusive_add_where(bool taking_part, uint value) {
  uint sum = 0u;
  if (taking_part) sum = subgroupExclusiveAdd(value);
  return sum;
}

// The aggregate of the lanes up to and with this one. `kop` is a constant of operator.glsl.
#define WEFT_SUBGROUP_ARITHMETIC(T)                         \
  T subgroup_inclusive_mul(T v) { return subgroupInclusiveMul(v); } \
  T subgroup_inclusive_min(T v) { return subgroupInclusiveMin(v); } \
  T subgroup_inclusive_max(T v) { return subgroupInclusiveMax(v); } \
  T subgroup_add(T v) { return subgroupAdd(v); }            \
  T subgroup_mul(T v) { return subgroupMul(v); }            \
  T subgroup_min(T v) { return subgroupMin(v); }            \
  T subgroup_max(T v) { return subgroupMax(v); }
#define WEFT_SUBGROUP_BITWISE(T)                            \
  T subgroup_inclusive_and(T v) { return subgroupInclusiveAnd(v); } \
  T subgroup_inclusive_or(T v) { return subgroupInclusiveOr(v); }   \
  T subgroup_inclusive_xor(T v) { return subgroupInclusiveXor(v); } \
  T subgroup_and(T v) { return subgroupAnd(v); }            \
  T subgroup_or(T v) { return subgroupOr(v); }              \
  T subgroup_xor(T v) { return subgroupXor(v); }

int subgroup_inclusive_add(int v) { return subgroupInclusiveAdd(v); }
float subgroup_inclusive_add(float v) { return subgroupInclusiveAdd(v); }

// By shuffles where kSumsByShuffles: NVIDIA's compiler makes more of its own sum than five of them take. Not in a loop,
// which it would leave as it is. Kernels in which that was slower, or which software builds for long because of the
// branch (see above), define WEFT_SUBGROUP_OWN_SUMS; if WEFT_SUBGROUP_CHOSEN_SUMS too, they name the sums that are to
// be so.
#ifdef WEFT_SUBGROUP_OWN_SUMS
uint subgroup_inclusive_add(uint v) { return subgroupInclusiveAdd(v); }
#else
#define subgroup_chosen_inclusive_add subgroup_inclusive_add
#endif
#if !defined(WEFT_SUBGROUP_OWN_SUMS) || defined(WEFT_SUBGROUP_CHOSEN_SUMS)
#include "weft/subgroup.h"
uint subgroup_plus_earlier(uint v, uint delta) {
  const uint earlier = subgroupShuffleUp(v, delta);
  return v + mix(0u, earlier, gl_SubgroupInvocationID >= delta);
}
uint subgroup_chosen_inclusive_add(uint v) {
  if (!kSumsByShuffles || kSubgroupSize > 32u) return subgroupInclusiveAdd(v);
  v = subgroup_plus_earlier(v, 1u);
  v = subgroup_plus_earlier(v, 2u);
  v = subgroup_plus_earlier(v, 4u);
  v = subgroup_plus_earlier(v, 8u);
  return subgroup_plus_earlier(v, 16u);
}
#endif

#else  // emulated

uint subgroup_lane() { return gl_LocalInvocationIndex & (kSubgroupSize - 1u); }
uint subgroup_index() { return gl_LocalInvocationIndex / kSubgroupSize; }
uint subgroup_uniform(uint value) { return value; }
uint subgroup_rank(uvec4 ballot) { return ballot_exclusive_bit_count(ballot, subgroup_lane()); }
bool subgroup_is_last(uvec4 ballot) { return (ballot & ~ballot_mask_before(subgroup_lane() + 1u)) == uvec4(0u); }
uint subgroup_highest_before(uvec4 ballot, uint base, uint otherwise) {
  return ballot_highest_bit_from(ballot & ballot_mask_before(subgroup_lane()), base, otherwise);
}

shared uint weft_subgroup_words[kWorkgroupSize];
shared uint weft_subgroup_ballots[4 * kSubgroupCount];

// `lane` is taken modulo kSubgroupSize, so that an undefined source stays inside the subgroup.
uint subgroup_shuffle(uint value, uint lane) {
  weft_subgroup_words[gl_LocalInvocationIndex] = value;
  barrier();
  const uint result = weft_subgroup_words[subgroup_index() * kSubgroupSize + (lane & (kSubgroupSize - 1u))];
  barrier();
  return result;
}
uint subgroup_shuffle_up(uint value, uint delta) { return subgroup_shuffle(value, subgroup_lane() - delta); }
uint subgroup_shuffle_down(uint value, uint delta) { return subgroup_shuffle(value, subgroup_lane() + delta); }
uint subgroup_shuffle_xor(uint value, uint mask) { return subgroup_shuffle(value, subgroup_lane() ^ mask); }

uvec4 subgroup_ballot(bool value) {
  const uint first = 4u * subgroup_index();
  const uint lane = subgroup_lane();
  if (lane < 4u) weft_subgroup_ballots[first + lane] = 0u;
  barrier();
  if (value) atomicOr(weft_subgroup_ballots[first + (lane >> 5)], 1u << (lane & 31u));
  barrier();
  const uvec4 ballot = uvec4(weft_subgroup_ballots[first], weft_subgroup_ballots[first + 1u],
                             weft_subgroup_ballots[first + 2u], weft_subgroup_ballots[first + 3u]);
  barrier();
  return ballot;
}
void subgroup_execution_barrier() {}
void subgroup_shared_barrier() { barrier(); }
void subgroup_buffer_barrier() {
  memoryBarrierBuffer();
  barrier();
}
bool subgroup_any(bool value) { return subgroup_ballot(value) != uvec4(0u); }
bool subgroup_all(bool value) { return subgroup_ballot(!value) == uvec4(0u); }

// Lanes that take no part receive no bits, false, or 0.
uvec4 subgroup_ballot_where(bool taking_part, bool value) {
  const uvec4 ballot = subgroup_ballot(taking_part && value);
  return taking_part ? ballot : uvec4(0u);
}
bool subgroup_any_where(bool taking_part, bool value) { return subgroup_any(taking_part && value) && taking_part; }
bool subgroup_all_where(bool taking_part, bool value) { return subgroup_all(!taking_part || value) && taking_part; }

#define WEFT_EMULATED_INCLUSIVE(T, NAME, COMBINED)                                  \
  T subgroup_inclusive_##NAME(T v) {                                                \
    for (uint delta = 1u; delta < kSubgroupSize; delta <<= 1) {                     \
      const T other = subgroup_shuffle_up(v, delta);                                \
      if (subgroup_lane() >= delta) v = COMBINED;                                   \
    }                                                                               \
    return v;                                                                       \
  }                                                                                 \
  T subgroup_##NAME(T v) { return subgroup_shuffle(subgroup_inclusive_##NAME(v), kSubgroupSize - 1u); }
#define WEFT_SUBGROUP_ARITHMETIC(T)                 \
  WEFT_EMULATED_INCLUSIVE(T, add, other + v)        \
  WEFT_EMULATED_INCLUSIVE(T, mul, other * v)        \
  WEFT_EMULATED_INCLUSIVE(T, min, min(other, v))    \
  WEFT_EMULATED_INCLUSIVE(T, max, max(other, v))
#define WEFT_SUBGROUP_BITWISE(T)                    \
  WEFT_EMULATED_INCLUSIVE(T, and, other & v)        \
  WEFT_EMULATED_INCLUSIVE(T, or, other | v)         \
  WEFT_EMULATED_INCLUSIVE(T, xor, other ^ v)

#endif

// ---- other types travel as words ----

uvec2 subgroup_uniform(uvec2 v) { return uvec2(subgroup_uniform(v.x), subgroup_uniform(v.y)); }
bool subgroup_uniform(bool v) { return subgroup_uniform(v ? 1u : 0u) != 0u; }
int subgroup_shuffle(int v, uint lane) { return int(subgroup_shuffle(uint(v), lane)); }
int subgroup_shuffle_up(int v, uint delta) { return int(subgroup_shuffle_up(uint(v), delta)); }
float subgroup_shuffle(float v, uint lane) { return uintBitsToFloat(subgroup_shuffle(floatBitsToUint(v), lane)); }
float subgroup_shuffle_up(float v, uint delta) {
  return uintBitsToFloat(subgroup_shuffle_up(floatBitsToUint(v), delta));
}
uvec2 subgroup_shuffle(uvec2 v, uint lane) { return uvec2(subgroup_shuffle(v.x, lane), subgroup_shuffle(v.y, lane)); }
uvec2 subgroup_shuffle_up(uvec2 v, uint delta) {
  return uvec2(subgroup_shuffle_up(v.x, delta), subgroup_shuffle_up(v.y, delta));
}

// The value of lane `lane`, the same for all lanes.
#if WEFT_SUBGROUP_EMULATED
uint subgroup_broadcast(uint v, uint lane) { return subgroup_shuffle(v, lane); }
#else
// A shuffle, not subgroupBroadcast: SPIR-V before 1.5 requires its lane to be a constant, and drivers lower both in the
// same way.
uint subgroup_broadcast(uint v, uint lane) { return subgroupShuffle(v, lane); }
#endif

WEFT_SUBGROUP_ARITHMETIC(uint)
WEFT_SUBGROUP_ARITHMETIC(int)
WEFT_SUBGROUP_ARITHMETIC(float)
WEFT_SUBGROUP_BITWISE(uint)
WEFT_SUBGROUP_BITWISE(int)

#if WEFT_SUBGROUP_EMULATED
uint subgroup_chosen_inclusive_add(uint v) { return subgroup_inclusive_add(v); }
uint subgroup_add_where(bool taking_part, uint value) {
  const uint sum = subgroup_add(taking_part ? value : 0u);
  return taking_part ? sum : 0u;
}
uint subgroup_exclusive_add_where(bool taking_part, uint value) {
  const uint own = taking_part ? value : 0u;
  const uint sum = subgroup_inclusive_add(own) - own;
  return taking_part ? sum : 0u;
}
#endif

// Of up to 32 lanes: bit l of lane i becomes bit i of lane l.
uint subgroup_transpose(uint bits) {
  uint low = 0xffffu;
  [[unroll]] for (uint distance = 16u; distance != 0u; distance >>= 1) {
    if (distance < kSubgroupSize) {
      const bool upper = (subgroup_lane() & distance) != 0u;
      const uint other = subgroup_shuffle_xor(bits, distance);
      const uint moved = mix(other << distance, other >> distance, upper);
      const uint kept = mix(low, ~low, upper);
      bits = (bits & kept) | (moved & ~kept);
    }
    low ^= low << (distance >> 1);
  }
  return bits;
}

// The sum over the lanes before this one.
uint subgroup_exclusive_add(uint v) { return subgroup_inclusive_add(v) - v; }

#endif
