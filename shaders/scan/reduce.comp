// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Reduce in two passes of one kernel: the first combines runs of tiles to partials, and in the second one workgroup
// folds these, in order, and writes the result. Vectors are as wide as items allow, since nothing is written per item.
//
// kernel: TYPES ${scan_types} ${arg_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_VECTOR_BY_ITEM
#include "scan/reduce_pass.h"
#include "scan/reduce_tiles.glsl"

void main() {
  if (!kFinish) {
    reduce_tiles();
  } else {
    const Accumulator folded = partials_reduce(push.partials, push.partial_count, 0u);
    if (gl_LocalInvocationIndex == 0u) reduce_write(push.result, push.initial, folded);
  }
}
