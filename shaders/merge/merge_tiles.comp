// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of Merge, or the only one where keys are few: a workgroup has a tile, of which each subgroup finds its
// part and merges it in registers.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "merge/merge_outputs.h"
#include "merge/merge_tile_part.glsl"
#include "merge/merge_store.glsl"

void main() {
  const uint total_a = count_a();
  const uint total_b = count_b();
  if (merge_tile() >= tile_count(total_a + total_b)) return;
  uint begin, tile_a, tile_b;
  MergePart part = merge_tile_part(total_a, total_b, begin, tile_a, tile_b);
  MergeElement elements[kMergeKeys];
  merge_part_elements(part, elements);

  // Outputs of a part that does not fit are found one by one. Addresses and counts are those from this lane's on.
  const uint lane = subgroup_lane();
  const uint count = part.fits ? part.count - min(part.count, lane) : 0u;
  const uint first = begin + part.first;
  const uint first_a = tile_a + part.a, first_b = tile_b + part.b;
  if (kWritesKeys) {
    const uvec2 keys_out = merge_key_address(push.keys_out, first + lane);
    [[unroll]] for (uint r = 0; r < kMergeKeys; ++r)
      store_key(keys_out, r * kSubgroupSize, count, merge_part_key(part, elements[r]));
  }
  const uvec2 values_a = value_address(push.values_a, first_a), values_b = value_address(push.values_b, first_b);
  if (kWritesIndices || kValueBytes != 0u) {
    Words indices_out = Words(word64_add(push.indices_out, word64_multiply(first + lane, 4u)));
    const uvec2 values_out = value_address(push.values_out, first + lane);
    const uvec2 behind_a = word64_subtract(values_b, word64_multiply(part.count_a, kValueBytes));
    uint earlier_b = 0u;
    [[unroll]] for (uint batch = 0; batch < kMergeKeys; batch += kValueBatch) {
      // Positions first: no ballot comes between loads.
      uint positions[kValueBatch];
      [[unroll]] for (uint k = 0; k < kValueBatch; ++k)
        positions[k] = merge_part_position(part, elements[batch + k], (batch + k) * kSubgroupSize + lane, earlier_b);
      uvec2 values[kValueBatch];
      [[unroll]] for (uint k = 0; k < kValueBatch; ++k) {
        const uint row = (batch + k) * kSubgroupSize;
        const bool is_a = positions[k] < part.count_a;
        if (kWritesIndices && row < count)
          indices_out.at[row] = positions[k] + (is_a ? first_a : total_a + first_b - part.count_a);
        const uvec2 source = is_a ? values_a : behind_a;
        values[k] = uvec2(0u);
        if (kValueBytes != 0u && !kValueInRegisters) move_value(source, positions[k], values_out, row, count);
        if (kValueBytes != 0u && kValueInRegisters && row < count) values[k] = load_value(source, positions[k]);
      }
      if (kValueBytes != 0u && kValueInRegisters) {
        [[unroll]] for (uint k = 0; k < kValueBatch; ++k)
          store_value(values_out, (batch + k) * kSubgroupSize, count, values[k]);
      }
    }
  }
  if (part.fits) return;
  for (uint i = lane; i < part.count; i += kSubgroupSize) {
    const uint position = merge_part_find(part, i);
    const bool is_a = position < part.count_a;
    const uint index = is_a ? position : position - part.count_a;
    if (kWritesKeys)
      store_key(merge_key_address(push.keys_out, first), i, part.count, merge_part_key_at(part, position));
    if (kWritesIndices)
      Words(word64_add(push.indices_out, word64_multiply(first + i, 4u))).at[0] =
          is_a ? first_a + index : total_a + first_b + index;
    if (kValueBytes != 0u)
      move_value_alone(value_address(is_a ? values_a : values_b, index), value_address(push.values_out, first + i));
  }
}
