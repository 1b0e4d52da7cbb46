# SPDX-License-Identifier: MIT OR Apache-2.0
# Toolchain of `./run kit` for Windows: Debian's mingw-w64. WEFT_KIT_WORK is what packaging/kit/build.sh lays out:
# dependencies/usr, the unpacked -dev packages of the host's Debian, for their headers, and windows-libraries, which are
# built of Debian's sources.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_KIT_WORK)
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_FIND_ROOT_PATH "${WEFT_KIT_WORK}/windows-libraries" "${WEFT_KIT_WORK}/dependencies")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# Headers alone are taken of it.
set(fmt_DIR "${WEFT_KIT_WORK}/dependencies/usr/lib/x86_64-linux-gnu/cmake/fmt")

# Windows 10. Sizes of files have 64 bits.
set(CMAKE_CXX_FLAGS_INIT "-D_WIN32_WINNT=0x0A00 -D_FILE_OFFSET_BITS=64")
# One file each: no DLL of the compiler's.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
