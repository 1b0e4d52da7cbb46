# SPDX-License-Identifier: MIT OR Apache-2.0
# The device matrix: weft_tests in one process per driver configuration and group of files. What a process tests inside
# of itself, backends, widths and strategies, is in support/device.hpp.
#
# Every test has a TIMEOUT: SwiftShader runs a kernel that hangs for ever. lavapipe ends every invocation after 65,535
# loop iterations and reports success, so hangs show on SwiftShader only.

# A sanitized build runs its suites host* by itself (sanitize_test.cmake).
if(WEFT_SANITIZE)
  return()
endif()

# doctest is content with a filter that selects nothing.
set(weft_nothing_ran "test cases: +0 ")

# Groups of test files, so that each process stays within a minute or two, and `ctest -j` has something to spread. A
# file is in the first group that has it, and in `runtime` if none has; suites called host* are a group of their own.
set(weft_grouped "")
# weft_group(<group> <folder/name or folder/*>...)
macro(weft_group group)
  set(globs ${ARGN})
  list(TRANSFORM globs REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/\\1_test.cpp")
  file(GLOB weft_files_${group} CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_LIST_DIR}" ${globs})
  list(REMOVE_ITEM weft_files_${group} ${weft_grouped})
  list(APPEND weft_grouped ${weft_files_${group}})
  list(TRANSFORM weft_files_${group} PREPEND "*/")
  list(JOIN weft_files_${group} "," weft_files_${group})
  set(weft_tests_${group} "--source-file=${weft_files_${group}}")
endmacro()
weft_group(reduce scan/reduce)
weft_group(scan scan/*)
weft_group(select select/select)
weft_group(runs select/* interval/run_length_decode)
weft_group(intervals interval/*)
weft_group(by_key by_key/*)
weft_group(segmented segment/*)
weft_group(others histogram/* bulk/* core/dispatch_arguments)
weft_group(search search/* merge/* sort/* blocks/merge_path blocks/balanced_path)
weft_group(blocks blocks/*)
weft_group(own core/own_kernels core/jit)
weft_group(real core/real_bytes)
weft_group(fuzz core/primitives_fuzz)
list(APPEND weft_tests_fuzz --abort-after=5)
weft_group(gstd decode/*)
list(TRANSFORM weft_grouped PREPEND "*/")
list(JOIN weft_grouped "," weft_grouped)
set(weft_tests_runtime "--source-file-exclude=${weft_grouped}" "--test-suite-exclude=host*")
set(weft_tests_host "--test-suite=host*")
# The codec's tests are there where it is built.
set(weft_codec "")
if(TARGET weft_gstd)
  set(weft_codec gstd)
endif()

# Tags choose test cases. A tag is a word in brackets at the end of a title; tests/tags_test.cmake compares the tags of
# all titles with those that are asked for.
#   [widths]               what every width has of a primitive: every edge of counts, and variants that take turns
#   [types]                variants between which the widths take turns: types of items above all, operators, criteria
#   [forms]                one check for the sizes of items, kinds of outputs and other forms of a primitive's kernels
#   [tuning]               results with other tuning values
#   [huge]                 more workgroups than a dispatch has along one axis, and inputs of ten million items
#   [refusal]              bad arguments, refused before anything runs
#   [faults]               tiles that publish with delay, or never
#   [slow]                 minutes under a validation layer
#   [bounds]               what the GPU-assisted layer runs
#   [net_synchronization]  a fault that synchronization validation must report
#   [net_gpu_assisted]     likewise GPU-assisted validation
set(weft_tags widths types forms tuning huge refusal faults slow bounds net_synchronization net_gpu_assisted)

# weft_tagged(<variable> WITH|WITHOUT <tag>...): the option that selects test cases that have
# one of the tags, or have none.
function(weft_tagged variable choice)
  set(option --test-case)
  if(choice STREQUAL "WITHOUT")
    set(option --test-case-exclude)
  endif()
  foreach(tag IN LISTS ARGN)
    if(NOT tag IN_LIST weft_tags)
      message(FATAL_ERROR "weft_tagged: ${tag} is not in weft_tags")
    endif()
    set_property(GLOBAL APPEND PROPERTY WEFT_TAGS_USED ${tag})
  endforeach()
  list(TRANSFORM ARGN REPLACE "(.+)" "*[\\1]*")
  list(JOIN ARGN "," patterns)
  set(${variable} "${option}=${patterns}" PARENT_SCOPE)
endfunction()

# weft_device_tests(<name> LABELS <label>... GROUPS <group>... [WITH|WITHOUT <tag>...] ENVIRONMENT <variable=value>...)
function(weft_device_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LABELS;GROUPS;WITH;WITHOUT;ENVIRONMENT")
  set(tagged "")
  foreach(choice IN ITEMS WITH WITHOUT)
    if(arg_${choice})
      weft_tagged(chosen ${choice} ${arg_${choice}})
      list(APPEND tagged "${chosen}")
    endif()
  endforeach()
  foreach(group IN LISTS arg_GROUPS)
    add_test(NAME ${name}.${group} COMMAND weft_tests ${weft_tests_${group}} ${tagged})
    set_tests_properties(${name}.${group} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 1200
                                                     ENVIRONMENT "${arg_ENVIRONMENT}" SKIP_RETURN_CODE 77
                                                     FAIL_REGULAR_EXPRESSION "${weft_nothing_ran}")
    # The longest start first; lavapipe8's before the validation layers, which find its machine code in the cache.
    if(group MATCHES "^(search|fuzz|own)$")
      set_tests_properties(${name}.${group} PROPERTIES COST 100)
    elseif(name STREQUAL "lavapipe8")
      set_tests_properties(${name}.${group} PROPERTIES COST 70)
    elseif(name STREQUAL "swiftshader")
      set_tests_properties(${name}.${group} PROPERTIES COST 50)
    endif()
  endforeach()
endfunction()

# ---- real GPUs ----

# With the machine's own drivers; skipped where they offer no hardware.
weft_device_tests(gpu LABELS gpu ENVIRONMENT WEFT_TEST_HARDWARE_ONLY=1
  GROUPS scan reduce select runs intervals by_key segmented others search own real fuzz blocks runtime ${weft_codec})

# ---- software drivers ----

file(GLOB weft_lavapipe_icd /usr/share/vulkan/icd.d/lvp_icd*.json)
file(GLOB weft_swiftshader_icd /usr/lib/chromium/vk_swiftshader_icd.json)
file(GLOB weft_new_layer /usr/lib/chromium/libVkLayer_khronos_validation.so)
file(GLOB weft_debian_layer /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json)

# Older loaders know the second name only.
foreach(driver IN ITEMS lavapipe swiftshader)
  set(weft_${driver} "VK_DRIVER_FILES=${weft_${driver}_icd}" "VK_ICD_FILENAMES=${weft_${driver}_icd}")
endforeach()

# Nearly all of a test's time here goes into building pipelines: a tenth of a second to one each on lavapipe, up to
# fifteen on SwiftShader. So the work is shared out.
# - Every primitive has its edges, types and faults at 4, 8 and 16 lanes, blocks and random cases with them. At 4
#   SwiftShader has the edges and lavapipe the rest: SwiftShader lacks 64-bit integers, and with them most faults of
#   look-back.
# - All other tests, refusals and huge inputs among them, are lavapipe's at 8 lanes.
# - Each family meets its other forms and tuning values, and an emulated width, at one of lavapipe's widths. The blocks
#   that emulated widths are made of, and the random tests, meet all of them.
# - Of large cross products of types, operators and kinds each width takes a twenty-seventh, of small ones a third
#   (support/device.hpp); SwiftShader, which takes longest by far, an eighty-first, and no emulated widths.
# WEFT_TEST_EXHAUSTIVE gives every process all of it: hours.
if(WEFT_TEST_EXHAUSTIVE)
  foreach(process IN ITEMS lavapipe4 lavapipe8 lavapipe16 swiftshader)
    set(weft_share_${process} "")
  endforeach()
else()
  # Modulo 3 that is 2, 1, 0 and 2: edges, which at 4 lanes are SwiftShader's, have all three. So what takes turns is
  # tagged: nobody would have the turns of 4 and 16 lanes else (tags_test.cmake).
  set(weft_share_lavapipe4 WEFT_TEST_SHARE=27/27)
  set(weft_share_lavapipe8 WEFT_TEST_SHARE=14/27)
  set(weft_share_lavapipe16 WEFT_TEST_SHARE=25/27)
  set(weft_share_swiftshader WEFT_TEST_SHARE=3/81)
endif()

# lavapipe keeps machine code there, which processes of one width share: those under a validation
# layer find what others have built.
set(weft_lavapipe_cache "MESA_SHADER_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/lavapipe_cache")
list(APPEND weft_lavapipe "${weft_lavapipe_cache}")

# LLVM allocates so much that another allocator saves an eighth of the time. It keeps a gigabyte: else large buffers
# come from the system each time, page by page. Not for SwiftShader, which is there for wild writes, and not under
# validation layers, which gain nothing.
find_library(WEFT_MIMALLOC NAMES libmimalloc.so.2 mimalloc)
mark_as_advanced(WEFT_MIMALLOC)
set(weft_allocator "")
if(WEFT_MIMALLOC)
  set(weft_allocator "LD_PRELOAD=${WEFT_MIMALLOC}" MIMALLOC_RESERVE_OS_MEMORY=1GiB)
endif()

# Modules reach the driver specialized (layer/specialize.cpp) where that is quicker: in some groups on SwiftShader, and
# on lavapipe in all but these, at 8 lanes. They have most primitives with their modules as they are.
set(weft_as_shipped reduce real runtime)
set(weft_specialized "")
if(weft_specialize_dir)
  set(weft_specialized "VK_LAYER_PATH=${weft_specialize_dir}" VK_INSTANCE_LAYERS=VK_LAYER_WEFT_specialize)
endif()

# weft_lavapipe_tests(<lanes> [WITH|WITHOUT <tag>...] EMULATED <width> BOTH <group>... NATIVE <group>...
#                     HERE <group>... [LOOPS <group>...])
# Natively the groups of BOTH and NATIVE: of NATIVE the tests that are so tagged. Forms and other tuning values, which
# depend little on the width, are those of HERE alone, and these meet the emulated width too, in processes of their
# own. The groups of BOTH meet both backends in one process. In the groups of LOOPS, which gain by it, the layer leaves
# loops as loops: at 8 and 16 lanes, and on SwiftShader, they are as shipped.
function(weft_lavapipe_tests lanes)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EMULATED" "WITH;WITHOUT;BOTH;NATIVE;HERE;LOOPS")
  set(name lavapipe${lanes})
  math(EXPR bits "32 * ${lanes}")
  foreach(group IN LISTS arg_BOTH arg_NATIVE)
    set(environment ${weft_lavapipe} ${weft_allocator} LP_NATIVE_VECTOR_WIDTH=${bits} ${weft_share_${name}})
    if(NOT lanes EQUAL 8 OR NOT group IN_LIST weft_as_shipped)
      list(APPEND environment ${weft_specialized})
    endif()
    if(group IN_LIST arg_LOOPS)
      list(APPEND environment WEFT_KEEP_LOOPS=1)
    endif()
    set(tagged "")
    if(NOT WEFT_TEST_EXHAUSTIVE AND group IN_LIST arg_BOTH)
      list(APPEND environment "WEFT_TEST_BACKENDS=native,emulated${arg_EMULATED}")
    elseif(NOT WEFT_TEST_EXHAUSTIVE)
      list(APPEND environment WEFT_TEST_BACKENDS=native)
      if(arg_WITH AND group IN_LIST arg_HERE)
        set(tagged WITH ${arg_WITH} forms tuning)
      elseif(arg_WITH)
        set(tagged WITH ${arg_WITH})
      elseif(NOT group IN_LIST arg_HERE)
        set(tagged WITHOUT ${arg_WITHOUT} forms tuning)
      elseif(arg_WITHOUT)
        set(tagged WITHOUT ${arg_WITHOUT})
      endif()
    endif()
    weft_device_tests(${name} LABELS ${name} GROUPS ${group} ${tagged} ENVIRONMENT ${environment})
  endforeach()
  if(NOT WEFT_TEST_EXHAUSTIVE)
    weft_device_tests(${name}_emulated${arg_EMULATED} LABELS ${name} GROUPS ${arg_HERE}
      WITHOUT types forms tuning huge refusal faults slow
      ENVIRONMENT ${weft_lavapipe} ${weft_allocator} LP_NATIVE_VECTOR_WIDTH=${bits} ${weft_share_${name}}
                  ${weft_specialized} WEFT_TEST_BACKENDS=emulated${arg_EMULATED})
  endif()
endfunction()

if(weft_lavapipe_icd)
  # Without SwiftShader everything is lavapipe's.
  set(weft_at_4 WITHOUT huge refusal)
  set(weft_untagged_at_4 others real ${weft_codec})
  if(weft_swiftshader_icd AND NOT WEFT_TEST_EXHAUSTIVE)
    set(weft_at_4 WITH types faults)
    set(weft_untagged_at_4 "")
  endif()
  weft_lavapipe_tests(4 ${weft_at_4} EMULATED 64 BOTH blocks fuzz
                      NATIVE scan reduce select runs intervals by_key segmented search own ${weft_untagged_at_4}
                      HERE scan runs intervals segmented own
                      LOOPS runs intervals segmented)
  weft_lavapipe_tests(8 EMULATED 32 BOTH blocks fuzz
                      NATIVE scan reduce select runs intervals by_key segmented others search own real ${weft_codec}
                             runtime
                      HERE reduce others search ${weft_codec})
  weft_lavapipe_tests(16 WITH widths types faults EMULATED 128 BOTH blocks fuzz
                      NATIVE scan reduce select runs intervals by_key segmented others search own ${weft_codec}
                      HERE select by_key)
  weft_device_tests(lavapipe8 LABELS host GROUPS host ENVIRONMENT ${weft_lavapipe} LP_NATIVE_VECTOR_WIDTH=256)
else()
  message(WARNING "lavapipe is not installed (Debian: mesa-vulkan-drivers): its tests are left out")
endif()

if(weft_swiftshader_icd)
  # It is here for what it alone does not forgive, wild writes and endless loops. What differs by type, operator, tuning
  # or size of item, and what refuses arguments before anything runs, is lavapipe's. Of primitives it has
  # what every width has, and what GPU-assisted validation looks at.
  set(weft_not_on_swiftshader WITHOUT types forms tuning huge refusal)
  set(weft_on_swiftshader WITH widths bounds)
  if(WEFT_TEST_EXHAUSTIVE)
    set(weft_not_on_swiftshader "")
    set(weft_on_swiftshader "")
  endif()
  set(weft_swiftshader_environment ${weft_swiftshader} WEFT_TEST_BACKENDS=native ${weft_share_swiftshader})
  weft_device_tests(swiftshader LABELS swiftshader GROUPS scan reduce select runs intervals by_key
    ${weft_on_swiftshader} ${weft_not_on_swiftshader} ENVIRONMENT ${weft_swiftshader_environment} ${weft_specialized})
  weft_device_tests(swiftshader LABELS swiftshader GROUPS runtime
    ${weft_not_on_swiftshader} ENVIRONMENT ${weft_swiftshader_environment} ${weft_specialized})
  # Of merges, sorts and segments some kernels, specialized, take SwiftShader many gigabytes; the others are not known
  # to gain. Those that Contexts have in common are built once.
  set(weft_shared ${weft_specialized})
  if(weft_specialized)
    list(APPEND weft_shared WEFT_SHARE_PIPELINES=1)
  endif()
  weft_device_tests(swiftshader LABELS swiftshader GROUPS segmented others search own ${weft_codec}
    ${weft_on_swiftshader} ${weft_not_on_swiftshader} ENVIRONMENT ${weft_swiftshader_environment} ${weft_shared})
  weft_device_tests(swiftshader LABELS swiftshader GROUPS blocks
    ${weft_not_on_swiftshader} ENVIRONMENT ${weft_swiftshader_environment})
else()
  message(WARNING "SwiftShader is not installed (Debian: chromium): its tests are left out")
endif()

# ---- validation, on lavapipe: any message fails ----

# weft_validation_test(<name> LAYER <directory> [SPECIALIZED] ENVIRONMENT <variable=value>... ARGUMENTS <of tests>...)
# SPECIALIZED: the validation layer sees modules as they are shipped; lavapipe beneath it finds in the cache what its
# own tests have built.
function(weft_validation_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SPECIALIZED" "LAYER" "ENVIRONMENT;ARGUMENTS")
  set(layers VK_LAYER_KHRONOS_validation)
  set(path "${arg_LAYER}")
  if(arg_SPECIALIZED AND weft_specialize_dir)
    string(APPEND layers ":VK_LAYER_WEFT_specialize")
    string(APPEND path ":${weft_specialize_dir}")
  endif()
  set(environment ${weft_lavapipe} LP_NATIVE_VECTOR_WIDTH=256 VK_INSTANCE_LAYERS=${layers} VK_LAYER_PATH=${path}
                  ${arg_ENVIRONMENT})
  add_test(NAME validation.${name} COMMAND weft_tests ${arg_ARGUMENTS})
  set_tests_properties(validation.${name} PROPERTIES LABELS validation TIMEOUT 900 COST 60
    FAIL_REGULAR_EXPRESSION "${weft_nothing_ran}"
    ENVIRONMENT "${environment}")
endfunction()

# What these look at, calls and barriers, does not depend on types and forms. They have the share of lavapipe8, whose
# machine code they find in the cache (but for GPU-assisted validation, which changes kernels).
set(weft_validated_share ${weft_share_lavapipe8})
weft_tagged(weft_without WITHOUT types forms tuning huge faults)
set(weft_validated "--test-suite=scan,reduce,subgroup,lanes,workgroup,refusal,host recording" "${weft_without}")

# The newer layer has all that the older one checks.
if(weft_lavapipe_icd AND weft_debian_layer AND NOT weft_new_layer)
  get_filename_component(weft_debian_layer_dir "${weft_debian_layer}" DIRECTORY)
  weft_validation_test(core_1_3 LAYER "${weft_debian_layer_dir}" SPECIALIZED ARGUMENTS ${weft_validated}
    ENVIRONMENT WEFT_TEST_BACKENDS=native ${weft_validated_share})
endif()

if(weft_lavapipe_icd AND weft_new_layer)
  # Chromium ships the layer without the file that describes it to the loader.
  set(weft_layer_dir "${CMAKE_CURRENT_BINARY_DIR}/layer")
  file(CONFIGURE OUTPUT "${weft_layer_dir}/VkLayer_khronos_validation.json" @ONLY CONTENT [[
{
  "file_format_version": "1.2.0",
  "layer": {
    "name": "VK_LAYER_KHRONOS_validation",
    "type": "GLOBAL",
    "library_path": "@weft_new_layer@",
    "api_version": "1.4.300",
    "implementation_version": "1",
    "description": "Khronos validation layer of the chromium package",
    "instance_extensions": [
      {"name": "VK_EXT_debug_report", "spec_version": "10"},
      {"name": "VK_EXT_debug_utils", "spec_version": "2"},
      {"name": "VK_EXT_validation_features", "spec_version": "6"},
      {"name": "VK_EXT_layer_settings", "spec_version": "2"}
    ]
  }
}
]])
  set(weft_synchronization VK_LAYER_VALIDATE_SYNC=1 VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC=1)
  # The layer advises against core checks beside GPU-assisted ones: they have had their turn.
  set(weft_gpu_assisted VK_LAYER_GPUAV_ENABLE=1 VK_LAYER_GPUAV_SHARED_MEMORY_DATA_RACE=1 VK_LAYER_VALIDATE_CORE=0)

  weft_validation_test(synchronization LAYER "${weft_layer_dir}" SPECIALIZED ARGUMENTS ${weft_validated}
    ENVIRONMENT ${weft_synchronization} WEFT_TEST_BACKENDS=native ${weft_validated_share})
  weft_tagged(weft_without WITHOUT types forms tuning huge faults slow)
  set(weft_compaction select/* interval/* histogram/* search/* merge/* sort/* bulk/* core/dispatch_arguments*)
  list(TRANSFORM weft_compaction PREPEND "*/")
  list(JOIN weft_compaction "," weft_compaction)
  weft_validation_test(synchronization_compaction LAYER "${weft_layer_dir}" SPECIALIZED
    ENVIRONMENT ${weft_synchronization} WEFT_TEST_BACKENDS=native ${weft_validated_share}
    ARGUMENTS "--source-file=${weft_compaction}" "--test-suite-exclude=refusal" "${weft_without}")
  weft_tagged(weft_without WITHOUT types forms tuning faults slow)
  weft_validation_test(synchronization_by_key LAYER "${weft_layer_dir}" SPECIALIZED
    ENVIRONMENT ${weft_synchronization} WEFT_TEST_BACKENDS=native ${weft_validated_share}
    ARGUMENTS "--source-file=*/by_key/*,*/segment/*" "${weft_without}")
  weft_tagged(weft_bounds WITH bounds)
  # (Keys that are not sorted make lanes of SortedSearch write the same words: nothing is
  # expected of these, but it is a race.)
  weft_validation_test(gpu_assisted LAYER "${weft_layer_dir}"
    ENVIRONMENT ${weft_gpu_assisted} WEFT_TEST_BACKENDS=native WEFT_TEST_SHARE=3/9
    ARGUMENTS "--source-file=*/scan/*,*/merge/merge*,*/balanced_path*,*/search/*" "${weft_bounds}")
  # Emulation is in the blocks.
  weft_validation_test(gpu_assisted_blocks LAYER "${weft_layer_dir}"
    ENVIRONMENT ${weft_gpu_assisted} WEFT_TEST_BACKENDS=emulated64
    ARGUMENTS "--test-suite=lanes,workgroup,fse,merge_path" "${weft_bounds}")
  weft_validation_test(gpu_assisted_moves LAYER "${weft_layer_dir}"
    ENVIRONMENT ${weft_gpu_assisted} WEFT_TEST_BACKENDS=native WEFT_TEST_SHARE=3/9
    ARGUMENTS "--test-suite=interval_move,transform_lbs,bulk_remove,bulk_insert,segmented_reduce,set_operation"
              "${weft_bounds}")

  # Each net with a fault that it must catch. skip() keeps these from the other processes, where the net is not there.
  weft_tagged(weft_net WITH net_synchronization)
  weft_validation_test(net_synchronization LAYER "${weft_layer_dir}" SPECIALIZED
    ENVIRONMENT ${weft_synchronization} ARGUMENTS --no-skip "--test-suite=safety net" "${weft_net}")
  weft_tagged(weft_net WITH net_gpu_assisted)
  weft_validation_test(net_gpu_assisted LAYER "${weft_layer_dir}"
    ENVIRONMENT ${weft_gpu_assisted} ARGUMENTS --no-skip "--test-suite=safety net" "${weft_net}")
elseif(weft_lavapipe_icd)
  message(WARNING "no newer validation layer (Debian: chromium): no synchronization and GPU-assisted validation")
endif()

# Where a driver or a layer is missing, or every test runs, some tags choose nothing.
if(weft_lavapipe_icd AND weft_swiftshader_icd AND weft_new_layer AND NOT WEFT_TEST_EXHAUSTIVE)
  get_property(weft_tags_used GLOBAL PROPERTY WEFT_TAGS_USED)
  add_test(NAME tags COMMAND ${CMAKE_COMMAND} -DTESTS=$<TARGET_FILE:weft_tests> "-DTAGS=${weft_tags}"
                             "-DUSED=${weft_tags_used}" "-DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}"
                             -P "${CMAKE_CURRENT_SOURCE_DIR}/tags_test.cmake")
  set_tests_properties(tags PROPERTIES LABELS structure)
endif()
