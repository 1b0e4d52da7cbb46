# SPDX-License-Identifier: MIT OR Apache-2.0
# Every tag that a title has is known and chooses tests somewhere, and every tag that is known is in a title.
#   cmake -DTESTS=<weft_tests> "-DTAGS=<known>" "-DUSED=<asked for>" -P tags_test.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${TESTS}" --list-test-cases --no-skip OUTPUT_VARIABLE titles COMMAND_ERROR_IS_FATAL ANY)
set(faults "")
foreach(tag IN LISTS TAGS)
  string(FIND "${titles}" "[${tag}]" found)
  if(found EQUAL -1)
    string(APPEND faults "no test case has the tag [${tag}]\n")
  endif()
  if(NOT tag IN_LIST USED)
    string(APPEND faults "no test is chosen by the tag [${tag}]\n")
  endif()
endforeach()
# doctest's own lines begin with its name in brackets.
string(REPLACE "[doctest]" "" titles "${titles}")
string(REGEX MATCHALL "\\[[a-z_]+\\]" tags "${titles}")
string(REGEX REPLACE "[][]" "" tags "${tags}")
list(REMOVE_DUPLICATES tags)
foreach(tag IN LISTS tags)
  if(NOT tag IN_LIST TAGS)
    string(APPEND faults "a test case has the tag [${tag}], which tests/devices.cmake does not know\n")
  endif()
endforeach()
if(faults)
  message(FATAL_ERROR "${faults}")
endif()
