// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of scan by key by reduce-then-scan, after scan_by_key_upsweep.comp.
//
// kernel: TYPES ${by_key_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#include "by_key/scan_by_key_tile.glsl"
#include "core/prefix_downsweep.glsl"
