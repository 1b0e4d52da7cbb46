// SPDX-License-Identifier: MIT OR Apache-2.0
#include "jit/templates.hpp"

#include <algorithm>

namespace weft::jit {
namespace {

struct Kernel {
  std::string_view primitive;
  const char* stem;
  bool has_states;
  const char* accumulator;
  const char* define = nullptr;
};

constexpr Kernel kKernels[] = {
    {"scan", "scan_look_back", true, "own"},
    {"scan", "scan_repair", true, "own"},
    {"scan", "scan_upsweep", false, "own"},
    {"scan", "scan_downsweep", false, "own"},
    {"scan_by_key", "scan_by_key_look_back", true, "own"},
    {"scan_by_key", "scan_by_key_repair", true, "own"},
    {"scan_by_key", "scan_by_key_upsweep", false, "own"},
    {"scan_by_key", "scan_by_key_downsweep", false, "own"},
    {"reduce", "reduce", false, "own"},
    {"reduce", "reduce_finish", false, "own"},
    {"select", "select_look_back", true, "u32"},
    {"select", "select_repair", true, "u32"},
    {"select", "select_upsweep", false, "u32"},
    {"select", "select_downsweep", false, "u32"},
    {"unique", "select_look_back", true, "u32", "WEFT_OWN_UNIQUE"},
    {"unique", "select_repair", true, "u32", "WEFT_OWN_UNIQUE"},
    {"unique", "select_upsweep", false, "u32", "WEFT_OWN_UNIQUE"},
    {"unique", "select_downsweep", false, "u32", "WEFT_OWN_UNIQUE"},
    {"partition", "select_look_back", true, "counts"},
    {"partition", "select_repair", true, "counts"},
    {"partition", "select_upsweep", false, "counts"},
    {"partition", "select_downsweep", false, "counts"},
    {"run_length_encode", "run_length_encode_look_back", true, "runs", "WEFT_OWN_UNIQUE"},
    {"run_length_encode", "run_length_encode_repair", true, "runs", "WEFT_OWN_UNIQUE"},
    {"run_length_encode", "run_length_encode_upsweep", false, "runs", "WEFT_OWN_UNIQUE"},
    {"run_length_encode", "run_length_encode_downsweep", false, "runs", "WEFT_OWN_UNIQUE"},
};

std::string define_of(std::string_view type) {
  std::string define = "WEFT_";
  for (const char c : type) define += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return define;
}

}  // namespace

std::string_view find_template(std::string_view path) noexcept {
  const std::span<const TemplateSource> sources = template_sources();
  const auto found = std::ranges::lower_bound(sources, path, {}, &TemplateSource::path);
  return found != sources.end() && found->path == path ? found->text : std::string_view{};
}

std::vector<Variant> variants_of(std::string_view primitive) {
  std::vector<Variant> variants;
  for (const Kernel& kernel : kKernels) {
    if (kernel.primitive != primitive) continue;
    for (const char* state : {"32", "64"}) {
      if (!kernel.has_states && state[0] == '6') continue;
      for (const bool emulated : {false, true}) {
        Variant variant{std::string(kernel.stem) + ".own." + kernel.accumulator,
                        std::string("primitives/") + kernel.stem + ".comp",
                        {{"WEFT_ITEM", "WEFT_OWN"},
                         {"WEFT_ACCUMULATOR", define_of(kernel.accumulator)},
                         {"WEFT_SUBGROUP_EMULATED", emulated ? "1" : "0"}}};
        if (kernel.define != nullptr) variant.defines.emplace_back(kernel.define, "1");
        if (kernel.has_states) {
          variant.name += std::string(".state") + state;
          variant.defines.emplace_back("WEFT_STATE_BITS", state);
        }
        variant.name += emulated ? ".emulated" : ".native";
        variants.push_back(std::move(variant));
      }
    }
  }
  return variants;
}

}  // namespace weft::jit
