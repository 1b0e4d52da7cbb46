// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of interval_expand.comp. Values of up to 16 bytes go through
// run_length_decode.comp, with the same arguments.
#ifndef WEFT_INTERVAL_EXPAND_H
#define WEFT_INTERVAL_EXPAND_H
#include "interval/run_length_decode.h"

#define IntervalExpandPush RunLengthDecodePush

#endif
