# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DCHECK=clang-format|clang-tidy|doxygen -DSOURCE=<sources> -DBUILD=<build with compile_commands.json>
#         -DJIT=<whether that has the component> -P style_test.cmake
cmake_minimum_required(VERSION 3.25)

find_program(tool ${CHECK})
if(NOT tool)
  message(FATAL_ERROR "${CHECK} is not installed")
endif()

if(CHECK STREQUAL "doxygen")
  file(READ "${SOURCE}/docs/Doxyfile" settings)
  file(WRITE "${BUILD}/Doxyfile" "${settings}OUTPUT_DIRECTORY = \"${BUILD}/docs\"\n")
  execute_process(COMMAND "${tool}" "${BUILD}/Doxyfile" WORKING_DIRECTORY "${SOURCE}" RESULT_VARIABLE failed)
  if(failed OR NOT EXISTS "${BUILD}/docs/html/classweft_1_1Scan.html")
    message(FATAL_ERROR "doxygen has complaints, or made no page of weft::Scan")
  endif()
  return()
endif()

if(CHECK STREQUAL "clang-format")
  file(GLOB_RECURSE files "${SOURCE}/include/*.hpp" "${SOURCE}/src/*.[ch]pp" "${SOURCE}/tests/*.[ch]pp"
       "${SOURCE}/bench/*.[ch]pp" "${SOURCE}/tools/*.[ch]pp" "${SOURCE}/examples/*.[ch]pp"
       "${SOURCE}/cmake/*.cpp" "${SOURCE}/packaging/*.cpp" "${SOURCE}/shaders/*.h")
  set(command clang-format --dry-run -Werror)
  set(batch 12)
else()
  # Headers are checked through the sources that include them.
  file(GLOB_RECURSE files "${SOURCE}/src/*.cpp")
  if(NOT JIT)
    list(FILTER files EXCLUDE REGEX "/src/jit/")
  endif()
  set(batch 1)
  # The build is GCC's: clang need not know all its options. Without the two limits the analyzer takes three times as
  # long: it follows every path of a function into the standard library, where it reports nothing.
  set(command clang-tidy -p "${BUILD}" --quiet --extra-arg=-Wno-unknown-warning-option)
  foreach(limit IN ITEMS c++-stdlib-inlining=false max-nodes=75000)
    list(APPEND command --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=${limit})
  endforeach()
endif()
cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)

list(JOIN files "\n" lines)
set(list "${BUILD}/${CHECK}.files")
file(WRITE "${list}" "${lines}\n")
execute_process(COMMAND xargs -d "\\n" -n ${batch} -P ${jobs} ${command} INPUT_FILE "${list}" RESULT_VARIABLE failed
                ERROR_VARIABLE messages OUTPUT_VARIABLE output)
if(failed)
  string(REGEX REPLACE "[0-9]+ warnings? generated\\.\n" "" messages "${messages}")
  message(NOTICE "${output}${messages}")
  message(FATAL_ERROR "${CHECK} has complaints")
endif()
