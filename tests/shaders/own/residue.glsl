// SPDX-License-Identifier: MIT OR Apache-2.0
// Items that leave the call's remainder.
#define Item uint
bool keep(Item item) { return item % call_b().x == call_a().x; }
