# SPDX-License-Identifier: MIT OR Apache-2.0
# Toolchain of `./run kit` for Linux: the host's GCC, against the headers and the C library of an older Debian, so that
# programs run wherever there is that glibc or a newer one. WEFT_KIT_WORK is what packaging/kit/build.sh lays out:
# sysroot, that Debian, and dependencies/usr, the unpacked -dev packages of the host's Debian.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_KIT_WORK)
set(CMAKE_SYSROOT "${WEFT_KIT_WORK}/sysroot")
set(CMAKE_FIND_ROOT_PATH "${WEFT_KIT_WORK}/dependencies")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

# The C++ headers stay the host's, as libstdc++.a is.
set(CMAKE_CXX_COMPILER g++)
execute_process(COMMAND g++ -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++")
foreach(directory IN ITEMS c++/${version} x86_64-linux-gnu/c++/${version} c++/${version}/backward)
  string(APPEND CMAKE_CXX_FLAGS_INIT " -isystem /usr/include/${directory}")
endforeach()
# Before the host's directories, which GCC finds beside itself: the C library and what a program begins with.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-B${CMAKE_SYSROOT}/usr/lib/x86_64-linux-gnu")
