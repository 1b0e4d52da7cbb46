// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GdeflateDecode, first dispatch: each group of 32 lanes decodes the symbols of one page to literals and records, and
// reports its verdict.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "decode/gdeflate_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/gdeflate_page.glsl"

void main() {
  const uint slot = lanes_uniform(workgroup_number() * lanes_group_count() + lanes_group());
  if (lanes_uniform(!entry_is_there(slot))) return;
  const uint index = push.first + slot;
  const PageEntry page = load_page(index);
  uint verdict = kGdeflateBadEntry;
  if (lanes_uniform(page.valid)) verdict = gdeflate_page_decode(page.source, page.words, page.bytes, scratch_of(slot));
  if (lanes_lane() == 0u) {
    Words status = Words(push.status);
    status.at[1u + index] = verdict;
    if (verdict != 0u) atomicAdd(status.at[0], 1u);
  }
}
