// SPDX-License-Identifier: MIT OR Apache-2.0
#include "jit/templates.hpp"

#include <algorithm>

namespace weft::jit {
namespace {

struct Kernel {
  std::string_view primitive;
  const char* stem;
  bool has_states;
};

constexpr Kernel kKernels[] = {
    {"scan", "scan_look_back", true},  {"scan", "scan_repair", true}, {"scan", "scan_upsweep", false},
    {"scan", "scan_downsweep", false}, {"reduce", "reduce", false},   {"reduce", "reduce_finish", false},
};

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
        Variant variant{std::string(kernel.stem) + ".own.own",
                        std::string("primitives/") + kernel.stem + ".comp",
                        {{"WEFT_ITEM", "WEFT_OWN"},
                         {"WEFT_ACCUMULATOR", "WEFT_OWN"},
                         {"WEFT_SUBGROUP_EMULATED", emulated ? "1" : "0"}}};
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
