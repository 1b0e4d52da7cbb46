// SPDX-License-Identifier: MIT OR Apache-2.0
// No order at all: each of many numbers is before the other.
#define Item uint

bool less(Item a, Item b) { return ((a ^ (b * 0x9e3779b9u)) & 3u) != 0u; }
