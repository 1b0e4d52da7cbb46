// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GdeflateDecode of many pages, second dispatch: each group of 32 lanes writes one page, of the literals and records
// that the first left in scratch.
//
// family: gdeflate_decode
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_SUBGROUP_OWN_SUMS
#include "decode/gdeflate_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/gdeflate_copy.glsl"

void main() {
  const uint slot = lanes_uniform(workgroup_number() * lanes_group_count() + lanes_group());
  if (lanes_uniform(!entry_is_there(slot))) return;
  const uint index = push.first + slot;
  const PageEntry page = load_page(index);
  Words status = Words(push.status);
  if (lanes_uniform(status.at[1u + index] != 0u)) return;
  GdeflateCopy copy = gdeflate_copy_begin(page, scratch_of(slot));
  const uint records = lanes_uniform(Words(weft_gdeflate_scratch).at[0]);
  while (lanes_uniform(copy.from < copy.end)) gdeflate_copy_step(copy, records);
  gdeflate_copy_end(copy);
}
