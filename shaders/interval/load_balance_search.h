// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of load_balance_search.comp.
#ifndef WEFT_LOAD_BALANCE_SEARCH_H
#define WEFT_LOAD_BALANCE_SEARCH_H
#include "interval/interval.h"

WEFT_STRUCT_BEGIN
struct LoadBalanceSearchPush {
  WEFT_INTERVAL_MEMBERS
  weft_address sources;  // max_output indices
  weft_address ranks;    // max_output indices
};
WEFT_STRUCT_END

#endif
