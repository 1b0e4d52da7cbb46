# SPDX-License-Identifier: MIT OR Apache-2.0
#
#   weft_git_commit(<target>)
#
# Lets <target> include "git_commit.hpp", which defines weft::kGitCommit: the commit of the sources at build time (not
# at configure time, which may be long past), "-dirty" after it where tracked files differ. Sources unpacked from an
# archive that git made have their commit in git_archive.txt; of others it is "unknown". As a script (-DSOURCE_DIR=
# -DOUTPUT=) it writes that header, and touches it only when the text changes.
if(CMAKE_SCRIPT_MODE_FILE)
  set(commit "unknown")
  find_program(GIT git)
  if(GIT)
    # Sources unpacked inside somebody else's repository are not at that repository's commit.
    execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" rev-parse --show-prefix HEAD
                    OUTPUT_VARIABLE output RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND output MATCHES "^\n?([0-9a-f]+)\n$")
      set(commit "${CMAKE_MATCH_1}")
      execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" status --porcelain --untracked-files=no
                      OUTPUT_VARIABLE changes ERROR_QUIET)
      if(changes)
        string(APPEND commit "-dirty")
      endif()
    endif()
  endif()
  if(commit STREQUAL "unknown")
    file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/git_archive.txt" line LIMIT_COUNT 1)
    if(line MATCHES "^[0-9a-f]+$")
      set(commit "${line}")
    endif()
  endif()
  file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// Generated at build time.
#pragma once

namespace weft {
inline constexpr const char* kGitCommit = "@commit@";
}
]])
  return()
endif()

set(WEFT_GIT_COMMIT_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(weft_git_commit target)
  set(directory "${PROJECT_BINARY_DIR}/git_commit")
  if(NOT TARGET weft_git_commit)
    add_custom_target(weft_git_commit
      COMMAND "${CMAKE_COMMAND}" -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${directory}/git_commit.hpp
              -P "${WEFT_GIT_COMMIT_SCRIPT}"
      BYPRODUCTS "${directory}/git_commit.hpp"
      COMMENT ""
      VERBATIM)
  endif()
  add_dependencies(${target} weft_git_commit)
  target_include_directories(${target} PRIVATE "${directory}")
endfunction()
