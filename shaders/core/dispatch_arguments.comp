// SPDX-License-Identifier: MIT OR Apache-2.0
//
// DispatchArguments: one invocation writes them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/subgroup.glsl"

const uint kTileItems = kWorkgroupSize;  // of weft/tile_range.glsl, whose tiles are not used
#include "weft/tile_range.glsl"
#include "core/dispatch_arguments.glsl"
#include "core/dispatch_arguments.h"

layout(push_constant, std430) uniform Push { DispatchArgumentsPush push; };

void main() {
  if (gl_LocalInvocationIndex != 0u) return;
  dispatch_arguments_store(push.command, count_of(push.count, push.count_words, push.count_value), push.groups);
}
