# SPDX-License-Identifier: MIT OR Apache-2.0
#
# GLSL to SPIR-V to C++ at build time. Installed with the package, for weft_add_kernel().
#
#   weft_add_kernel(<target> NAME <name> PRIMITIVE <primitive> SNIPPET <file> [NAMESPACE <namespace>])
#
# Compiles a primitive's kernels around a snippet of the user's own (docs/own-kernels.md) into <target>, which links weft::weft and
# includes "weft_kernels/<name>.hpp": const weft::KernelSet& <namespace>::<name>(). The namespace is "own" where none is given.
# Needs glslc and spirv-val. What the snippet includes is looked for beside it.
#
#   weft_embed_kernels(<target> MANIFEST <file> SOURCES <directory> NAMESPACE <namespace> HEADER <header>
#                      [REGISTRY <file>])
#
# Compiles every kernel that the manifest lists with weft_kernel(), checks it with spirv-val, and adds to <target> a
# generated kernel_registry.cpp that defines <namespace>::kernel_registry(). HEADER is the one that declares the function,
# as src/runtime/kernel_registry.hpp does for weft::runtime; for any other namespace it is
# generated. Kernels are found below <directory> and include what is in shaders/. REGISTRY names a file generated
# earlier from the same sources, to be used as it is.
#
#   weft_kernel(SOURCE [TYPES item:accumulator ...] [STATES state32 state64] [DEFINES NAME[=VALUE] ...] [SUFFIX suffix])
#
# Only in a manifest. Every combination of the axes, each for both subgroup backends, is one variant: one command and one
# dependency file, so that editing an include rebuilds what includes it. Names and defines: shaders/kernels.cmake.
# DEFINES go to all variants of the call; SUFFIX is put behind the stem, to tell calls on the same source apart.

