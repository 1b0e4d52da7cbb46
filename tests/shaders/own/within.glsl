// SPDX-License-Identifier: MIT OR Apache-2.0
// Points that follow one another within the call's distance: three words, so handled as structs.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(float, x) MEMBER(uint, a) MEMBER(int, b)
WEFT_DECLARE_ITEM

bool same(Item earlier, Item later) { return abs(later.x - earlier.x) <= uintBitsToFloat(call_a().x); }
