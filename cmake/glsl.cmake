# SPDX-License-Identifier: MIT OR Apache-2.0
#
# GLSL to SPIR-V to compressed bytes in the program at build time. Installed with the package, for weft_add_kernel().
#
#   weft_add_kernel(<target> NAME <name> PRIMITIVE <primitive> SNIPPET <file> [NAMESPACE <namespace>])
#
# Compiles a primitive's kernels around a snippet of the user's own (docs/own-kernels.md) into <target>, which
# links weft::weft and includes "weft_kernels/<name>.hpp": const weft::KernelSet& <namespace>::<name>(). The
# namespace is "own" where none is given. Needs glslc; uses spirv-val and libzstd where they are. What the snippet
# includes is looked for beside it.
#
#   weft_embed_kernels(<target> MANIFEST <file> SOURCES <directory> NAMESPACE <namespace> [HEADER <header>]
#                      [FAMILIES <family>...] [DIRECTORY <directory>] [INCLUDES <directory>...])
#
# Compiles every kernel that the manifest lists with weft_kernel() and packs each family of them into an object of
# <target>: const weft::PackedKernels& <namespace>::<family>(), so that a linker takes the families a program uses.
# HEADER is generated and declares them. FAMILIES: these and those they require, in place of all. Kernels are found
# below <directory> and include what is in shaders/.
#
#   weft_family(NAME [REQUIRES family ...] [SOURCES file ...])
#   weft_kernel(SOURCE [TYPES item:accumulator ...] [DEFINES NAME[=VALUE] ...] [SUFFIX suffix] [OPTIMIZED types ...]
#               [NATIVE])
#
# Only in a manifest. A kernel belongs to the family begun last, "kernels" where none is. Every combination of the axes,
# each for the subgroup backends of WEFT_BACKENDS, is one variant. One command compiles all of a family, as glslc takes
# longer to start than to compile one; its dependency file rebuilds a family if an include changes. Names and defines:
# shaders/kernels.cmake. DEFINES go to all variants of the call; SUFFIX is appended to the stem, to distinguish calls on
# the same source. OPTIMIZED are types (":" where the kernel has none) whose native variants are optimized here, and not
# by the driver alone (docs/decisions/shader-optimizer.md). NATIVE: not for the emulated backend. SOURCES are for
# weft_families().
#
#   weft_families(<manifest> <variable> [<family>...])
#
# Sets <variable> to the manifest's families, or to the given ones and what they require, <variable>_SOURCES to their
# SOURCES and <variable>_WITH_KERNELS to those that have kernels.
#
# WEFT_KERNELS_FROM: another build of the same sources, whose packed kernels are used where it has them, and whose
# program packs the others: one that is built for another system may not run here.

# Functions outlive the scope that defines them, so that what they need is a property. The package's file sets where
# its shaders are.
if(NOT weft_SHADER_INCLUDE_DIR)
  cmake_path(SET weft_SHADER_INCLUDE_DIR NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../shaders")
endif()
set_property(GLOBAL PROPERTY WEFT_SHADER_DIRECTORY "${weft_SHADER_INCLUDE_DIR}")

# Families are collected in the scope of weft_families(), and there alone; names of variants in kernels_<family> of
# weft_embed_kernels().
macro(weft_family name)
  set(kernel_family "${name}")
  cmake_parse_arguments(family_${name} "" "" "REQUIRES;SOURCES" ${ARGN})
  list(APPEND kernel_families "${name}")
endmacro()

macro(weft_kernel source)
  if(kernel_family IN_LIST wanted_families)
    weft_kernel_variants("${source}" ${ARGN})
  endif()
  list(APPEND families_with_kernels "${kernel_family}")
endmacro()

function(weft_families manifest variable)
  set(wanted_families "")
  set(kernel_families "")
  set(families_with_kernels "")
  set(kernel_family kernels)
  include("${manifest}")
  if(NOT kernel_families)
    set(kernel_families kernels)
  endif()
  set(open "${ARGN}")
  if(NOT open)
    set(open "${kernel_families}")
  endif()
  set(wanted "")
  while(open)
    list(POP_FRONT open family)
    if(NOT family IN_LIST kernel_families)
      list(JOIN kernel_families " " known)
      message(FATAL_ERROR "${manifest} has no '${family}', but ${known}")
    endif()
    if(NOT family IN_LIST wanted)
      list(APPEND wanted "${family}")
      list(APPEND open ${family_${family}_REQUIRES})
    endif()
  endwhile()
  set(sources "")
  set(sorted "")
  set(with_kernels "")
  foreach(family IN LISTS kernel_families)
    if(family IN_LIST wanted)
      list(APPEND sorted "${family}")
      list(APPEND sources ${family_${family}_SOURCES})
      if(family IN_LIST families_with_kernels)
        list(APPEND with_kernels "${family}")
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES sources)
  set(${variable} "${sorted}" PARENT_SCOPE)
  set(${variable}_SOURCES "${sources}" PARENT_SCOPE)
  set(${variable}_WITH_KERNELS "${with_kernels}" PARENT_SCOPE)
