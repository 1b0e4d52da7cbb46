# SPDX-License-Identifier: MIT OR Apache-2.0
# Holds the tree to its plan: every primitive's five places, licence lines, names, the length of lines and
# decisions, and the direction of the layers.
#   cmake -DROOT=<sources> -P structure_test.cmake                 checks the tree
#   cmake -DSELF_CHECK=<empty directory> -P structure_test.cmake   plants faults in a small tree and expects each report
cmake_minimum_required(VERSION 3.25)

# Appends a sentence to `faults`.
macro(fault)
  string(CONCAT fault_text ${ARGN})
  list(APPEND faults "${fault_text}")
endmacro()

# Every file of `files` under `folder`: includes must match one of `allowed`.
function(check_includes folder allowed rule)
  foreach(file IN LISTS files)
    if(NOT file MATCHES "^${folder}.*\\.(hpp|cpp|h|cu|comp|glsl)$")
      continue()
    endif()
    file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]+[<\"]")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[ \t]*#[ \t]*include[ \t]+([<\"][^>\"]+[>\"]).*$" "\\1" include "${line}")
      set(fits FALSE)
      foreach(pattern IN LISTS allowed)
        if(include MATCHES "^${pattern}$")
          set(fits TRUE)
        endif()
      endforeach()
      if(NOT fits)
        fault("${file} includes ${include}: ${rule}")
      endif()
    endforeach()
  endforeach()
  set(faults "${faults}" PARENT_SCOPE)
endfunction()

# A primitive has its own files, which are named after it, and each list of primitives has it too: at most eight in all,
# beside kernels after the first. A list is a file that names more than half of all primitives, by class or header.
# What is written when something is released or measured is none.
function(check_lists stems)
  set(own 6)  # header, source, .h, test, calls and bench; the first kernel is the seventh
  set(most 8)
  set(classes "")
  foreach(stem IN LISTS stems)
    set(class "_${stem}")
    foreach(letter IN ITEMS a b c d e f g h i j k l m n o p q r s t u v w x y z)
      string(TOUPPER "${letter}" capital)
      string(REPLACE "_${letter}" "${capital}" class "${class}")
    endforeach()
    list(APPEND classes "${class}")
  endforeach()
  list(LENGTH stems count)
  set(lists "")
  foreach(file IN LISTS files)
    if(NOT file MATCHES "\\.(hpp|cpp|cu|h|comp|glsl|cmake|txt|csv|sh|py|md|in)$|^run$"
       OR file MATCHES "^(CHANGELOG\\.md|docs/isa\\.md|docs/devices\\.md)$|^(bench/results|docs/decisions)/")
      continue()
    endif()
    file(READ "${ROOT}/${file}" text)
    set(named 0)
    foreach(stem class IN ZIP_LISTS stems classes)
      string(FIND "${text}" "${class}" class_at)
      string(FIND "${text}" "${stem}" stem_at)
      if(class_at EQUAL -1 AND stem_at EQUAL -1)
        continue()  # sooner than by a regular expression
      endif()
      set(named_so "(^|[^A-Za-z0-9_])${class}([^A-Za-z0-9_]|$)|(^|[^a-z0-9_])${stem}(_[a-z_]+)?\\.")
      if(text MATCHES "${named_so}")
        math(EXPR named "${named} + 1")
      endif()
    endforeach()
    math(EXPR share "2 * ${named}")
    if(share GREATER count)
      list(APPEND lists "${file}")
    endif()
  endforeach()
  list(LENGTH lists listed)
  math(EXPR touched "${own} + 1 + ${listed}")
  if(touched GREATER most)
    list(JOIN lists ", " lists)
    fault("one more primitive touches ${touched} files, not ${most}: its own, and the lists ${lists}")
  endif()
  set(faults "${faults}" PARENT_SCOPE)
endfunction()

