// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The search of merge_path.glsl by four neighbouring lanes for each diagonal: it waits for memory at every step, and
// takes half as many steps as one lane alone would, at twice the probes. For passes that cut a merge into tiles.
#ifndef WEFT_LANES_MERGE_PATH_GLSL
#define WEFT_LANES_MERGE_PATH_GLSL

#include "weft/merge_path.glsl"
#include "weft/subgroup.glsl"

const uint kMergePathLanes = 4;  // as primitives::kMergePathLanes

// For RANGES as of WEFT_MERGE_PATH this defines
//   uint lanes_merge_path_split(RANGES ranges, uint diagonal, uint count_a, uint count_b, uint most)
// with the arguments and the result of merge_path_split(), each the same on lanes 4 * k to 4 * k + 3. `most` is
// the same in all of the workgroup, and no less than the smaller of count_a and count_b. Called in
// workgroup-uniform control flow.
#define WEFT_LANES_MERGE_PATH(RANGES)                                                                            \
  uint lanes_merge_path_split(RANGES ranges, uint diagonal, uint count_a, uint count_b, uint most) {            \
    const uint lane = subgroup_lane();                                                                          \
    uint low = diagonal - min(diagonal, count_b);                                                               \
    uint left = min(diagonal, count_a) - low;                                                                   \
    /* At most 16 steps. */                                                                                     \
    for (; most != 0u; most /= kMergePathLanes) {                                                               \
      const uint stride = left / kMergePathLanes + 1u;                                                          \
      const uint probe = (lane % kMergePathLanes + 1u) * stride - 1u;                                           \
      bool a_first = false;                                                                                     \
      if (probe < left) a_first = merge_path_a_first(ranges, low + probe, diagonal - 1u - low - probe);         \
      const uint bits = subgroup_ballot(a_first)[lane >> 5] >> (lane & 31u & ~(kMergePathLanes - 1u));          \
      const uint passed = uint(bitCount(bits & ((1u << kMergePathLanes) - 1u))) * stride;                       \
      low += passed;                                                                                            \
      left = min(left - passed, stride - 1u);                                                                   \
    }                                                                                                           \
    return low;                                                                                                 \
  }

#endif
