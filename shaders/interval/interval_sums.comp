// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass over intervals whose outputs are what their counts say.
//
// family: intervals
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_INTERVAL_PUSH IntervalPush
#include "interval/interval_sums.glsl"

void main() { interval_sums(); }
