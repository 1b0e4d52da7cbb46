// SPDX-License-Identifier: MIT OR Apache-2.0
// The partition is a remainder; those of 2 and more are the third partition.
#define Item uint
uint partition_index(Item item) { return (item + call_a().x) % call_b().x; }
