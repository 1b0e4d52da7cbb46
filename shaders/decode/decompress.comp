// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Decompress by the driver: each invocation makes a page's region, with addresses, in scratch. Without slots: sets the
// number of regions to 0.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "decode/decompress.h"
#include "decode/page_table.glsl"

void main() {
  const uint slot = workgroup_number() * kWorkgroupSize + gl_LocalInvocationIndex;
  Words scratch = Words(push.scratch);
  if (push.slots == 0u) {
    if (slot == 0u) scratch.at[0] = 0u;
    return;
  }
  if (!entry_is_there(slot)) return;
  const uint index = push.first + slot;
  Words entry = Words(word64_add(push.entries, word64_multiply(index, 24u)));
  const PageEntry page =
      page_of(uvec2(entry.at[0], entry.at[1]), uvec2(entry.at[2], entry.at[3]), entry.at[4], entry.at[5]);
  uint verdict = page.words == 0u ? kGdeflateTruncated : 0u;
  if (!page.valid || (page.target.x & 3u) != 0u) verdict = kGdeflateBadEntry;
  Words status = Words(push.status);
  status.at[1u + index] = verdict;
  if (verdict != 0u) {
    atomicAdd(status.at[0], 1u);
    return;
  }
  // VkDecompressMemoryRegionEXT or -NV, whose method is 1: GDeflate 1.0.
  const uint at = WEFT_DECOMPRESS_HEADER / 4u + kRegionWords * atomicAdd(scratch.at[0], 1u);
  scratch.at[at] = page.source.x;
  scratch.at[at + 1u] = page.source.y;
  scratch.at[at + 2u] = page.target.x;
  scratch.at[at + 3u] = page.target.y;
  scratch.at[at + 4u] = 4u * page.words;
  scratch.at[at + 5u] = 0u;
  scratch.at[at + 6u] = page.bytes;
  scratch.at[at + 7u] = 0u;
  if (kRegionWords == 8u) return;
  scratch.at[at + 8u] = 1u;
  scratch.at[at + 9u] = 0u;
}
