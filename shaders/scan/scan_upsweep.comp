// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of reduce-then-scan: over the same tiles as scan_downsweep.comp, one partial per workgroup.
//
// kernel: TYPES ${scan_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scan/reduce_tiles.glsl"

void main() { reduce_tiles(); }
