# SPDX-License-Identifier: MIT OR Apache-2.0
# Finds liburing and defines Uring::uring, for weft::loader. Installed beside weftConfig.cmake.
find_path(Uring_INCLUDE_DIR liburing.h)
# The static library where there is one, so that a program runs where liburing is not.
find_library(Uring_LIBRARY NAMES liburing.a uring)
mark_as_advanced(Uring_INCLUDE_DIR Uring_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Uring REQUIRED_VARS Uring_LIBRARY Uring_INCLUDE_DIR)

if(Uring_FOUND AND NOT TARGET Uring::uring)
  add_library(Uring::uring UNKNOWN IMPORTED)
  set_target_properties(Uring::uring PROPERTIES IMPORTED_LOCATION "${Uring_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${Uring_INCLUDE_DIR}")
endif()
