# SPDX-License-Identifier: MIT OR Apache-2.0
# Finds volk.h and defines volk::volk_headers. weft takes the type VolkDeviceTable from it and nothing else: no volk
# object file is linked, so that volk's global function pointers stay the host's.
find_path(Volk_INCLUDE_DIR volk.h PATH_SUFFIXES volk Volk)
mark_as_advanced(Volk_INCLUDE_DIR)

if(Volk_INCLUDE_DIR)
  file(STRINGS "${Volk_INCLUDE_DIR}/volk.h" line REGEX "^#define VOLK_HEADER_VERSION [0-9]+$")
  string(REGEX MATCH "[0-9]+$" Volk_VERSION "${line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Volk REQUIRED_VARS Volk_INCLUDE_DIR VERSION_VAR Volk_VERSION)

if(Volk_FOUND AND NOT TARGET volk::volk_headers)
  add_library(volk::volk_headers INTERFACE IMPORTED)
  target_include_directories(volk::volk_headers INTERFACE "${Volk_INCLUDE_DIR}")
endif()
