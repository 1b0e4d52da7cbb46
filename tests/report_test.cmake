# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DBENCH=<weft-bench> -DWORK=<folder> -P report_test.cmake
# The page of `weft-bench report`: what it refuses, and, in headless Chromium, what it shows, that its tables sort and
# filter, that nothing in a report runs as code, and that the browser has no complaint.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# report(<file> <device> <driver> <api> <rows> <skipped>)
function(report file device driver api rows skipped)
  file(WRITE "${WORK}/${file}" "{\"schema\": 1, \"weft_version\": \"0.1.0\", \"commit\": \"0123456789\", \"device\": "
       "{\"name\": \"${device}\", \"driver\": \"${driver}\", \"api\": \"${api}\", \"subgroup_size\": 32}, "
       "\"copy_gbps\": 400, \"results\": [${rows}], \"skipped\": [${skipped}]}")
endfunction()
# row(<variable> <primitive> <n> <ms> <verified>): moves 8 bytes an item.
function(row variable primitive n ms verified)
  set(${variable} "{\"primitive\": \"${primitive}\", \"variant\": \"plain\", \"type\": \"u32\", \"n\": ${n}, \"data\": \
\"random\", \"strategy\": \"look_back\", \"verified\": ${verified}, \"verification\": \"full\", \"ms\": {\"median\": \
${ms}, \"p5\": ${ms}, \"p95\": ${ms}}, \"gbps\": ${n}e-6, \"copy_fraction\": 0.5}" PARENT_SCOPE)
endfunction()
row(scan_small scan 65536 0.25 true)
row(scan_large scan 16777216 4 true)
row(reduce reduce 1048576 1 true)
row(wrong reduce 1048576 2 false)
set(hostile "</script><script>document.title = 'run'</script><img src=x onerror=\\\"document.title = 'run'\\\">")
report(a.json "Card A" driver "1.3" "${scan_small},${reduce},${scan_large}"
       "{\"primitive\": \"scan\", \"variant\": \"f64\", \"type\": \"f64\", \"n\": 5, \"reason\": \"no doubles\"}")
report(b.json "${hostile}" driver "1.3" "${scan_small},${wrong}" "")
report(peer.json "Card A" "CUDA driver" "CUDA 13" "${scan_large}" "")
file(WRITE "${WORK}/odd.json" "{\"results\": [{}, {\"primitive\": 7, \"n\": \"x\", \"ms\": 3}], \"device\": null}")
file(WRITE "${WORK}/none.json" "{\"results\": 1}")

foreach(case IN ITEMS "none.json|is no report of weft-bench" "missing.json|missing.json")
  string(REPLACE "|" ";" case "${case}")
  list(GET case 0 file)
  list(GET case 1 message)
  execute_process(COMMAND "${BENCH}" report "${WORK}/${file}" -o "${WORK}/refused.html" RESULT_VARIABLE status
                  ERROR_VARIABLE errors OUTPUT_VARIABLE errors)
  if(status EQUAL 0 OR NOT errors MATCHES "${message}" OR EXISTS "${WORK}/refused.html")
    message(SEND_ERROR "report ${file}: exit status ${status}: ${errors}")
  endif()
endforeach()

find_program(chromium NAMES chromium google-chrome)
# shown(<variable> <script> <reports>...): the document after the script, which the page does not have.
function(shown variable script)
  list(TRANSFORM ARGN PREPEND "${WORK}/")
  execute_process(COMMAND "${BENCH}" report ${ARGN} -o "${WORK}/page.html" COMMAND_ERROR_IS_FATAL ANY)
  browsed(${variable} "${script}")
  set(${variable} "${${variable}}" PARENT_SCOPE)
endfunction()
# browsed(<variable> <script>): the same of page.html.
function(browsed variable script)
  file(READ "${WORK}/page.html" page)
  if(page MATCHES "(src|href)=\"?http|@import|url\\(")
    message(SEND_ERROR "the page needs other files")
  endif()
  if(NOT chromium)
    return()
  endif()
  file(APPEND "${WORK}/page.html" "<script>${script}</script>")
  execute_process(COMMAND "${chromium}" --headless --no-sandbox --disable-gpu --enable-logging=stderr
                          "--user-data-dir=${WORK}/profile" --dump-dom "file://${WORK}/page.html"
                  OUTPUT_VARIABLE document ERROR_VARIABLE errors TIMEOUT 60 COMMAND_ERROR_IS_FATAL ANY)
  if(errors MATCHES "CONSOLE[^\n]*")
    message(SEND_ERROR "the browser says: ${CMAKE_MATCH_0}")
  endif()
  set(${variable} "${document}" PARENT_SCOPE)
endfunction()
# must_show(<document> <text>...)
function(must_show document)
  foreach(words IN LISTS ARGN)
    string(FIND "${document}" "${words}" at)
    if(chromium AND at EQUAL -1)
      message(SEND_ERROR "the page does not show '${words}'")
    endif()
  endforeach()
