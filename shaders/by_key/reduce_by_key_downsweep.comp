// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of reduce by key by reduce-then-scan, after scan_by_key_upsweep.comp.
//
// kernel: TYPES ${by_key_types} OPTIMIZED u32:u32
#version 460
#extension GL_GOOGLE_include_directive : require
#include "by_key/reduce_by_key_tile.glsl"
#include "core/prefix_downsweep.glsl"
