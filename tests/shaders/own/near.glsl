// SPDX-License-Identifier: MIT OR Apache-2.0
// Four words; an item begins a run where it lies more than 5 above the one before.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(uint, at) MEMBER(uint, a) MEMBER(uint, b) MEMBER(uint, c)
WEFT_DECLARE_ITEM

bool same(Item earlier, Item later) { return later.at - earlier.at <= 5u; }
