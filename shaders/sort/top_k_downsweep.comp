// SPDX-License-Identifier: MIT OR Apache-2.0
//
// TopK: keys move by reduce-then-scan. Second pass, after top_k_upsweep.comp.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sort/top_k_tile.glsl"
#include "core/prefix_downsweep.glsl"