# Functions outlive the scope that defines them, so that what they need is a property. The package's file knows where its shaders are.
if(NOT weft_SHADER_INCLUDE_DIR)
  cmake_path(SET weft_SHADER_INCLUDE_DIR NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../shaders")
endif()
set_property(GLOBAL PROPERTY WEFT_SHADER_DIRECTORY "${weft_SHADER_INCLUDE_DIR}")

# Variants are collected in kernel_names and kernel_files of weft_embed_kernels().
macro(weft_kernel source)
  weft_kernel_variants("${source}" ${ARGN})
endmacro()

function(weft_kernel_variants source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SUFFIX" "TYPES;STATES;DEFINES")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "weft_kernel(${source}): cannot read ${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  cmake_path(GET source STEM stem)
  string(APPEND stem "${arg_SUFFIX}")
  list(TRANSFORM arg_DEFINES PREPEND "-D")
  # An axis that the kernel has not got contributes one empty value, written ":".
  if(NOT arg_TYPES)
    set(arg_TYPES ":")
  endif()
  if(NOT arg_STATES)
    set(arg_STATES ":")
  endif()

  foreach(types IN LISTS arg_TYPES)
    set(types_name "")
    set(types_defines "")
    if(NOT types STREQUAL ":")
      if(NOT types MATCHES "^([a-z0-9]+):([a-z0-9]+)$")
        message(FATAL_ERROR "weft_kernel(${source}): TYPES takes item:accumulator, not '${types}'")
      endif()
      set(types_name ".${CMAKE_MATCH_1}.${CMAKE_MATCH_2}")
      string(TOUPPER "-DWEFT_ITEM=WEFT_${CMAKE_MATCH_1};-DWEFT_ACCUMULATOR=WEFT_${CMAKE_MATCH_2}" types_defines)
    endif()
    foreach(state IN LISTS arg_STATES)
      set(state_name "")
      set(state_defines "")
      if(NOT state STREQUAL ":")
        if(NOT state MATCHES "^state(32|64)$")
          message(FATAL_ERROR "weft_kernel(${source}): STATES takes state32 and state64, not '${state}'")
        endif()
        set(state_name ".${state}")
        set(state_defines "-DWEFT_STATE_BITS=${CMAKE_MATCH_1}")
      endif()
      foreach(backend IN ITEMS native emulated)
        set(emulated 0)
        if(backend STREQUAL "emulated")
          set(emulated 1)
        endif()
        set(name "${stem}${types_name}${state_name}.${backend}")
        set(file "${kernel_binary_dir}/${name}.spv")
        # The name appears only once the code is valid, whatever the build tool makes of a failed command's outputs.
        add_custom_command(
          OUTPUT "${file}"
          COMMAND "${WEFT_GLSLC}" --target-env=vulkan1.2 -fshader-stage=comp "$<$<BOOL:${WEFT_WERROR}>:-Werror>"
                  -I "${shader_dir}" ${kernel_include_options} ${types_defines} ${state_defines}
                  -DWEFT_SUBGROUP_EMULATED=${emulated} ${arg_DEFINES}
                  -MD -MF "${file}.d" -MT "${file}" -o "${file}.new" "${kernel_source_dir}/${source}"
          COMMAND "${WEFT_SPIRV_VAL}" --target-env vulkan1.2 --scalar-block-layout "${file}.new"
          COMMAND "${CMAKE_COMMAND}" -E rename "${file}.new" "${file}"
          MAIN_DEPENDENCY "${kernel_source_dir}/${source}"
          DEPFILE "${file}.d"
          COMMENT "Kernel ${name}"
          COMMAND_EXPAND_LISTS
          VERBATIM)
        list(APPEND kernel_names "${name}")
        list(APPEND kernel_files "${file}")
      endforeach()
    endforeach()
  endforeach()
  set(kernel_names "${kernel_names}" PARENT_SCOPE)
  set(kernel_files "${kernel_files}" PARENT_SCOPE)
endfunction()

function(weft_embed_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MANIFEST;SOURCES;NAMESPACE;HEADER;REGISTRY;DIRECTORY" "INCLUDES")
  get_property(shader_dir GLOBAL PROPERTY WEFT_SHADER_DIRECTORY)
  set(generated_dir "${CMAKE_CURRENT_BINARY_DIR}/generated")
  set(binary_dir "${CMAKE_CURRENT_BINARY_DIR}")
  if(arg_DIRECTORY)
    set(binary_dir "${arg_DIRECTORY}")
  endif()
  if(NOT arg_NAMESPACE STREQUAL "weft::runtime")
    set(kernel_namespace "${arg_NAMESPACE}")
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/kernels.hpp.in" "${generated_dir}/${arg_HEADER}" @ONLY)
    target_include_directories(${target} PRIVATE "${generated_dir}")
  endif()
  if(arg_REGISTRY)
    target_sources(${target} PRIVATE "${arg_REGISTRY}")
    return()
  endif()
  list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  find_package(ShaderTools REQUIRED)
  if(NOT TARGET weft_embed_kernels)
    add_executable(weft_embed_kernels "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_kernels.cpp")
    target_compile_features(weft_embed_kernels PRIVATE cxx_std_20)
    if(TARGET weft_options)
      target_link_libraries(weft_embed_kernels PRIVATE weft_options)
    endif()
  endif()

  set(kernel_source_dir "${arg_SOURCES}")
  set(kernel_binary_dir "${binary_dir}/kernels")
  set(kernel_include_options "${arg_INCLUDES}")
  list(TRANSFORM kernel_include_options PREPEND "-I")
  set(kernel_names "")
  set(kernel_files "")
  file(MAKE_DIRECTORY "${kernel_binary_dir}")
  include("${arg_MANIFEST}")

  set(unique_names "${kernel_names}")
  list(REMOVE_DUPLICATES unique_names)
  if(NOT unique_names STREQUAL kernel_names)
    message(FATAL_ERROR "${arg_MANIFEST} lists a variant twice; SUFFIX tells variants of one source apart")
  endif()

  # The list goes through a file: a command line would be too long for some systems.
  set(list "${kernel_binary_dir}/kernels.txt")
  set(registry "${binary_dir}/kernel_registry.cpp")
  list(JOIN kernel_files "\n" lines)
  file(CONFIGURE OUTPUT "${list}" CONTENT "${lines}\n" @ONLY)
  set(form words)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    set(form text)
  endif()
  add_custom_command(
    OUTPUT "${registry}"
    COMMAND weft_embed_kernels "${arg_HEADER}" "${arg_NAMESPACE}" "${list}" "${registry}"
            ${form}
    DEPENDS weft_embed_kernels "${list}" ${kernel_files}
    COMMENT "Embedding the kernels of ${target}"
    VERBATIM)
  target_sources(${target} PRIVATE "${registry}")
endfunction()

function(weft_add_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;PRIMITIVE;SNIPPET;NAMESPACE" "")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "weft_add_kernel(${target}): cannot read ${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}")
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
  configure_file("${here}/own_kernels.hpp.in" "${CMAKE_CURRENT_BINARY_DIR}/generated/weft_kernels/${arg_NAME}.hpp" @ONLY)
  configure_file("${here}/own_kernels.cpp.in" "${directory}/${arg_NAME}.cpp" @ONLY)
  target_sources(${target} PRIVATE "${directory}/${arg_NAME}.cpp")
  get_property(shader_dir GLOBAL PROPERTY WEFT_SHADER_DIRECTORY)
  weft_embed_kernels(${target} MANIFEST "${shader_dir}/own_kernels.cmake" SOURCES "${shader_dir}"
                     NAMESPACE "${arg_NAMESPACE}::${arg_NAME}_code" HEADER "weft_kernels/${arg_NAME}_code.hpp"
                     DIRECTORY "${directory}" INCLUDES "${directory}/include" "${snippet_dir}")
endfunction()
