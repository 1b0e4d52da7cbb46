# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DSOURCE=<sources> -DWORK=<folder> -DPYTHON=<python, with Markdown> -P site_test.cmake
# The site is made of the tree without a complaint, as `./run docs` makes it; dead links are found; a browser shows it.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND "${PYTHON}" -c "import markdown" RESULT_VARIABLE missing ERROR_QUIET)
find_program(doxygen doxygen)
if(missing OR NOT doxygen)
  message(STATUS "Python-Markdown or doxygen is not installed: no site is made")
  return()
endif()
set(site "${SOURCE}/docs/site")
execute_process(COMMAND "${PYTHON}" "${SOURCE}/docs/site.py" "${SOURCE}" "${site}" OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)

# A tree with three dead links among good ones.
set(tree "${WORK}/tree")
file(MAKE_DIRECTORY "${tree}/docs/figures" "${tree}/docs/decisions" "${tree}/examples")
file(COPY "${SOURCE}/docs/Doxyfile" DESTINATION "${tree}/docs")
file(WRITE "${tree}/include/weft/one.hpp" "/// @file\nint one();  ///< One.\n")
foreach(page IN ITEMS integration architecture devices gstd-format loader performance/README)
  file(WRITE "${tree}/docs/${page}.md" "# A page\n\n## Two words, here\n\n[up](#two-words-here)\n")
endforeach()
file(WRITE "${tree}/CHANGELOG.md" "# Changes\n")
file(WRITE "${tree}/examples/one.cpp" "int main() {}\n")
file(WRITE "${tree}/README.md" "# weft\n\n[good](docs/loader.md#two-words-here) [good](examples/one.cpp)\n"
     "[bad](docs/none.md) [bad](docs/loader.md#none) [bad](#none)\n")
execute_process(COMMAND "${PYTHON}" "${SOURCE}/docs/site.py" "${tree}" "${WORK}/site"
                ERROR_VARIABLE said OUTPUT_VARIABLE said RESULT_VARIABLE failed)
set(dead "dead links:\nindex.html: #none\nindex.html: docs/loader.html#none\nindex.html: docs/none.md.html\n")
if(NOT failed OR NOT said STREQUAL dead)
  message(FATAL_ERROR "three dead links, and the site's maker says:\n${said}")
endif()

find_program(chromium chromium)
if(NOT chromium)
  message(STATUS "chromium is not installed: no browser opens the site")
  return()
endif()
foreach(page IN ITEMS "index.html|parallel primitives" "docs/performance/README.html|<table>" "api/index.html|weft")
  string(REPLACE "|" ";" page "${page}")
  list(GET page 0 name)
  list(GET page 1 expected)
  execute_process(COMMAND "${chromium}" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage
                          "--user-data-dir=${WORK}/chromium" --enable-logging=stderr --virtual-time-budget=5000
                          --dump-dom "file://${site}/${name}"
                  OUTPUT_VARIABLE shown ERROR_VARIABLE log RESULT_VARIABLE failed TIMEOUT 120)
  if(failed OR NOT shown MATCHES "${expected}" OR log MATCHES "CONSOLE[^\n]*(Error|Failed)")
    message(FATAL_ERROR "chromium shows of ${name}, without '${expected}' or with errors:\n${log}\n${shown}")
  endif()
endforeach()
