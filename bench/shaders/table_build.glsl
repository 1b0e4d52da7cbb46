// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels that build tables of entropy coders share. Each group of 32 lanes builds one table after the other,
// each of one of the distributions, and adds up the words of each for the host to compare.
#ifndef WEFT_BENCH_TABLE_BUILD_GLSL
#define WEFT_BENCH_TABLE_BUILD_GLSL

#include "weft/buffers.glsl"
#include "weft/lanes.glsl"

layout(push_constant, std430) uniform Push {
  uvec2 described;  // of each distribution, a word for each symbol
  uvec2 positions;     // of tables in device memory: place_bytes for each group
  uvec2 sums;       // of each table, a word for each lane
  uint tables;
  uint distribution_mask;
  uint place_bytes;
} push;

// Of all groups that are dispatched.
uint group_number() {
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * lanes_group_count() + lanes_group();
}
// The first table of a workgroup's first group, and how far its next is: alike in a workgroup.
uint first_table() { return group_number() - lanes_group(); }
uint table_step() { return gl_NumWorkGroups.x * gl_NumWorkGroups.y * lanes_group_count(); }

// What a table's word adds to the sum of its lane, `place` modulo 32.
uint weighted(uint word, uint position) { return word * (position * 0x9e3779b9u | 1u); }

#endif
