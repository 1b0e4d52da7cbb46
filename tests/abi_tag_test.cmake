# SPDX-License-Identifier: MIT OR Apache-2.0
#   cmake -DABI=<packaging/abi> -DWORK=<folder> -DPYTHON=<python> -P abi_tag_test.cmake
# The binary interface is that of the last tag, or SONAMEs are others; a tree of which that is not so is found out.
cmake_minimum_required(VERSION 3.25)
find_program(abidiff abidiff)
find_program(git git)
if(NOT abidiff OR NOT git)
  message(STATUS "abidiff (Debian: abigail-tools) or git is not installed: nothing is compared")
  return()
endif()
execute_process(COMMAND "${PYTHON}" "${ABI}/abi.py" --tag --work "${WORK}/tree" COMMAND_ERROR_IS_FATAL ANY)

# A tree with what is kept here, and a tag before it with one line more, or another.
set(tree "${WORK}/planted")
file(READ "${ABI}/weft.symbols" symbols)
function(expect_tag tag_symbols says fails)
  file(REMOVE_RECURSE "${tree}")
  file(COPY "${ABI}/" DESTINATION "${tree}")
  file(WRITE "${tree}/weft.symbols" "${tag_symbols}")
  foreach(command IN ITEMS "init -q" "add ." "commit -qm Released" "tag v0.2.0")
    separate_arguments(command)
    execute_process(COMMAND "${git}" -c user.name=weft -c user.email=weft@localhost -C "${tree}" ${command}
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(WRITE "${tree}/weft.symbols" "${symbols}")
  execute_process(COMMAND "${PYTHON}" "${tree}/abi.py" --tag --work "${WORK}/tree" RESULT_VARIABLE failed
                  OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT said MATCHES "${says}" OR (fails AND NOT failed) OR (failed AND NOT fails))
    message(FATAL_ERROR "abi.py says of a tag '${said}', and not '${says}'; it fails with ${failed}")
  endif()
endfunction()
expect_tag("${symbols}libweft weft::gone()\n" "weft::gone\\(\\)\n.*the same SONAMEs" ON)
expect_tag("${symbols}libweft weft::runtime::gone()\n" "^$" OFF)
string(REPLACE "libweft SONAME libweft." "libweft SONAME libweft.so.0.1 " older "${symbols}")
expect_tag("${older}libweft weft::gone()\n" "libweft.so.0.1.*weft::gone\\(\\)\n$" OFF)
