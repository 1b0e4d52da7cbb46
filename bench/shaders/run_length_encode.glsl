// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels of run-length encoding by four kernels share: mask of run heads, exclusive scan, compaction of their
// positions, and symbols and lengths by those. The fused encoder is measured beside them.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require

layout(local_size_x = 256) in;

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer WordsIn { uint words[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer WordsOut { uint words[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer VectorsIn { uvec4 vectors[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer VectorsOut { uvec4 vectors[]; };

layout(push_constant, std430) uniform Push {
  uvec2 items;
  uvec2 mask;       // 1 where a run begins, else 0
  uvec2 positions;  // of the run that an item belongs to, or comes before
  uvec2 heads;      // the first item of each run, then the number of items
  uvec2 symbols;
  uvec2 lengths;
  uvec2 run_count;
  uint count;
} push;

// Two dimensions, because one holds no more than 65,535 workgroups on some devices.
uint invocation() {
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
}
