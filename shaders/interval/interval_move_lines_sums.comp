// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of IntervalMove in lines.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interval/interval_move_lines.glsl"
#include "interval/interval_sums.glsl"

void main() { interval_sums(); }
