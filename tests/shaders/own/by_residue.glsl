// SPDX-License-Identifier: MIT OR Apache-2.0
// Numbers by what they leave when divided by 100: most have many equals.
#define Item uint

bool less(Item a, Item b) { return a % 100u < b % 100u; }
