// SPDX-License-Identifier: MIT OR Apache-2.0
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require

// The yardstick: the fastest copy a compute shader makes, 4 vectors of 16 bytes an invocation.
const uint kInvocations = 256;
const uint kVectors = 4;
layout(local_size_x = kInvocations) in;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Source { uvec4 vectors[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Destination { uvec4 vectors[]; };

layout(push_constant, std430) uniform Push {
  uvec2 source;
  uvec2 destination;
  uint vector_count;
} push;

void main() {
  Source source = Source(push.source);
  Destination destination = Destination(push.destination);
  // Two dimensions, because one holds no more than 65,535 workgroups on some devices.
  const uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint first = tile * (kInvocations * kVectors) + gl_LocalInvocationIndex;
  uvec4 vectors[kVectors];
  if (first + (kVectors - 1) * kInvocations < push.vector_count) {
    [[unroll]] for (uint i = 0; i < kVectors; ++i) vectors[i] = source.vectors[first + i * kInvocations];
    [[unroll]] for (uint i = 0; i < kVectors; ++i) destination.vectors[first + i * kInvocations] = vectors[i];
  } else {
    [[unroll]] for (uint i = 0; i < kVectors; ++i) {
      const uint at = first + i * kInvocations;
      if (at < push.vector_count) destination.vectors[at] = source.vectors[at];
    }
  }
}
