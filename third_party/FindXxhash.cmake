# SPDX-License-Identifier: MIT OR Apache-2.0
# Finds xxhash.h and defines Xxhash::xxhash, for weft::pack. The header has the whole of XXH3: no library is linked.
find_path(Xxhash_INCLUDE_DIR xxhash.h)
mark_as_advanced(Xxhash_INCLUDE_DIR)

if(Xxhash_INCLUDE_DIR)
  set(Xxhash_VERSION "")
  foreach(part IN ITEMS MAJOR MINOR RELEASE)
    file(STRINGS "${Xxhash_INCLUDE_DIR}/xxhash.h" line REGEX "^#define XXH_VERSION_${part} +[0-9]+$")
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND Xxhash_VERSION "${number}")
  endforeach()
  list(JOIN Xxhash_VERSION "." Xxhash_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Xxhash REQUIRED_VARS Xxhash_INCLUDE_DIR VERSION_VAR Xxhash_VERSION)

if(Xxhash_FOUND AND NOT TARGET Xxhash::xxhash)
  add_library(Xxhash::xxhash INTERFACE IMPORTED)
  set_target_properties(Xxhash::xxhash PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Xxhash_INCLUDE_DIR}"
                                                  INTERFACE_COMPILE_DEFINITIONS XXH_INLINE_ALL)
endif()
