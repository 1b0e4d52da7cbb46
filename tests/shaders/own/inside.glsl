// SPDX-License-Identifier: MIT OR Apache-2.0
// Points inside a ball: three words, so handled as structs.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(float, x) MEMBER(float, y) MEMBER(float, z)
WEFT_DECLARE_ITEM

bool keep(Item p) { return p.x * p.x + p.y * p.y + p.z * p.z < 10000.0; }
