// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels of Merge share: counts, tiles, and how keys of its inputs compare.
#ifndef WEFT_MERGE_RANGES_GLSL
#define WEFT_MERGE_RANGES_GLSL

#include "weft/subgroup.glsl"
#include "merge/merge.h"
#include "merge/merge_key.glsl"

const uint kTileItems = kWorkgroupSize * kMergeKeys;

#include "weft/tile_range.glsl"

layout(push_constant, std430) uniform Push { MergePush push; };

uint count_a() { return count_of(push.count_a, push.count_a_words, uvec2(push.maximum_a, 0u)).x; }
uint count_b() { return count_of(push.count_b, push.count_b_words, uvec2(push.maximum_b, 0u)).x; }

#endif
