// SPDX-License-Identifier: MIT OR Apache-2.0
// Sums that stop at 20.
#define Item uint
#define WEFT_COMMUTES

Item identity() { return 0u; }
Item combine(Item a, Item b) { return min(a + b, 20u); }
