// SPDX-License-Identifier: MIT OR Apache-2.0
// Arguments of bulk_insert_partition.comp and bulk_insert_tiles.comp.
#ifndef WEFT_BULK_INSERT_H
#define WEFT_BULK_INSERT_H
#include "bulk/bulk.h"

#define BulkInsertPush BulkPush

#endif
