// SPDX-License-Identifier: MIT OR Apache-2.0
// Pairs that ascend, that are equal, and that descend.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(int, first) MEMBER(int, second)
WEFT_DECLARE_ITEM

uint partition_index(Item item) { return item.first < item.second ? 0u : item.first == item.second ? 1u : 2u; }
