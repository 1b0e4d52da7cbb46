// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Select and Partition: in one dispatch.
//
// kernel: TYPES ${select_types} OPTIMIZED u32:u32 u32x2:u32
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_ROWS_AHEAD
#include "weft/look_back.glsl"
#include "select/select_move.glsl"
#include "select/compact_look_back.glsl"
