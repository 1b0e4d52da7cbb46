// SPDX-License-Identifier: MIT OR Apache-2.0
// What subgroup.glsl is built with.
#ifndef WEFT_SUBGROUP_H
#define WEFT_SUBGROUP_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(subgroup)
WEFT_CONSTANT(99, bool, kSumsByShuffles, false)  // on subgroups of up to 32 lanes
WEFT_CONSTANTS_END

#endif
