// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Messages between workgroups. Each takes a ticket, publishes a value and a flag an invocation, and polls those of the
// ticket before, a bounded number of times. A slot still holds the value of the round before, so a flag that overtakes
// its value shows. It publishes before it waits, so nobody waits for a chain.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#ifdef WEFT_LITMUS_64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#endif
#include "weft/subgroup.glsl"

#include "litmus.h"

layout(constant_id = 2) const uint kForm = kLitmusWord32;
layout(push_constant, scalar) uniform Push { LitmusPush push; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Counters { LitmusCounters counters; };
layout(buffer_reference, std430, buffer_reference_align = 8) coherent buffer Words { uint at[]; };
#ifdef WEFT_LITMUS_64
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Words64 { uint64_t at[]; };
#endif

shared uint weft_ticket;

// Of 24 bits, so that it has room beside a flag of 8.
uint value_of(uint slot) { return (slot * 2654435761u ^ push.round * 2246822519u) >> 8; }

void publish(uint slot) {
  const uint value = value_of(slot);
#ifdef WEFT_LITMUS_64
  atomicStore(Words64(push.slots).at[slot], pack64(uvec2(value, push.round)), gl_ScopeDevice, gl_StorageSemanticsNone,
              gl_SemanticsRelaxed);
#else
  if (kForm == kLitmusWord32) {
    atomicStore(Words(push.slots).at[2u * slot], value << 8 | push.round, gl_ScopeDevice, gl_StorageSemanticsNone,
                gl_SemanticsRelaxed);
  } else {
    Words(push.slots).at[2u * slot] = value;
    memoryBarrierBuffer();
    atomicStore(Words(push.slots).at[2u * slot + 1u], push.round, gl_ScopeDevice, gl_StorageSemanticsNone,
                gl_SemanticsRelaxed);
  }
#endif
}

// False until the flag is this round's.
bool receive(uint slot, out uint value) {
#ifdef WEFT_LITMUS_64
  const uvec2 word = unpack32(
      atomicLoad(Words64(push.slots).at[slot], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed));
  value = word.x;
  return word.y == push.round;
#else
  const uint at = kForm == kLitmusWord32 ? 2u * slot : 2u * slot + 1u;
  const uint word =
      atomicLoad(Words(push.slots).at[at], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
  value = word >> 8;
  if (kForm == kLitmusWord32) return (word & 255u) == push.round;
  if (word != push.round) return false;
  memoryBarrierBuffer();
  value = Words(push.slots).at[2u * slot];
  return true;
#endif
}

void main() {
  Counters counted = Counters(push.counters);
  if (gl_LocalInvocationIndex == 0u) weft_ticket = atomicAdd(counted.counters.ticket, 1u);
  barrier();
  const uint ticket = weft_ticket, lane = gl_LocalInvocationIndex;
  uint busy = ticket;
  for (uint i = 0u; i < ((ticket & 1u) == 0u ? push.work : 0u); ++i) busy = busy * 1664525u + 1013904223u;
  // Never so, which no compiler knows.
  if (busy == 0x9e3779b9u && push.work == ~0u) return;
  publish(ticket * kWorkgroupSize + lane);
  if (ticket == 0u) return;
  const uint slot = ticket * kWorkgroupSize - 1u - lane;
  bool ready = false;
  uint value = 0u, polls = 0u;
  for (; polls < push.polls && !ready; ++polls) ready = receive(slot, value);
  if (polls > 1u) atomicAdd(counted.counters.waited, 1u);
  if (!ready) atomicAdd(counted.counters.ran_out, 1u);
  if (ready && value != value_of(slot)) atomicAdd(counted.counters.stale, 1u);
}