endfunction()

function(weft_kernel_variants source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NATIVE" "SUFFIX" "TYPES;DEFINES;OPTIMIZED")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "weft_kernel(${source}): cannot read ${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  cmake_path(GET source STEM stem)
  string(APPEND stem "${arg_SUFFIX}")
  # An axis that the kernel has not got contributes one empty value, written ":".
  if(NOT arg_TYPES)
    set(arg_TYPES ":")
  endif()

  foreach(types IN LISTS arg_TYPES)
    set(types_name "")
    set(types_defines "")
    if(NOT types STREQUAL ":")
      if(NOT types MATCHES "^([a-z0-9]+):([a-z0-9]+)$")
        message(FATAL_ERROR "weft_kernel(${source}): TYPES takes item:accumulator, not '${types}'")
      endif()
      set(types_name ".${CMAKE_MATCH_1}.${CMAKE_MATCH_2}")
      string(TOUPPER "WEFT_ITEM=WEFT_${CMAKE_MATCH_1};WEFT_ACCUMULATOR=WEFT_${CMAKE_MATCH_2}" types_defines)
    endif()
    foreach(backend IN LISTS kernel_backends)
      set(emulated 0)
      if(backend STREQUAL "emulated")
        set(emulated 1)
      endif()
      if(emulated AND arg_NATIVE)
        continue()
      endif()
      set(name "${stem}${types_name}.${backend}")
      set(defines ${types_defines} WEFT_SUBGROUP_EMULATED=${emulated} ${arg_DEFINES})
      list(TRANSFORM defines REPLACE "^([^=]+)=?(.*)$" "#define \\1 \\2\n")
      list(JOIN defines "" defines)
      file(CONFIGURE OUTPUT "${kernel_binary_dir}/${name}.glsl" CONTENT "@defines@#include \"@source@\"\n" @ONLY)
      list(APPEND kernels_${kernel_family} "${name}")
      if(types IN_LIST arg_OPTIMIZED AND NOT emulated)
        list(APPEND optimized_${kernel_family} "${name}")
      endif()
    endforeach()
  endforeach()
  set(kernels_${kernel_family} "${kernels_${kernel_family}}" PARENT_SCOPE)
  set(optimized_${kernel_family} "${optimized_${kernel_family}}" PARENT_SCOPE)
endfunction()

# What packs kernels. Without libzstd it leaves them as they are.
function(weft_add_embedder)
  if(WEFT_KERNELS_FROM)
    add_executable(weft_embed_kernels IMPORTED GLOBAL)
    set_property(TARGET weft_embed_kernels PROPERTY IMPORTED_LOCATION "${WEFT_KERNELS_FROM}/src/weft_embed_kernels")
    return()
  endif()
  add_executable(weft_embed_kernels "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_kernels.cpp")
  target_compile_features(weft_embed_kernels PRIVATE cxx_std_20)
  # In the package both files are in one folder.
  target_include_directories(weft_embed_kernels PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../src/runtime"
                                                        "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  if(TARGET weft_options)
    target_link_libraries(weft_embed_kernels PRIVATE weft_options)
  endif()
  find_package(Zstd 1.5 QUIET)
  if(Zstd_FOUND)
    target_link_libraries(weft_embed_kernels PRIVATE Zstd::zstd)
    target_compile_definitions(weft_embed_kernels PRIVATE WEFT_WITH_ZSTD)
  endif()
endfunction()

function(weft_embed_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MANIFEST;SOURCES;NAMESPACE;HEADER;DIRECTORY" "FAMILIES;INCLUDES")
  get_property(shader_dir GLOBAL PROPERTY WEFT_SHADER_DIRECTORY)
  set(here "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  set(kernel_namespace "${arg_NAMESPACE}")
  set(binary_dir "${CMAKE_CURRENT_BINARY_DIR}")
  if(arg_DIRECTORY)
    set(binary_dir "${arg_DIRECTORY}")
  endif()
  set(kernel_binary_dir "${binary_dir}/kernels")
  weft_families("${arg_MANIFEST}" families ${arg_FAMILIES})
  set(families "${families_WITH_KERNELS}")

  if(arg_HEADER)
    set(kernel_declarations "")
    foreach(family IN LISTS families)
      string(APPEND kernel_declarations "const weft::PackedKernels& ${family}() noexcept;\n")
    endforeach()
    list(JOIN families ", " kernel_functions)
    configure_file("${here}/kernels.hpp.in" "${CMAKE_CURRENT_BINARY_DIR}/generated/${arg_HEADER}" @ONLY)
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
  endif()

  # By the assembler where there is one for sure; elsewhere as an array in C.
  set(kernel_incbin 0)
  set(form text)
  if((CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF" OR MINGW) AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    set(kernel_incbin 1)
    set(form bytes)
  endif()

  set(reused "")
  if(WEFT_KERNELS_FROM)
    cmake_path(RELATIVE_PATH kernel_binary_dir BASE_DIRECTORY "${PROJECT_BINARY_DIR}" OUTPUT_VARIABLE reused)
    cmake_path(APPEND WEFT_KERNELS_FROM "${reused}" OUTPUT_VARIABLE reused)
    foreach(family IN LISTS families)
      if(NOT EXISTS "${reused}/${family}.${form}")
        set(reused "")
        break()
      endif()
    endforeach()
    if(reused)
      set(kernel_binary_dir "${reused}")
    endif()
  endif()
  # Where the SPIR-V is that was packed, which has its names still.
  set_property(TARGET ${target} PROPERTY WEFT_KERNEL_DIRECTORY "${kernel_binary_dir}")

  if(NOT reused)
    list(PREPEND CMAKE_MODULE_PATH "${here}" "${here}/../third_party")
    find_package(ShaderTools REQUIRED)
    if(NOT TARGET weft_embed_kernels)
      weft_add_embedder()
    endif()
    set(kernel_backends "${WEFT_BACKENDS}")
    if(NOT kernel_backends)
      set(kernel_backends native emulated)
    endif()
    # weft's own are checked where its tests are built.
    set(kernel_check "")
    if(WEFT_SPIRV_VAL AND (WEFT_BUILD_TESTS OR NOT PROJECT_NAME STREQUAL "weft"))
      set(kernel_check "${WEFT_SPIRV_VAL}" --target-env vulkan1.2 --scalar-block-layout)
    elseif(WEFT_BUILD_TESTS)
      message(FATAL_ERROR "The tests need spirv-val, which is not found")
    endif()
    set(include_options "${arg_SOURCES}" "${shader_dir}" ${arg_INCLUDES})
    list(TRANSFORM include_options PREPEND "-I")
    set(kernel_family kernels)
    set(wanted_families "${families}")
    include("${arg_MANIFEST}")
  endif()

  string(REPLACE "::" "_" symbol_prefix "weft_kernels_${arg_NAMESPACE}")
  foreach(kernel_family IN LISTS families)
    set(kernel_file "${kernel_binary_dir}/${kernel_family}.${form}")
    if(NOT reused)
      set(names "${kernels_${kernel_family}}")
      list(REMOVE_DUPLICATES names)
      if(NOT names STREQUAL kernels_${kernel_family})
        message(FATAL_ERROR "${arg_MANIFEST} lists a variant twice; SUFFIX distinguishes variants of one source")
      endif()
      set_property(TARGET ${target} APPEND PROPERTY WEFT_KERNELS ${names})
      list(TRANSFORM names REPLACE "(.+)" "${kernel_binary_dir}/\\1.glsl" OUTPUT_VARIABLE sources)
      list(TRANSFORM optimized_${kernel_family} REPLACE "(.+)" "${kernel_binary_dir}/\\1.glsl")
      set(compile "${WEFT_GLSLC}" --target-env=vulkan1.2 -fshader-stage=comp -std=460
                  "$<$<BOOL:${WEFT_WERROR}>:-Werror>" ${include_options} -MD -c)
      set(plain ${sources})
      set(optimize "")
      if(optimized_${kernel_family})
        list(REMOVE_ITEM plain ${optimized_${kernel_family}})
        # -g: with its names.
        set(optimize COMMAND ${compile} -O -g ${optimized_${kernel_family}})
      endif()
      set(checks "")
      if(kernel_check)
        foreach(name IN LISTS names)
          list(APPEND checks COMMAND ${kernel_check} "${name}.spv")
        endforeach()
      endif()
      # The version stands in what these sources include.
      add_custom_command(
        OUTPUT "${kernel_file}"
        COMMAND ${compile} ${plain}
        ${optimize}
        ${checks}
        COMMAND weft_embed_kernels "${kernel_file}" ${form} ${names}
        DEPENDS weft_embed_kernels ${sources}
        DEPFILE "${kernel_file}.d"
        WORKING_DIRECTORY "${kernel_binary_dir}"
        COMMENT "Kernels of ${kernel_family}"
        COMMAND_EXPAND_LISTS
        VERBATIM)
    endif()
    set(kernel_symbol "${symbol_prefix}_${kernel_family}")
    set(source "${binary_dir}/generated/${kernel_family}_kernels.cpp")
    configure_file("${here}/kernels.cpp.in" "${source}" @ONLY)
    set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${kernel_file}" SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE "${source}")
  endforeach()
endfunction()

function(weft_add_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;PRIMITIVE;SNIPPET;NAMESPACE" "")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "weft_add_kernel(${target}): cannot read "
                        "${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(argument IN ITEMS NAME PRIMITIVE SNIPPET)
    if(NOT arg_${argument})
      message(FATAL_ERROR "weft_add_kernel(${target}): ${argument} is missing")
    endif()
  endforeach()
  if(NOT arg_NAMESPACE)
    set(arg_NAMESPACE own)
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "weft_add_kernel(${target}): NAME becomes a function's, which '${arg_NAME}' cannot")
  endif()
  cmake_path(ABSOLUTE_PATH arg_SNIPPET NORMALIZE)
  if(NOT EXISTS "${arg_SNIPPET}")
    message(FATAL_ERROR "weft_add_kernel(${target}): there is no ${arg_SNIPPET}")
  endif()

  set(directory "${CMAKE_CURRENT_BINARY_DIR}/weft_kernels/${arg_NAME}")
  set(own_name "${arg_NAME}")
  set(own_namespace "${arg_NAMESPACE}")
  set(primitive "${arg_PRIMITIVE}")
  cmake_path(GET arg_SNIPPET FILENAME snippet_file)
  cmake_path(GET arg_SNIPPET PARENT_PATH snippet_dir)
  # GLSL takes no macro for a file's name: the templates include this one.
  file(CONFIGURE OUTPUT "${directory}/include/weft/own_snippet.glsl" CONTENT "#include \"@snippet_file@\"\n" @ONLY)
  set(here "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  configure_file("${here}/own_kernels.hpp.in"
                 "${CMAKE_CURRENT_BINARY_DIR}/generated/weft_kernels/${arg_NAME}.hpp" @ONLY)
  configure_file("${here}/own_kernels.cpp.in" "${directory}/${arg_NAME}.cpp" @ONLY)
  target_sources(${target} PRIVATE "${directory}/${arg_NAME}.cpp")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
  get_property(shader_dir GLOBAL PROPERTY WEFT_SHADER_DIRECTORY)
  weft_embed_kernels(${target} MANIFEST "${shader_dir}/own_kernels.cmake" SOURCES "${shader_dir}"
                     NAMESPACE "${arg_NAMESPACE}::${arg_NAME}_code"
                     DIRECTORY "${directory}" INCLUDES "${directory}/include" "${snippet_dir}")
endfunction()
