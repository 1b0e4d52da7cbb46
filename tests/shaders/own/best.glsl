// SPDX-License-Identifier: MIT OR Apache-2.0
// The pair with the largest key; of equal ones the first.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(float, key) MEMBER(uint, payload)
WEFT_DECLARE_ITEM

Item identity() { return Item(-1.0, 0xffffffffu); }

Item combine(Item earlier, Item later) {
  if (later.key > earlier.key) return later;
  return earlier;
}
