// SPDX-License-Identifier: MIT OR Apache-2.0
//
// GdeflateDecode of few pages, in one dispatch: a workgroup decodes one page, in turns. In each, a group of 32 lanes
// decodes symbols, and another writes windows of what was decoded before the turn. Where groups are no subgroups, one
// does both.
//
// family: gdeflate_decode
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_SUBGROUP_OWN_SUMS
#include "decode/gdeflate_decode.h"
#define WEFT_LANES_REDUCE_UNIFORM kReduceUniform
#include "decode/gdeflate_copy.glsl"
#include "decode/gdeflate_page.glsl"

const uint kTurnSteps = 16u, kWindowSequences = 64u;
const uint kNoVerdict = ~0u;
// Of this turn and of the one before: the records there are, and the verdict.
shared uint weft_pair_records[2], weft_pair_verdicts[2];

void main() {
  const uint slot = workgroup_number();
  if (!entry_is_there(slot)) return;
  const uint index = push.first + slot;
  const PageEntry entry = load_page(index);
  Words scratch = Words(scratch_of(slot));
  const bool decodes = lanes_uniform(lanes_group() == 0u);
  const bool copies = lanes_uniform(lanes_group() == kLanesGroupCount - 1u);
  GdeflatePage page = gdeflate_page_begin(entry);
  GdeflateCopy copy = gdeflate_copy_begin(entry, scratch_of(slot));
  uint verdict = kNoVerdict, records = 0u;
  for (uint turn = 0u; lanes_uniform(verdict == kNoVerdict); turn ^= 1u) {
    if (decodes) {
      gdeflate_page_step(scratch, page, kTurnSteps);
      if (lanes_uniform(gdeflate_page_runs(page))) {
        gdeflate_literals_store(scratch, page);
      } else {
        verdict = gdeflate_page_end(scratch, page);
      }
      if (lanes_lane() == 0u) {
        weft_pair_records[turn] = page.records;
        weft_pair_verdicts[turn] = verdict;
      }
    }
    if (copies) {
      while (lanes_uniform(copy.first + kWindowSequences <= records)) gdeflate_copy_step(copy, records);
    }
    groupMemoryBarrier();
    barrier();
    records = weft_pair_records[turn];
    verdict = weft_pair_verdicts[turn];
  }

  if (gl_LocalInvocationIndex == 0u) report_page(index, verdict);
  if (copies && lanes_uniform(verdict == 0u)) {
    while (lanes_uniform(copy.from < copy.end)) gdeflate_copy_step(copy, records);
    gdeflate_copy_end(copy);
  }
}
