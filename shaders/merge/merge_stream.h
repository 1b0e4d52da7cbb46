// SPDX-License-Identifier: MIT OR Apache-2.0
// What merge_stream.comp is built with.
#ifndef WEFT_MERGE_STREAM_H
#define WEFT_MERGE_STREAM_H
#include "merge/merge_outputs.h"

WEFT_CONSTANTS_BEGIN(merge_stream)
WEFT_CONSTANT(11, uint, kStepLaneKeys, 4)
WEFT_CONSTANTS_END

#endif
