// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of the self-test kernels, read by GLSL and by C++.
#ifndef WEFT_SELF_TEST_H
#define WEFT_SELF_TEST_H
#include "weft/interop.h"

// Invocations are numbered by place: subgroups laid end to end, workgroup after workgroup.
WEFT_STRUCT_BEGIN
struct SelfTestPush {
  weft_address inputs;   // kSelfTestInputWords words per position
  weft_address results;  // word r * positions + p is result r of position p
  weft_u32 positions;    // invocations of the whole dispatch
  weft_u32 delta;        // of shuffles up and down
  weft_u32 lane;         // of broadcasts
  weft_u32 mask;         // of xor shuffles
};
WEFT_STRUCT_END

#define kSelfTestInputWords 5
#define kSelfTestValue 0     // any bits
#define kSelfTestSelector 1  // a lane of the group
#define kSelfTestFlags 2     // bit 0: the predicate; bit 1: taking part
#define kSelfTestSummand 3   // a float
#define kSelfTestFactor 4    // a float

#endif
