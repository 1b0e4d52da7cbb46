// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the tables of GstdDecode and GdeflateDecode share: push constants, checks of ranges, and slots of a dispatch.
#ifndef WEFT_DECODE_TABLE_GLSL
#define WEFT_DECODE_TABLE_GLSL

#include "weft/buffers.glsl"
#include "weft/lanes.glsl"
#include "weft/word64.glsl"
#include "decode/decode_table.h"

layout(push_constant, std430) uniform Push { DecodePush push; };

const uint kTileItems = 1u;
#include "weft/tile_range.glsl"

// Whether [at, at + bytes) is in a range of `size` bytes.
bool lies_within(uvec2 at, uvec2 bytes, uvec2 size) {
  return !word64_less(size, bytes) && !word64_less(word64_subtract(size, bytes), at);
}

uint workgroup_number() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// Whether slot `slot` of this dispatch has an entry.
bool entry_is_there(uint slot) {
  const uint entries = count_of(push.count, push.count_words, uvec2(push.maximum, 0u)).x;
  return slot < push.slots && push.first + slot < entries;
}

#endif
