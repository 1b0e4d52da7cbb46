# SPDX-License-Identifier: MIT OR Apache-2.0
# Tests of the tree, the package and the build, beside those of weft_tests.

add_test(NAME structure COMMAND ${CMAKE_COMMAND} "-DROOT=${PROJECT_SOURCE_DIR}"
                                -P "${CMAKE_CURRENT_SOURCE_DIR}/structure_test.cmake")
add_test(NAME structure_self_check COMMAND ${CMAKE_COMMAND} "-DSELF_CHECK=${CMAKE_CURRENT_BINARY_DIR}/structure"
                                           -P "${CMAKE_CURRENT_SOURCE_DIR}/structure_test.cmake")
set_tests_properties(structure structure_self_check PROPERTIES LABELS structure)

find_program(WEFT_BASH bash REQUIRED)
mark_as_advanced(WEFT_BASH)
add_test(NAME mutants_apply COMMAND "${WEFT_BASH}" "${CMAKE_CURRENT_SOURCE_DIR}/mutants/mutants.sh" check
                                    "${PROJECT_SOURCE_DIR}")
set_tests_properties(mutants_apply PROPERTIES LABELS structure)

# A sanitized build is for weft_tests alone; the main one runs everything else.
if(WEFT_SANITIZE)
  return()
endif()