function(check_tree)
  set(faults "")
  file(GLOB_RECURSE files LIST_DIRECTORIES FALSE RELATIVE "${ROOT}"
       "${ROOT}/.ci/*" "${ROOT}/bench/*" "${ROOT}/cmake/*" "${ROOT}/docs/*" "${ROOT}/examples/*" "${ROOT}/include/*"
       "${ROOT}/packaging/*" "${ROOT}/shaders/*" "${ROOT}/src/*" "${ROOT}/tests/*" "${ROOT}/third_party/*"
       "${ROOT}/tools/*")
  file(GLOB top_files LIST_DIRECTORIES FALSE RELATIVE "${ROOT}" "${ROOT}/*")
  list(APPEND files ${top_files})
  list(FILTER files EXCLUDE REGEX "^docs/site/")

  # Primitives: headers with a record() that takes a command buffer.
  set(stems "")
  foreach(file IN LISTS files)
    if(NOT file MATCHES "^include/weft/([a-z0-9_]+)\\.hpp$")
      continue()
    endif()
    set(stem "${CMAKE_MATCH_1}")
    file(STRINGS "${ROOT}/${file}" page REGEX "docs/integration\\.md" LIMIT_COUNT 1)
    if(NOT page)
      fault("${file} does not point to docs/integration.md")
    endif()
    file(STRINGS "${ROOT}/${file}" records REGEX "Status record\\(VkCommandBuffer")
    if(records)
      list(APPEND stems "${stem}")
    endif()
  endforeach()
  if(NOT stems)
    fault("no header of include/weft declares a primitive")
  endif()
  foreach(stem IN LISTS stems)
    # A primitive's source says its family: the folder that its shaders, tests and bench rows are in too. What the codec
    # does on the device has folders of its own, and its bench is a command of weft-bench.
    if(stem MATCHES "^(gstd|gdeflate|zstd)_(.+)$" OR stem STREQUAL "decompress")
      set(family decode)
      set(source "src/decode/${stem}.cpp")
      set(bench "bench/gstd/decode.cpp")
    else()
      file(GLOB source RELATIVE "${ROOT}" "${ROOT}/src/primitives/*/${stem}.cpp")
      if(NOT source)
        fault("primitive ${stem} has no src/primitives/<family>/${stem}.cpp")
        continue()
      endif()
      string(REGEX REPLACE "^src/primitives/([a-z_]+)/.*$" "\\1" family "${source}")
      set(bench "bench/${family}/${stem}_bench.cpp")
    endif()
    foreach(piece IN ITEMS "${source}" "shaders/${family}/${stem}.h" "tests/${family}/${stem}_test.cpp"
                        "tests/${family}/${stem}_calls.hpp" "${bench}")
      if(NOT EXISTS "${ROOT}/${piece}")
        fault("primitive ${stem} has no ${piece}")
      endif()
    endforeach()
    file(GLOB shaders "${ROOT}/shaders/${family}/${stem}.comp" "${ROOT}/shaders/${family}/${stem}_*.comp")
    if(NOT shaders)
      fault("primitive ${stem} has no shaders/${family}/${stem}[_<phase>].comp")
    endif()
  endforeach()
  check_lists("${stems}")

  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    if(file MATCHES "(^|[/_.-])(utils?|common|helpers?|managers?)([/_.-]|$)")
      fault("${file}: a name that says nothing about what is in it")
    endif()
    if(name MATCHES "\\.(hpp|cpp|h|cu|comp|glsl|cmake|sh|in)$" OR
       name MATCHES "^(CMakeLists\\.txt|run|\\.clang-format|\\.clang-tidy)$")
      # A script's first line is its interpreter's.
      file(STRINGS "${ROOT}/${file}" head LIMIT_COUNT 2)
      if(NOT head MATCHES "SPDX-License-Identifier: MIT OR Apache-2.0")
        fault("${file} has no SPDX line at its top")
      endif()
    endif()
  endforeach()

  # Exempt are rows of a table in Markdown, and lines without a space to break them at. Characters are counted, not
  # bytes: one of several bytes in UTF-8 becomes a dot, and so do those that a list of CMake does not hold.
  string(REPEAT "[^\n]" 121 too_long)
  string(ASCII 128 first_continuation)
  string(ASCII 191 last_continuation)
  string(ASCII 192 first_lead)
  string(ASCII 247 last_lead)
  set(not_plain "[${first_lead}-${last_lead}][${first_continuation}-${last_continuation}]+|[][;\\]")
  foreach(file IN LISTS files)
    if(NOT file MATCHES "(\\.(hpp|cpp|h|cu|comp|glsl|cmake|sh|in|py|md|txt|1)|(^|/)(run|Doxyfile|\\.clang-[a-z]+))$")
      continue()
    endif()
    file(READ "${ROOT}/${file}" text)
    string(REGEX REPLACE "${not_plain}" "." text "\n${text}")
    # A decision has half a page.
    string(REGEX MATCHALL "\n[^\n]*" lines "${text}")
    list(LENGTH lines count)
    if(file MATCHES "^docs/decisions/" AND count GREATER 41)
      fault("${file} has more than 40 lines")
    endif()
    string(REGEX MATCHALL "\n${too_long}[^\n]*" lines "${text}")
    foreach(line IN LISTS lines)
      if(line MATCHES "[^ \n] +[^ ]" AND NOT (file MATCHES "\\.md$" AND line MATCHES "^\n *\\|"))
        string(SUBSTRING "${line}" 1 80 beginning)
        fault("${file} has a line above 120 characters: ${beginning}...")
      endif()
    endforeach()
  endforeach()

  set(std "<[a-z0-9_]+>")
  set(weft "<weft/[a-z0-9_/]+\\.h(pp)?>")
  check_includes(include/ "${std};${weft};<vulkan/vulkan_core\\.h>"
                 "public headers include std, vulkan_core.h and each other only")
  check_includes(src/vk/ "${std};${weft};\"vk/.*;<volk\\.h>;<dlfcn\\.h>;<vulkan/.*" "vk knows no layer above it")
  # Public headers that know no primitive.
  set(base "<weft/((context|kernels|status|types|version)\\.hpp|export\\.h)>")
  check_includes("include/weft/(context|kernels|status|types|version)" "[^<].*;<[^/]*>;<vulkan/.*;${base}"
                 "what primitives are made of knows no primitive")
  check_includes(src/runtime/ "${std};${base};\"(vk|runtime)/.*;<vulkan/.*;<volk\\.h>;<zstd\\.h>;<(dlfcn|windows)\\.h>"
                 "runtime knows vk, and no layer above it")
  check_includes(src/gpu/ "${std};${weft};\"(vk|runtime|gpu)/.*;<vulkan/.*"
                 "weft::Gpu knows runtime, and of primitives the public headers")
  check_includes(src/jit/ "${std};${weft};\"(vk|runtime|jit)/.*;<shaderc/.*" "jit knows runtime, and shaderc")
  set(codec "<weft/((gdeflate|gstd|status)\\.hpp|export\\.h)>;\"gstd/.*;\"runtime/caught\\.hpp\"")
  list(APPEND codec "<(zstd(_errors)?|windows)\\.h>;<hwy/.*")
  check_includes(src/gstd/ "${std};${codec}"
                 "the codec knows its headers and errors, libzstd and Highway: it can be built without Vulkan")
  check_includes(src/ktx2/ "${std};<weft/(ktx2|status)\\.hpp>;\"ktx2/.*;\"gstd/(guarded|little_endian)\\.hpp\""
                 "headers of textures are read without anything else: it can be built alone")
  check_includes(src/pack/ "${std};<weft/(gstd|ktx2|pack|status)\\.hpp>;\"(gstd|pack)/.*;<xxhash\\.h>"
                 "packs know the codec and headers of textures, and no Vulkan")
  set(files_of "<(fcntl|unistd|sys/stat|sys/uio|windows|liburing)\\.h>;<zstd(_errors)?\\.h>")
  check_includes(src/loader/ "${std};${weft};\"(vk|runtime|gstd|pack|loader)/.*;<vulkan/.*;${files_of}"
                 "the loader knows packs, the decoders by their headers, the codec, runtime and vk, and files")
  check_includes(src/decode/ "${std};${weft};\"(vk|runtime|primitives|gstd|decode)/.*"
                 "the decoders on the device know what primitives know, and the codec")
  check_includes(src/c/ "${std};${weft};\"c/.*;\"(handles|structs)\\.hpp\";\"runtime/caught\\.hpp\""
                 "the C interface knows the public headers, and what is made of them")
  set(public "<[^/]+\\.h>;<(weft|vulkan|GLFW|CLI|fmt|nlohmann|cuda|cub|thrust|nvcomp|sys)/.*;\"(peers|support)/.*")
  list(APPEND public "\"((weft|weft_kernels|gstd|decode|loader)/)?[a-z0-9_]+\\.(hpp|h|glsl)\"")
  foreach(folder IN ITEMS bench/ examples/ tools/)
    check_includes(${folder} "${std};${public}"
                   "bench, examples and tools use weft's public headers only")
  endforeach()
  # What is of one system is in files that are called *_posix.cpp and *_windows.cpp, and in those of this list: of the
  # libraries, then of programs, which have of POSIX what mingw-w64 has too, and of tests.
  string(CONCAT of_systems
         "aio|arpa/.*|dirent|dlfcn|fcntl|fnmatch|ftw|glob|grp|libgen|link|liburing|linux/.*|netdb|netinet/.*|poll|"
         "pthread|pwd|sched|semaphore|signal|spawn|strings|sys/.*|syslog|termios|ucontext|unistd|utime|wordexp|"
         "direct|io|process|psapi|shlobj|windows|winsock2")
  set(for_systems
      src/gstd/tile_decoder.cpp
      src/loader/uring_reads.cpp
      src/runtime/loader.cpp
      bench/loader/load.cpp bench/loader/load_input.cpp bench/loader/load_peers.cpp
      bench/selftest_journal.cpp
      bench/support/clocks.cpp bench/support/progress.hpp bench/support/session.cpp
      packaging/kit/old_glibc.cpp
      tools/gstd/convert.cpp tools/gstd/files.cpp tools/gstd/files.hpp tools/gstd/pack_contents.cpp
      tools/gstd/pack_file.cpp tools/gstd/pack_writing.cpp tools/gstd/system.hpp
      tests/c/interface_test.c
      tests/contract/jit_memory_test.cpp tests/contract/result_test.cpp
      tests/isa/intel_stand_in.cpp tests/isa/weft_isa.cpp
      tests/loader/host_test.cpp tests/loader/memory_test.cpp
      tests/support/environment.hpp)
  foreach(file IN LISTS files)
    if(NOT file MATCHES "\\.(hpp|cpp|h|c|cu)$" OR file MATCHES "_(posix|windows)\\.cpp$" OR file IN_LIST for_systems)
      continue()
    endif()
    file(STRINGS "${ROOT}/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]+<(${of_systems})\\.h>")
    foreach(line IN LISTS lines)
      fault("${file} has ${line}: it is none of the files for what one system has")
    endforeach()
  endforeach()
  check_includes(shaders/weft/ "\"weft/.*;<cstdint>" "the public shader includes know each other only")
  # Which other families a family is made of, beside core.
  set(of_segment by_key sort merge)
  set(of_search merge)
  set(of_sort merge)
  file(GLOB families RELATIVE "${ROOT}/shaders" "${ROOT}/shaders/*")
  list(REMOVE_ITEM families weft kernels.cmake own_kernels.cmake)
  foreach(family IN LISTS families)
    list(JOIN of_${family} "|" others)
    set(known "core|${family}|${others}")
    check_includes(shaders/${family}/ "\"(weft|${known})/.*;<cstdint>"
                   "${family} knows shaders/weft and of families ${known}")
    check_includes(src/primitives/${family}/ "${std};${weft};\"(vk|runtime|weft|primitives/(${known})|${known})/.*"
                   "${family} knows runtime, vk and of families ${known}")
  endforeach()

  set(faults "${faults}" PARENT_SCOPE)
