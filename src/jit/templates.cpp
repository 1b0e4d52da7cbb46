// SPDX-License-Identifier: MIT OR Apache-2.0
#include "jit/templates.hpp"

#include <algorithm>

namespace weft::jit {
namespace {

constexpr std::string_view kUpsweep = "_upsweep";

// Suffixes of kernels.
constexpr std::string_view kScanPasses[] = {"_look_back", kUpsweep, "_downsweep"};
constexpr std::string_view kSegmentedReducePasses[] = {"", "_direct"};
constexpr std::string_view kMergePasses[] = {"_partition", "_tiles", "_stream"};
constexpr std::string_view kSetOperationPasses[] = {"_partition", "_count", "_write"};
constexpr std::string_view kMergeSortPasses[] = {"_blocks", "_partition", "_merge"};
constexpr std::string_view kOnlyPass[] = {""};

struct Primitive {
  std::string_view name;
  const char* stem;
  std::span<const std::string_view> passes;
  const char* upsweep;      // whose upsweep it takes; null: it has none
  const char* accumulator;  // null: the kernels have no items
  const char* define;
};

constexpr Primitive kPrimitives[] = {
    {"scan", "scan", kScanPasses, "scan", "own", nullptr},
    {"scan_by_key", "scan_by_key", kScanPasses, "scan_by_key", "own", nullptr},
    {"reduce", "reduce", kOnlyPass, nullptr, "own", nullptr},
    {"reduce_by_key", "reduce_by_key", kScanPasses, "scan_by_key", "own", nullptr},
    {"segmented_reduce", "segmented_reduce", kSegmentedReducePasses, nullptr, "own", nullptr},
    {"select", "select", kScanPasses, "select", "u32", nullptr},
    {"unique", "select", kScanPasses, "select", "u32", "WEFT_OWN_UNIQUE"},
    {"partition", "select", kScanPasses, "select", "counts", nullptr},
    {"run_length_encode", "run_length_encode", kScanPasses, "run_length_encode", "runs", "WEFT_OWN_UNIQUE"},
    {"transform_lbs", "transform_lbs", kOnlyPass, nullptr, nullptr, nullptr},
    {"merge", "merge", kMergePasses, nullptr, "u32", nullptr},
    {"set_operation", "set_operation", kSetOperationPasses, nullptr, "u32", nullptr},
    {"merge_sort", "merge_sort", kMergeSortPasses, nullptr, "u32", nullptr},
};

std::string define_of(std::string_view type) {
  std::string define = "WEFT_";
  for (const char c : type) define += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return define;
}

// The kernel's file, in whichever folder it is.
std::string path_of(const std::string& kernel) {
  const std::string name = "/" + kernel + ".comp";
  return std::string(std::ranges::find_if(template_sources(), [&](const TemplateSource& source) {
                       return source.path.ends_with(name);
                     })->path);
}

}  // namespace

std::string_view find_template(std::string_view path) noexcept {
  const std::span<const TemplateSource> sources = template_sources();
  const auto found = std::ranges::lower_bound(sources, path, {}, &TemplateSource::path);
  return found != sources.end() && found->path == path ? found->text : std::string_view{};
}

std::vector<Variant> variants_of(std::string_view primitive) {
  std::vector<Variant> variants;
  const auto* found = std::ranges::find(kPrimitives, primitive, &Primitive::name);
  if (found == std::end(kPrimitives)) return variants;
  for (const std::string_view pass : found->passes) {
    for (const bool emulated : {false, true}) {
      const std::string kernel = std::string(pass == kUpsweep ? found->upsweep : found->stem).append(pass);
      Variant variant{kernel, path_of(kernel), {{"WEFT_SUBGROUP_EMULATED", emulated ? "1" : "0"}}};
      if (found->accumulator != nullptr) {
        variant.name += std::string(".own.") + found->accumulator;
        variant.defines.emplace_back("WEFT_ITEM", "WEFT_OWN");
        variant.defines.emplace_back("WEFT_ACCUMULATOR", define_of(found->accumulator));
      }
      if (found->define != nullptr) variant.defines.emplace_back(found->define, "1");
      variant.name += emulated ? ".emulated" : ".native";
      variants.push_back(std::move(variant));
    }
  }
  return variants;
}

}  // namespace weft::jit
