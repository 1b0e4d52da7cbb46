// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The table of pages of GdeflateDecode, and what lies in a page's scratch.
#ifndef WEFT_GDEFLATE_PAGE_TABLE_GLSL
#define WEFT_GDEFLATE_PAGE_TABLE_GLSL

#include "decode/decode_table.glsl"
#include "decode/gdeflate_decode.h"

// Verdicts: weft::gdeflate::Refusal.
const uint kGdeflateTruncated = 1u, kGdeflateBadBlock = 2u, kGdeflateBadTable = 3u, kGdeflateBadSymbol = 4u,
           kGdeflateBadOffset = 5u, kGdeflateBadLength = 6u, kGdeflateBadEntry = 7u;

const uint kGdeflateMaxPageBytes = 65536u, kGdeflateMaxPageWords = 32768u;

struct PageEntry {
  uvec2 source, target;  // addresses
  uint words, bytes;
  bool valid;
};

PageEntry page_of(uvec2 source, uvec2 target, uint words, uint bytes) {
  PageEntry page;
  page.words = words;
  page.bytes = bytes;
  page.valid = page.bytes != 0u && page.bytes <= kGdeflateMaxPageBytes && page.words <= kGdeflateMaxPageWords &&
               (source.x & 3u) == 0u && lies_within(source, uvec2(4u * page.words, 0u), push.source_bytes) &&
               lies_within(target, uvec2(page.bytes, 0u), push.output_bytes);
  page.source = word64_add(push.source, source);
  page.target = word64_add(push.outputs, target);
  return page;
}

PageEntry load_page(uint index) {
  Words entry = Words(word64_add(push.entries, word64_multiply(index, 24u)));
  const uvec2 source = uvec2(lanes_uniform(entry.at[0]), lanes_uniform(entry.at[1]));
  const uvec2 target = uvec2(lanes_uniform(entry.at[2]), lanes_uniform(entry.at[3]));
  return page_of(source, target, lanes_uniform(entry.at[4]), lanes_uniform(entry.at[5]));
}

// ---- a page's scratch ----

uvec2 scratch_of(uint slot) { return word64_add(push.scratch, word64_multiply(slot, WEFT_GDEFLATE_SCRATCH)); }

// In words.
const uint kGdeflateTablesAt = 2u;
const uint kGdeflateLiteralTable = kGdeflateTablesAt, kGdeflateDistanceTable = kGdeflateLiteralTable + 512u,
           kGdeflateSortedAt = kGdeflateDistanceTable + 128u;
const uint kGdeflateLiteralsAt = kGdeflateSortedAt + 320u;
const uint kGdeflateEnd = WEFT_GDEFLATE_SCRATCH / 4u;

// A match, and the literals before it: literals and bytes of the page up to its end.
struct GdeflateRecord {
  uint literals_end, end, offset;
};
uint gdeflate_record_at(uint index) { return kGdeflateEnd - 2u * (index + 1u); }
void gdeflate_record_store(Words scratch, uint index, GdeflateRecord record) {
  const uint at = gdeflate_record_at(index), offset = record.offset - 1u;
  scratch.at[at] = record.literals_end | offset << 17;
  scratch.at[at + 1u] = record.end | offset >> 15 << 17;
}
GdeflateRecord gdeflate_record_load(Words scratch, uint index) {
  const uint at = gdeflate_record_at(index);
  const uvec2 packed = uvec2(scratch.at[at], scratch.at[at + 1u]);
  return GdeflateRecord(packed.x & 0x1ffffu, packed.y & 0x1ffffu, (packed.x >> 17 | packed.y >> 17 << 15) + 1u);
}

#endif