endfunction()

if(NOT DEFINED SELF_CHECK)
  check_tree()
  if(faults)
    list(JOIN faults "\n  " text)
    message(FATAL_ERROR "The tree is not as planned:\n  ${text}")
  endif()
  return()
endif()

# A small tree that follows the plan.
set(ROOT "${SELF_CHECK}")
set(spdx "// SPDX-License-Identifier: MIT OR Apache-2.0\n")
set(head "${spdx}// docs/integration.md\n")
string(REPEAT "→ " 60 full)
string(REPEAT "x" 130 word)
set(record "  Status record(VkCommandBuffer commands, const Args& args) const;\n")
function(plant_tree)
  file(REMOVE_RECURSE "${ROOT}")
  file(WRITE "${ROOT}/include/weft/status.hpp" "${head}#include <string>\n")
  file(WRITE "${ROOT}/include/weft/scan.hpp" "${head}#include <vulkan/vulkan_core.h>\n${record}")
  file(WRITE "${ROOT}/src/primitives/scan/scan.cpp" "${spdx}#include \"runtime/pipeline.hpp\"\n")
  file(WRITE "${ROOT}/src/runtime/pipeline.hpp" "${spdx}#include \"vk/table.hpp\"\n")
  file(WRITE "${ROOT}/src/gpu/scan.cpp" "${spdx}#include <weft/scan.hpp>\n")
  file(WRITE "${ROOT}/src/vk/table.hpp" "${spdx}#include <volk.h>\n")
  file(WRITE "${ROOT}/shaders/scan/scan.h" "${spdx}#include \"weft/interop.h\"\n")
  file(WRITE "${ROOT}/shaders/scan/scan_up.comp" "${spdx}#include \"scan/scan.h\"\n")
  file(WRITE "${ROOT}/shaders/weft/interop.h" "${spdx}")
  file(WRITE "${ROOT}/include/weft/gstd_decode.hpp" "${head}#include <weft/gstd.hpp>\n${record}")
  file(WRITE "${ROOT}/include/weft/gstd.hpp" "${head}#include <weft/status.hpp>\n")
  file(WRITE "${ROOT}/src/decode/gstd_decode.cpp"
       "${spdx}#include \"primitives/core/arguments.hpp\"\n#include \"gstd/format.hpp\"\n")
  file(WRITE "${ROOT}/src/gstd/format.hpp" "${spdx}#include <weft/gstd.hpp>\n")
  file(WRITE "${ROOT}/src/pack/reader.cpp" "${spdx}#include \"gstd/format.hpp\"\n")
  file(WRITE "${ROOT}/shaders/decode/gstd_decode.h" "${spdx}#include \"weft/interop.h\"\n")
  file(WRITE "${ROOT}/shaders/decode/gstd_decode.comp" "${spdx}#include \"decode/gstd_decode.h\"\n")
  file(WRITE "${ROOT}/tests/decode/gstd_decode_test.cpp" "${spdx}")
  file(WRITE "${ROOT}/tests/decode/gstd_decode_calls.hpp" "${spdx}")
  file(WRITE "${ROOT}/tests/scan/scan_calls.hpp" "${spdx}")
  file(WRITE "${ROOT}/bench/gstd/decode.cpp" "${spdx}#include <weft/gstd_decode.hpp>\n")
  file(WRITE "${ROOT}/tests/scan/scan_test.cpp" "${spdx}#include \"runtime/pipeline.hpp\"\n")
  file(WRITE "${ROOT}/bench/scan/scan_bench.cpp" "${spdx}#include <weft/weft.hpp>\n")
  file(WRITE "${ROOT}/src/jit/compiler.cpp" "${spdx}#include <shaderc/shaderc.hpp>\n")
  file(WRITE "${ROOT}/src/c/gpu.cpp" "${spdx}#include \"c/calls.hpp\"\n")
  file(WRITE "${ROOT}/tools/tool.cpp" "${spdx}#include <weft/weft.hpp>\n")
  file(WRITE "${ROOT}/run" "#!/bin/sh\n# SPDX-License-Identifier: MIT OR Apache-2.0\n")
  file(WRITE "${ROOT}/src/loader/file_posix.cpp" "${spdx}#include <unistd.h>\n")
  file(WRITE "${ROOT}/src/runtime/loader.cpp" "${spdx}#include <dlfcn.h>\n")
  file(WRITE "${ROOT}/docs/site/manager.md" "A ${full}\n")
  # 120 characters, of more bytes; a row of a table; a word.
  file(WRITE "${ROOT}/docs/scan.md" "${full}\n| [a;] | ${full}|\n    ${word}\n")
