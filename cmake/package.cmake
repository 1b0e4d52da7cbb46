# SPDX-License-Identifier: MIT OR Apache-2.0
#
#   weft_package(<target> COMPONENT <name> INCLUDE_DIR <directory> HEADERS <header>... DESCRIPTION <text>
#                [REQUIRES <module>...] [PRIVATE_REQUIRES <module>...] [PRIVATE_LIBS <library>...])
#
# Names the library's versions, hides what is not WEFT_API and, with WEFT_INSTALL, installs it with its headers, its
# targets file for find_package(weft COMPONENTS <name>) and <target>.pc. REQUIRES: pkg-config modules whose headers its
# own include. What is private is needed to link a static library. With WEFT_BOTH_LIBRARIES, <target>_shared is the
# shared library, of the same objects.
#
#   weft_package_spirv(<directory> <target>...)
#
# Makes <directory>, and installs it: the targets' kernels as SPIR-V, with a manifest (docs/spirv.md).
#
#   weft_package_config()
#
# Installs weftConfig.cmake, for the components packaged so far.

function(weft_package target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPONENT;INCLUDE_DIR;DESCRIPTION"
                        "HEADERS;REQUIRES;PRIVATE_REQUIRES;PRIVATE_LIBS")
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON DEFINE_SYMBOL WEFT_BUILDING)
  # Tests and weft-bench look inside: without archives they need libraries that hide nothing.
  if(NOT BUILD_SHARED_LIBS OR arg_COMPONENT STREQUAL "c" OR NOT (WEFT_BUILD_TESTS OR WEFT_BUILD_BENCH))
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  get_target_property(type ${target} TYPE)
  set(shared "")
  if(type STREQUAL "SHARED_LIBRARY")
    target_compile_definitions(${target} PUBLIC WEFT_SHARED)
    set(shared ${target})
  elseif(WEFT_BOTH_LIBRARIES)
    # Programs that link the archive need not know.
    target_compile_definitions(${target} PRIVATE WEFT_SHARED)
    set(shared ${target}_shared)
    weft_shared_of(${target})
  endif()
  if(shared)
    set_target_properties(${shared} PROPERTIES VERSION ${PROJECT_VERSION}
                                               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    if(CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
      # Archives inside are nobody else's, and instances of the standard library's templates are everybody's own.
      target_link_options(${shared} PRIVATE "LINKER:--exclude-libs,ALL" "LINKER:--no-undefined"
                          "LINKER:--version-script,${CMAKE_CURRENT_FUNCTION_LIST_DIR}/exports.map")
      set_property(TARGET ${shared} APPEND PROPERTY LINK_DEPENDS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/exports.map")
    endif()
  endif()
  if(NOT WEFT_INSTALL)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY WEFT_COMPONENTS ${arg_COMPONENT})
  set(flavours "")
  if(type STREQUAL "STATIC_LIBRARY")
    set(flavours static)
  endif()
  if(shared)
    list(APPEND flavours shared)
  endif()
  foreach(flavour IN LISTS flavours)
    set(library ${target})
    if(flavour STREQUAL "shared")
      set(library ${shared})
    endif()
    install(TARGETS ${library} EXPORT weft_${arg_COMPONENT}_${flavour}
            RUNTIME COMPONENT runtime LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev ARCHIVE COMPONENT dev)
    install(EXPORT weft_${arg_COMPONENT}_${flavour} NAMESPACE weft:: FILE weft_${arg_COMPONENT}_${flavour}.cmake
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
  endforeach()
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
  set(definitions "")
  if(shared)
    set(definitions " -DWEFT_SHARED")
  else()
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

# <target>_shared, of what <target> is made of and links; of weft's libraries it links the shared ones.
function(weft_shared_of target)
  set(library ${target}_shared)
  add_library(${library} SHARED $<TARGET_OBJECTS:${target}>)
  get_target_property(name ${target} EXPORT_NAME)
  if(NOT name)
    set(name ${target})
  endif()
  set_target_properties(${library} PROPERTIES OUTPUT_NAME ${target} EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_compile_definitions(${library} INTERFACE WEFT_SHARED)
  get_target_property(include_dirs ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(include_dirs)
    target_include_directories(${library} INTERFACE ${include_dirs})
  endif()
  get_target_property(links ${target} LINK_LIBRARIES)
  get_target_property(public_links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    set(scope PRIVATE)
    if(link IN_LIST public_links)
      set(scope PUBLIC)
    endif()
    if(TARGET ${link}_shared)
      string(APPEND link _shared)
    endif()
    target_link_libraries(${library} ${scope} ${link})
  endforeach()
endfunction()

function(weft_package_spirv directory)
  find_package(Python3 COMPONENTS Interpreter QUIET)
  if(NOT Python3_FOUND)
    message(STATUS "weft: Python is missing: kernels are not installed as SPIR-V")
    return()
  endif()
  set(folders "")
  foreach(target IN LISTS ARGN)
    get_target_property(folder ${target} WEFT_KERNEL_DIRECTORY)
    list(APPEND folders "${folder}")
  endforeach()
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/spirv_manifest.py")
  add_custom_command(OUTPUT "${directory}/manifest.json"
    COMMAND "${Python3_EXECUTABLE}" "${script}" "${PROJECT_SOURCE_DIR}/shaders" ${PROJECT_VERSION} "${directory}"
            ${folders}
    DEPENDS "${script}" ${ARGN}
    COMMENT "Manifest of the kernels"
    VERBATIM)
  add_custom_target(weft_spirv ALL DEPENDS "${directory}/manifest.json")
  if(WEFT_INSTALL)
    install(DIRECTORY "${directory}" DESTINATION "${CMAKE_INSTALL_DATADIR}/weft")
  endif()
endfunction()

function(weft_package_config)
  include(CMakePackageConfigHelpers)
  get_property(weft_components GLOBAL PROPERTY WEFT_COMPONENTS)
  set(weft_uring OFF)
  if(Uring_FOUND)
    set(weft_uring ON)
  endif()
  set(weft_c_static OFF)
  if(WEFT_C_STATIC)
    set(weft_c_static ON)
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
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/LICENSES" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  if(PROJECT_IS_TOP_LEVEL)
    install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
            DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT doc)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples"
            DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT doc PATTERN Doxyfile EXCLUDE PATTERN "*.1" EXCLUDE
            PATTERN "site*" EXCLUDE)
  endif()
endfunction()
