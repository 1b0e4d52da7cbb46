# SPDX-License-Identifier: MIT OR Apache-2.0
#
#   weft_package(<target> COMPONENT <name> INCLUDE_DIR <directory> HEADERS <header>... DESCRIPTION <text>
#                [REQUIRES <module>...] [PRIVATE_REQUIRES <module>...] [PRIVATE_LIBS <library>...])
#
# Names the library's versions and, with WEFT_INSTALL, installs it with its headers, its targets file for
# find_package(weft COMPONENTS <name>) and <target>.pc. REQUIRES: pkg-config modules whose headers its own include. What
# is private is needed to link a static library.
#
#   weft_package_config()
#
# Installs weftConfig.cmake, for the components packaged so far.

function(weft_package target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPONENT;INCLUDE_DIR;DESCRIPTION"
                        "HEADERS;REQUIRES;PRIVATE_REQUIRES;PRIVATE_LIBS")
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
                                             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY" AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
    # A static libzstd inside is nobody else's.
    target_link_options(${target} PRIVATE "LINKER:--exclude-libs,libzstd.a")
  endif()
  if(NOT WEFT_INSTALL)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY WEFT_COMPONENTS ${arg_COMPONENT})
  install(TARGETS ${target} EXPORT weft_${arg_COMPONENT})
  install(EXPORT weft_${arg_COMPONENT} NAMESPACE weft:: FILE weft_${arg_COMPONENT}.cmake
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
  list(TRANSFORM arg_HEADERS PREPEND "${arg_INCLUDE_DIR}/")
  install(FILES ${arg_HEADERS} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/weft")

  # The prefix is written relative to the file, so that an installed tree can be moved.
  set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir}"
             OUTPUT_VARIABLE pkgconfig_prefix)
  set(name "${target}")
  set(description "${arg_DESCRIPTION}")
  list(TRANSFORM arg_PRIVATE_LIBS REPLACE "^([^/-].*)$" "-l\\1")
  # A static library cannot be linked without what is private.
  set(fields private)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND arg_REQUIRES ${arg_PRIVATE_REQUIRES})
    set(arg_PRIVATE_REQUIRES "")
    set(fields public)
  endif()
  list(JOIN arg_REQUIRES ", " requires)
  list(JOIN arg_PRIVATE_REQUIRES ", " requires_private)
  list(JOIN arg_PRIVATE_LIBS " " libs_private)
  set(libs "-L\${libdir} -l${target}")
  if(fields STREQUAL "public")
    string(APPEND libs " ${libs_private}")
    set(libs_private "")
  endif()
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/library.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/${target}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${target}.pc" DESTINATION "${pkgconfig_dir}")
endfunction()

function(weft_package_config)
  include(CMakePackageConfigHelpers)
  get_property(weft_components GLOBAL PROPERTY WEFT_COMPONENTS)
  set(weft_uring OFF)
  if(Uring_FOUND)
    set(weft_uring ON)
  endif()
  set(weft_static OFF)
  if(NOT BUILD_SHARED_LIBS)
    set(weft_static ON)
  endif()
  set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
  set(shader_dir "${CMAKE_INSTALL_DATADIR}/weft/shaders")
  configure_package_config_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/weftConfig.cmake.in"
                                "${PROJECT_BINARY_DIR}/weftConfig.cmake" INSTALL_DESTINATION "${config_dir}"
                                PATH_VARS shader_dir)
  # Until 1.0 a minor version may break its users.
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/weftConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/weftConfig.cmake" "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
                "${PROJECT_SOURCE_DIR}/third_party/FindZstd.cmake"
          DESTINATION "${config_dir}")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/LICENSE-MIT"
                "${PROJECT_SOURCE_DIR}/LICENSE-APACHE"
          DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endfunction()