endfunction()

set(failures "")
function(expect_fault pattern)
  check_tree()
  list(LENGTH faults count)
  if(NOT count EQUAL 1 OR NOT faults MATCHES "${pattern}")
    set(failures "${failures}expected one fault like '${pattern}', got: ${faults}\n" PARENT_SCOPE)
  endif()
endfunction()

plant_tree()
check_tree()
if(faults)
  message(FATAL_ERROR "Faults in a tree that has none: ${faults}")
endif()

plant_tree()
file(REMOVE "${ROOT}/src/primitives/scan/scan.cpp")
expect_fault("primitive scan has no src/primitives/<family>/scan.cpp")
foreach(piece IN ITEMS shaders/scan/scan.h tests/scan/scan_test.cpp tests/scan/scan_calls.hpp bench/scan/scan_bench.cpp)
  plant_tree()
  file(REMOVE "${ROOT}/${piece}")
  expect_fault("primitive scan has no ${piece}")
endforeach()
foreach(piece IN ITEMS src/decode/gstd_decode.cpp shaders/decode/gstd_decode.h tests/decode/gstd_decode_test.cpp
                       bench/gstd/decode.cpp)
  plant_tree()
  file(REMOVE "${ROOT}/${piece}")
  expect_fault("primitive gstd_decode has no ${piece}")
