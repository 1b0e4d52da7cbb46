// SPDX-License-Identifier: MIT OR Apache-2.0
// Pairs in order.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(int, first) MEMBER(int, second)
WEFT_DECLARE_ITEM

bool keep(Item item) { return item.first < item.second; }
