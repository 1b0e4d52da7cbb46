# SPDX-License-Identifier: MIT OR Apache-2.0
# Finds libzstd and defines Zstd::zstd, for weft::gstd. Installed beside weftConfig.cmake.
#
# The static library where there is one: the interface that gives a parse's sequences is not
# promised to stay in shared ones.
find_path(Zstd_INCLUDE_DIR zstd.h)
find_library(Zstd_LIBRARY NAMES libzstd.a zstd_static zstd)
mark_as_advanced(Zstd_INCLUDE_DIR Zstd_LIBRARY)

if(Zstd_INCLUDE_DIR)
  set(Zstd_VERSION "")
  foreach(part IN ITEMS MAJOR MINOR RELEASE)
    file(STRINGS "${Zstd_INCLUDE_DIR}/zstd.h" line REGEX "^#define ZSTD_VERSION_${part} +[0-9]+$")
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND Zstd_VERSION "${number}")
  endforeach()
  list(JOIN Zstd_VERSION "." Zstd_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Zstd REQUIRED_VARS Zstd_LIBRARY Zstd_INCLUDE_DIR VERSION_VAR Zstd_VERSION)

if(Zstd_FOUND AND NOT TARGET Zstd::zstd)
  add_library(Zstd::zstd UNKNOWN IMPORTED)
  set_target_properties(Zstd::zstd PROPERTIES IMPORTED_LOCATION "${Zstd_LIBRARY}"
                                              INTERFACE_INCLUDE_DIRECTORIES "${Zstd_INCLUDE_DIR}")
endif()
