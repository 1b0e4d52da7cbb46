# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DBENCH=<weft-bench> -DWORK=<folder> -P bench_test.cmake
# weft-bench accepts right outputs, finds a wrong word however it verifies, and compares reports.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# bench(<status> <text that the output has> <arguments>...)
function(bench status text)
  execute_process(COMMAND "${BENCH}" ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(FIND "${output}" "${text}" at)
  if(NOT result EQUAL status OR at EQUAL -1)
    list(JOIN ARGN " " arguments)
    message(SEND_ERROR "weft-bench ${arguments}: exit status ${result}, not ${status}, or no '${text}' in:\n${output}")
  endif()
endfunction()

set(quick --warm-up 0 --repeats 1)
set(scan ${quick} --filter "scan exclusive add u32")
set(rows)
foreach(row IN ITEMS
    "scan inclusive add to u32" "reduce add u32" "select_if kept=0.5 u32" "partition 3-way"
    "run_length_encode runs=8 u8" "run_length_decode runs=8 u32" "interval_expand L=25 u32" "interval_move L=25 u32"
    "scan_by_key inclusive add runs=8 u32" "reduce_by_key add runs=8 u32" "segmented_scan inclusive add L=25 u32"
    "histogram even bins=256 u32" "sorted_search lower u32" "merge_pairs random u32" "set_union_keys random u32"
    "radix_sort pairs u32" "radix_sort keys u64" "segmented_sort pairs L=100 u32" "bulk_insert quarter u32"
    "bulk_remove quarter u32" "fse_table")
  list(APPEND rows --filter "${row}")
endforeach()
foreach(how IN ITEMS sampled full)
  bench(0 " ${how} " ${quick} ${rows} --sizes 70000 --verify ${how} --json "${WORK}/${how}.json")
  file(READ "${WORK}/${how}.json" report)
  string(JSON length LENGTH "${report}" results)
  math(EXPR last "${length} - 1")
  foreach(i RANGE ${last})
    string(JSON primitive GET "${report}" results ${i} primitive)
    string(JSON verified GET "${report}" results ${i} verified)
    if(NOT verified)
      message(SEND_ERROR "--verify ${how}: row ${i}, ${primitive}, is not verified")
    endif()
  endforeach()
endforeach()

bench(1 "WRONG at 123457: expected" ${scan} --sizes 2^18 --verify full --faulty-word 123457)
bench(1 "WRONG in word 123457 of output 0: by other means the device gives" ${scan} --sizes 2^18 --verify sampled
      --faulty-word 123457)
bench(1 "WRONG in word 77777 of output 0: called again it gives" ${quick} --filter "interval_expand L=25 u32"
      --sizes 2^18 --verify sampled --faulty-word 77777)
bench(1 "WRONG in word 77777 of output 0" ${quick} --filter "radix_sort keys u32" --sizes 2^17 --verify sampled
      --faulty-word 77777)
# Of what is large all outputs are compared without being asked for.
bench(1 "WRONG in word 100000001 of output 0" ${scan} --sizes 2^27 --faulty-word 100000001)
bench(0 "exclusive add" ${scan} --sizes 2^18 --verify none)

# Reports without samples are compared by medians: a row that takes 3 % longer is slower, one that takes 1 % is not.
string(JSON row GET "${report}" results 0)
string(JSON row SET "${row}" primitive "\"scan\"")
# written(<name> <members of ms>)
function(written name)
  string(JSON changed SET "${row}" ms "{${ARGN}}")
  string(JSON changed SET "{\"results\": []}" results 0 "${changed}")
  file(WRITE "${WORK}/${name}.json" "${changed}")
endfunction()
written(a "\"median\": 1.00")
written(nearly "\"median\": 1.01")
written(slower "\"median\": 1.03")
bench(0 "in 0 rows, faster by more in 0, the same within it in 1" compare "${WORK}/a.json" "${WORK}/nearly.json")
bench(1 "slower by more than 2 % in 1 rows" compare "${WORK}/a.json" "${WORK}/slower.json")
bench(0 "faster by more in 1" compare "${WORK}/slower.json" "${WORK}/a.json")
bench(0 "1 rows were decided by medians" compare "${WORK}/a.json" "${WORK}/slower.json" --percent 5)
string(REPLACE "\"scan\"" "\"copy\"" yardstick "${row}")
string(JSON yardstick SET "{\"results\": []}" results 0 "${yardstick}")
file(WRITE "${WORK}/copy.json" "${yardstick}")
bench(0 "in 0 rows, faster by more in 0, the same within it in 0" compare "${WORK}/copy.json" "${WORK}/copy.json")
string(JSON twice SET "{\"results\": []}" results 0 "${row}")
file(WRITE "${WORK}/once.json" "${twice}")
string(JSON twice SET "${twice}" results 1 "${row}")
file(WRITE "${WORK}/twice.json" "${twice}")
bench(0 "Rows without a partner: 1 in a, 0 in b" compare "${WORK}/twice.json" "${WORK}/once.json")
bench(2 "missing.json" compare "${WORK}/a.json" "${WORK}/missing.json")

# With samples a rank test decides, whatever the medians are.
written(steady "\"median\": 1, \"samples\": [0.99, 0.99, 0.99, 1, 1, 1, 1, 1, 1.01, 1.01, 1.01]")
written(late "\"median\": 1.1, \"samples\": [1.08, 1.08, 1.09, 1.09, 1.1, 1.1, 1.1, 1.11, 1.11, 1.12, 1.12]")
written(noisy "\"median\": 1.1, \"samples\": [0.5, 0.6, 0.7, 0.9, 1, 1.1, 1.1, 1.2, 1.3, 1.4, 1.5]")
written(few "\"median\": 1.5, \"samples\": [1.5]")
bench(0 "the same within it in 1" compare "${WORK}/steady.json" "${WORK}/steady.json")
bench(1 "x  slower" compare "${WORK}/steady.json" "${WORK}/late.json")
bench(0 "x  faster" compare "${WORK}/late.json" "${WORK}/steady.json")
bench(0 "x  same" compare "${WORK}/steady.json" "${WORK}/late.json" --percent 20)
bench(0 "x  unsure" compare "${WORK}/steady.json" "${WORK}/noisy.json")
bench(0 "x  unsure" compare "${WORK}/noisy.json" "${WORK}/steady.json")
bench(0 "x  unsure" compare "${WORK}/steady.json" "${WORK}/few.json")
bench(1 "x  unsure" compare "${WORK}/steady.json" "${WORK}/noisy.json" --fail-unsure)
bench(0 "x  same" compare "${WORK}/steady.json" "${WORK}/steady.json" --fail-unsure)
bench(0 "or, with --fail-unsure, unsure" compare --help)
string(JSON count LENGTH "${report}" results 0 ms samples)
string(JSON sample GET "${report}" results 0 ms samples 0)
string(JSON median GET "${report}" results 0 ms median)
if(NOT count EQUAL 1 OR NOT sample EQUAL median)
  message(SEND_ERROR "of one call a report has ${count} samples, ${sample}, and the median ${median}")
endif()
