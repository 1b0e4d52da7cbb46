// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First dispatch of a pass of RadixSort: a workgroup counts the digits of its share of the keys. A counter has copies in neighbouring
// words, and lanes next to each other use copies next to each other (docs/decisions/histogram-tables.md).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "primitives/radix_sort_digits.glsl"

layout(constant_id = 6) const uint kCopies = 8;  // a power of two

const uint kRows = 8;
const uint kRoundKeys = kWorkgroupSize * kRows;
shared uint weft_sort_counters[kBins * kCopies];

void main() {
  const uint lane = sort_lane();
  for (uint i = lane; i < kBins * kCopies; i += kWorkgroupSize) weft_sort_counters[i] = 0u;
  barrier();

  const uvec2 share = sort_share(sort_count());
  const uint length = share.y - share.x;
  const uint copy = lane & (kCopies - 1u);
  const uint rounds = length / kRoundKeys + (length % kRoundKeys != 0u ? 1u : 0u);
  for (uint round = 0u; round < rounds; ++round) {
    const uint first = round * kRoundKeys;
    const uvec2 source = sort_address(push.keys, share.x + first + lane, kKeyWords);
    const uint left = length - first;
    uvec2 keys[kRows];
    [[unroll]] for (uint row = 0; row < kRows; ++row) {
      keys[row] = uvec2(0u);
      if (row * kWorkgroupSize + lane < left) keys[row] = sort_load(source, row * kWorkgroupSize, kKeyWords);
    }
    [[unroll]] for (uint row = 0; row < kRows; ++row)
      if (row * kWorkgroupSize + lane < left) atomicAdd(weft_sort_counters[sort_digit(keys[row]) * kCopies + copy], 1u);
  }
  barrier();

  for (uint digit = lane; digit < kBins; digit += kWorkgroupSize) {
    uint n = 0u;
    // Each lane begins with another copy, so that they read from different banks.
    for (uint c = 0u; c < kCopies; ++c) n += weft_sort_counters[digit * kCopies + ((c + digit) & (kCopies - 1u))];
    sort_table_entry(digit, gl_WorkGroupID.x).at[0] = n;
  }
}
