// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GstdDecode, first dispatch: each group of 32 lanes decodes a compressed tile and reports its verdict. A tile without
// filter and rows that is requested whole is decoded to the output, others to scratch; or, if groups take one tile
// after another, all to the output.
//
// NVIDIA's devices take the second (docs/decisions/shader-optimizer.md):
// kernel: TYPES :
// kernel: SUFFIX _optimized NATIVE DEFINES WEFT_LANE_WORDS_INT64 OPTIMIZED :
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "decode/gstd_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/gstd_tile.glsl"
#include "decode/tile_table.glsl"

// Enters a slot into the queue. A tile that was refused is counted, as there is nothing to finish.
void publish(uint slot, uint verdict) {
  // Each lane's stores are available to the device before there is an entry.
  memoryBarrierBuffer();
  lanes_buffer_barrier();
  if (lanes_lane() != 0u) return;
  if (verdict != 0u) {
    Words status = Words(push.status);
    atomicAdd(status.at[0], 1u);
    return;
  }
  Words first = queue_entry(0u);
  Words entry = queue_entry(atomicAdd(first.at[1], 1u));
  memoryBarrierBuffer();
  atomicStore(entry.at[0], slot + 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}

void decode(uint slot, uint group) {
  const uint index = push.first + slot;
  const Tile tile = load_tile(index);
  if (lanes_uniform(!is_taken(tile))) return;
  uint verdict = 0u;
  if (lanes_uniform(!tile.valid)) {
    verdict = kGstdBadEntry;
  } else if (lanes_uniform(tile.kind == kCompressed)) {
    Words words = Words(tile.source);
    const GstdTileHeader header = gstd_tile_header(lanes_uniform(words.at[0]));
    const uvec2 scratch = scratch_of(slot);
    const bool direct = takes_whole() || header.tile_filter == 0u && !header.has_rows && is_whole(tile);
    // The second dispatch overwrites what the first keeps in the second part.
    const uvec2 work = takes_whole() ? word64_add(push.scratch, word64_add(uvec2(WEFT_GSTD_COUNTER, 0u),
                                                                           word64_multiply(group, scratch_work())))
                                     : word64_add(scratch, uvec2(scratch_part(), 0u));
    verdict = gstd_tile_decode(tile.source, tile.words, direct ? tile.target : scratch, tile.bytes, work);
  }
  if (lanes_lane() == 0u) {
    Words status = Words(push.status);
    status.at[1u + index] = verdict;
  }
  if (kQueued) publish(slot, verdict);
}

// The slot that the group takes next; past the last, if there is none.
uint next_slot() {
  uint taken = 0u;
  if (lanes_lane() == 0u) {
    Words counter = Words(push.scratch);
    taken = atomicAdd(counter.at[0], 1u);
  }
  return lanes_uniform(push.groups + lanes_broadcast(taken, 0u));
}

void main() {
  const uint group = lanes_uniform(workgroup_number() * lanes_group_count() + lanes_group());
  if (lanes_uniform(takes_whole() && group >= push.groups)) return;
  if (lanes_uniform(!entry_is_there(group))) return;
  uint slot = group;
  do {
    decode(slot, group);
    if (!takes_whole()) break;
    lanes_shared_barrier();
    slot = next_slot();
  } while (lanes_uniform(entry_is_there(slot)));
}
