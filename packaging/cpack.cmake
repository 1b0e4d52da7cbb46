# SPDX-License-Identifier: MIT OR Apache-2.0
# Packages of what is built, by `cpack --config build/release/CPackConfig.cmake`: a .tar.gz of everything, and Debian
# packages, called as those of packaging/debian, which are what Debian itself would build.
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VENDOR weft)
set(CPACK_PACKAGE_CONTACT "The authors of weft <weft@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_ALL runtime dev tools doc)
set(CPACK_PACKAGE_CHECKSUM SHA256)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Of its own libraries, which are in no package yet.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "")
foreach(component IN ITEMS weft weft_decode weft_gstd weft_jit weft_ktx2 weft_loader weft_pack)
  if(TARGET ${component})
    get_target_property(directory ${component} BINARY_DIR)
    list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${directory}")
  endif()
endforeach()
set(weft_soname "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libweft${weft_soname})
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "parallel primitives for Vulkan and the Gstd codec
 Scans, reductions, selections, merges and sorts as commands for a Vulkan
 command buffer, and Gstd, a compressor whose streams are decoded by a GPU.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libweft-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libweft${weft_soname} (= ${PROJECT_VERSION}), libvulkan-dev, libzstd-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION "parallel primitives for Vulkan and the Gstd codec (development)
 Headers, static libraries, shader includes and the files of CMake and
 pkg-config.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME weft-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "programs of weft: gstd and weft-bench
 gstd compresses and decompresses as zstd does. weft-bench verifies and times
 the primitives on any Vulkan device.")
set(CPACK_DEBIAN_DOC_PACKAGE_NAME weft-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DOC_DESCRIPTION "parallel primitives for Vulkan and the Gstd codec (documentation)
 Pages on use, formats, performance and decisions, and examples.")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/write_sbom.cmake")
include(CPack)
