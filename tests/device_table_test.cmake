# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DSOURCE=<sources> -DPYTHON=<python3> -DWORK=<folder> -P device_table_test.cmake
# keep.py and devices.py where a second device has a report, which lacks most rows; and devices.py --check where a page
# was edited by hand.
cmake_minimum_required(VERSION 3.25)
set(results "${SOURCE}/bench/results")
file(REMOVE_RECURSE "${WORK}")
file(COPY "${SOURCE}/README.md" DESTINATION "${WORK}")
file(GLOB kept "${results}/*.json")
file(COPY ${kept} DESTINATION "${WORK}/bench/results")

function(run script expected)
  execute_process(COMMAND "${PYTHON}" "${results}/${script}" ${ARGN} WORKING_DIRECTORY "${WORK}"
                  RESULT_VARIABLE status ERROR_VARIABLE errors OUTPUT_VARIABLE errors)
  if((expected STREQUAL "" AND NOT status EQUAL 0) OR
     (NOT expected STREQUAL "" AND (status EQUAL 0 OR NOT errors MATCHES "${expected}")))
    message(SEND_ERROR "${script} ${ARGN}: expected '${expected}', got exit status ${status}: ${errors}")
  endif()
endfunction()

# row(<variable> <primitive> <variant> <n> <ms> [<further member>]): moves 8 bytes an item.
function(row variable primitive variant n ms)
  set(${variable} "{\"primitive\": \"${primitive}\", \"variant\": \"${variant}\", \"type\": \"u32\", \"n\": ${n}, \
\"data\": \"random\", \"strategy\": \"\", \"verified\": true, \"ms\": {\"median\": ${ms}, \"samples\": [${ms}]}, \
\"gbps\": 250${ARGN}}" PARENT_SCOPE)
endfunction()
row(copy copy kernel 16777216 0.5)
row(scan scan "exclusive add" 16777216 0.8 ", \"copy_fraction\": 0.625")
row(small scan "exclusive add" 65536 0.1 ", \"copy_fraction\": 0.1")
row(reduce reduce add 268435456 1)
row(sort radix_sort keys 1000000 0.5)
string(REPEAT "01234567" 5 commit)
file(WRITE "${WORK}/quick.json" "{\"schema\": 1, \"commit\": \"${commit}-dirty\", \"device\": {\"name\": \"A card\", \
\"kind\": \"integrated\", \"uuid\": \"secret\", \"driver\": \"a driver 1.2\", \"subgroup_size\": 32, \
\"subgroup_sizes\": {\"min\": 8, \"max\": 32, \"default\": 32}}, \"environment\": {\"WEFT_DEVICE\": \"secret\"}, \
\"system\": {\"release\": \"secret\"}, \"results\": [${copy}, ${scan}, ${small}, ${reduce}, ${sort}], \"skipped\": []}")
run(keep.py "" bench/results/a_card.json quick.json)
file(READ "${WORK}/bench/results/a_card.json" text)
if(text MATCHES "secret")
  message(SEND_ERROR "keep.py keeps what is private: ${text}")
endif()
# The same calls again.
file(COPY_FILE "${WORK}/quick.json" "${WORK}/later.json")
run(keep.py "" bench/results/two_runs.json quick.json later.json)
file(READ "${WORK}/bench/results/two_runs.json" text)
file(REMOVE "${WORK}/bench/results/two_runs.json")
if(text MATCHES "quick" OR NOT text MATCHES "later")
  message(SEND_ERROR "keep.py keeps a run of which no row is left: ${text}")
endif()

run(devices.py "devices.md" --check "${WORK}")
run(devices.py "" "${WORK}")
run(devices.py "" --check "${WORK}")
file(READ "${WORK}/docs/devices.md" page)
foreach(line IN ITEMS
        "| A card | integrated | a driver 1.2 | 32 of 8 to 32 | 250 (2^24) | 0123456-dirty |"
        "| A card | – | 0.62 (2^24) | 250 GB/s | – | – | – | – | – | – | 2.0 (1,000,000) |"
        "| A card | – | – | – | – | – | – |")
  string(FIND "${page}" "|\n${line}\n| NVIDIA H" position)
  if(position EQUAL -1)
    message(SEND_ERROR "no row before NVIDIA's like\n${line}\nin\n${page}")
  endif()
endforeach()

string(REGEX MATCHALL "\n. NVIDIA H200 ." rows "${page}")
list(LENGTH rows count)
if(NOT count EQUAL 3)
  message(SEND_ERROR "${count} rows of the H200 in 3 tables: are peers taken for devices?")
endif()

string(REPLACE "0123456" "0123457" edited "${page}")
file(WRITE "${WORK}/docs/devices.md" "${edited}")
run(devices.py "devices.md" --check "${WORK}")
file(WRITE "${WORK}/docs/devices.md" "${page}")
file(READ "${WORK}/README.md" readme)
string(REPLACE "| 2^28 |" "| 2^27 |" edited "${readme}")
file(WRITE "${WORK}/README.md" "${edited}")
run(devices.py "README.md" --check "${WORK}")
string(REPLACE "<!-- end of speed -->" "" edited "${readme}")
file(WRITE "${WORK}/README.md" "${edited}")
run(devices.py "marks of speed" --check "${WORK}")
