// SPDX-License-Identifier: MIT OR Apache-2.0
// Upper triangular matrices (a b; 0 c) mod 2^32, one times the next. Three words, so that no 16 bytes hold a whole
// number of them; does not commute.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(uint, a) MEMBER(int, b) MEMBER(uint, c)
WEFT_DECLARE_ITEM

Item identity() { return Item(1u, 0, 1u); }

Item combine(Item x, Item y) { return Item(x.a * y.a, int(x.a) * y.b + x.b * int(y.c), x.c * y.c); }
