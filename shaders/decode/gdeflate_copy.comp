// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GdeflateDecode, second dispatch: each group of 32 lanes writes one page, of the literals and records that the first
// left in scratch.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "decode/gdeflate_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/page_table.glsl"

uvec2 weft_gdeflate_scratch;
#define WEFT_LZ_LITERALS(WORD) Words(weft_gdeflate_scratch).at[WORD]
#include "weft/lz_copy.glsl"

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

// Writes the page's windows, each of up to 64 sequences.
void write_page(PageEntry page, Words scratch) {
  const uint skew = page.target.x & 3u, end = skew + page.bytes;
  Words target = Words(uvec2(page.target.x - skew, page.target.y));
  const uint records = lanes_uniform(scratch.at[0]);
  lz_begin();
  uint first = 0u;  // record that is not yet written to its end
  for (uint from = skew; lanes_uniform(from < end);) {
    // Behind the last record are empty sequences.
    const uint own = first + 2u * lanes_lane();
    GdeflateRecord before = GdeflateRecord(0u, 0u, 1u);
    if (own != 0u) before = gdeflate_record_load(scratch, min(own - 1u, records));
    const GdeflateRecord middle = gdeflate_record_load(scratch, min(own, records));
    const GdeflateRecord last = gdeflate_record_load(scratch, min(own + 1u, records));
    const LzSequence one = sequence_between(before, middle, skew);
    const LzSequence two = sequence_between(middle, last, skew);
    const uint to = min(lanes_broadcast(two.end, 31u), lz_window_end(from));
    lz_copy(target, skew, one, two, from, to);
    first += bitCount(lanes_ballot(one.end <= to)) + bitCount(lanes_ballot(two.end <= to));
    from = to;
  }
  lz_end(target, skew, end);
}

void main() {
  const uint slot = lanes_uniform(workgroup_number() * lanes_group_count() + lanes_group());
  if (lanes_uniform(!entry_is_there(slot))) return;
  const uint index = push.first + slot;
  const PageEntry page = load_page(index);
  Words status = Words(push.status);
  if (lanes_uniform(status.at[1u + index] != 0u)) return;
  weft_gdeflate_scratch = scratch_of(slot);
  write_page(page, Words(weft_gdeflate_scratch));
}
