// SPDX-License-Identifier: MIT OR Apache-2.0
//
// rANS tables of Gstd's fields, by decode/gstd_tables.glsl, from weights where a tile's description leaves them. A
// group has one range of device memory for all its tables, as in the decoder.
#version 460
#extension GL_GOOGLE_include_directive : require

layout(constant_id = 2) const bool kReduceUniform = false;
layout(constant_id = 3) const uint kField = 2;
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/gstd_tables.glsl"
#include "weft/word64.glsl"

#include "table_build.glsl"

void main() {
  // Then no sum is right.
  if (4u * kGstdTableWords > push.place_bytes) return;
  const uint lane = lanes_lane();
  const uint symbols = gstd_field_symbols(kField);
  const uint symbols_at = kGstdSymbolsAt + gstd_field_first(kField);
  const uint slots_at = kGstdSlots + kField * kGstdFieldSlotWords;
  Words tables = Words(word64_add(push.positions, word64_multiply(group_number(), push.place_bytes)));
  Words weights = Words(push.described);
  Words sums = Words(push.sums);
  for (uint i = lane; i < kGstdMakingWords; i += 32u) WEFT_GSTD_MAKING[gstd_making() + i] = 0u;
  lanes_shared_barrier();
  // A group without a table of its own builds one that nobody looks at: weights are a
  // distribution's whatever the table's number.
  for (uint first = first_table(); first < push.tables; first += table_step()) {
    const uint table = first + lanes_group();
    const uint weights_at = (table & push.distribution_mask) * symbols;
    for (uint symbol = lane; symbol < symbols; symbol += 32u)
      tables.at[symbols_at + symbol] = weights.at[weights_at + symbol];
    lanes_buffer_barrier();
    gstd_field_build(tables, kField, false, false);
    uint sum = 0u;
    for (uint i = lane; i < kGstdFieldSlotWords; i += 32u) sum += weighted(tables.at[slots_at + i], i);
    for (uint symbol = lane; symbol < symbols; symbol += 32u)
      sum += weighted(tables.at[symbols_at + symbol], kGstdFieldSlotWords + symbol);
    if (table < push.tables) sums.at[32u * table + lane] = sum;
  }
}
