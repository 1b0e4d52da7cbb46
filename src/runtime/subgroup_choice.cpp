// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/subgroup_choice.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>

namespace weft::runtime {
namespace {

constexpr uint32_t kDefaultEmulatedSize = 32;

// Of WEFT_BACKENDS.
#ifdef WEFT_WITHOUT_NATIVE
constexpr bool kHasNative = false;
#else
constexpr bool kHasNative = true;
#endif
#ifdef WEFT_WITHOUT_EMULATED
constexpr bool kHasEmulated = false;
#else
constexpr bool kHasEmulated = true;
#endif

bool is_subgroup_size(uint32_t size) {
  return std::has_single_bit(size) && size >= kMinSubgroupSize && size <= kMaxSubgroupSize;
}

Error missing(std::string what) {
  return {ErrorCode::missing_feature, "native subgroups are not available: " + std::move(what)};
}

// A size that a pipeline may require and that lets a workgroup hold what every kernel counts on.
bool can_require(const SubgroupFacts& subgroups, uint32_t size) {
  return is_subgroup_size(size) && size >= subgroups.min_size && size <= subgroups.max_size &&
         uint64_t{size} * subgroups.max_workgroup_subgroups >= kMinWorkgroupInvocations;
}

Result<SubgroupChoice> choose_native(const DeviceFacts& facts, const FeatureSet& enabled, uint32_t wanted) {
  if (!kHasNative) return missing("this weft was built without them (WEFT_BACKENDS)");
  const SubgroupFacts& subgroups = facts.subgroups;
  if (const std::string operations = missing_subgroup_operations(subgroups); !operations.empty())
    return missing("the device lacks the subgroup operations " + operations + " in compute shaders");
  // Mesa's software device takes LP_NATIVE_VECTOR_WIDTH above 512 and then computes subgroup operations wrongly.
  if (facts.driver_id == VK_DRIVER_ID_MESA_LLVMPIPE && subgroups.size > 16)
    return missing("llvmpipe computes wrong results in subgroups wider than 16");

  SubgroupChoice choice;
  choice.backend = SubgroupBackend::native;
  choice.full = enabled.full_subgroups;
  if (!subgroup_size_varies(facts)) {
    // Not pinned: requiring the only size there is would bring in max_workgroup_subgroups, which limits such pipelines
    // alone (lavapipe: 32 subgroups of 4 are 128 invocations, of the 1024 it otherwise runs).
    if (wanted != 0 && wanted != subgroups.size) {
      return missing("subgroups of " + std::to_string(wanted) + " lanes were asked for, and the device's have " +
                     std::to_string(subgroups.size));
    }
    if (!is_subgroup_size(subgroups.size)) {
      return missing("the device's subgroups of " + std::to_string(subgroups.size) + " lanes are not between " +
                     std::to_string(kMinSubgroupSize) + " and " + std::to_string(kMaxSubgroupSize));
    }
    choice.size = subgroups.size;
    return choice;
  }

  if (!enabled.subgroup_size_control)
    return missing("the device varies its subgroup size, and subgroupSizeControl is not enabled");
  if (!subgroups.range_known || (subgroups.required_size_stages & VK_SHADER_STAGE_COMPUTE_BIT) == 0)
    return missing("the device varies its subgroup size, and compute pipelines cannot require one");
  if (wanted != 0 && !can_require(subgroups, wanted)) {
    return missing("subgroups of " + std::to_string(wanted) + " lanes were asked for; the device's have " +
                   std::to_string(subgroups.min_size) + " to " + std::to_string(subgroups.max_size) + ", at most " +
                   std::to_string(subgroups.max_workgroup_subgroups) + " a workgroup");
  }
  choice.pin = true;
  choice.size = wanted;
  if (choice.size != 0) return choice;

  // Intel reports 32 whatever its compiler prefers, and at 32 most kernels have twice the registers that a thread has
  // (docs/decisions/intel-subgroup-width.md). Elsewhere the reported size is the device's natural one.
  const uint32_t preferred = facts.vendor_id == kVendorIntel ? 16 : subgroups.size;
  if (can_require(subgroups, preferred)) {
    choice.size = preferred;
    return choice;
  }
  for (uint32_t size = kMaxSubgroupSize; size >= kMinSubgroupSize; size /= 2) {
    if (!can_require(subgroups, size)) continue;
    choice.size = size;
    return choice;
  }
  return missing("no size that the device allows a pipeline to require fills a workgroup of " +
                 std::to_string(kMinWorkgroupInvocations));
}

}  // namespace

Result<SubgroupRequest> parse_subgroup_request(std::string_view text) {
  const Error error{ErrorCode::invalid_argument,
                    "'" + std::string(text) +
                        "' is none of native, native:SIZE, emulated, emulated:SIZE, with SIZE a power "
                        "of two from 4 to 128"};
  SubgroupRequest request;
  const std::string_view backend = text.substr(0, text.find(':'));
  if (backend == "native")
    request.backend = SubgroupBackend::native;
  else if (backend == "emulated")
    request.backend = SubgroupBackend::emulated;
  else
    return error;
  if (backend.size() == text.size()) return request;
  const std::string_view size = text.substr(backend.size() + 1);
  const auto [end, code] = std::from_chars(size.data(), size.data() + size.size(), request.size);
  if (code != std::errc{} || end != size.data() + size.size() || !is_subgroup_size(request.size)) return error;
  return request;
}

Result<SubgroupChoice> choose_subgroups(const DeviceFacts& facts, const FeatureSet& enabled,
                                        const SubgroupRequest& request) {
  if (request.size != 0 && !is_subgroup_size(request.size)) {
    return Error{ErrorCode::invalid_argument,
                 "subgroup_size " + std::to_string(request.size) + " is not a power of two from 4 to 128"};
  }
  if (request.backend != SubgroupBackend::emulated) {
    auto native = choose_native(facts, enabled, request.size);
    if (native || request.backend == SubgroupBackend::native) return native;
    if (!kHasEmulated)
      return Error{native.error().code,
                   native.error().message + "; and this weft was built without emulated ones (WEFT_BACKENDS)"};
  }
  if (!kHasEmulated)
    return Error{ErrorCode::missing_feature, "this weft was built without emulated subgroups (WEFT_BACKENDS)"};
  SubgroupChoice choice;
  choice.backend = SubgroupBackend::emulated;
  choice.size = request.size != 0 ? request.size : kDefaultEmulatedSize;
  return choice;
}

}  // namespace weft::runtime
