// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Of RadixSort's one-sweep form, before the passes: counts the digits of all passes in one reading of the keys. A
// workgroup counts a share of them, and adds what it counted to totals that were cleared.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/radix_sort_totals.h"
#include "sort/radix_sort_share.glsl"

// The digit's number among those of all passes. Passes have the bits that push_digit() of
// src/primitives/sort/radix_passes.hpp gives them.
uint sort_counted_digit(uvec2 ordered, uint pass) {
  const uint bits = kEndBit - kBeginBit;
  const uint first = bits * pass / kPasses;
  const uint end = bits * (pass + 1u) / kPasses;
  return pass * kBins + sort_bits(ordered, kBeginBit + first, (1u << (end - first)) - 1u);
}
#define WEFT_SORT_COUNTED kPasses
#include "sort/radix_sort_count.glsl"

void main() {
  sort_count_digits(sort_share(sort_count()));
  Words totals = Words(push.totals);
  for (uint digit = sort_lane(); digit < kPasses * kBins; digit += kWorkgroupSize) {
    const uint counted = sort_counted(digit);
    if (counted != 0u) atomicAdd(totals.at[digit], counted);
  }
}
