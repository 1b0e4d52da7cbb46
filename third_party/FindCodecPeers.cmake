# SPDX-License-Identifier: MIT OR Apache-2.0
# Finds lz4 and libdeflate, which weft-bench measures beside Gstd, and defines CodecPeers::lz4 and
# CodecPeers::libdeflate. Static ones where there are any, so that weft-bench stays one file.
find_path(CodecPeers_lz4_INCLUDE_DIR lz4hc.h)
find_library(CodecPeers_lz4_LIBRARY NAMES liblz4.a lz4)
find_path(CodecPeers_libdeflate_INCLUDE_DIR libdeflate.h)
find_library(CodecPeers_libdeflate_LIBRARY NAMES libdeflate.a deflate)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CodecPeers
  REQUIRED_VARS CodecPeers_lz4_LIBRARY CodecPeers_lz4_INCLUDE_DIR CodecPeers_libdeflate_LIBRARY
                CodecPeers_libdeflate_INCLUDE_DIR)

foreach(peer IN ITEMS lz4 libdeflate)
  mark_as_advanced(CodecPeers_${peer}_INCLUDE_DIR CodecPeers_${peer}_LIBRARY)
  if(CodecPeers_FOUND AND NOT TARGET CodecPeers::${peer})
    add_library(CodecPeers::${peer} UNKNOWN IMPORTED)
    set_target_properties(CodecPeers::${peer} PROPERTIES
      IMPORTED_LOCATION "${CodecPeers_${peer}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${CodecPeers_${peer}_INCLUDE_DIR}")
  endif()
endforeach()