endforeach()

plant_tree()
file(REMOVE "${ROOT}/shaders/scan/scan_up.comp")
expect_fault("primitive scan has no shaders/scan/scan")
plant_tree()
file(REMOVE "${ROOT}/shaders/decode/gstd_decode.comp")
expect_fault("primitive gstd_decode has no shaders/decode/gstd_decode")

plant_tree()
file(WRITE "${ROOT}/include/weft/status.hpp" "${spdx}#include <string>\n")
expect_fault("include/weft/status.hpp does not point to docs/integration.md")

plant_tree()
file(REMOVE "${ROOT}/include/weft/scan.hpp" "${ROOT}/include/weft/gstd_decode.hpp")
expect_fault("no header of include/weft declares a primitive")

foreach(name IN ITEMS src/runtime/string_utils.hpp src/common/log.hpp tests/helpers.cmake tools/device-manager.cpp)
  plant_tree()
  file(WRITE "${ROOT}/${name}" "${spdx}")
  expect_fault("a name that says nothing")
endforeach()

foreach(name IN ITEMS run src/vk/table.hpp shaders/weft/interop.h)
  plant_tree()
  file(WRITE "${ROOT}/${name}" "#pragma once\n\n\n${spdx}")
  expect_fault("${name} has no SPDX line")
