// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The copy stage of GDeflate: a group of 32 lanes writes a page, of the literals and records that gdeflate_page.glsl
// left in scratch.
//   gdeflate_copy_begin()   once
//   gdeflate_copy_step()    a window of up to 64 sequences
//   gdeflate_copy_end()     once, after the last window
//
// Who calls: as lz_copy.glsl.
#ifndef WEFT_GDEFLATE_COPY_GLSL
#define WEFT_GDEFLATE_COPY_GLSL

#include "decode/page_table.glsl"

uvec2 weft_gdeflate_scratch;
#define WEFT_LZ_LITERALS(WORD) Words(weft_gdeflate_scratch).at[WORD]
#include "weft/lz_copy.glsl"

struct GdeflateCopy {
  Words target;
  uint begin, end;   // of the page, in bytes from its first word on
  uint from, first;  // what is not yet written: its first byte, and the first record that is not yet written to its end
};

GdeflateCopy gdeflate_copy_begin(PageEntry page, uvec2 scratch) {
  weft_gdeflate_scratch = scratch;
  lz_begin();
  GdeflateCopy copy;
  copy.begin = copy.from = page.target.x & 3u;
  copy.end = copy.begin + page.bytes;
  copy.target = Words(uvec2(page.target.x - copy.begin, page.target.y));
  copy.first = 0u;
  return copy;
}

// The sequence between two records; `begin` is the page's first position.
LzSequence sequence_between(GdeflateRecord before, GdeflateRecord record, uint begin) {
  LzSequence sequence;
  sequence.begin = begin + before.end;
  sequence.match = sequence.begin + record.literals_end - before.literals_end;
  sequence.end = begin + record.end;
  sequence.offset = record.offset;
  sequence.literals = 4u * kGdeflateLiteralsAt + before.literals_end - sequence.begin;
  return sequence;
}

// `records`: how many precede the last there is. Behind that are empty sequences.
void gdeflate_copy_step(inout GdeflateCopy copy, uint records) {
  Words scratch = Words(weft_gdeflate_scratch);
  const uint own = copy.first + 2u * lanes_lane();
  GdeflateRecord before = GdeflateRecord(0u, 0u, 1u);
  if (own != 0u) before = gdeflate_record_load(scratch, min(own - 1u, records));
  const GdeflateRecord middle = gdeflate_record_load(scratch, min(own, records));
  const GdeflateRecord last = gdeflate_record_load(scratch, min(own + 1u, records));
  const LzSequence one = sequence_between(before, middle, copy.begin);
  const LzSequence two = sequence_between(middle, last, copy.begin);
  const uint to = min(lanes_broadcast(two.end, 31u), lz_window_end(copy.from));
  lz_copy(copy.target, copy.begin, one, two, copy.from, to);
  copy.first += bitCount(lanes_ballot(one.end <= to)) + bitCount(lanes_ballot(two.end <= to));
  copy.from = to;
}

void gdeflate_copy_end(GdeflateCopy copy) { lz_end(copy.target, copy.begin, copy.end); }

#endif
