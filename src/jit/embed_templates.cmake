# SPDX-License-Identifier: MIT OR Apache-2.0
# Writes the C++ source of weft::jit::template_sources().
#   cmake -DSHADERS=<folder> -DPATHS=<file that lists paths below it, sorted> -DOUTPUT=<source> -P embed_templates.cmake
cmake_minimum_required(VERSION 3.25)

# REUSE-IgnoreStart
string(CONCAT code "// SPDX-License-Identifier: MIT OR Apache-2.0\n// Generated from shaders/.\n"
                   "#include \"jit/templates.hpp\"\n\nnamespace weft::jit {\nnamespace {\n"
                   "constexpr TemplateSource kSources[] = {\n")
file(STRINGS "${PATHS}" paths)
foreach(path IN LISTS paths)
  file(READ "${SHADERS}/${path}" text)
  string(APPEND code "    {\"${path}\", R\"weft_text(${text})weft_text\"},\n")
endforeach()
string(APPEND code "};\n}  // namespace\n\n"
                   "std::span<const TemplateSource> template_sources() noexcept { return kSources; }\n\n"
                   "}  // namespace weft::jit\n")
file(WRITE "${OUTPUT}" "${code}")
