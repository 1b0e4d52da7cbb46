# SPDX-License-Identifier: MIT OR Apache-2.0
weft_family(bulk_remove SOURCES bulk/bulk_plan.cpp)
weft_kernel(bulk/bulk_remove_partition.comp)
weft_kernel(bulk/bulk_remove_tiles.comp)

weft_family(bulk_insert SOURCES bulk/bulk_plan.cpp)
weft_kernel(bulk/bulk_insert_partition.comp)
weft_kernel(bulk/bulk_insert_tiles.comp)