endforeach()

foreach(name IN ITEMS run src/vk/table.hpp shaders/weft/interop.h docs/scan.md)
  plant_tree()
  file(APPEND "${ROOT}/${name}" "# [\\] ${full}")
  expect_fault("${name} has a line above 120 characters: # \\.\\.\\. \\. ")
endforeach()

foreach(case IN ITEMS "src/pack/reader.cpp|unistd" "tools/tool.cpp|sys/file" "src/runtime/pipeline.hpp|pthread"
                      "src/runtime/pipeline.hpp|windows" "bench/scan/scan_bench.cpp|fcntl"
                      "tests/scan/scan_test.cpp|netinet/in" "examples/scan.c|io")
  string(REPLACE "|" ";" case "${case}")
  list(GET case 0 file)
  list(GET case 1 header)
  plant_tree()
  file(WRITE "${ROOT}/${file}" "${spdx}#include <${header}.h>\n")
  check_tree()
  if(NOT faults MATCHES "${file} has #include <${header}.h>: it is none of the files for")
    string(APPEND failures "expected a fault of <${header}.h> in ${file}, got: ${faults}\n")
  endif()
endforeach()

plant_tree()
string(REPEAT "x\n" 41 long)
file(WRITE "${ROOT}/docs/decisions/scan.md" "${long}")
expect_fault("docs/decisions/scan.md has more than 40 lines")

