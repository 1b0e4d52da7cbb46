// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GstdDecode, first dispatch: each group of 32 lanes decodes a compressed tile and reports its verdict, or that it is
// to be finished. A tile without filter and rows that is requested whole is decoded to the output, others to scratch.
//
// In the second form workgroups have a region of scratch each and take one tile a group after another, all of which
// they decode to the output. NVIDIA's devices take the optimized ones (docs/decisions/shader-optimizer.md):
// kernel: TYPES :
// kernel: SUFFIX _optimized NATIVE DEFINES WEFT_LANE_WORDS_INT64 OPTIMIZED :
// kernel: SUFFIX _regions NATIVE DEFINES WEFT_GSTD_REGIONS
// kernel: SUFFIX _regions_optimized NATIVE DEFINES WEFT_GSTD_REGIONS WEFT_LANE_WORDS_INT64 OPTIMIZED :
#version 460
#extension GL_GOOGLE_include_directive : require
// What is not NVIDIA's: SwiftShader builds a branch in the loop of tables for minutes.
#ifndef WEFT_LANE_WORDS_INT64
#define WEFT_SUBGROUP_OWN_SUMS
#endif
#extension GL_KHR_memory_scope_semantics : require
#include "decode/gstd_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/gstd_tile.glsl"
#include "decode/tile_table.glsl"

// Reports a tile's status to others, with what was stored. One that was refused is counted.
void report(uint index, uint tile_status) {
  Words status = Words(push.status);
  memoryBarrierBuffer();
  lanes_buffer_barrier();
  if (lanes_lane() != 0u) return;
  if (tile_status < kGstdLater) atomicAdd(status.at[0], 1u);
#ifdef WEFT_GSTD_REGIONS
  Words scratch = Words(regions_end());
  if (tile_status == kGstdDecoded) atomicAdd(scratch.at[WEFT_GSTD_LEFT], 1u);
#endif
  atomicStore(status.at[1u + index], tile_status, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}

// Where a group's part of its workgroup's region begins.
uint region_part() {
  return lanes_uniform(workgroup_number() * push.region_bytes + lanes_group() * scratch_work());
}

void decode(uint slot) {
  const uint index = push.first + slot;
  const Tile tile = load_tile(index);
  uint verdict = 0u;
  if (lanes_uniform(!is_taken(tile))) {
#ifndef WEFT_GSTD_REGIONS
    return;
#endif
    verdict = kGstdLater;
  } else if (lanes_uniform(!tile.valid || is_part(tile) && push.parts == 0u)) {
    verdict = kGstdBadEntry;
  } else if (lanes_uniform(tile.kind == kCompressed)) {
    uvec2 target = tile.target;
#ifdef WEFT_GSTD_REGIONS
    const uvec2 work = word64_add(push.scratch, region_part());
#else
    // The second dispatch overwrites what the first keeps in the second part.
    const uvec2 scratch = scratch_of(slot);
    const uvec2 work = word64_add(scratch, uvec2(scratch_part(), 0u));
    Words words = Words(tile.source);
    const GstdTileHeader header = gstd_tile_header(lanes_uniform(words.at[0]));
    if (header.tile_filter != 0u || header.has_rows || !is_whole(tile)) target = scratch;
#endif
    verdict = gstd_tile_decode(tile.source, tile.words, target, tile.bytes, work);
  }
  report(index, verdict == 0u ? kGstdDecoded : verdict);
}

#ifdef WEFT_GSTD_REGIONS
shared uint weft_gstd_number;

// Nothing is kept in registers from turn to turn: the decoder needs them.
void main() {
  if (workgroup_number() >= push.groups) return;
  if (lanes_position() == 0u) weft_gstd_number = workgroup_number();
  barrier();
  do {
    const uint slot = lanes_uniform(weft_gstd_number * lanes_group_count() + lanes_group());
    if (lanes_uniform(entry_is_there(slot))) decode(slot);
    barrier();
    Words scratch = Words(regions_end());
    if (lanes_position() == 0u) weft_gstd_number = push.groups + atomicAdd(scratch.at[WEFT_GSTD_TAKEN], 1u);
    barrier();
  } while (lanes_uniform(entry_is_there(weft_gstd_number * lanes_group_count())));
  memoryBarrierBuffer();
  barrier();
  if (lanes_position() == 0u) free_region(workgroup_number(), 1u);
}
#else
void main() {
  const uint slot = lanes_uniform(workgroup_number() * lanes_group_count() + lanes_group());
  if (lanes_uniform(entry_is_there(slot))) decode(slot);
}
#endif
