// SPDX-License-Identifier: MIT OR Apache-2.0
//
// RunLengthEncode: the second pass of reduce-then-scan.
//
// kernel: TYPES ${run_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#include "select/run_length_encode_tile.glsl"
#include "select/compact_downsweep.glsl"
