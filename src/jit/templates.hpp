// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::jit {

/// A file of shaders/, embedded at build time.
struct TemplateSource {
  std::string_view path;  ///< as includes name it, e.g. "weft/tile.glsl"
  std::string_view text;
};

/// All of them, sorted by path. Defined in the generated template_sources.cpp.
std::span<const TemplateSource> template_sources() noexcept;

/// The text of one; empty where there is none.
std::string_view find_template(std::string_view path) noexcept;

/// One kernel to compile.
struct Variant {
  std::string name;  ///< as in KernelCode
  std::string path;  ///< of its template
  std::vector<std::pair<const char*, std::string>> defines;
};

/// The kernels of a primitive around a snippet, as shaders/own_kernels.cmake has them; empty where the name is none.
std::vector<Variant> variants_of(std::string_view primitive);

}  // namespace weft::jit
