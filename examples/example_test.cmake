# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DPROGRAM=<example> "-DARGUMENTS=<of it>" -DEXPECTED=<the beginning of what it prints> -P example_test.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} OUTPUT_VARIABLE output RESULT_VARIABLE failed)
string(FIND "${output}" "${EXPECTED}" position)
if(failed OR NOT position EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${failed} and printed\n${output}\nwhere this was expected:\n${EXPECTED}")
endif()
