// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Select and Partition: in one dispatch.
//
// kernel: TYPES ${select_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_LOOK_BACK_SUBGROUPS
#define WEFT_LOOK_BACK_FAST_PATH
#include "weft/look_back.glsl"
#include "select/select_move.glsl"
#include "select/compact_look_back.glsl"
