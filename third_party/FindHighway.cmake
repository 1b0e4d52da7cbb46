# SPDX-License-Identifier: MIT OR Apache-2.0
# Finds Google Highway's headers and defines Highway::headers, for weft::gstd. Its library is not linked.
find_path(Highway_INCLUDE_DIR hwy/highway.h)
mark_as_advanced(Highway_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Highway REQUIRED_VARS Highway_INCLUDE_DIR)

if(Highway_FOUND AND NOT TARGET Highway::headers)
  add_library(Highway::headers INTERFACE IMPORTED)
  set_target_properties(Highway::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Highway_INCLUDE_DIR}")
endif()
