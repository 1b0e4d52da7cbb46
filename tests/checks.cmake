# SPDX-License-Identifier: MIT OR Apache-2.0
# Tests of the tree, the package and the build, beside those of weft_tests.

add_test(NAME structure COMMAND ${CMAKE_COMMAND} "-DROOT=${PROJECT_SOURCE_DIR}"
                                -P "${CMAKE_CURRENT_SOURCE_DIR}/structure_test.cmake")
add_test(NAME structure_self_check COMMAND ${CMAKE_COMMAND} "-DSELF_CHECK=${CMAKE_CURRENT_BINARY_DIR}/structure"
                                           -P "${CMAKE_CURRENT_SOURCE_DIR}/structure_test.cmake")
set_tests_properties(structure structure_self_check PROPERTIES LABELS structure)

# A sanitized build is for weft_tests alone; the main one runs everything else.
if(WEFT_SANITIZE)
  return()
endif()

add_subdirectory(isa)

foreach(check IN ITEMS clang-format clang-tidy)
  add_test(NAME ${check} COMMAND ${CMAKE_COMMAND} -DCHECK=${check} "-DSOURCE=${PROJECT_SOURCE_DIR}"
                                 "-DBUILD=${PROJECT_BINARY_DIR}" -DJIT=${WEFT_JIT}
                                 -P "${CMAKE_CURRENT_SOURCE_DIR}/style_test.cmake")
  set_tests_properties(${check} PROPERTIES LABELS style)
endforeach()
set_tests_properties(clang-tidy PROPERTIES PROCESSORS 2 TIMEOUT 1200)

# Compiled once: it takes a minute, and several with a sanitizer.
set(weft_registry "$<FILTER:$<TARGET_OBJECTS:weft>,INCLUDE,kernel_registry>")
if(WEFT_KERNEL_REGISTRY)
  set(weft_registry "${WEFT_KERNEL_REGISTRY}")
endif()
if(WEFT_TEST_KERNEL_REGISTRY)
  set(weft_test_registry "${WEFT_TEST_KERNEL_REGISTRY}")
else()
  set(weft_test_registry "${PROJECT_BINARY_DIR}/tests/kernel_registry.cpp")
endif()

# These run on lavapipe wherever it is: a defined device, on every machine.
file(GLOB weft_lavapipe_icd /usr/share/vulkan/icd.d/lvp_icd*.json)
set(weft_software_device "")
if(weft_lavapipe_icd)
  set(weft_software_device "VK_DRIVER_FILES=${weft_lavapipe_icd};VK_ICD_FILENAMES=${weft_lavapipe_icd}")
endif()

foreach(way IN ITEMS find_package add_subdirectory pkg_config)
  add_test(NAME consumer_${way}
           COMMAND ${CMAKE_COMMAND} -DWAY=${way} "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DBUILD=${PROJECT_BINARY_DIR}"
                   "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer/${way}" "-DCXX=${CMAKE_CXX_COMPILER}"
                   "-DLAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}" "-DREGISTRY=${weft_registry}" -DJIT=${WEFT_JIT} -DGSTD=${WEFT_GSTD}
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/consumer/consumer_test.cmake")
  set_tests_properties(consumer_${way} PROPERTIES LABELS consumer TIMEOUT 900 ENVIRONMENT "${weft_software_device}")
endforeach()

# Host code under the sanitizers: the test suites called host*, in a second tree that takes the kernels of this one.
foreach(sanitizer IN ITEMS address,undefined thread)
  string(MAKE_C_IDENTIFIER "sanitize_${sanitizer}" name)
  add_test(NAME ${name}
           COMMAND ${CMAKE_COMMAND} -DSANITIZE=${sanitizer} "-DSOURCE=${PROJECT_SOURCE_DIR}"
                   "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/${name}" "-DCXX=${CMAKE_CXX_COMPILER}"
                   "-DLAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}" "-DREGISTRY=${weft_registry}"
                   "-DTEST_REGISTRY=${weft_test_registry}" -DWERROR=${WEFT_WERROR}
                   -P "${CMAKE_CURRENT_SOURCE_DIR}/sanitize_test.cmake")
  set_tests_properties(${name} PROPERTIES LABELS sanitize TIMEOUT 1500 COST 400 ENVIRONMENT "${weft_software_device}")
endforeach()
