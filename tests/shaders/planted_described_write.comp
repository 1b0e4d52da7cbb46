// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Adds one to every word of a buffer that is reached by a descriptor, unlike all of weft's own: synchronization
// validation follows descriptors only.
#version 460
#include "weft/subgroup.glsl"
#include "planted.glsl"

layout(set = 0, binding = 0, std430) buffer Described { uint words[]; };

void main() { words[gl_LocalInvocationIndex] += 1u + push.first; }
