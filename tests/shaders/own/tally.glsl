// SPDX-License-Identifier: MIT OR Apache-2.0
// How many items have each value modulo 8: eight words from one.
#define Item uint
#define WEFT_ACCUMULATOR_MEMBERS(MEMBER) \
  MEMBER(uint, n0) MEMBER(uint, n1) MEMBER(uint, n2) MEMBER(uint, n3) \
  MEMBER(uint, n4) MEMBER(uint, n5) MEMBER(uint, n6) MEMBER(uint, n7)
WEFT_DECLARE_ACCUMULATOR
#define WEFT_COMMUTES

Accumulator identity() { return Accumulator(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u); }

uint tally_one(Item item, uint value) { return (item & 7u) == value ? 1u : 0u; }

Accumulator accumulator_of(Item item) {
  return Accumulator(tally_one(item, 0u), tally_one(item, 1u), tally_one(item, 2u), tally_one(item, 3u),
                     tally_one(item, 4u), tally_one(item, 5u), tally_one(item, 6u), tally_one(item, 7u));
}

Accumulator combine(Accumulator a, Accumulator b) {
  return Accumulator(a.n0 + b.n0, a.n1 + b.n1, a.n2 + b.n2, a.n3 + b.n3,
                     a.n4 + b.n4, a.n5 + b.n5, a.n6 + b.n6, a.n7 + b.n7);
}
