// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of bulk_remove_partition.comp and bulk_remove_tiles.comp.
#ifndef WEFT_BULK_REMOVE_H
#define WEFT_BULK_REMOVE_H
#include "bulk/bulk.h"

#define BulkRemovePush BulkPush

#endif
