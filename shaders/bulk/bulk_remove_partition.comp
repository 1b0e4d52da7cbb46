// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of BulkRemove. See bulk_partition.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bulk/bulk_partition.glsl"

uvec2 bulk_positions(BulkCounts counts) { return counts.items; }
uint bulk_head() { return bulk_head_of(push.items); }

bool bulk_is_before(BulkCounts counts, uvec2 index, uvec2 i, uvec2 begin) { return word64_less(index, begin); }
uvec2 bulk_fewest(BulkCounts counts, uvec2 begin) { return uvec2(0u); }
uvec2 bulk_total(BulkCounts counts, uvec2 before) { return word64_subtract(counts.items, before); }
