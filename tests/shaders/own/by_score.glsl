// SPDX-License-Identifier: MIT OR Apache-2.0
// Records by falling score; those of one score by rising level, whatever their name.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(float, score) MEMBER(int, level) MEMBER(uint, name)
WEFT_DECLARE_ITEM

bool less(Item a, Item b) { return a.score != b.score ? a.score > b.score : a.level < b.level; }
