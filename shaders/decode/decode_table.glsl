// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the tables of decoders share: push constants, checks of ranges, and slots of a dispatch. An includer with push
// constants of its own defines WEFT_DECODE_PUSH.
#ifndef WEFT_DECODE_TABLE_GLSL
#define WEFT_DECODE_TABLE_GLSL

#include "decode/decode_table.h"
#include "weft/buffers.glsl"
#include "weft/lanes.glsl"
#include "weft/word64.glsl"

#ifndef WEFT_DECODE_PUSH
#define WEFT_DECODE_PUSH DecodePush
#endif
layout(push_constant, std430) uniform Push { WEFT_DECODE_PUSH push; };

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
