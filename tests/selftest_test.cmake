# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DBENCH=<weft-bench> -DWORK=<folder> -DLAYER=<folder of the layer's manifest, or empty> -P selftest_test.cmake
# weft-bench selftest passes on the device, finds a planted fault and makes it small, goes on after a case that ended
# the process or lost the device, and refuses what is no file of its own.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(ENV{WEFT_TEST_BACKENDS} native)

# selftest(<status> <text that the output has> <arguments>...) sets `output`.
function(selftest status text)
  execute_process(COMMAND "${BENCH}" selftest ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  string(FIND "${output}" "${text}" at)
  if(NOT result STREQUAL status OR at EQUAL -1)
    list(JOIN ARGN " " arguments)
    message(SEND_ERROR "selftest ${arguments}: exit status ${result}, not ${status}, or no '${text}' in:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Every line of a file of results is a JSON object.
function(check_lines file)
  file(STRINGS "${file}" lines)
  foreach(line IN LISTS lines)
    string(JSON type ERROR_VARIABLE error TYPE "${line}")
    if(error OR NOT type STREQUAL "OBJECT")
      message(SEND_ERROR "${file}: no JSON object: ${line}")
    endif()
  endforeach()
endfunction()

# Messages, progress and a primitive pass, in both halves of the load.
set(file "${WORK}/pass.jsonl")
set(few --filter litmus --filter forward_progress --filter ": reduce add u32 u32")
selftest(0 "PASS " --minutes 0.06 --file "${file}" ${few})
check_lines("${file}")
file(READ "${file}" text)
foreach(piece IN ITEMS "messages received" "waits, of which" "\"loaded\":true" "\"loaded\":false"
                    "\"second_queue\":\"of a second VkDevice\"" "\"verdict\":\"pass\"" "\"longest_ms\":"
                    "\"building\":" "\"built\":")
  string(FIND "${text}" "${piece}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${file} has no ${piece}:\n${text}")
  endif()
endforeach()
if(NOT output MATCHES "look-back: " OR NOT output MATCHES "PASS [^\n]* 0 of [0-9]+ essential cases not reached"
   OR NOT output MATCHES "PASS [^\n]* longest call [0-9]+\\.[0-9] ms")
  message(SEND_ERROR "nothing is said of look-back, the essential cases or the longest call:\n${output}")
endif()
# A second run goes on after the first.
selftest(0 "this run goes on after them" --minutes 0.01 --file "${file}" ${few})

# A fault at item 100 of each output fails cases that have as many bytes, and the smallest of them is found.
set(file "${WORK}/fault.jsonl")
selftest(1 "FAIL " --minutes 1 --seed 3 --file "${file}"
         --filter ": scan exclusive add u32 u32 reduce" --faulty-item 100)
check_lines("${file}")
file(READ "${WORK}/fault-case-1.json" case)
foreach(member IN ITEMS case seed simpler items problem)
  string(JSON found_${member} GET "${case}" ${member})
endforeach()
# Item 100 is byte 100 here, which is of item 25.
if(NOT found_simpler STREQUAL "items=26,plain,aligned,host_count,clean" OR NOT found_items EQUAL 26
   OR NOT found_problem MATCHES "25")
  message(SEND_ERROR "the smallest case is not the smallest:\n${case}")
endif()
# The case alone, with the fault and without.
set(again --case "${found_case}" --seed ${found_seed} --simpler ${found_simpler})
selftest(1 "FAIL ${found_case}, seed ${found_seed}: 26 items: ${found_problem}" ${again} --faulty-item 100)
selftest(0 "PASS ${found_case}, seed ${found_seed}: 26 items" ${again})

# Killed in a case, with half a line after it.
set(file "${WORK}/killed.jsonl")
set(two --filter ": reduce add u32 u32" --filter "32 bits arrive")
execute_process(COMMAND "${BENCH}" selftest --minutes 1 --file "${file}" ${two} --die-in ": reduce"
                RESULT_VARIABLE killed OUTPUT_QUIET ERROR_QUIET)
if(NOT killed MATCHES "[Kk]illed|SIGKILL|137|9")
  message(SEND_ERROR "a process that was to be killed ended with ${killed}")
endif()
check_lines("${file}")
file(APPEND "${file}" "{\"end\":\"red")
selftest(1 "An earlier run ended in case \"" --minutes 0.02 --file "${file}" ${two})
check_lines("${file}")
if(NOT output MATCHES "ended in case \"[^\n]*: reduce add"
   OR NOT output MATCHES "FAIL [^\n]* 1 of 2 cases failed, [2-9]")
  message(SEND_ERROR "the run after a killed one:\n${output}")
endif()

# Ended while a case ran and pipelines of another were built: it is not known which of them did it, so that each is
# tried alone, and nothing has failed. If the process ends in that, it is known.
file(STRINGS "${file}" lines)
list(GET lines 0 head)
string(REGEX MATCH "[^\"]*: reduce add u32 u32[^\"]*" reduce "${lines}")
string(REGEX MATCH "[^\"]*32 bits arrive[^\"]*" litmus "${lines}")
set(file "${WORK}/suspects.jsonl")
file(WRITE "${file}" "${head}\n{\"building\":\"${reduce}\",\"seed\":1}\n{\"begin\":\"${litmus}\",\"seed\":0}\n")
file(COPY_FILE "${file}" "${WORK}/again.jsonl")
selftest(0 "while 2 cases were in work" --minutes 0.02 --file "${file}" ${two})
check_lines("${file}")
file(READ "${file}" text)
if(NOT text MATCHES "resumed.*\"end\":\"${litmus}\".*\"end\":\"${reduce}\""
   OR text MATCHES "resumed[^}]*}[^}]*{\"building\"")
  message(SEND_ERROR "of two suspects not both were tried alone:\n${text}")
endif()
execute_process(COMMAND "${BENCH}" selftest --minutes 1 --file "${WORK}/again.jsonl" ${two} --die-in ": reduce"
                OUTPUT_QUIET ERROR_QUIET)
selftest(1 "An earlier run ended in case \"${reduce}\"" --minutes 0.02 --file "${WORK}/again.jsonl" ${two})

# What is no file of this device is left alone.
file(READ "${WORK}/pass.jsonl" text)
string(REGEX REPLACE "\"name\":\"[^\"]*\"" "\"name\":\"another\"" text "${text}")
file(WRITE "${WORK}/other.jsonl" "${text}")
selftest(2 "is of another, " --file "${WORK}/other.jsonl" ${two})
file(WRITE "${WORK}/text.jsonl" "no JSON\n")
selftest(2 "line 1 is no JSON object" --file "${WORK}/text.jsonl" ${two})
selftest(2 "no case holds any" --file "${WORK}/none.jsonl" --filter "no such case")
selftest(2 "no case is called" --case "no such case")
selftest(2 "--simpler items=x" --simpler items=x)

# A device with a second queue, by a layer that says so; and one that is lost from the 40th submission on.
if(LAYER)
  set(ENV{VK_LAYER_PATH} "${LAYER}")
  set(ENV{VK_INSTANCE_LAYERS} VK_LAYER_WEFT_specialize)
  set(ENV{WEFT_SECOND_QUEUE} 1)
  selftest(0 "PASS " --minutes 0.06 --file "${WORK}/second.jsonl" ${two})
  unset(ENV{WEFT_SECOND_QUEUE})
  file(READ "${WORK}/second.jsonl" text)
  if(NOT text MATCHES "\"loaded\":true,\"second_queue\":\"of the same family\"" OR output MATCHES " 0 copies")
    message(SEND_ERROR "no load on a second queue:\n${text}\n${output}")
  endif()
  set(ENV{WEFT_LOSE_AT} 40)
  set(file "${WORK}/lost.jsonl")
  selftest(1 "The device was lost in case \"" --minutes 1 --file "${file}" ${two})
  check_lines("${file}")
  file(READ "${file}" text)
  if(NOT text MATCHES "\"verdict\":\"lost\"[^\n]*the device is lost")
    message(SEND_ERROR "${file} has no lost device:\n${text}")
  endif()
  # weft-bench's rows: those before the loss are in the report, and the one in which it happened.
  execute_process(COMMAND "${BENCH}" --warm-up 0 --repeats 1 --filter "scan exclusive add u32"
                          --sizes 2^8,2^10,2^12,2^14 --json "${WORK}/lost.json"
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 1 OR NOT output MATCHES "failed: [^\n]*the device is lost")
    message(SEND_ERROR "weft-bench on a device that is lost: ${result}:\n${output}")
  endif()
  file(READ "${WORK}/lost.json" report)
  string(JSON rows LENGTH "${report}" results)
  if(rows LESS 1 OR NOT report MATCHES "the device is lost")
    message(SEND_ERROR "the report of a device that is lost has ${rows} rows:\n${report}")
  endif()
  unset(ENV{WEFT_LOSE_AT})
  selftest(1 "An earlier run lost the device in case \"" --minutes 0.02 --file "${file}" ${two})
endif()
