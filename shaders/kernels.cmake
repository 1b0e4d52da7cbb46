# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Every kernel of weft and its variant axes: the single list. weft_kernel() and weft_family() are defined in cmake/glsl.cmake.
#
#   weft_family(NAME [REQUIRES family ...] [SOURCES file ...])
#
# Begins a family: what is linked together, and left out together. A family that has a header include/weft/<name>.hpp is a primitive,
# with the source src/primitives/<name>.cpp; the others are kernels that primitives share. REQUIRES: whose kernels the sources name
# besides the family's own. SOURCES: files of src/primitives beside <name>.cpp, which other families may have too.
#
#   weft_kernel(SOURCE [TYPES item:accumulator ...] [DEFINES ...])
#
# Each is compiled for both subgroup backends, native and emulated. A variant's name is its file's stem and the values of
# its axes in this order, joined by dots: scan_look_back.u8.u32.native. Defines follow from the axes: WEFT_ITEM=WEFT_U8,
# WEFT_ACCUMULATOR=WEFT_U32, WEFT_SUBGROUP_EMULATED=0|1.

set(scan_types
    u8:u8 u8:u16 u8:u32 u16:u16 u16:u32 u32:u32 u32:u64 u64:u64 i32:i32 i32:i64 i64:i64 f16:f16 f16:f32 f32:f32 f32:f64
    f64:f64 u32x2:u32x2)

set(arg_types u8:arg u16:arg u32:arg u64:arg i32:arg i64:arg f16:arg f32:arg f64:arg)

# Values combined by key: those that have a use beside keys.
set(by_key_types
    u8:u8 u8:u32 u16:u16 u16:u32 u32:u32 u32:u64 u64:u64 i32:i32 i32:i64 i64:i64 f32:f32 f32:f64 f64:f64)

weft_family(look_back)
weft_kernel(primitives/look_back_reset.comp)

weft_family(scan REQUIRES look_back)
weft_kernel(primitives/scan_look_back.comp TYPES ${scan_types})
weft_kernel(primitives/scan_upsweep.comp TYPES ${scan_types})
weft_kernel(primitives/scan_downsweep.comp TYPES ${scan_types})

weft_family(reduce)
weft_kernel(primitives/reduce.comp TYPES ${scan_types} ${arg_types})
weft_kernel(primitives/reduce_finish.comp TYPES ${scan_types} ${arg_types})

weft_family(by_key REQUIRES look_back SOURCES keyed_plan.cpp segments.cpp)
weft_kernel(primitives/scan_by_key_upsweep.comp TYPES ${by_key_types})

weft_family(scan_by_key REQUIRES by_key)
weft_kernel(primitives/scan_by_key_look_back.comp TYPES ${by_key_types})
weft_kernel(primitives/scan_by_key_downsweep.comp TYPES ${by_key_types})

weft_family(reduce_by_key REQUIRES by_key)
weft_kernel(primitives/reduce_by_key_look_back.comp TYPES ${by_key_types})
weft_kernel(primitives/reduce_by_key_downsweep.comp TYPES ${by_key_types})

weft_family(segmented_reduce SOURCES segments.cpp)
weft_kernel(primitives/segmented_reduce_cuts.comp)
weft_kernel(primitives/segmented_reduce.comp TYPES ${by_key_types})
weft_kernel(primitives/segmented_reduce_direct.comp TYPES ${by_key_types})

weft_family(segmented_scan REQUIRES scan_by_key look_back)
weft_kernel(primitives/segmented_scan_heads.comp)

# What is tested, by size, and single words for counts, pairs where there are three sides.
set(select_types u8:u32 u16:u32 u32:u32 u32x2:u32 bits:u32 struct:u32 u8:counts u16:counts u32:counts u32x2:counts
    struct:counts)

weft_family(select REQUIRES look_back SOURCES chunked_pass.cpp)
weft_kernel(primitives/select_look_back.comp TYPES ${select_types})
weft_kernel(primitives/select_upsweep.comp TYPES ${select_types})
weft_kernel(primitives/select_downsweep.comp TYPES ${select_types})

