# SPDX-License-Identifier: MIT OR Apache-2.0
# Finds glslc (shaderc) and, where it is, spirv-val (SPIRV-Tools), and defines WEFT_GLSLC and WEFT_SPIRV_VAL.
find_program(WEFT_GLSLC glslc HINTS "$ENV{VULKAN_SDK}/bin" DOC "GLSL compiler of shaderc")
find_program(WEFT_SPIRV_VAL spirv-val HINTS "$ENV{VULKAN_SDK}/bin" DOC "SPIR-V validator of SPIRV-Tools")
mark_as_advanced(WEFT_GLSLC WEFT_SPIRV_VAL)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ShaderTools REQUIRED_VARS WEFT_GLSLC)
