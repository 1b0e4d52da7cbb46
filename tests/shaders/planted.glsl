// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the kernels with planted faults share.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

#include "planted.h"

layout(buffer_reference, std430, buffer_reference_align = 4) buffer PlantedWords { uint at[]; };
layout(push_constant, scalar) uniform Push { PlantedPush push; };
