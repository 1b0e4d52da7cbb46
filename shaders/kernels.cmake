# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Every kernel of weft, by families: what is linked together, and left out together. None is listed. A primitive is a
# family: it has a header include/weft/<family>.hpp, a source <family>.cpp in a folder of src/primitives or in
# src/decode, and the kernels <family>.comp and <family>_<phase>.comp. Lines of a kernel say what else there is:
#
#   // kernel: [SUFFIX suffix] [TYPES item:accumulator ...] [DEFINES ...] [OPTIMIZED types ...] [NATIVE]
#
# Variants, as arguments of weft_kernel() (cmake/glsl.cmake), which is called for each such line. Without one there is
# one variant.
#
#   // family: <name>
#
# Another family than the file's name says: another primitive's, or one of kernels that primitives share. "own" is there
# only around a snippet of the user's (own_kernels.cmake).
#
# What a primitive needs besides is what its sources say. `#include "primitives/<file>.hpp"` needs the source beside
# that header. A call of kernels::<family>() needs that family, and the primitive's own `#include <weft/<other>.hpp>`
# the other primitive.
#
# Each variant is compiled for both subgroup backends, native and emulated, or with NATIVE for the first. Its name is
# its file's stem and the values of its axes in this order, joined by dots: scan_look_back.u8.u32.native. Defines follow
# from the axes: WEFT_ITEM=WEFT_U8, WEFT_ACCUMULATOR=WEFT_U32, WEFT_SUBGROUP_EMULATED=0|1.

# Those of which scan by look-back is optimized here (docs/decisions/shader-optimizer.md), and the others.
set(optimized_scan_types u32:u64 u64:u64 i64:i64 f64:f64)
set(other_scan_types
    u8:u8 u8:u16 u8:u32 u16:u16 u16:u32 u32:u32 i32:i32 i32:i64 f16:f16 f16:f32 f32:f32 f32:f64 u32x2:u32x2)
set(scan_types ${optimized_scan_types} ${other_scan_types})
set(arg_types u8:arg u16:arg u32:arg u64:arg i32:arg i64:arg f16:arg f32:arg f64:arg)
# Values combined by key or by segment: those that have a use beside keys.
set(by_key_types
    u8:u8 u8:u32 u16:u16 u16:u32 u32:u32 u32:u64 u64:u64 i32:i32 i32:i64 i64:i64 f32:f32 f32:f64 f64:f64)
# What is tested, by size, and single words for counts, pairs where there are three partitions.
set(select_types u8:u32 u16:u32 u32:u32 u32x2:u32 bits:u32 struct:u32 u8:counts u16:counts u32:counts u32x2:counts
    struct:counts)
# Symbols by size, and how many runs have begun and where the last one did.
set(run_types u8:runs u16:runs u32:runs u32x2:runs)

set(watched CONFIGURE_DEPENDS)
if(CMAKE_SCRIPT_MODE_FILE)
  set(watched "")
endif()
cmake_path(SET weft_root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/..")
file(GLOB sources ${watched} RELATIVE "${weft_root}/src" "${weft_root}/src/primitives/*/*.cpp"
     "${weft_root}/src/decode/*.cpp")
set(primitives "")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM stem)
  if(EXISTS "${weft_root}/include/weft/${stem}.hpp")
    list(APPEND primitives "${stem}")
    set(source_of_${stem} "${source}")
  endif()
endforeach()

# Its kernels, by family.
set(shared "")
file(GLOB kernels ${watched} RELATIVE "${CMAKE_CURRENT_LIST_DIR}" "${CMAKE_CURRENT_LIST_DIR}/*/*.comp")
foreach(kernel IN LISTS kernels)
  if(watched)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/${kernel}")
  endif()
  file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/${kernel}" said REGEX "^// (family|kernel): ")
  set(family "")
  if(said MATCHES "// family: ([a-z_]+)")
    set(family "${CMAKE_MATCH_1}")
  else()
    cmake_path(GET kernel STEM stem)
    foreach(primitive IN LISTS primitives)
      if("${stem}_" MATCHES "^${primitive}_" AND primitive STRGREATER family)
        set(family "${primitive}")  # of two that fit one begins the other, which is the greater
      endif()
    endforeach()
  endif()
  if(family STREQUAL "own")
    continue()
  elseif(NOT family)
    message(FATAL_ERROR "shaders/${kernel} is of no family")
  elseif(NOT family IN_LIST primitives)
    list(APPEND shared "${family}")
  endif()
  list(APPEND kernels_of_${family} "${kernel}")
  list(FILTER said INCLUDE REGEX "^// kernel: ")
  list(TRANSFORM said REPLACE "^// kernel: (.*)$" "\\1")
  set(variants_of_${kernel} "${said}")
endforeach()
list(REMOVE_DUPLICATES shared)

foreach(family IN LISTS shared primitives)
  set(REQUIRES "")
  set(SOURCES "")
  if(family IN_LIST primitives)
    string(REGEX REPLACE "\\.cpp$" "" open "${source_of_${family}}")
    set(read "")
    while(open)
      list(POP_FRONT open file)
      if(file IN_LIST read)
        continue()
      endif()
      list(APPEND read "${file}")
      foreach(part IN ITEMS "${file}.hpp" "${file}.cpp")
        if(EXISTS "${weft_root}/src/${part}")
          file(STRINGS "${weft_root}/src/${part}" lines REGEX "#include [<\"](weft|primitives)/|kernels::[a-z_]+\\(\\)")
          foreach(line IN LISTS lines)
            if(line MATCHES "kernels::([a-z_]+)\\(\\)")
              list(APPEND REQUIRES "${CMAKE_MATCH_1}")
            elseif(line MATCHES "\"(primitives/[a-z_/]+)\\.hpp\"")
              list(APPEND open "${CMAKE_MATCH_1}")
            elseif(line MATCHES "<weft/([a-z_]+)\\.hpp>" AND part STREQUAL source_of_${family}
                   AND CMAKE_MATCH_1 IN_LIST primitives)
              list(APPEND REQUIRES "${CMAKE_MATCH_1}")
            endif()
          endforeach()
          if(part MATCHES "^primitives/(.+\\.cpp)$" AND NOT part STREQUAL source_of_${family})
            list(APPEND SOURCES "${CMAKE_MATCH_1}")
          endif()
        endif()
      endforeach()
    endwhile()
    list(REMOVE_DUPLICATES REQUIRES)
    list(REMOVE_ITEM REQUIRES "${family}")
  endif()
  weft_family(${family} REQUIRES ${REQUIRES} SOURCES ${SOURCES})
  foreach(kernel IN LISTS kernels_of_${family})
    if(NOT variants_of_${kernel})
      weft_kernel(${kernel})
    endif()
    foreach(variant IN LISTS variants_of_${kernel})
      string(CONFIGURE "${variant}" variant)
      separate_arguments(variant UNIX_COMMAND "${variant}")
      weft_kernel(${kernel} ${variant})
    endforeach()
  endforeach()
endforeach()
