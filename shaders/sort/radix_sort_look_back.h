// SPDX-License-Identifier: MIT OR Apache-2.0
// What kernels with radix_sort_look_back.glsl are built with.
#ifndef WEFT_RADIX_SORT_LOOK_BACK_H
#define WEFT_RADIX_SORT_LOOK_BACK_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(radix_sort_look_back)
WEFT_CONSTANT(9, uint, kSpinLimit, 64)
// Faults for tests: tiles whose index is a multiple of kFault >> 8 are published with a delay (1) or never (2).
WEFT_CONSTANT(10, uint, kFault, 0)
WEFT_CONSTANT(11, uint, kSight, 4)           // tile states that a lane reads at a time, at most 8
WEFT_CONSTANT(12, bool, kTickets, true)      // false: workgroups take tiles by their numbers
WEFT_CONSTANT(13, bool, kReadsAhead, false)  // a tile's values come into the cache while its keys are ranked
WEFT_CONSTANTS_END

#endif
