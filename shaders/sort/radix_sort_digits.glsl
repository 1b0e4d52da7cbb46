// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels of passes over a digit share: digits of keys. The includer defines WEFT_SORT_PUSH, the struct that
// is pushed.
#ifndef WEFT_RADIX_SORT_DIGITS_GLSL
#define WEFT_RADIX_SORT_DIGITS_GLSL

#define WEFT_OP 0  // add
#include "weft/workgroup_scan.glsl"
#include "sort/radix_sort_digits.h"

const uint kTileItems = kTileKeys;
#include "weft/tile_range.glsl"

const uint kBins = 1u << kDigitBits;

layout(push_constant, std430) uniform Push { WEFT_SORT_PUSH push; };

#include "sort/sort_items.glsl"

uint sort_lane() { return subgroup_index() * kSubgroupSize + subgroup_lane(); }

// A key's digit in this pass; below kBins, whatever the key.
uint sort_digit(uvec2 key) { return sort_bits(sort_ordered(key), push.shift, push.digit_mask); }

#endif
