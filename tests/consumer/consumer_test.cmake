# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds and runs a project that uses weft in one of three ways:
#   cmake -DWAY=find_package|add_subdirectory|pkg_config -DBUILD=<weft's build> -DSOURCE=<weft's sources> -DWORK=<directory>
#         -DCXX=<compiler> -DREGISTRY=<kernel_registry.cpp, or its object> -DJIT=<whether weft has
#         the component> -DGSTD=<likewise> -P consumer_test.cmake
cmake_minimum_required(VERSION 3.25)
set(expected "0 3 4 8 9 14 23 25 \n")
set(consumer "${SOURCE}/tests/consumer")

function(must)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The second argument is what is to be printed, if not `expected`.
function(must_print_sums program)
  if(ARGC GREATER 1)
    set(expected "${ARGV1}")
  endif()
  execute_process(COMMAND "${program}" OUTPUT_VARIABLE output COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} printed '${output}', not '${expected}'")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(prefix "${WORK}/prefix")
set(configure "${CMAKE_COMMAND}" -S "${consumer}" -B "${WORK}/build" -G Ninja -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_CXX_COMPILER=${CXX}" --no-warn-unused-cli)
if(LAUNCHER)
  list(APPEND configure "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}")
endif()

if(WAY STREQUAL "add_subdirectory")
  # What is compiled once more here has been optimized elsewhere.
  must(${configure} "-DWEFT_SOURCE=${SOURCE}" "-DWEFT_KERNEL_REGISTRY=${REGISTRY}" -DCMAKE_CXX_FLAGS_RELEASE=-O0)
else()
  must("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
  # A package that only works where it was installed to would pass without the move.
  file(RENAME "${prefix}" "${prefix}-moved")
  set(prefix "${prefix}-moved")
endif()

if(WAY STREQUAL "pkg_config")
  file(GLOB_RECURSE pc "${prefix}/*.pc")
  cmake_path(GET pc PARENT_PATH pc_dir)
  set(ENV{PKG_CONFIG_PATH} "${pc_dir}")
  execute_process(COMMAND pkg-config --cflags --libs weft OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  foreach(program IN ITEMS scan volk_host)
    must("${CXX}" -std=c++20 -O1 "${consumer}/${program}.cpp" -o "${WORK}/${program}" ${flags})
    must_print_sums("${WORK}/${program}")
  endforeach()
  return()
endif()

if(WAY STREQUAL "find_package")
  must(${configure} "-DCMAKE_PREFIX_PATH=${prefix}")
endif()
must("${CMAKE_COMMAND}" --build "${WORK}/build")
must_print_sums("${WORK}/build/scan")
must_print_sums("${WORK}/build/volk_host")
must_print_sums("${WORK}/build/own_operator" "0 3 4 8 9 14 20 20 \n")
if(WAY STREQUAL "find_package" AND GSTD)
  must_print_sums("${WORK}/build/codec" "a tenth or less: 16666.5 16666.8 16666.8 16666.8\n")
  must_print_sums("${WORK}/build/gstd_decode" "19 tiles, 0 refused, the content is what was compressed\n")
  if(NOT EXISTS "${prefix}/share/weft/shaders/gstd/gstd_decode.comp")
    message(FATAL_ERROR "the codec's kernels are not installed")
  endif()
endif()
if(WAY STREQUAL "find_package" AND JIT)
  must_print_sums("${WORK}/build/own_predicate" "3 9 6 \n")
endif()
