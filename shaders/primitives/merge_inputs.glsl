// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Two sequences, whole, to be cut by merge path, four lanes a cut. merge_key.glsl is included before.
#ifndef WEFT_PRIMITIVES_MERGE_INPUTS_GLSL
#define WEFT_PRIMITIVES_MERGE_INPUTS_GLSL

#include "weft/lanes_merge_path.glsl"

struct MergeInputs {
  uvec2 keys_a, keys_b;
};

bool merge_path_a_first(MergeInputs inputs, uint a, uint b) {
  return !merge_key_less(merge_key_at(merge_key_address(inputs.keys_b, b), 0u),
                         merge_key_at(merge_key_address(inputs.keys_a, a), 0u));
}

WEFT_LANES_MERGE_PATH(MergeInputs)

#endif
