// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Decompress by the driver: a workgroup makes the regions of pages, with addresses, in scratch, in the order of the
// table, and counts them.
//
// family: gdeflate_decode
#version 460
#extension GL_GOOGLE_include_directive : require
#include "weft/compact.glsl"
#include "decode/decompress.h"
#include "decode/page_table.glsl"

// VkDecompressMemoryRegionEXT or -NV, whose method is 1: GDeflate 1.0.
void write_region(Words scratch, uint region, PageEntry page) {
  const uint at = WEFT_DECOMPRESS_HEADER / 4u + kRegionWords * region;
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

PageEntry page_at(uint index) {
  Words entry = Words(word64_add(push.entries, word64_multiply(index, 24u)));
  return page_of(uvec2(entry.at[0], entry.at[1]), uvec2(entry.at[2], entry.at[3]), entry.at[4], entry.at[5]);
}

// Reports whether the entry is one for the driver.
bool check_page(PageEntry page, uint index) {
  uint verdict = page.words == 0u ? kGdeflateTruncated : 0u;
  if (!page.valid || (page.target.x & 3u) != 0u) verdict = kGdeflateBadEntry;
  Words status = Words(push.status);
  status.at[1u + index] = verdict;
  if (verdict != 0u) atomicAdd(status.at[0], 1u);
  return verdict == 0u;
}

void main() {
  Words scratch = Words(push.scratch);
  uint regions = 0u;
  for (uint first = 0u; first < push.slots; first += kWorkgroupSize) {
    const uint slot = first + lanes_position(), index = push.first + slot;
    PageEntry page = page_of(uvec2(0u), uvec2(0u), 0u, 0u);
    bool sound = false;
    if (entry_is_there(slot)) {
      page = page_at(index);
      sound = check_page(page, index);
    }
    uint kept;
    const uint before = workgroup_compact(sound, first / kWorkgroupSize & 1u, kept);
    if (sound) write_region(scratch, regions + before, page);
    regions += kept;
  }
  if (gl_LocalInvocationIndex == 0u) scratch.at[0] = regions;
}
