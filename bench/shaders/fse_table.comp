// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tables of FSE, by weft/fse.glsl, which leaves them in shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require

layout(constant_id = 2) const uint kSymbols = 53;
layout(constant_id = 3) const uint kAccuracy = 9;
#define WEFT_FSE_SYMBOLS kSymbols
#define WEFT_FSE_ACCURACY kAccuracy
#include "weft/fse.glsl"

#include "table_build.glsl"

void main() {
  const uint group = lanes_group();
  const uint lane = lanes_lane();
  Words counts = Words(push.described);
  Words sums = Words(push.sums);
  for (uint first = first_table(); first < push.tables; first += table_step()) {
    const uint table = first + group;
    const uint counts_at = (table & push.distribution_mask) * kSymbols;
    for (uint symbol = lane; symbol < kSymbols; symbol += 32u)
      fse_set_count(group, symbol, int(counts.at[counts_at + symbol]));
    lanes_fse_build(kSymbols, table < push.tables ? kAccuracy : 0u);
    uint sum = 0u;
    for (uint state = lane; state < 1u << kAccuracy; state += 32u) sum += weighted(fse_entry(group, state), state);
    if (table < push.tables) sums.at[32u * table + lane] = sum;
  }
}
