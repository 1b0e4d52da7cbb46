// SPDX-License-Identifier: MIT OR Apache-2.0
//
// First pass of Reduce: vectors are as wide as items allow, since nothing is written per item.
#version 460
#extension GL_GOOGLE_include_directive : require
#define WEFT_VECTOR_BY_ITEM
#include "scan/reduce_tiles.glsl"

void main() { reduce_tiles(); }