# docs/figures is what bench/results/figures.py draws from the kept results.
find_package(Python3 COMPONENTS Interpreter REQUIRED)
add_test(NAME figures COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/bench/results/figures.py" --check)
# docs/devices.md and the README's table of speed are what bench/results/devices.py writes from them.
add_test(NAME device_table COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/bench/results/devices.py" --check)
add_test(NAME device_table_self_check
         COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DPYTHON=${Python3_EXECUTABLE}"
                 "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/device_table"
                 -P "${CMAKE_CURRENT_SOURCE_DIR}/device_table_test.cmake")
set_tests_properties(figures device_table device_table_self_check PROPERTIES LABELS structure)

add_subdirectory(isa)

foreach(check IN ITEMS clang-format clang-tidy doxygen)
  add_test(NAME ${check} COMMAND ${CMAKE_COMMAND} -DCHECK=${check} "-DSOURCE=${PROJECT_SOURCE_DIR}"
                                 "-DBUILD=${PROJECT_BINARY_DIR}" -DJIT=${WEFT_JIT}
                                 -P "${CMAKE_CURRENT_SOURCE_DIR}/style_test.cmake")
  set_tests_properties(${check} PROPERTIES LABELS style)
endforeach()
# It takes both cores, and would otherwise wait for them until all else has ended.
set_tests_properties(clang-tidy PROPERTIES PROCESSORS 2 TIMEOUT 1200 COST 1000)

# These run on lavapipe wherever it is: a defined device, on every machine. They find in the cache what tests of 8 lanes
# have built. The examples are among them.
file(GLOB weft_lavapipe_icd /usr/share/vulkan/icd.d/lvp_icd*.json)
set(weft_software_device "")
if(weft_lavapipe_icd)
  set(weft_software_device "${weft_lavapipe};LP_NATIVE_VECTOR_WIDTH=256;${weft_specialized}")
endif()
set(weft_software_device "${weft_software_device}" PARENT_SCOPE)

foreach(way IN ITEMS find_package add_subdirectory pkg_config gstd_alone)
  add_test(NAME consumer_${way}
           COMMAND ${CMAKE_COMMAND} -DWAY=${way} "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DBUILD=${PROJECT_BINARY_DIR}"
                   "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer/${way}" "-DCXX=${CMAKE_CXX_COMPILER}"
                   "-DLAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}" "-DSHARED=${BUILD_SHARED_LIBS}" -DJIT=${WEFT_JIT}
                   -DC=${WEFT_C} "-DCC=${CMAKE_C_COMPILER}"
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/consumer/consumer_test.cmake")
  set_tests_properties(consumer_${way} PROPERTIES LABELS consumer TIMEOUT 900 ENVIRONMENT "${weft_software_device}")
endforeach()

# What shared libraries export, and layouts of public types, on the machine that they are kept for.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64"
   AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND WEFT_BOTH_LIBRARIES)
  set(libraries "")
  foreach(target IN ITEMS weft weft_decode weft_gstd weft_jit weft_ktx2 weft_loader weft_pack)
    if(TARGET ${target})
      list(APPEND libraries $<TARGET_FILE:${target}_shared>)
    endif()
  endforeach()
  set(c_header "")
  if(WEFT_C AND NOT WEFT_C_STATIC)
    list(APPEND libraries $<TARGET_FILE:weft_c>)
    set(c_header --c-header "$<TARGET_PROPERTY:weft_c,BINARY_DIR>/generated/weft/weft.h")
  endif()
  add_test(NAME abi COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/packaging/abi/abi.py"
                            --headers "${PROJECT_SOURCE_DIR}/include/weft" --cxx "${CMAKE_CXX_COMPILER}"
                            --work "${CMAKE_CURRENT_BINARY_DIR}/abi" ${c_header} ${libraries})
  add_test(NAME abi_tag COMMAND ${CMAKE_COMMAND} "-DABI=${PROJECT_SOURCE_DIR}/packaging/abi"
                                "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/abi_tag" "-DPYTHON=${Python3_EXECUTABLE}"
                                -P "${CMAKE_CURRENT_SOURCE_DIR}/abi_tag_test.cmake")
  set_tests_properties(abi abi_tag PROPERTIES LABELS structure)
endif()

# Packages, of what is built.
if(WEFT_BUILD_BENCH AND WEFT_BOTH_LIBRARIES)
  add_test(NAME packages
           COMMAND ${CMAKE_COMMAND} "-DBUILD=${PROJECT_BINARY_DIR}" "-DSOURCE=${PROJECT_SOURCE_DIR}"
                   "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/packages" "-DPYTHON=${Python3_EXECUTABLE}"
                   "-DCPACK=${CMAKE_CPACK_COMMAND}" "-DCXX=${CMAKE_CXX_COMPILER}"
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/packages_test.cmake")
  set_tests_properties(packages PROPERTIES LABELS consumer TIMEOUT 300)
endif()
add_test(NAME recipes
         COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}" -DVERSION=${PROJECT_VERSION}
                 "-DPYTHON=${Python3_EXECUTABLE}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/recipes"
                 -P "${CMAKE_CURRENT_SOURCE_DIR}/recipes_test.cmake")
set_tests_properties(recipes PROPERTIES LABELS structure)
# What the port of vcpkg builds, with Debian's packages below: `ctest -C slow -R vcpkg_port`.
add_test(NAME vcpkg_port CONFIGURATIONS slow
         COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}" -DVERSION=${PROJECT_VERSION}
                 "-DPYTHON=${Python3_EXECUTABLE}" "-DWORK=${PROJECT_BINARY_DIR}/vcpkg" "-DKERNELS=${PROJECT_BINARY_DIR}"
                 -P "${CMAKE_CURRENT_SOURCE_DIR}/recipes_test.cmake")
set_tests_properties(vcpkg_port PROPERTIES LABELS slow TIMEOUT 3600 ENVIRONMENT "${weft_software_device}")
# Conan 2 builds a package of the tree and a program of that, with Debian's packages below: `ctest -C slow -R conan`.
find_program(WEFT_CONAN conan)
mark_as_advanced(WEFT_CONAN)
if(WEFT_CONAN)
  add_test(NAME conan CONFIGURATIONS slow
           COMMAND "${WEFT_CONAN}" create "${PROJECT_SOURCE_DIR}/packaging/conan" --no-remote
                   "--profile:all=${PROJECT_SOURCE_DIR}/packaging/conan/debian.profile"
                   -c "tools.cmake.cmake_layout:test_folder=${PROJECT_BINARY_DIR}/conan/test"
                   -c "tools.cmake.cmaketoolchain:extra_variables={'WEFT_KERNELS_FROM': '${PROJECT_BINARY_DIR}'}")
  set_tests_properties(conan PROPERTIES LABELS slow TIMEOUT 3600 ENVIRONMENT
                       "CONAN_HOME=${PROJECT_BINARY_DIR}/conan/home")
endif()
# Debian's own way builds all anew: `ctest -C slow -R debian_packages`.
add_test(NAME debian_packages CONFIGURATIONS slow
         COMMAND "${WEFT_BASH}" "${PROJECT_SOURCE_DIR}/packaging/debian_packages.sh" "${PROJECT_BINARY_DIR}/debian")
set_tests_properties(debian_packages PROPERTIES LABELS slow TIMEOUT 3600)

# The codec on another processor: `ctest -C slow -R gstd_arm64`.
add_test(NAME gstd_arm64 CONFIGURATIONS slow
         COMMAND "${WEFT_BASH}" "${CMAKE_CURRENT_SOURCE_DIR}/gstd/arm64.sh" "${PROJECT_BINARY_DIR}/arm64")
set_tests_properties(gstd_arm64 PROPERTIES LABELS slow TIMEOUT 3600)

# The sources by clang's MS modes, where it is.
find_program(WEFT_CLANG clang++)
mark_as_advanced(WEFT_CLANG)
if(WEFT_CLANG)
  add_test(NAME clang-ms COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DBUILD=${PROJECT_BINARY_DIR}"
                                 "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/ms" "-DCLANG=${WEFT_CLANG}"
                                 -P "${CMAKE_CURRENT_SOURCE_DIR}/ms_test.cmake")
  # It has both cores, so it begins while they are free.
  set_tests_properties(clang-ms PROPERTIES LABELS style COST 900 TIMEOUT 600 PROCESSORS 2)
endif()

# The libraries, gstd and the tests that need no device, for Windows, and run under wine where that is; weft-bench is
# parsed. What it becomes, the self-test and tests on a device are for ./run kit: they take longer than all of this.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_test(NAME windows COMMAND "${WEFT_BASH}" "${PROJECT_SOURCE_DIR}/packaging/kit/build.sh"
                                "${CMAKE_CURRENT_BINARY_DIR}/windows" "${PROJECT_BINARY_DIR}" windows)
  set_tests_properties(windows PROPERTIES LABELS consumer COST 500 TIMEOUT 1200 SKIP_RETURN_CODE 77)
