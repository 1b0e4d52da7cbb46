// SPDX-License-Identifier: MIT OR Apache-2.0
// Items are the same that have the same tens.
#define Item uint
bool same(Item earlier, Item later) { return earlier / 10u == later / 10u; }
