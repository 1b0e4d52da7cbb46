// SPDX-License-Identifier: MIT OR Apache-2.0
// The entry with the highest score; of equal ones the first.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(float, score) MEMBER(uint, player)
WEFT_DECLARE_ITEM

Item identity() { return Item(-1.0 / 0.0, 0u); }

Item combine(Item earlier, Item later) {
  if (later.score > earlier.score) return later;
  return earlier;
}
