// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Buffer 1 gets, for each output, the value of its source in buffer 0, times a, and its rank; beyond b outputs nothing.
void transform(LbsOutput each) {
  if (!word64_less(each.index, call_b())) return;
  const uint value = Words(call_buffer_0()).at[each.source.x];
  Words(call_buffer_1()).at[2u * each.index.x] = value * call_a().x;
  Words(call_buffer_1()).at[2u * each.index.x + 1u] = each.rank.x;
}
