// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vulkan/vulkan_core.h>

#include <weft/export.h>
#include <weft/status.hpp>
#include <weft/types.hpp>

namespace weft {

class Context;

namespace runtime {
class ContextState;  // src/runtime/context_state.hpp
}

/// What a physical device supports of what weft uses.
struct DeviceSupport {
  /// Requirements that the device lacks, as text. Empty: weft runs on the device.
  std::vector<std::string> missing;
  /// Optional features that the device lacks, each with its consequence, e.g.
  /// "shaderInt64: items of type u64 and i64 are unavailable".
  std::vector<std::string> absent;
  /// Device extensions that weft uses if they are enabled. Static lifetime. Empty on Vulkan 1.3.
  std::vector<const char*> extensions;

  bool usable() const noexcept { return missing.empty(); }
};

/// Device features that weft uses, as a pNext chain for vkCreateDevice. Movable.
///
///     auto features =
///         weft::DeviceFeatures::query(instance, physical_device, vkGetInstanceProcAddr, VK_API_VERSION_1_3);
///     VkDeviceCreateInfo info{...};                 // may have feature structures of the host's own
///     features->extend(info);
///     vkCreateDevice(physical_device, &info, nullptr, &device);
///
/// The object must outlive the vkCreateDevice call.
class WEFT_API DeviceFeatures {
 public:
  /// Queries the device.
  /// `api_version`: the version the instance was created for. The lower of it and the device's version is used.
  /// Errors: invalid_argument (null handle or function), out_of_host_memory, out_of_device_memory, driver_error.
  static Result<DeviceFeatures> query(VkInstance instance, VkPhysicalDevice physical_device,
                                      PFN_vkGetInstanceProcAddr get_instance_proc_addr, uint32_t api_version) noexcept;

  DeviceFeatures(DeviceFeatures&&) noexcept;
  DeviceFeatures& operator=(DeviceFeatures&&) noexcept;
  ~DeviceFeatures();

  const DeviceSupport& support() const noexcept;

  /// Enables in `info` every feature that the device has and weft can use. Disables none.
  ///
  /// - Structures that the host chained already are written to. No structure is added twice.
  /// - All others are linked before `info.pNext`. They live in this object, which serves one `info` at a time.
  /// - Features in pEnabledFeatures are copied, and the copy is extended.
  /// - Extensions are not added. The host adds DeviceSupport::extensions before this call.
  void extend(VkDeviceCreateInfo& info) noexcept;

 private:
  struct Storage;
  explicit DeviceFeatures(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage_;
};

/// How kernels execute subgroup operations.
enum class SubgroupBackend : uint8_t {
  automatic,  ///< native if the device has every operation that weft uses, else emulated
  native,     ///< the device's subgroup operations; an error if one is missing
  emulated,   ///< in shared memory, at any width; for devices that lack an operation, and for tests
};

/// Features enabled on the host's VkDevice, for a host without its VkDeviceCreateInfo, such as an engine's plug-in.
/// Members have the names of Vulkan's features.
struct EnabledFeatures {
  /// Required.
  bool buffer_device_address = false;
  /// For items of types u64 and i64.
  bool shader_int64 = false;
  /// For items of type f64.
  bool shader_float64 = false;
  /// For Strategy::look_back, together with shader_int64.
  bool shader_buffer_int64_atomics = false;
  /// For native subgroups on a device with several subgroup sizes.
  /// Before Vulkan 1.3, this and compute_full_subgroups need VK_EXT_subgroup_size_control in `extensions`.
  bool subgroup_size_control = false;
  bool compute_full_subgroups = false;
  /// Enabled device extensions.
  std::span<const char* const> extensions{};
};

/// A size that primitives are built with, chosen by measurement.
struct TuningValue {
  /// As in a tuning file and WEFT_TUNE, e.g. "scan.rows".
  std::string key;
  uint32_t min = 0;
  uint32_t max = 0;
  /// What this Context uses.
  uint32_t value = 0;
  /// Whether a sweep tries other values. The others are for tests.
  bool swept = true;
};

/// The host's device, adopted by a Context.
///
/// - Handles stay the host's and must outlive the Context and everything created from it.
/// - Everything else is read by Context::create alone.
struct ContextConfig {
  /// These four must not be null.
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  /// The version the instance was created for.
  uint32_t api_version = VK_API_VERSION_1_3;

  /// The structure given to vkCreateDevice: its pNext chain and pEnabledFeatures are read.
  /// Exactly one of `device_create_info` and `enabled` must be given.
  const VkDeviceCreateInfo* device_create_info = nullptr;
  /// What the host enabled, if there is no VkDeviceCreateInfo.
  std::optional<EnabledFeatures> enabled{};

  /// The host's cache, created without EXTERNALLY_SYNCHRONIZED. Null: the Context owns one.
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  /// Initial contents of an owned cache, from Context::pipeline_cache_data.
  /// Ignored if damaged, truncated, or of another device or driver.
  const void* pipeline_cache_data = nullptr;
  size_t pipeline_cache_size = 0;
  /// Used for every object that weft creates, from every thread that calls weft.
  /// Copied. What pUserData points to is not.
  const VkAllocationCallbacks* allocator = nullptr;

  /// Whether VK_EXT_debug_utils is enabled on the instance, which weft cannot query. Pipelines then get names,
  /// and each dispatch a label, such as "weft Scan: scan_look_back.u32.u32.native": the primitive and its kernel.
  bool debug_utils = false;