endif()

# docs/site, which git ignores and reuse would not, were it written after that has asked git.
find_program(WEFT_PYTHON_MARKDOWN NAMES python3 NAMES_PER_DIR PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(WEFT_PYTHON_MARKDOWN)
add_test(NAME site COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/site"
                           "-DPYTHON=${WEFT_PYTHON_MARKDOWN}" -P "${CMAKE_CURRENT_SOURCE_DIR}/site_test.cmake")
set_tests_properties(site PROPERTIES LABELS structure TIMEOUT 400 RESOURCE_LOCK docs_site)

# Licences of all files.
find_program(WEFT_REUSE reuse)
mark_as_advanced(WEFT_REUSE)
if(WEFT_REUSE)
  add_test(NAME reuse COMMAND "${WEFT_REUSE}" --root "${PROJECT_SOURCE_DIR}" lint)
  set_tests_properties(reuse PROPERTIES LABELS structure RESOURCE_LOCK docs_site)
endif()

# What is linked weighs as much as the table says, where it is made as there: optimized, in archives.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT BUILD_SHARED_LIBS AND NOT WEFT_KERNELS_FROM AND TARGET gstd
   AND TARGET weft-bench AND CMAKE_STRIP)
  # Of the primitives it links Scan alone.
  add_executable(scan_alone consumer/volk_host.cpp)
  target_link_libraries(scan_alone PRIVATE weft::weft ${CMAKE_DL_LIBS})
  set(weft_weighed libweft.a=$<TARGET_FILE:weft> scan=$<TARGET_FILE:scan_alone> gstd=$<TARGET_FILE:gstd>
                   weft-bench=$<TARGET_FILE:weft-bench>)
  get_target_property(weft_modules weft WEFT_KERNELS)
  get_target_property(decode_modules weft_decode WEFT_KERNELS)
  list(APPEND weft_modules ${decode_modules})
  list(LENGTH weft_modules weft_modules)
  add_test(NAME sizes
           COMMAND ${CMAKE_COMMAND} "-DTABLE=${CMAKE_CURRENT_SOURCE_DIR}/sizes.csv"
                   "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/sizes" "-DSTRIP=${CMAKE_STRIP}"
                   "-DPROGRAMS=$<JOIN:${weft_weighed},|>" -DMODULES=${weft_modules}
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/sizes_test.cmake")
  set_tests_properties(sizes PROPERTIES LABELS structure)
endif()

# Each primitive with what the manifest says it needs.
if(CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/weft_objects.txt" CONTENT "$<JOIN:$<TARGET_OBJECTS:weft>,\n>\n")
  add_test(NAME primitives
           COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DCXX=${CMAKE_CXX_COMPILER}"
                   "-DOBJECTS=${CMAKE_CURRENT_BINARY_DIR}/weft_objects.txt"
                   "-DLIBRARIES=$<TARGET_FILE:Zstd::zstd>|$<$<BOOL:${CMAKE_DL_LIBS}>:-l${CMAKE_DL_LIBS}>"
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/primitives_test.cmake")
  set_tests_properties(primitives PROPERTIES LABELS structure)
endif()

if(WEFT_BUILD_BENCH)
  add_test(NAME bench COMMAND ${CMAKE_COMMAND} "-DBENCH=$<TARGET_FILE:weft-bench>"
                              "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/bench"
                              -P "${CMAKE_CURRENT_SOURCE_DIR}/bench_test.cmake")
  set_tests_properties(bench PROPERTIES LABELS bench TIMEOUT 600
                                   ENVIRONMENT "${weft_software_device}")
  add_test(NAME report COMMAND ${CMAKE_COMMAND} "-DBENCH=$<TARGET_FILE:weft-bench>"
                               "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/report"
                               -P "${CMAKE_CURRENT_SOURCE_DIR}/report_test.cmake")
  set_tests_properties(report PROPERTIES LABELS bench TIMEOUT 300)
  # What the kit does on a newcomer's machine; the archives are built and tried by ./run kit.
  add_test(NAME kit COMMAND ${CMAKE_COMMAND} "-DBENCH=$<TARGET_FILE:weft-bench>" "-DBASH=${WEFT_BASH}"
                            "-DKIT=${PROJECT_SOURCE_DIR}/packaging/kit" "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/kit"
                            -P "${CMAKE_CURRENT_SOURCE_DIR}/kit_test.cmake")
  set_tests_properties(kit PROPERTIES LABELS bench TIMEOUT 120 ENVIRONMENT "${weft_software_device}")
  foreach(driver IN ITEMS lavapipe swiftshader)
    if(weft_${driver}_icd)
      add_test(NAME selftest_${driver}
               COMMAND ${CMAKE_COMMAND} "-DBENCH=$<TARGET_FILE:weft-bench>" "-DLAYER=${weft_specialize_dir}"
                       "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/selftest_${driver}"
                       -P "${CMAKE_CURRENT_SOURCE_DIR}/selftest_test.cmake")
      set_tests_properties(selftest_${driver} PROPERTIES LABELS bench TIMEOUT 600 ENVIRONMENT "${weft_${driver}}")
    endif()
  endforeach()
  find_package(fmt REQUIRED CONFIG)
  find_package(nlohmann_json REQUIRED CONFIG)
  add_executable(weft_bench_tests bench/statistics_test.cpp bench/table_test.cpp
                                  "${PROJECT_SOURCE_DIR}/bench/support/report.cpp")
  target_include_directories(weft_bench_tests PRIVATE "${PROJECT_SOURCE_DIR}/bench")
  target_link_libraries(weft_bench_tests PRIVATE weft::weft weft_options weft_test_options fmt::fmt-header-only
                                                 nlohmann_json::nlohmann_json doctest::doctest)
  add_test(NAME bench_statistics COMMAND weft_bench_tests)
  set_tests_properties(bench_statistics PROPERTIES LABELS bench)
endif()

# Host code under the sanitizers: the test suites called host*, in a second tree that takes the kernels of this one.
foreach(sanitizer IN ITEMS address,undefined thread)
  string(MAKE_C_IDENTIFIER "sanitize_${sanitizer}" name)
  add_test(NAME ${name}
           COMMAND ${CMAKE_COMMAND} -DSANITIZE=${sanitizer} "-DSOURCE=${PROJECT_SOURCE_DIR}"
                   "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/${name}" "-DCXX=${CMAKE_CXX_COMPILER}"
                   "-DLAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}" "-DKERNELS=${PROJECT_BINARY_DIR}" -DWERROR=${WEFT_WERROR}
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/sanitize_test.cmake")
  set_tests_properties(${name} PROPERTIES LABELS sanitize TIMEOUT 1500 COST 400
                                          ENVIRONMENT "${weft_software_device}")
endforeach()
