# SPDX-License-Identifier: MIT OR Apache-2.0
# The target site: pages of the tree and of doxygen, in build/release/site/index.html.
find_program(WEFT_DOXYGEN doxygen)
find_program(WEFT_PYTHON_MARKDOWN NAMES python3 NAMES_PER_DIR PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(WEFT_DOXYGEN WEFT_PYTHON_MARKDOWN)
if(NOT WEFT_DOXYGEN OR NOT WEFT_PYTHON_MARKDOWN)
  return()
endif()
execute_process(COMMAND "${WEFT_PYTHON_MARKDOWN}" -c "import markdown" RESULT_VARIABLE missing ERROR_QUIET)
if(missing)
  return()
endif()
set(api "${PROJECT_BINARY_DIR}/site_api")
file(READ "${PROJECT_SOURCE_DIR}/docs/Doxyfile" settings)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/site.doxyfile" CONTENT "${settings}OUTPUT_DIRECTORY = \"${api}\"\n" @ONLY)
add_custom_target(site
  COMMAND "${WEFT_DOXYGEN}" "${PROJECT_BINARY_DIR}/site.doxyfile"
  COMMAND "${WEFT_PYTHON_MARKDOWN}" docs/site.py . "${api}/html" "${PROJECT_BINARY_DIR}/site"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  VERBATIM)
