// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of set_operation_partition.comp, set_operation_count.comp and set_operation_write.comp.
#ifndef WEFT_SET_OPERATION_H
#define WEFT_SET_OPERATION_H
#include "weft/interop.h"

WEFT_CONSTANTS_BEGIN(set_operation)
WEFT_CONSTANT(4, uint, kSetKeys, 7)  // of a tile for each lane, at most 31
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct SetOperationPush {
  weft_address keys_a;
  weft_address keys_b;
  weft_address keys_out;
  weft_address values_a;
  weft_address values_b;
  weft_address values_out;
  weft_address indices_out;
  weft_address total;   // 1 or 2 words
  weft_address status;  // 1 u32
  // 2 u32 for each tile and one more: keys of A and of B before it; then 1 u32 for each workgroup: its outputs
  weft_address scratch;
  weft_address count_a;  // 0: use maximum_a
  weft_address count_b;  // 0: use maximum_b
  weft_u32 maximum_a;    // the count, or its maximum; both together are below 2^32
  weft_u32 maximum_b;
  weft_u32 max_output;   // outputs there is room for
  weft_u32 group_tiles;  // a workgroup has, one after the other
  weft_u32 words;        // at `count_a`, 1 or 2; 4 times those at `count_b`; 16 times those at `total`
  weft_u32 kept;         // the sum of the following
};
WEFT_STRUCT_END

#define kSetKeptOfA 1u  // keys of A that are in no pair
#define kSetKeptOfB 2u
#define kSetKeptPairs 4u

#endif