# Four primitives, of which two documents are lists.
plant_tree()
foreach(stem IN ITEMS one_more merge radix_sort)
  file(WRITE "${ROOT}/include/weft/${stem}.hpp" "${head}${record}")
  foreach(piece IN ITEMS src/primitives/scan/${stem}.cpp shaders/scan/${stem}.h shaders/scan/${stem}.comp
                         tests/scan/${stem}_test.cpp tests/scan/${stem}_calls.hpp bench/scan/${stem}_bench.cpp)
    file(WRITE "${ROOT}/${piece}" "${spdx}")
  endforeach()
endforeach()
file(WRITE "${ROOT}/docs/primitives.md" "- Scan\n- OneMore\n- Merge\n")
check_tree()
if(faults)
  string(APPEND failures "a tree with one list has faults: ${faults}\n")
endif()
file(WRITE "${ROOT}/docs/names.txt" "scan.u8\none_more_up.u8\nradix_sort.u32\n")
expect_fault("one more primitive touches 9 files, not 8: its own, and the lists docs/names.txt, docs/primitives.md")

foreach(case IN ITEMS "include/weft/status.hpp|<volk.h>|public headers"
                      "include/weft/status.hpp|\"vk/table.hpp\"|public headers"
                      "src/vk/table.hpp|\"runtime/pipeline.hpp\"|vk knows"
                      "src/runtime/pipeline.hpp|\"scan/scan.h\"|runtime knows"
                      "src/jit/compiler.cpp|\"scan/scan.h\"|jit knows"
                      "src/c/gpu.cpp|\"primitives/core/arguments.hpp\"|the C interface knows"
                      "tools/tool.cpp|\"runtime/pipeline.hpp\"|public headers only"
                      "bench/scan/scan_bench.cpp|\"../src/vk/table.hpp\"|public headers only"
                      "shaders/weft/interop.h|\"scan/scan.h\"|know each other only"
                      "shaders/scan/scan.h|\"../runtime/x.h\"|scan knows"
                      "src/primitives/scan/scan.cpp|\"primitives/sort/sort.hpp\"|scan knows"
                      "src/gpu/scan.cpp|\"primitives/scan/scan.hpp\"|Gpu knows"
                      "include/weft/status.hpp|<weft/scan.hpp>|knows no primitive"
                      "src/runtime/pipeline.hpp|<weft/scan.hpp>|runtime knows"
                      "shaders/decode/gstd_decode.comp|\"scan/scan.h\"|decode knows"
                      "src/gstd/format.hpp|\"primitives/core/arguments.hpp\"|it can be built without Vulkan"
                      "src/gstd/format.hpp|<weft/context.hpp>|it can be built without Vulkan"
                      "src/pack/reader.cpp|<weft/context.hpp>|packs know"
                      "src/decode/gstd_decode.cpp|<zstd.h>|on the device know")
  string(REPLACE "|" ";" case "${case}")
  list(GET case 0 file)
  list(GET case 1 include)
  list(GET case 2 rule)
  plant_tree()
  file(APPEND "${ROOT}/${file}" "#include ${include}\n")
  expect_fault("${rule}")
endforeach()

if(failures)
  message(FATAL_ERROR "${failures}")
endif()
