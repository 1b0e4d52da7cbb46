// SPDX-License-Identifier: MIT OR Apache-2.0
// Pairs are the same that have the same key, whatever they carry.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(uint, key) MEMBER(float, carried)
WEFT_DECLARE_ITEM

bool same(Item earlier, Item later) { return earlier.key == later.key; }
