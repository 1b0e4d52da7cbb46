// SPDX-License-Identifier: MIT OR Apache-2.0
// What look_back.glsl is built with.
#ifndef WEFT_LOOK_BACK_CONSTANTS_H
#define WEFT_LOOK_BACK_CONSTANTS_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(look_back)
// Polls of a state that is not ready before a tile is deferred. 0 makes the pipeline the fallback pass, which waits for
// nothing: all is ready by then that any workgroup publishes.
WEFT_CONSTANT(5, uint, kSpinLimit, 64)
// Faults for tests: tiles whose index is a multiple of kFault >> 8 are published after a delay (1) or never (2); blocks
// whose index is one are not closed (3).
WEFT_CONSTANT(6, uint, kFault, 0)
WEFT_CONSTANT(16, bool, kTickets, true)  // false: workgroups take tiles by their numbers
WEFT_CONSTANTS_END

#endif
