// SPDX-License-Identifier: MIT OR Apache-2.0
// The side is a remainder; those of 2 and more are the third side.
#define Item uint
uint side(Item item) { return (item + call_a().x) % call_b().x; }
