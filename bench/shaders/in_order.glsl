// SPDX-License-Identifier: MIT OR Apache-2.0
// The order of unsigned numbers: MergeSort's own for u32.
#define Item uint

bool less(Item a, Item b) { return a < b; }
