// SPDX-License-Identifier: MIT OR Apache-2.0
//
// For each row of an image, one workgroup each: its pixels, the brightest first. The host sees to it that a row has no
// more pixels than the workgroup sorts.
#version 460
#extension GL_GOOGLE_include_directive : require
const uint kMergeKeys = 4;  // pixels a lane sorts
#include "weft/buffers.glsl"
#include "weft/workgroup_sort.glsl"

layout(push_constant) uniform Push { uvec2 image; uvec2 brightest; uint width; };

WEFT_SUBGROUP_MERGE(uint)
WEFT_SUBGROUP_SORT(uint)
WEFT_WORKGROUP_SORT_SHARED(uint)
WEFT_WORKGROUP_SORT(uint)

void main() {
  const uint row = gl_WorkGroupID.x * width;
  const uint first = subgroup_index() * kSubgroupMergeKeys + subgroup_lane();
  uint pixels[kMergeKeys];
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint x = first + r * kSubgroupSize;
    pixels[r] = x < width ? ~Words(image).at[row + x] : ~0u;  // the complement sorts the other way round
  }
  workgroup_sort(pixels);
  [[unroll]] for (uint r = 0; r < kMergeKeys; ++r) {
    const uint x = first + r * kSubgroupSize;
    if (x < width) Words(brightest).at[row + x] = ~pixels[r];
  }
}