  /// Meaning of Strategy::automatic for primitives of this Context. automatic: look_back where it was measured,
  /// else reduce_then_scan; `weft-bench selftest` says whether look_back is safe on a device.
  Strategy strategy = Strategy::automatic;
  /// automatic: by what the device has and the host enabled.
  SubgroupBackend subgroup_backend = SubgroupBackend::automatic;
  /// A power of two from 4 to 128, or 0: the best. native: subgroups are pinned to this size; emulated: the width.
  uint32_t subgroup_size = 0;

  /// The text of a tuning file, as `weft-bench tune` writes it. Empty: none. Results do not depend on it.
  /// - Line 1 is "weft-tuning 1". Lines are empty, begin with '#', or have the form key=value.
  /// - "device=" is required once: the device's name, as Vulkan reports it.
  ///   If this is another device, the file is ignored, with a warning.
  /// - "driver=" and "uuid=" are for readers.
  /// - The other keys are those of Context::tuning. Those unknown are ignored, with one warning for all of them:
  ///   they are of primitives that the program does not link, or of another version of weft.
  /// - A malformed line, a key given twice, a key that is not swept, a value out of range, or a text of more than
  ///   64 KiB is an invalid_argument of Context::create, which names the line and the reason.
  /// - WEFT_TUNE, if it is used, overrides values of the file.
  std::string_view tuning{};

  /// Whether WEFT_STRATEGY and WEFT_SUBGROUPS set what is automatic above, and WEFT_TUNE sets tile sizes.
  /// Invalid values are ignored, with a warning. weft::Gpu always uses the environment.
  bool use_environment = false;
};

/// Work of Context::prewarm: creates one primitive.
using Prewarm = std::function<Status(const Context& context)>;

/// Calls Primitive::create(context, config). On success sets `primitive`, which must outlive the work.
template <class Primitive, class Config>
Prewarm prewarm_of(std::optional<Primitive>& primitive, Config config) {
  return [&primitive, config = std::move(config)](const Context& context) -> Status {
    Result<Primitive> created = Primitive::create(context, config);
    if (!created) return created.error();
    primitive.emplace(*std::move(created));
    return {};
  };
}

/// The caller's threads: calls task(0) to task(count - 1), each once, on any of them, and returns when all have
/// returned. Tasks do not throw and do not wait for each other.
using RunTasks = std::function<void(uint32_t count, const std::function<void(uint32_t)>& task)>;

/// weft on one VkDevice: a private function table, the device's limits, a pipeline cache.
/// An immutable handle: copies are cheap and refer to the same state.
/// Barriers, threads, queue families, lifetime, destruction with work pending: docs/integration.md.
class WEFT_API Context {
 public:
  /// Adopts the host's device. Errors:
  /// - invalid_argument: a null handle, an invalid size, an enabled feature that the device lacks, a malformed tuning.
  /// - missing_feature: a requirement is lacking or not enabled; the chosen backend or size is not available.
  /// - out_of_host_memory, out_of_device_memory, device_lost, driver_error.
  static Result<Context> create(const ContextConfig& config) noexcept;

  VkDevice device() const noexcept;
  /// native or emulated.
  SubgroupBackend subgroup_backend() const noexcept;
  /// Lanes of a subgroup in weft's kernels.
  uint32_t subgroup_size() const noexcept;
  /// Value of VkPipelineShaderStageRequiredSubgroupSizeCreateInfo for pipelines of the host that include weft/*.glsl.
  /// 0: leave the structure out.
  uint32_t required_subgroup_size() const noexcept;
  /// What Strategy::automatic resolves to on this Context. Never automatic.
  Strategy strategy() const noexcept;
  /// Whether the device has, and the host enabled, what items of this type need.
  bool supports(Type type) const noexcept;
  /// Sizes of the primitives that the program links, sorted by key.
  /// Errors: out_of_host_memory.
  Result<std::vector<TuningValue>> tuning() const noexcept;
  /// Ignored values of the environment and of the tuning file, each as a sentence with the reason, for a log.
  const std::vector<std::string>& warnings() const noexcept;

  /// Does all of `work` on threads of `run`, e.g. behind a loading screen. Null: on this thread.
  /// Pipelines live as long as the primitives do. A pipeline that several of them need is built once.
  ///
  ///     std::optional<weft::Scan> scan;
  ///     std::optional<weft::RadixSort> sort;
  ///     const weft::Prewarm work[] = {prewarm_of(scan, scan_config), prewarm_of(sort, sort_config)};
  ///     context.prewarm(work, run);
  ///
  /// All of it is tried. Errors: the first of `work`, in its order; system_error (work or `run` threw, or a task was
  /// left out), out_of_host_memory.
  Status prewarm(std::span<const Prewarm> work, const RunTasks& run) const noexcept;

  /// Returns the pipeline cache's contents with a header of weft's, for a later ContextConfig::pipeline_cache_data.
  /// Errors: out_of_host_memory, out_of_device_memory, driver_error.
  Result<std::vector<std::byte>> pipeline_cache_data() const noexcept;

  /// Internal.
  const std::shared_ptr<const runtime::ContextState>& state() const noexcept { return state_; }

 private:
  explicit Context(std::shared_ptr<const runtime::ContextState> state);
  std::shared_ptr<const runtime::ContextState> state_;
};

}  // namespace weft
