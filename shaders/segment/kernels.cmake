# SPDX-License-Identifier: MIT OR Apache-2.0
weft_family(segmented_reduce SOURCES by_key/segments.cpp)
weft_kernel(segment/segmented_reduce_cuts.comp)
weft_kernel(segment/segmented_reduce.comp TYPES ${by_key_types})
weft_kernel(segment/segmented_reduce_direct.comp TYPES ${by_key_types})

weft_family(segmented_scan REQUIRES scan_by_key look_back)
weft_kernel(segment/segmented_scan_heads.comp)

weft_family(segmented_sort REQUIRES look_back SOURCES sort/radix_passes.cpp by_key/segments.cpp)
weft_kernel(segment/segmented_sort_heads.comp)
weft_kernel(segment/segmented_sort_tiles.comp)
weft_kernel(segment/segmented_sort_upsweep.comp)
weft_kernel(segment/segmented_sort_scan.comp)
weft_kernel(segment/segmented_sort_downsweep.comp)
