// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of Reduce: one workgroup folds the partials of reduce.comp, in order, and writes the result.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_VECTOR_BY_ITEM
#include "weft/partials.glsl"
#include "weft/tile.glsl"
#include "scan/reduce.h"
#include "scan/reduce_output.glsl"

layout(push_constant, std430) uniform Push { ReducePush push; };

void main() {
  const Accumulator folded = partials_reduce(push.partials, push.partial_count, 0u);
  if (gl_LocalInvocationIndex == 0u) reduce_write(push.result, push.initial, folded);
}
