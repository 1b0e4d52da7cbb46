// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GdeflateDecode of many pages, first dispatch: each group of 32 lanes decodes the symbols of one page to literals and
// records, and reports its verdict.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_SUBGROUP_OWN_SUMS
#include "decode/gdeflate_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/gdeflate_page.glsl"

void main() {
  const uint slot = lanes_uniform(workgroup_number() * lanes_group_count() + lanes_group());
  if (lanes_uniform(!entry_is_there(slot))) return;
  const uint index = push.first + slot;
  const uvec2 scratch = scratch_of(slot);
  GdeflatePage page = gdeflate_page_begin(load_page(index));
  gdeflate_page_step(Words(scratch), page, ~0u);
  const uint verdict = gdeflate_page_end(Words(scratch), page);
  if (lanes_lane() == 0u) report_page(index, verdict);
}
