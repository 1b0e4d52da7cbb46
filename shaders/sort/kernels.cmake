# SPDX-License-Identifier: MIT OR Apache-2.0
weft_family(merge_sort)
weft_kernel(sort/merge_sort_blocks.comp)
weft_kernel(sort/merge_sort_partition.comp)
weft_kernel(sort/merge_sort_merge.comp)

weft_family(radix_sort REQUIRES look_back SOURCES sort/radix_passes.cpp)
weft_kernel(sort/radix_sort_upsweep.comp)
weft_kernel(sort/radix_sort_scan.comp)
weft_kernel(sort/radix_sort_downsweep.comp)
weft_kernel(sort/radix_sort_totals.comp)
weft_kernel(sort/radix_sort_sweep.comp)

weft_family(top_k REQUIRES look_back SOURCES sort/radix_passes.cpp)
weft_kernel(sort/top_k_count.comp)
weft_kernel(sort/top_k_look_back.comp TYPES u32:counts)
weft_kernel(sort/top_k_upsweep.comp TYPES u32:counts)
weft_kernel(sort/top_k_downsweep.comp TYPES u32:counts)
