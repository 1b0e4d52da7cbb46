// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Two sequences, whole, to be cut by merge path. merge_key.glsl is included before.
#ifndef WEFT_PRIMITIVES_MERGE_INPUTS_GLSL
#define WEFT_PRIMITIVES_MERGE_INPUTS_GLSL

struct MergeInputs {
  uvec2 keys_a, keys_b;
};

bool merge_path_a_first(MergeInputs inputs, uint a, uint b) {
  return !merge_key_less(merge_key_at(merge_key_address(inputs.keys_b, b), 0u),
                         merge_key_at(merge_key_address(inputs.keys_a, a), 0u));
}

#endif
