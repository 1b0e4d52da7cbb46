// SPDX-License-Identifier: MIT OR Apache-2.0
#include "jit/templates.hpp"

#include <algorithm>

namespace weft::jit {
namespace {

struct Primitive {
  std::string_view name;
  const char* stem;
  const char* upsweep;      // whose first pass it takes; null: not a scan
  const char* accumulator;  // null: the kernels have no items
  const char* define;
};

constexpr Primitive kPrimitives[] = {
    {"scan", "scan", "scan", "own", nullptr},
    {"scan_by_key", "scan_by_key", "scan_by_key", "own", nullptr},
    {"reduce", "reduce", nullptr, "own", nullptr},
    {"reduce_by_key", "reduce_by_key", "scan_by_key", "own", nullptr},
    {"segmented_reduce", "segmented_reduce", nullptr, "own", nullptr},
    {"select", "select", "select", "u32", nullptr},
    {"unique", "select", "select", "u32", "WEFT_OWN_UNIQUE"},
    {"partition", "select", "select", "counts", nullptr},
    {"run_length_encode", "run_length_encode", "run_length_encode", "runs", "WEFT_OWN_UNIQUE"},
    {"transform_lbs", "transform_lbs", nullptr, nullptr, nullptr},
    {"merge", "merge", nullptr, "u32", nullptr},
    {"set_operation", "set_operation", nullptr, "u32", nullptr},
    {"merge_sort", "merge_sort", nullptr, "u32", nullptr},
};

constexpr std::string_view kUpsweep = "_upsweep";

struct Pass {
  std::string_view suffix;
  bool has_states;
};

constexpr Pass kScanPasses[] = {{"_look_back", true}, {"_repair", true}, {kUpsweep, false}, {"_downsweep", false}};
constexpr Pass kReducePasses[] = {{"", false}, {"_finish", false}};
constexpr Pass kMergePasses[] = {{"_partition", false}, {"_tiles", false}, {"_stream", false}};
constexpr Pass kSetOperationPasses[] = {{"_partition", false}, {"_count", false}, {"_write", false}};
constexpr Pass kMergeSortPasses[] = {{"_blocks", false}, {"_partition", false}, {"_merge", false}};
constexpr Pass kOnlyPass[] = {{"", false}};

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
  const auto* found = std::ranges::find(kPrimitives, primitive, &Primitive::name);
  if (found == std::end(kPrimitives)) return variants;
  const std::span<const Pass> passes = found->accumulator == nullptr    ? std::span<const Pass>(kOnlyPass)
                                       : found->name == "merge"         ? std::span<const Pass>(kMergePasses)
                                       : found->name == "merge_sort"    ? std::span<const Pass>(kMergeSortPasses)
                                       : found->name == "set_operation" ? std::span<const Pass>(kSetOperationPasses)
                                       : found->upsweep == nullptr      ? std::span<const Pass>(kReducePasses)
                                                                        : kScanPasses;
  for (const Pass& pass : passes) {
    for (const char* state : {"32", "64"}) {
      if (!pass.has_states && state[0] == '6') continue;
      for (const bool emulated : {false, true}) {
        const std::string kernel =
            std::string(pass.suffix == kUpsweep ? found->upsweep : found->stem).append(pass.suffix);
        Variant variant{kernel, "primitives/" + kernel + ".comp", {{"WEFT_SUBGROUP_EMULATED", emulated ? "1" : "0"}}};
        if (found->accumulator != nullptr) {
          variant.name += std::string(".own.") + found->accumulator;
          variant.defines.emplace_back("WEFT_ITEM", "WEFT_OWN");
          variant.defines.emplace_back("WEFT_ACCUMULATOR", define_of(found->accumulator));
        }
        if (found->define != nullptr) variant.defines.emplace_back(found->define, "1");
        if (pass.has_states) {
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