endfunction()

shown(document "" a.json)
must_show("${document}" "<title>weft on Card A</title>" "<b>PASS</b> Card A: the outputs of 3 of 3 rows are verified"
          "Share of measured copy" "Speed of scan plain u32 over size" "no doubles" "2^24" ">hardware</td>")
set(unknown "Vendor, device|UUID|Device.s subgroup sizes|Memory heaps|Clocks while measuring|System|Environment")
if(document MATCHES ">(${unknown})<")
  message(SEND_ERROR "the page has a row '${CMAKE_MATCH_1}', of which the report says nothing")
endif()
# What a report says of device, system and environment. Runs in different environments are not merged.
file(READ "${WORK}/a.json" full)
string(JSON full SET "${full}" device "{\"name\": \"Card A\", \"kind\": \"integrated\", \"vendor_id\": 4098, \
\"device_id\": 5567, \"uuid\": \"00c0ffee\", \"subgroup_backend\": \"emulated\", \"subgroup_sizes\": \
{\"min\": 4, \"max\": 64, \"default\": 32}, \"memory_heaps\": [{\"size\": 3221225472, \"device_local\": true}, \
{\"size\": 536870912, \"device_local\": false}], \"graphics_mhz\": {\"min\": 300, \"max\": 1980}}")
string(JSON full SET "${full}" system "{\"sysname\": \"Linux\", \"release\": \"6.1\", \"machine\": \"aarch64\"}")
string(JSON full SET "${full}" environment "{}")
file(WRITE "${WORK}/full.json" "${full}")
string(JSON full SET "${full}" environment "{\"WEFT_TUNE\": \"scan.rows=2\", \"WEFT_STRATEGY\": \"look_back\"}")
file(WRITE "${WORK}/tuned.json" "${full}")
shown(document "" full.json tuned.json)
foreach(cell IN ITEMS integrated "0x1002, 0x15bf" 00c0ffee emulated "4 to 64, default 32" "Linux 6.1 aarch64"
                      "3.0 GiB, device local + 0.5 GiB" "graphics 300 to 1980 MHz" "none set" tuned.json
                      "WEFT_STRATEGY=look_back WEFT_TUNE=scan.rows=2")
  must_show("${document}" ">${cell}</td>")
endforeach()
# Sorted by milliseconds, then the other way, then what the filter leaves.
file(WRITE "${WORK}/sort.js" [[
const rows = () => [...document.querySelectorAll("#rows tbody tr")];
const shown = () => rows().map((row) => row.children[4].textContent).join(" ");
const click = () => document.querySelectorAll("#rows th button")[4].click();
const filter = document.querySelector("input");
const orders = [shown()];
click();
orders.push(shown());
click();
orders.push(shown());
filter.value = "REDUCE u32";
filter.dispatchEvent(new Event("input"));
orders.push(shown());
document.body.append(orders.join(" then "));
]])
file(READ "${WORK}/sort.js" script)
shown(document "${script}" a.json)
must_show("${document}" "0.2500 1.0000 4.0000 then 0.2500 1.0000 4.0000 then 4.0000 1.0000 0.2500 then 1.0000")
# Two devices and a peer: a verdict each, a table beside each other, the peer's mark; what a report says is text.
shown(document "" a.json b.json peer.json)
must_show("${document}" "<b>PASS</b> Card A" "<b>FAIL</b> &lt;/script&gt;" "1 of 2 rows are wrong or failed"
          "id=\"matrix\"" "The upright mark is the peer" "the peer 50.0 %" "WRONG")
if(document MATCHES "<title>run|<img")
  message(SEND_ERROR "a report's text became markup")
endif()
shown(document "" odd.json)
must_show("${document}" "unknown device")
# Two reports compared: the words of the rank test, sorted by the ratio, and no merging of runs of one commit.
row(slower scan 65536 0.5 true)
row(faster reduce 1048576 0.5 true)
report(later.json "Card A" driver "1.3" "${slower},${faster},${scan_large}" "")
execute_process(COMMAND "${BENCH}" compare "${WORK}/a.json" "${WORK}/later.json" --html "${WORK}/page.html"
                OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 1)
  message(SEND_ERROR "compare: exit status ${status}: ${output}")
endif()
file(WRITE "${WORK}/compare.js" [[
const table = document.querySelector("#comparison-rows");
table.querySelectorAll("th button")[4].click();
const cells = (row) => [4, 5].map((i) => row.children[i].textContent).join(" ");
const shown = [...table.querySelectorAll("tbody tr")].map(cells);
document.body.append(shown.join(" then "));
]])
file(READ "${WORK}/compare.js" script)
browsed(document "${script}")
must_show("${document}" "Of 3 rows in both, the second report is slower: 1, faster: 1, same: 1, unsure: 0"
          "0.500 faster then 1.000 same then 2.000 slower" "Card A (a.json)" "Card A (later.json)")
