# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DBENCH=<weft-bench> -DKIT=<packaging/kit> -DWORK=<folder> -DBASH=<bash> -P kit_test.cmake
# What the kit's user meets: `weft-bench check` and the page to read; and the check of what the programs need.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# check(<status> <pattern of the output> <folder that it runs in> <arguments>...)
function(check status pattern folder)
  execute_process(COMMAND "${BENCH}" check --minutes 0.2 --try litmus --filter "scan exclusive add u32" --sizes 5000
                          ${ARGN}
                  WORKING_DIRECTORY "${folder}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL status OR NOT output MATCHES "${pattern}")
    message(SEND_ERROR "check ${ARGN}: exit status ${result}, not ${status}, or no '${pattern}' in:\n${output}")
  endif()
endfunction()

# One report and its page, whose names are the device's and which the end names.
set(results "${WORK}/weft-results/[a-z0-9-]+")
check(0 "\nPASS.*\nLook at   ${results}\\.html\nSend      ${results}\\.selftest\\.jsonl\nSend      ${results}\\.json\n"
      "${WORK}")
file(GLOB files RELATIVE "${WORK}/weft-results" "${WORK}/weft-results/*")
if(NOT files MATCHES "^([a-z0-9-]+)\\.html;([a-z0-9-]+)\\.json;([a-z0-9-]+)\\.selftest\\.jsonl$"
   OR NOT CMAKE_MATCH_1 STREQUAL CMAKE_MATCH_2 OR NOT CMAKE_MATCH_1 STREQUAL CMAKE_MATCH_3)
  message(FATAL_ERROR "weft-results has ${files}")
endif()
set(stem "${WORK}/weft-results/${CMAKE_MATCH_1}")
file(READ "${stem}.json" report)
string(JSON uuid ERROR_VARIABLE no_uuid GET "${report}" device uuid)
string(JSON rows LENGTH "${report}" results)
# The scan and the copy that it is compared with.
if(NOT no_uuid OR NOT rows EQUAL 2 OR report MATCHES "${WORK}")
  message(SEND_ERROR "the report has a UUID, a path, or ${rows} rows, not 2:\n${report}")
endif()
file(SIZE "${stem}.html" page)
if(page LESS 10000)
  message(SEND_ERROR "the page has ${page} bytes")
endif()

check(0 "Send      ${WORK}/named/[a-z0-9-]+\\.json" "${WORK}" --output named)
# A folder that even root cannot write to: it says so before it measures.
if(EXISTS /proc/self)
  check(1 "Devices.*cannot write to /proc/weft-results.*--output FOLDER" /proc)
endif()
set(ENV{VK_DRIVER_FILES} "${WORK}/none.json")
set(ENV{VK_ICD_FILENAMES} "${WORK}/none.json")
check(1 "weft needs a device with Vulkan 1\\.2: install or renew the driver" "${WORK}" --output without)
if(EXISTS "${WORK}/without")
  message(SEND_ERROR "without a device a folder of results is made")
endif()

# Its page is one screen.
file(READ "${KIT}/README.txt" text)
string(REGEX MATCHALL "\n" ends "${text}")
list(LENGTH ends count)
string(REGEX MATCH "[^\n]{81,}" long "${text}")
if(count GREATER 40 OR long)
  message(SEND_ERROR "README.txt has ${count} lines, not 40 at most, or one of over 80 columns: ${long}")
endif()

# check_glibc.sh accepts what is old enough, and finds what is too new and what is no part of glibc.
function(check_glibc accepted version program)
  execute_process(COMMAND "${BASH}" "${KIT}/check_glibc.sh" ${version} "${program}" RESULT_VARIABLE failed
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if((accepted AND failed) OR NOT (accepted OR failed EQUAL 1))
    message(SEND_ERROR "check_glibc.sh ${version} ${program}: ${failed}\n${output}")
  endif()
endfunction()
check_glibc(TRUE 99.0 "${BENCH}")
check_glibc(FALSE 2.2.5 "${BENCH}")
check_glibc(FALSE 99.0 "${CMAKE_COMMAND}")
