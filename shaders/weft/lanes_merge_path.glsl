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
// workgroup-uniform control flow. The cut of random keys lies around the straight line between its ends, with a
// standard deviation of at most sqrt(count_a + count_b) / 4: the first probes reach 3 to 6 of them.
#define WEFT_LANES_MERGE_PATH(RANGES)                                                                            \
  uint lanes_merge_path_split(RANGES ranges, uint diagonal, uint count_a, uint count_b, uint most) {            \
    const uint lane = subgroup_lane();                                                                          \
    uint low = diagonal - min(diagonal, count_b);                                                               \
    uint left = min(diagonal, count_a) - low;                                                                   \
    const uint total = max(count_a + count_b, 1u);                                                              \
    const float line = min(float(diagonal) * (float(count_a) / float(total)), 4294967040.0);                    \
    const uint guess = clamp(uint(line), low, low + left) - low;                                                \
    uint stride = 1u << (uint(findMSB(total)) / 2u);                                                            \
    uint first = guess - min(guess, stride + stride / 2u);                                                      \
    /* At most 17 steps. */                                                                                     \
    for (;;) {                                                                                                  \
      const uint probe = first + lane % kMergePathLanes * stride;                                               \
      bool a_first = false;                                                                                     \
      if (probe < left) a_first = merge_path_a_first(ranges, low + probe, diagonal - 1u - low - probe);         \
      const uint bits = subgroup_ballot(a_first)[lane >> 5] >> (lane & 31u & ~(kMergePathLanes - 1u));          \
      const uint passed = uint(bitCount(bits & ((1u << kMergePathLanes) - 1u)));                                \
      const uint behind = first + passed * stride;                                                              \
      const uint lower = passed == 0u ? 0u : behind - stride + 1u;                                              \
      left = (passed == kMergePathLanes ? left : min(behind, left)) - lower;                                    \
      low += lower;                                                                                             \
      stride = left / kMergePathLanes + 1u;                                                                     \
      first = stride - 1u;                                                                                      \
      if (most == 0u) break;                                                                                    \
      most /= kMergePathLanes;                                                                                  \
    }                                                                                                           \
    return low;                                                                                                 \
  }

#endif
