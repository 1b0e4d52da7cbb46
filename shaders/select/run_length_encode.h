// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of run_length_encode_*.comp: those of select, since run heads are selected. Symbols go to out_0, lengths to
// indices_0, offsets to indices_1; what is dispatched for the count of runs is as select's. Of the specialization
// constants, 9 has bits for what is requested: 1 symbols, 4 lengths, 8 offsets, and 16 for runs of two or more items
// only; 11 is the words of a length and an offset.
#ifndef WEFT_RUN_LENGTH_ENCODE_H
#define WEFT_RUN_LENGTH_ENCODE_H
#include "select/select.h"

#ifdef __cplusplus
namespace weft::shader {
using RunLengthEncodePush = SelectPush;
}
#endif

#endif
