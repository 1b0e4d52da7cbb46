// SPDX-License-Identifier: MIT OR Apache-2.0
//
// RunLengthEncode: in one dispatch.
//
// kernel: TYPES ${run_types} OPTIMIZED u8:runs u32:runs
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_ROWS_AHEAD
#include "weft/look_back.glsl"
#include "select/run_length_encode_tile.glsl"
#include "select/compact_look_back.glsl"
