# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Every kernel of weft and its variant axes, listed by the folders of shaders/. weft_kernel() and weft_family() are
# defined in cmake/glsl.cmake.
#
#   weft_family(NAME [REQUIRES family ...] [SOURCES file ...])
#
# Begins a family: what is linked together, and left out together. A family that has a header include/weft/<name>.hpp is
# a primitive, with the source src/primitives/<folder>/<name>.cpp; the others are kernels that primitives share.
# REQUIRES: whose kernels the sources name besides the family's own. SOURCES: files of src/primitives beside <name>.cpp,
# which other families may have too.
#
#   weft_kernel(SOURCE [TYPES item:accumulator ...] [DEFINES ...])
#
# Each is compiled for both subgroup backends, native and emulated. A variant's name is its file's stem and the values
# of its axes in this order, joined by dots: scan_look_back.u8.u32.native. Defines follow from the axes:
# WEFT_ITEM=WEFT_U8, WEFT_ACCUMULATOR=WEFT_U32, WEFT_SUBGROUP_EMULATED=0|1.

# Values combined by key or by segment: those that have a use beside keys.
set(by_key_types
    u8:u8 u8:u32 u16:u16 u16:u32 u32:u32 u32:u64 u64:u64 i32:i32 i32:i64 i64:i64 f32:f32 f32:f64 f64:f64)

set(watched CONFIGURE_DEPENDS)
if(CMAKE_SCRIPT_MODE_FILE)
  set(watched "")
endif()
file(GLOB kernel_lists ${watched} "${CMAKE_CURRENT_LIST_DIR}/*/kernels.cmake")
foreach(kernel_list IN LISTS kernel_lists)
  include("${kernel_list}")
endforeach()
