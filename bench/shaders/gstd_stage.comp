// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GstdDecode's first dispatch in two, to measure its steps. Each group of 32 lanes has a tile:
//   kStage 0   reads sequences and literals and makes all checks; keeps the verdict, and records and literals of all
//              blocks, in scratch, one after the other, each after its header's two words and the next block's word
//   kStage 1   writes the output of what is kept, where the verdict is 0; filters are left, and tiles that are stored
// A slot of scratch has room for any valid tile: tables, eight bytes for each sequence (of three bytes or more), a byte
// for each literal, and up to 32 bytes a block beside them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "decode/gstd_decode.h"
layout(constant_id = 3) const uint kStage = 0;
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform

uint stage_work;
#define WEFT_GSTD_WORK stage_work
#define WEFT_GSTD_IN_PLACE false
#define WEFT_GSTD_BLOCK_COPY(BLOCK, LITERALS_AT, TARGET, BEGIN) stage_keep(BLOCK.first, BLOCK.second)
void stage_keep(uint first, uint second);
#include "decode/gstd_tile.glsl"
#include "decode/tile_table.glsl"

const uint kKept = 3u;  // words before a block's records
const uint kVerdict = kGstdTableWords;  // word of the verdict
const uint kFirstWork = kVerdict + 1u + kKept;

void stage_keep(uint first, uint second) {
  Words kept = Words(weft_gstd_scratch);
  const uint next = weft_gstd_last_literals + 1u + kKept;
  if (lanes_lane() == 0u) {
    kept.at[stage_work - 3u] = first;
    kept.at[stage_work - 2u] = second;
    kept.at[stage_work - 1u] = next;
  }
  stage_work = next;
}

void stage_copy(uint blocks, uvec2 output_at, uint bytes) {
  Words target = Words(output_at), kept = Words(weft_gstd_scratch);
  uint begin = 0u;
  weft_gstd_literals = weft_gstd_scratch;
  lz_begin();
  for (uint b = 0u; lanes_uniform(b < blocks); ++b) {
    const GstdBlock block =
        GstdBlock(lanes_uniform(kept.at[stage_work - 3u]), lanes_uniform(kept.at[stage_work - 2u]));
    const uint next = lanes_uniform(kept.at[stage_work - 1u]);
    weft_gstd_last_literals = next - kKept - 1u;
    gstd_block_copy(block, 4u * gstd_literals_apart(block), target, begin);
    begin += gstd_size(block);
    stage_work = next;
  }
  lz_end(target, 0u, bytes);
}

void main() {
  const uint slot = lanes_uniform(workgroup_number() * lanes_group_count() + lanes_group());
  if (lanes_uniform(!entry_is_there(slot))) return;
  const Tile tile = load_tile(slot);
  weft_gstd_scratch = word64_add(push.scratch, word64_multiply(slot, push.region_bytes));
  Words status = Words(push.status), kept = Words(weft_gstd_scratch);
  const bool is_coded = lanes_uniform(tile.valid && tile.kind == kCompressed);
  stage_work = kFirstWork;
  uint verdict = tile.valid ? 0u : kGstdBadEntry;
  if (kStage == 0u) {
    if (is_coded)
      verdict = gstd_tile_decode(tile.source, tile.words, tile.target, tile.bytes, weft_gstd_scratch);
    if (lanes_lane() == 0u) kept.at[kVerdict] = verdict;
  } else {
    verdict = lanes_uniform(kept.at[kVerdict]);
    Words source = Words(tile.source);
    if (is_coded && lanes_uniform(verdict == 0u))
      stage_copy(gstd_tile_header(lanes_uniform(source.at[0])).blocks, tile.target, tile.bytes);
  }
  if (lanes_lane() == 0u) status.at[1u + slot] = verdict;
}
