// SPDX-License-Identifier: MIT OR Apache-2.0
// Interval expansion, as a user would write it: buffer 1 gets the value of each output's source, from buffer 0.
void transform(LbsOutput each) {
  Words(call_buffer_1()).at[each.index.x] = Words(call_buffer_0()).at[each.source.x];
}
