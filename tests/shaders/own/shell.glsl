// SPDX-License-Identifier: MIT OR Apache-2.0
// Points inside a ball, in the shell around it, and outside: three words, so handled as structs.
#define WEFT_ITEM_MEMBERS(MEMBER) MEMBER(float, x) MEMBER(float, y) MEMBER(float, z)
WEFT_DECLARE_ITEM

uint partition_index(Item p) {
  const float square = p.x * p.x + p.y * p.y + p.z * p.z;
  return square < 6000.0 ? 0u : square < 15000.0 ? 1u : 2u;
}
