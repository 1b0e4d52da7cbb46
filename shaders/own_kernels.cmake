# SPDX-License-Identifier: MIT OR Apache-2.0
#
# The kernels that a snippet of the user's own goes into, by primitive: what weft_add_kernel() compiles. weft::jit has the same
# list in src/jit/templates.cpp, and tests/own_kernels_test.cpp compares the two. As in kernels.cmake; the type "own" stands for
# the snippet's (shaders/weft/own.glsl).

if(primitive STREQUAL "scan")
  weft_kernel(primitives/scan_look_back.comp TYPES own:own STATES state32 state64)
  weft_kernel(primitives/scan_repair.comp TYPES own:own STATES state32 state64)
  weft_kernel(primitives/scan_upsweep.comp TYPES own:own)
  weft_kernel(primitives/scan_downsweep.comp TYPES own:own)
elseif(primitive STREQUAL "reduce")
  weft_kernel(primitives/reduce.comp TYPES own:own)
  weft_kernel(primitives/reduce_finish.comp TYPES own:own)
elseif(primitive STREQUAL "select" OR primitive STREQUAL "unique")
  set(test "")
  if(primitive STREQUAL "unique")
    set(test DEFINES WEFT_OWN_UNIQUE)
  endif()
  weft_kernel(primitives/select_look_back.comp TYPES own:u32 STATES state32 state64 ${test})
  weft_kernel(primitives/select_repair.comp TYPES own:u32 STATES state32 state64 ${test})
  weft_kernel(primitives/select_upsweep.comp TYPES own:u32 ${test})
  weft_kernel(primitives/select_downsweep.comp TYPES own:u32 ${test})
else()
  message(FATAL_ERROR "weft_add_kernel: PRIMITIVE is scan, reduce, select or unique, not '${primitive}'")
endif()
