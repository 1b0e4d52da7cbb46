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

# check(<files> <how many at a time> <command>...): what the tool says in `said`; `failed` if it complains.
function(check files batch)
  cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
  list(JOIN files "\n" lines)
  set(list "${BUILD}/${CHECK}.files")
  file(WRITE "${list}" "${lines}\n")
  execute_process(COMMAND xargs -d "\\n" -n ${batch} -P ${jobs} ${ARGN} INPUT_FILE "${list}" RESULT_VARIABLE failed
                  ERROR_VARIABLE messages OUTPUT_VARIABLE output)
  string(REGEX REPLACE "[0-9]+ warnings? generated\\.\n" "" messages "${messages}")
  set(said "${output}${messages}" PARENT_SCOPE)
  set(failed "${failed}" PARENT_SCOPE)
endfunction()

if(CHECK STREQUAL "clang-format")
  file(GLOB_RECURSE files "${SOURCE}/include/*.hpp" "${SOURCE}/include/*.h"
       "${SOURCE}/src/*.[ch]pp" "${SOURCE}/tests/*.[ch]pp"
       "${SOURCE}/bench/*.[ch]pp" "${SOURCE}/tools/*.[ch]pp" "${SOURCE}/examples/*.[ch]pp" "${SOURCE}/examples/*.c"
       "${SOURCE}/cmake/*.cpp" "${SOURCE}/packaging/*.cpp" "${SOURCE}/shaders/*.h" "${SOURCE}/tests/*.c")
  check("${files}" 12 clang-format --dry-run -Werror)
else()
  # Headers are checked through the sources that include them.
  file(GLOB_RECURSE files "${SOURCE}/src/*.cpp")
  # Not built here: what is for Windows, and what stands in for liburing.
  list(FILTER files EXCLUDE REGEX "_windows\\.cpp$|/no_async_reads\\.cpp$")
  if(NOT JIT)
    list(FILTER files EXCLUDE REGEX "/src/jit/")
  endif()
  # The build is GCC's: clang need not know all its options. Without the two limits the analyzer takes three times as
  # long: it follows every path of a function into the standard library, where it reports nothing.
  set(command clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option)
  foreach(limit IN ITEMS c++-stdlib-inlining=false max-nodes=75000)
    list(APPEND command --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=${limit})
  endforeach()
  # Most of the time goes into what sources include: a dozen that are compiled alike are one file. (That includes
  # nothing: the analyzer follows paths of the main file's functions only.)
  set(work "${BUILD}/tidy")
  file(REMOVE_RECURSE "${work}")
  file(READ "${BUILD}/compile_commands.json" commands)
  # GCC's precompiled headers are nothing to clang, and hide what a source forgets to include.
  string(REGEX REPLACE " (-Winvalid-pch|--param=[^ ]+|-include [^ ]+/cmake_pch\\.hxx)" "" commands "${commands}")
  file(WRITE "${work}/files/compile_commands.json" "${commands}")
  set(units "")
  set(entries "")
  foreach(file IN LISTS files)
    string(FIND "${commands}" " -c ${file}\"" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${file} is not built, and so not checked")
    endif()
    string(SUBSTRING "${commands}" 0 ${at} before)
    string(REGEX REPLACE "^.*\"command\": \"" "" options "${before}")
    string(REGEX REPLACE " -o [^ ]+$" "" options "${options}")
    file(READ "${file}" text)
    # Vector code is compiled again by itself, for each set of instructions.
    set(alone "")
    if(text MATCHES "\"hwy/foreach_target\\.h\"|<hwy/foreach_target\\.h>")
      set(alone "${file}")
    endif()
    string(MD5 group "${options}${alone}")
    math(EXPR number_${group} "0${number_${group}} + 1")
    math(EXPR part "${number_${group}} / 12")
    set(unit "${work}/${group}_${part}.cpp")
    if(NOT unit IN_LIST units)
      list(APPEND units "${unit}")
      list(APPEND entries "{\"directory\": \"${BUILD}\", \"file\": \"${unit}\",
                            \"command\": \"${options} -c ${unit}\"}")
    endif()
    file(APPEND "${unit}" "${text}\n")
  endforeach()
  list(JOIN entries ",\n" entries)
  file(WRITE "${work}/compile_commands.json" "[${entries}]")
  check("${units}" 1 ${command} -p "${work}")
  # By themselves, so that the messages have their names and lines.
  if(failed)
    set(said_of_units "${said}")
    check("${files}" 1 ${command} -p "${work}/files")
    string(PREPEND said "${said_of_units}")
    set(failed ON)
  endif()
endif()
if(failed)
  message(NOTICE "${said}")
  message(FATAL_ERROR "${CHECK} has complaints")
endif()
