// SPDX-License-Identifier: MIT OR Apache-2.0
// What load_balance_search.comp is built with and pushed.
#ifndef WEFT_LOAD_BALANCE_SEARCH_H
#define WEFT_LOAD_BALANCE_SEARCH_H
#include "interval/interval.h"

WEFT_CONSTANTS_BEGIN(load_balance_search)
WEFT_CONSTANT(9, bool, kSources, true)
WEFT_CONSTANT(10, bool, kRanks, false)
WEFT_CONSTANTS_END

WEFT_STRUCT_BEGIN
struct LoadBalanceSearchPush {
  WEFT_INTERVAL_MEMBERS
  weft_address sources;  // max_output indices
  weft_address ranks;    // max_output indices
};
WEFT_STRUCT_END

#endif
