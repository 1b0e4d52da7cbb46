// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Select and Partition: the second pass of reduce-then-scan.
//
// kernel: TYPES ${select_types}
#version 460
#extension GL_GOOGLE_include_directive : require
#include "select/select_move.glsl"
#include "select/compact_downsweep.glsl"
