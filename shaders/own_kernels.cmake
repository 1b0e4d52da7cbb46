# SPDX-License-Identifier: MIT OR Apache-2.0
#
# The kernels that a snippet of the user's own goes into, by primitive: what weft_add_kernel() compiles. weft::jit has
# the same list in src/jit/templates.cpp, and tests/core/own_kernels_test.cpp compares the two. As in kernels.cmake; the
# type "own" stands for the snippet's (shaders/weft/own.glsl).

# weft_own_scan(<stem> <upsweep> <accumulator> [<define>...]): the kernels of a primitive that either strategy may carry
# out; <upsweep> is whose first pass it takes. Both with their folder.
macro(weft_own_scan stem upsweep accumulator)
  set(defines ${ARGN})
  if(defines)
    list(PREPEND defines DEFINES)
  endif()
  weft_kernel(${stem}_look_back.comp TYPES own:${accumulator} ${defines})
  weft_kernel(${upsweep}_upsweep.comp TYPES own:${accumulator} ${defines})
  weft_kernel(${stem}_downsweep.comp TYPES own:${accumulator} ${defines})
endmacro()

if(primitive STREQUAL "scan")
  weft_own_scan(scan/scan scan/scan own)
elseif(primitive STREQUAL "scan_by_key")
  weft_own_scan(by_key/scan_by_key by_key/scan_by_key own)
elseif(primitive STREQUAL "reduce_by_key")
  weft_own_scan(by_key/reduce_by_key by_key/scan_by_key own)
elseif(primitive STREQUAL "reduce")
  weft_kernel(scan/reduce.comp TYPES own:own)
elseif(primitive STREQUAL "segmented_reduce")
  weft_kernel(segment/segmented_reduce.comp TYPES own:own)
  weft_kernel(segment/segmented_reduce_direct.comp TYPES own:own)
elseif(primitive STREQUAL "select")
  weft_own_scan(select/select select/select u32)
elseif(primitive STREQUAL "unique")
  weft_own_scan(select/select select/select u32 WEFT_OWN_UNIQUE)
elseif(primitive STREQUAL "partition")
  weft_own_scan(select/select select/select counts)
elseif(primitive STREQUAL "run_length_encode")
  weft_own_scan(select/run_length_encode select/run_length_encode runs WEFT_OWN_UNIQUE)
elseif(primitive STREQUAL "transform_lbs")
  weft_kernel(interval/transform_lbs.comp)
elseif(primitive STREQUAL "merge")
  weft_kernel(merge/merge_partition.comp TYPES own:u32)
  weft_kernel(merge/merge_tiles.comp TYPES own:u32)
  weft_kernel(merge/merge_stream.comp TYPES own:u32)
elseif(primitive STREQUAL "merge_sort")
  foreach(pass IN ITEMS blocks partition merge)
    weft_kernel(sort/merge_sort_${pass}.comp TYPES own:u32)
  endforeach()
elseif(primitive STREQUAL "set_operation")
  weft_kernel(merge/set_operation_partition.comp TYPES own:u32)
  weft_kernel(merge/set_operation_count.comp TYPES own:u32)
  weft_kernel(merge/set_operation_write.comp TYPES own:u32)
else()
  message(FATAL_ERROR "weft_add_kernel: PRIMITIVE is scan, scan_by_key, reduce, reduce_by_key, segmented_reduce, "
                      "select, partition, unique, run_length_encode, transform_lbs, merge, merge_sort or "
                      "set_operation, not '${primitive}'")
endif()
