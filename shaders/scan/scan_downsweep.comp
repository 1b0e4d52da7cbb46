// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Second pass of scan by reduce-then-scan, after scan_upsweep.comp.
//
// kernel: TYPES ${scan_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#include "scan/scan_pass.glsl"
#include "core/prefix_downsweep.glsl"
