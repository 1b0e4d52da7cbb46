// SPDX-License-Identifier: MIT OR Apache-2.0
// Matrices of 2 by 2 mod 2^32, one times the next. Four words, 16 bytes; does not commute.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(uint, a) MEMBER(uint, b) MEMBER(uint, c) MEMBER(uint, d)
WEFT_DECLARE_ITEM

Item identity() { return Item(1u, 0u, 0u, 1u); }

Item combine(Item x, Item y) {
  return Item(x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d);
}
