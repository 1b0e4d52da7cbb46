// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Sums up the ranges of all sources: buffer 0 gets, for each source, how many outputs it
// had, and the sum of their ranks.
void transform(LbsOutput each) {
  atomicAdd(Words(call_buffer_0()).at[2u * each.source.x], 1u);
  atomicAdd(Words(call_buffer_0()).at[2u * each.source.x + 1u], each.rank.x);
}
