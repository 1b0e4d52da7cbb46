// SPDX-License-Identifier: MIT OR Apache-2.0
// Entries with the highest score first.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(float, score) MEMBER(uint, player)
WEFT_DECLARE_ITEM

bool less(Item a, Item b) { return a.score > b.score; }
