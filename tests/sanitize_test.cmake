# SPDX-License-Identifier: MIT OR Apache-2.0
# Builds weft_tests with a sanitizer and runs its suites host*. The thread sanitizer has runtime/threads_test.cpp alone,
# with the primitives that it names, since the library has no threads of its own. weft_contract_tests too, but not under
# the thread sanitizer, which does not take the codec: what has threads of the codec is in a test of its own. The build
# is kept for the next time.
#   cmake -DSANITIZE=<as for -fsanitize> -DSOURCE=<sources> -DWORK=<build directory> -DCXX=<compiler>
#         -DKERNELS=<a build that has the kernels> -P sanitize_test.cmake
cmake_minimum_required(VERSION 3.25)

# Without any optimization it compiles fastest; the address sanitizer makes it too slow then.
set(optimization -Og)
set(targets weft_tests weft_contract_tests)
set(parts "")
set(chosen "--test-suite=host*")
if(SANITIZE STREQUAL "thread")
  set(optimization -O0)
  set(targets weft_tests)
  set(parts -DWEFT_GSTD=OFF -DWEFT_JIT=OFF "-DWEFT_PRIMITIVES=scan\\;reduce\\;select\\;binary_search")
endif()
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=RelWithDebInfo
          "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=${optimization} -g1" "-DCMAKE_CXX_COMPILER=${CXX}"
          "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -DWEFT_SANITIZE=${SANITIZE} -DWEFT_WERROR=${WERROR}
          -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
          -DWEFT_BUILD_TESTS=ON -DWEFT_BUILD_BENCH=OFF -DWEFT_BUILD_TOOLS=OFF -DWEFT_BUILD_EXAMPLES=OFF
          "-DWEFT_KERNELS_FROM=${KERNELS}" ${parts}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}" --target ${targets}
                COMMAND_ERROR_IS_FATAL ANY)

# Drivers are not instrumented: what they leak, and how their own threads meet, is not ours to report.
file(WRITE "${WORK}/leaks.txt" "leak:libvulkan\nleak:libLLVM\nleak:libVkLayer\n")
set(ENV{LSAN_OPTIONS} "suppressions=${WORK}/leaks.txt:print_suppressions=0")
set(ENV{ASAN_OPTIONS} "detect_stack_use_after_return=1:strict_init_order=1")
set(ENV{UBSAN_OPTIONS} "print_stacktrace=1")
set(ENV{TSAN_OPTIONS} "ignore_noninstrumented_modules=1:halt_on_error=1")
execute_process(COMMAND "${WORK}/tests/weft_tests" ${chosen} RESULT_VARIABLE failed
                OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE)
if(failed)
  message(FATAL_ERROR "weft_tests: ${failed}")
endif()
if(weft_contract_tests IN_LIST targets)
  execute_process(COMMAND "${WORK}/tests/contract/weft_contract_tests" COMMAND_ERROR_IS_FATAL ANY)
endif()
# A filter that selects nothing passes in doctest.
if(NOT output MATCHES "test cases: +[1-9]")
  message(FATAL_ERROR "no test is chosen by ${chosen}")
endif()