# Symbols by size, and how many runs have begun and where the last one did.
set(run_types u8:runs u16:runs u32:runs u32x2:runs)

weft_family(run_length_encode REQUIRES look_back SOURCES chunked_pass.cpp)
weft_kernel(primitives/run_length_encode_look_back.comp TYPES ${run_types})
weft_kernel(primitives/run_length_encode_upsweep.comp TYPES ${run_types})
weft_kernel(primitives/run_length_encode_downsweep.comp TYPES ${run_types})

weft_family(dispatch_arguments)
weft_kernel(primitives/dispatch_arguments.comp)

weft_family(histogram)
weft_kernel(primitives/histogram_clear.comp)
weft_kernel(primitives/histogram.comp TYPES u8:u32 u16:u32 u32:u32 i32:u32 f32:u32)

weft_family(intervals SOURCES interval_plan.cpp)
weft_kernel(primitives/interval_sums.comp)
weft_kernel(primitives/interval_totals.comp)

weft_family(run_length_decode REQUIRES intervals SOURCES expansion.cpp)
weft_kernel(primitives/run_length_decode.comp)

weft_family(interval_expand REQUIRES intervals run_length_decode SOURCES expansion.cpp)
weft_kernel(primitives/interval_expand.comp)

weft_family(load_balance_search REQUIRES intervals)
weft_kernel(primitives/load_balance_search.comp)

# All its last kernels are around the user's.
weft_family(transform_lbs REQUIRES intervals)

weft_family(interval_move REQUIRES intervals)
weft_kernel(primitives/interval_gather.comp)
weft_kernel(primitives/interval_move.comp)
weft_kernel(primitives/interval_move_bytes.comp)
weft_kernel(primitives/interval_move_lines_sums.comp)
weft_kernel(primitives/interval_move_lines.comp)

weft_family(sorted_search)
weft_kernel(primitives/sorted_search_partition.comp)
weft_kernel(primitives/sorted_search_merge.comp)
weft_kernel(primitives/sorted_search_rows.comp)

weft_family(binary_search)
weft_kernel(primitives/binary_search.comp)

weft_family(merge)
weft_kernel(primitives/merge_partition.comp)
weft_kernel(primitives/merge_tiles.comp)
weft_kernel(primitives/merge_stream.comp)

weft_family(set_operation)
weft_kernel(primitives/set_operation_partition.comp)
weft_kernel(primitives/set_operation_count.comp)
weft_kernel(primitives/set_operation_write.comp)

weft_family(merge_sort)
weft_kernel(primitives/merge_sort_blocks.comp)
weft_kernel(primitives/merge_sort_partition.comp)
weft_kernel(primitives/merge_sort_merge.comp)

weft_family(radix_sort REQUIRES look_back SOURCES radix_passes.cpp)
weft_kernel(primitives/radix_sort_upsweep.comp)
weft_kernel(primitives/radix_sort_scan.comp)
weft_kernel(primitives/radix_sort_downsweep.comp)
weft_kernel(primitives/radix_sort_totals.comp)
weft_kernel(primitives/radix_sort_sweep.comp)

weft_family(segmented_sort REQUIRES look_back SOURCES radix_passes.cpp segments.cpp)
weft_kernel(primitives/segmented_sort_heads.comp)
weft_kernel(primitives/segmented_sort_tiles.comp)
weft_kernel(primitives/segmented_sort_upsweep.comp)
weft_kernel(primitives/segmented_sort_scan.comp)
weft_kernel(primitives/segmented_sort_downsweep.comp)

weft_family(bulk_remove SOURCES bulk_plan.cpp)
weft_kernel(primitives/bulk_remove_partition.comp)
weft_kernel(primitives/bulk_remove_tiles.comp)

weft_family(bulk_insert SOURCES bulk_plan.cpp)
weft_kernel(primitives/bulk_insert_partition.comp)
weft_kernel(primitives/bulk_insert_tiles.comp)

# The codec's, of the library weft_decode.
weft_family(gstd_decode)
weft_kernel(gstd/gstd_decode.comp)
weft_kernel(gstd/gstd_finish.comp)
