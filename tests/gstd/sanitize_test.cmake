# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds the codec and its tests with a sanitizer and runs them: all under the address and undefined-behaviour
# sanitizers, the suites that use threads under the thread sanitizer. The build is kept for the next time.
#   cmake -DSANITIZE=<as for -fsanitize> -DSOURCE=<tests/gstd> -DWORK=<build directory> -DCXX=<compiler>
#         -P sanitize_test.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=RelWithDebInfo
          "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" "-DCMAKE_CXX_COMPILER=${CXX}"
          "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -DWEFT_SANITIZE=${SANITIZE} -DWEFT_WERROR=${WERROR}
          -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
  COMMAND_ERROR_IS_FATAL ANY)
if(SANITIZE STREQUAL "thread")
  set(target gstd_thread_tests)
else()
  set(target all)
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}" --target ${target} --parallel 1 COMMAND_ERROR_IS_FATAL ANY)

set(ENV{ASAN_OPTIONS} "detect_stack_use_after_return=1:strict_init_order=1")
set(ENV{UBSAN_OPTIONS} "print_stacktrace=1")
set(ENV{TSAN_OPTIONS} "halt_on_error=1")
if(SANITIZE STREQUAL "thread")
  execute_process(COMMAND "${WORK}/gstd_thread_tests" "--test-case=*thread*" RESULT_VARIABLE failed
                  OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE)
  # A filter that selects nothing passes in doctest.
  if(NOT output MATCHES "test cases: +[1-9]")
    message(FATAL_ERROR "no test case is about threads")
  endif()
else()
  execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}" --output-on-failure RESULT_VARIABLE failed)
endif()
if(failed)
  message(FATAL_ERROR "gstd: ${failed}")
endif()
