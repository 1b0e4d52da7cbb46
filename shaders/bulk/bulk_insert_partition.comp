// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of BulkInsert. See bulk_partition.glsl. Item i of those that come in goes to its position plus i.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bulk/bulk_partition.glsl"

uvec2 bulk_positions(BulkCounts counts) { return word64_add(counts.items, counts.indices); }
uint bulk_head() { return bulk_head_of(push.outputs); }

bool bulk_is_before(BulkCounts counts, uvec2 index, uvec2 i, uvec2 begin) {
  return word64_less(word64_add(word64_min(index, counts.items), i), begin);
}
// There are not more items than that.
uvec2 bulk_fewest(BulkCounts counts, uvec2 begin) { return word64_subtract(begin, word64_min(begin, counts.items)); }
uvec2 bulk_total(BulkCounts counts, uvec2 before) { return bulk_positions(counts); }
