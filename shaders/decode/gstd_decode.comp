// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GstdDecode, first dispatch: each group of 32 lanes decodes one compressed tile and reports its verdict. A tile
// without a filter that is requested whole is decoded to the output, others to scratch.
//
// NVIDIA's devices take the second (docs/decisions/shader-optimizer.md):
// kernel: TYPES :
// kernel: SUFFIX _optimized NATIVE OPTIMIZED :
#version 460
#extension GL_GOOGLE_include_directive : require
#include "decode/gstd_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/gstd_tile.glsl"
#include "decode/tile_table.glsl"

void main() {
  const uint slot = lanes_uniform(workgroup_number() * lanes_group_count() + lanes_group());
  if (lanes_uniform(!entry_is_there(slot))) return;
  const uint index = push.first + slot;
  const Tile tile = load_tile(index);
  uint verdict = 0u;
  if (lanes_uniform(!tile.valid)) {
    verdict = kGstdBadEntry;
  } else if (lanes_uniform(tile.kind == kCompressed)) {
    Words words = Words(tile.source);
    const uint tile_filter = gstd_tile_header(lanes_uniform(words.at[0])).tile_filter;
    const uvec2 scratch = scratch_of(slot);
    // The second dispatch overwrites what the first keeps in the second part.
    verdict = gstd_tile_decode(tile.source, tile.words, is_direct(tile, tile_filter) ? tile.target : scratch,
                               tile.bytes, word64_add(scratch, uvec2(scratch_part(), 0u)));
  }
  if (lanes_lane() == 0u) {
    Words status = Words(push.status);
    status.at[1u + index] = verdict;
  }
}
