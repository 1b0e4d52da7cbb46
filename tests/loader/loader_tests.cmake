# SPDX-License-Identifier: MIT OR Apache-2.0
# Tests of the Loader without a device: a program of their own, which a project without kernels builds too, for
# sanitizers, of the Loader's sources that know no device.
find_package(Zstd 1.5 REQUIRED)

if(TARGET weft_loader)
  add_library(weft_loader_host ALIAS weft_loader)
else()
  find_package(VulkanHeaders REQUIRED)
  find_package(Xxhash 0.8 REQUIRED)
  find_package(Threads REQUIRED)
  find_package(Uring QUIET)
  set(system file_posix no_async_reads)
  if(WIN32)
    set(system file_windows overlapped_reads_windows)
  elseif(Uring_FOUND)
    set(system file_posix uring_reads)
  endif()
  add_library(weft_loader_host STATIC "${weft_root}/src/decode/gstd_tiles.cpp"
                                      "${weft_root}/src/decode/zstd_frames.cpp")
  foreach(source IN ITEMS cut engine image_bytes loader process reading resolve ${system})
    target_sources(weft_loader_host PRIVATE "${weft_root}/src/loader/${source}.cpp")
  endforeach()
  target_include_directories(weft_loader_host PRIVATE "${weft_root}/src" "${weft_root}/shaders")
  target_link_libraries(weft_loader_host PUBLIC weft_pack Vulkan::Headers
                                         PRIVATE weft_ktx2 weft_options Xxhash::xxhash Zstd::zstd Threads::Threads
                                                 $<TARGET_NAME_IF_EXISTS:Uring::uring>)
  if(WEFT_SANITIZE)
    # What is looked at, unlike the tests around it.
    target_compile_options(weft_loader_host PRIVATE -O1 -fsanitize=${WEFT_SANITIZE})
  endif()
endif()

add_executable(loader_host_tests ../loader/host_test.cpp)
target_include_directories(loader_host_tests PRIVATE "${weft_root}/src" "${weft_root}/tests")
target_link_libraries(loader_host_tests PRIVATE weft_loader_host weft_options weft_gstd_main Zstd::zstd)
add_test(NAME gstd.loader COMMAND loader_host_tests)
set_tests_properties(gstd.loader PROPERTIES LABELS gstd TIMEOUT 300)
