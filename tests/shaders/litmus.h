// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of the litmus tests, read by GLSL and by C++.
#ifndef WEFT_LITMUS_H
#define WEFT_LITMUS_H
#include "weft/interop.h"

WEFT_STRUCT_BEGIN
struct LitmusPush {
  weft_address counters;  // LitmusCounters, zero before the dispatch
  weft_address slots;     // two words an invocation; what earlier rounds left stays there
  weft_u32 round;         // 1 to 255: the flag of this dispatch
  weft_u32 polls;         // after which an invocation waits no longer
  weft_u32 work;          // of every other workgroup before it publishes
  weft_u32 padding;
};
struct LitmusCounters {
  weft_u32 ticket;
  weft_u32 stale;    // messages whose flag arrived before their value
  weft_u32 waited;   // invocations that had to poll more than once
  weft_u32 ran_out;  // those whose polls ran out
};
WEFT_STRUCT_END

#define kLitmusWord64 0  // value and flag in one 64-bit word, as look-back's states
#define kLitmusWord32 1  // in one 32-bit word, as the states of RadixSort
#define kLitmusFlag 2    // a value, a barrier, then a flag in another word

#endif
