# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DSOURCE=<sources> -DBUILD=<weft's build> -DWORK=<folder> -DCLANG=<clang++> -P ms_test.cmake
# The libraries' sources as Microsoft's compiler reads C++, as far as clang knows: by its MS modes, with the headers of
# mingw-w64. A folder is one source; what is for other systems is left out.
cmake_minimum_required(VERSION 3.25)
file(GLOB gcc /usr/lib/gcc/x86_64-w64-mingw32/*-posix)
if(NOT gcc OR NOT EXISTS /usr/x86_64-w64-mingw32/include/windows.h)
  message(STATUS "g++-mingw-w64-x86-64-posix is not installed: there are no headers to check with")
  return()
endif()
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/include")
# Headers alone, away from those of this system.
foreach(header IN ITEMS vulkan vk_video volk.h zstd.h zstd_errors.h xxhash.h shaderc)
  if(EXISTS "/usr/include/${header}")
    file(CREATE_LINK "/usr/include/${header}" "${WORK}/include/${header}" SYMBOLIC)
  endif()
endforeach()
cmake_path(GET gcc FILENAME version)
string(REGEX REPLACE "-.*" "" version "${version}")
set(command "${CLANG}" --target=x86_64-w64-mingw32 -fsyntax-only -std=gnu++20 -fms-extensions -fms-compatibility
    -fms-compatibility-version=19.33 -fgnuc-version=${version}.2 -Werror=ignored-attributes
    -D_WIN32_WINNT=0x0A00 -D_FILE_OFFSET_BITS=64 -DVK_NO_PROTOTYPES -DXXH_INLINE_ALL -DWEFT_SHARED -DWEFT_BUILDING
    -isystem "${gcc}/include/c++" -isystem "${gcc}/include/c++/x86_64-w64-mingw32"
    -isystem /usr/x86_64-w64-mingw32/include "-I${SOURCE}/include" "-I${SOURCE}/src" "-I${SOURCE}/shaders"
    "-I${BUILD}/src/include" "-I${BUILD}/src/generated" "-I${BUILD}/src/decode/generated"
    "-I${BUILD}/src/c/generated" -idirafter "${WORK}/include")
file(GLOB_RECURSE sources RELATIVE "${SOURCE}/src" "${SOURCE}/src/*.cpp")
list(FILTER sources EXCLUDE REGEX "_posix\\.cpp$|/(uring_reads|no_async_reads)\\.cpp$")
foreach(source IN LISTS sources)
  string(REGEX REPLACE "/[^/]*$" "" folder "${source}")
  string(MAKE_C_IDENTIFIER "${folder}" unit)
  # They include themselves, or have a name of their neighbour's.
  if(source MATCHES "/(checksum|lane_steps|lanes|vectors|[a-z_]+_windows)\\.cpp$")
    string(MAKE_C_IDENTIFIER "${source}" unit)
  endif()
  list(APPEND units ${unit})
  string(APPEND text_${unit} "#include \"${SOURCE}/src/${source}\"\n")
endforeach()
list(REMOVE_DUPLICATES units)
foreach(unit IN LISTS units)
  file(WRITE "${WORK}/${unit}.cpp" "${text_${unit}}")
endforeach()
list(JOIN units "\n" lines)
file(WRITE "${WORK}/units" "${lines}\n")
list(JOIN command "' '" command)
execute_process(COMMAND xargs -P 2 -I {} sh -c "'${command}' '${WORK}'/{}.cpp" INPUT_FILE "${WORK}/units"
                ERROR_VARIABLE said RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${said}")
endif()
list(LENGTH sources count)
message(STATUS "${count} sources checked")
