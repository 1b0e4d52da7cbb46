// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What goes with the keys of MergeSort, word by word. The includer defines, as a constant, kCarriesIndices: indices go
// with the keys, and the last dispatch moves values once; else values go with them. merge_store.glsl is included
// before.
#ifndef WEFT_PRIMITIVES_MERGE_SORT_STORE_GLSL
#define WEFT_PRIMITIVES_MERGE_SORT_STORE_GLSL

const bool kCarriesWords = kCarriesIndices ? true : kValueBytes == 4u;

// Where what goes with an output and those after it is written, and in the last dispatch the values of indices.
struct MergeSortTarget {
  uvec2 carried, values;
};

MergeSortTarget merge_sort_target(uint output_index) {
  return MergeSortTarget(word64_add(push.carried_out, word64_multiply(output_index, kCarriesWords ? 4u : kValueBytes)),
                         value_address(push.values_out, output_index));
}

// Writes a word that goes with a key, and in the last dispatch what it is the index of, as output i of `count` there;
// lanes of a subgroup have neighbours.
void store_word(uint word, MergeSortTarget target, uint i, uint count) {
  if (push.carried_out != uvec2(0u)) {
    if (i < count) Words(target.carried).at[i] = word;
  }
  if (kCarriesIndices) {
    if (push.values_out != uvec2(0u)) move_value(value_address(push.values, word), 0u, target.values, i, count);
  }
}

// The same of one output, whatever other lanes do.
void store_word_alone(uint word, MergeSortTarget target) {
  if (push.carried_out != uvec2(0u)) Words(target.carried).at[0] = word;
  if (kCarriesIndices) {
    if (push.values_out != uvec2(0u)) move_value_alone(value_address(push.values, word), target.values);
  }
}

#endif
