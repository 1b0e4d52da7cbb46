# SPDX-License-Identifier: MIT OR Apache-2.0
# Finds libshaderc and defines Shaderc::shaderc, for weft::jit. Installed beside weftConfig.cmake.
#
# Debian 12's shared library does not name the glslang and SPIRV-Tools it needs, and those are static only: where a
# program cannot be linked with the shared library by itself, the static one is taken, with them.
find_path(Shaderc_INCLUDE_DIR shaderc/shaderc.hpp HINTS "$ENV{VULKAN_SDK}/include")
find_library(Shaderc_LIBRARY NAMES shaderc_shared shaderc HINTS "$ENV{VULKAN_SDK}/lib")
find_library(Shaderc_STATIC_LIBRARY NAMES shaderc_combined HINTS "$ENV{VULKAN_SDK}/lib")
mark_as_advanced(Shaderc_INCLUDE_DIR Shaderc_LIBRARY Shaderc_STATIC_LIBRARY)

if(Shaderc_INCLUDE_DIR)
  find_package(Threads QUIET)
  set(shaderc_parts glslang MachineIndependent GenericCodeGen OSDependent OGLCompiler SPIRV SPIRV-Tools-opt SPIRV-Tools)
  set(shaderc_static "${Shaderc_STATIC_LIBRARY}")
  foreach(part IN LISTS shaderc_parts)
    find_library(Shaderc_${part}_LIBRARY NAMES ${part})
    mark_as_advanced(Shaderc_${part}_LIBRARY)
    if(Shaderc_${part}_LIBRARY)
      list(APPEND shaderc_static "${Shaderc_${part}_LIBRARY}")
    endif()
  endforeach()
  list(APPEND shaderc_static Threads::Threads)

  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES "${Shaderc_INCLUDE_DIR}")
  set(CMAKE_REQUIRED_QUIET TRUE)
  foreach(way IN ITEMS LIBRARY STATIC)
    if(way STREQUAL "LIBRARY")
      set(libraries "${Shaderc_LIBRARY}")
    else()
      set(libraries "${shaderc_static}")
    endif()
    set(CMAKE_REQUIRED_LIBRARIES "${libraries}")
    check_cxx_source_compiles("#include <shaderc/shaderc.hpp>
int main() { return shaderc::Compiler().IsValid() ? 0 : 1; }" Shaderc_${way}_LINKS)
    if(Shaderc_${way}_LINKS)
      set(Shaderc_LIBRARIES "${libraries}")
      break()
    endif()
  endforeach()
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_QUIET)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Shaderc REQUIRED_VARS Shaderc_LIBRARIES Shaderc_INCLUDE_DIR)

if(Shaderc_FOUND AND NOT TARGET Shaderc::shaderc)
  add_library(Shaderc::shaderc INTERFACE IMPORTED)
  set_target_properties(Shaderc::shaderc PROPERTIES INTERFACE_LINK_LIBRARIES "${Shaderc_LIBRARIES}"
                                                    INTERFACE_INCLUDE_DIRECTORIES "${Shaderc_INCLUDE_DIR}")
endif()
