// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <weft/export.h>
#include <weft/context.hpp>
#include <weft/types.hpp>
// A build of weft without these primitives (WEFT_PRIMITIVES) has no one-line calls.
#if __has_include(<weft/reduce.hpp>) && __has_include(<weft/scan.hpp>)
#define WEFT_HAS_ONE_LINE_CALLS 1
#include <weft/reduce.hpp>
#include <weft/scan.hpp>
#endif

namespace weft {

/// Kind of device, as VkPhysicalDeviceType.
enum class GpuKind : uint8_t { discrete, integrated, virtual_gpu, software, other };

WEFT_API const char* name_of(GpuKind kind) noexcept;

/// A Vulkan device of this machine, from Gpu::list.
struct GpuInfo {
  /// Position in the list, which is ordered best first: discrete, integrated, virtual, other, software.
  uint32_t index = 0;
  std::string name;
  /// The driver's name and version as the driver reports them.
  std::string driver;
  GpuKind kind = GpuKind::other;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  uint32_t api_version = 0;
  std::array<uint8_t, VK_UUID_SIZE> uuid{};
  /// Size of the largest device-local heap.
  VkDeviceSize device_local_bytes = 0;
  /// As the device reports it.
  uint32_t subgroup_size = 0;
  DeviceSupport support;
};

/// The UUID in hexadecimal with dashes: 36 characters and a terminating 0.
WEFT_API std::array<char, 37> uuid_string(const GpuInfo& info) noexcept;

/// Selection and options of Gpu::open.
struct GpuConfig {
  /// Index in the list (one or two digits), part of a name (any case), or UUID.
  /// Empty: WEFT_DEVICE in the environment, else the best usable device; a software device only if there is no other.
  std::string device;
  /// Receives every warning and error of the validation layers, on any thread, if VK_EXT_debug_utils is present.
  /// weft enables no layer: set VK_INSTANCE_LAYERS. Exceptions are dropped.
  std::function<void(std::string_view message)> on_message;
  /// Null: from the system's Vulkan loader.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  /// Strategy and subgroups: as in ContextConfig.
  Strategy strategy = Strategy::automatic;
  SubgroupBackend subgroup_backend = SubgroupBackend::automatic;
  uint32_t subgroup_size = 0;
  /// The text of a tuning file: as in ContextConfig.
  std::string tuning;
  /// Read by open, replaced when the Gpu is destroyed. Empty: none.
  /// A missing, damaged, foreign or read-only file is harmless.
  std::string pipeline_cache_file;
  /// Whether the device is opened with Gpu::second_queue too.
  bool second_queue = false;
  /// Whether the device is opened with Gpu::copy_queue too.
  bool copy_queue = false;
  /// Extensions of instance and device for the program's own use, enabled if they are there: Gpu::has_extension.
  /// Only those without features of their own, such as VK_EXT_external_memory_host, VK_KHR_surface, VK_KHR_swapchain.
  std::vector<std::string> extensions{};
  /// Feature structures for the program's own use, linked by pNext as for vkCreateDevice. Null: none.
  /// All that is set in them is enabled. open sets in them what weft uses too.
  /// If the device lacks one, open returns missing_feature.
  void* features = nullptr;
};

/// A queue of a Gpu's device.
struct GpuQueue {
  VkQueue handle = VK_NULL_HANDLE;
  uint32_t family = 0;
};

/// A buffer of a Gpu. Movable.
/// Freed on destruction, which must follow the device's last use of it and precede the Gpu's destruction.
class WEFT_API Buffer {
 public:
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) noexcept;
  ~Buffer();

  VkBuffer handle() const noexcept;
  VkDeviceSize size() const noexcept;
  VkDeviceAddress address() const noexcept;
  BufferRange range() const noexcept { return {handle(), 0, size()}; }
  BufferRange range(VkDeviceSize offset, VkDeviceSize bytes) const noexcept { return {handle(), offset, bytes}; }

 private:
  friend class Gpu;
  struct State;
  explicit Buffer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Element type of a range, e.g. `float` for `std::vector<float>`.
template <std::ranges::contiguous_range Items>
using ItemOf = std::remove_cv_t<std::ranges::range_value_t<Items>>;

/// Duration of a submission.
struct RunTime {
  /// From before submission until the host saw it complete.
  double host_ms = 0;
  /// Between timestamps around the commands. Not set if the queue has no timestamps.
  std::optional<double> device_ms;
};

namespace runtime {
/// Calls `call(data)`. Returns an exception as an Error.
WEFT_API Status guarded(void (*call)(void* data), void* data) noexcept;
}  // namespace runtime

/// A Vulkan device opened by weft, for programs without Vulkan: device, one compute queue, buffers, staging. Movable.
///
/// - Reads WEFT_DEVICE, WEFT_STRATEGY, WEFT_SUBGROUPS and WEFT_TUNE.
/// - Invalid values of these are ignored, with a warning.
/// - Threads: calls may come from many threads; those that submit take turns.
/// - A `record` callback must not call another function that submits.
/// - If a `record` callback throws, the call returns system_error and submits nothing.
/// - Buffers, Contexts and primitives created from a Gpu must be destroyed before it.
/// - After device_lost or driver_error, destroy it.
/// - Lifetime, threads, barriers: docs/integration.md.
class WEFT_API Gpu {
 public:
  /// Returns every Vulkan device of this machine, best first.
  /// Errors: not_found (no Vulkan loader or driver), out_of_host_memory, driver_error.
  static Result<std::vector<GpuInfo>> list(PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr) noexcept;

  /// Opens the selected device. Errors:
  /// - not_found: no loader, no device, or none that matches the selection; the message lists the devices.
  /// - missing_feature: the device cannot run weft; the message names what it lacks.
  /// - out_of_host_memory, out_of_device_memory, device_lost, driver_error.
  static Result<Gpu> open(const GpuConfig& config = {}) noexcept;

  Gpu(Gpu&&) noexcept;
  Gpu& operator=(Gpu&&) noexcept;
  /// Waits for the device.
  ~Gpu();

  const GpuInfo& info() const noexcept;
  const Context& context() const noexcept;
  /// Ignored values of the environment, each as a sentence with the reason, for a log. Includes the Context's.
  const std::vector<std::string>& warnings() const noexcept;
  /// The function in use, for the program's own Vulkan calls.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr() const noexcept;
  VkInstance instance() const noexcept;
  VkPhysicalDevice physical_device() const noexcept;
  /// The program's own submissions must not coincide with calls of this Gpu.
  VkQueue queue() const noexcept;
  uint32_t queue_family() const noexcept;
  /// A queue that the Gpu itself does not use, for work beside it: another of queue_family(), or one of another family
  /// with compute. Not set if GpuConfig::second_queue is false or the device has none.
  std::optional<GpuQueue> second_queue() const noexcept;
  /// A queue of a family for transfers alone, which the Gpu itself does not use. Not set if GpuConfig::copy_queue is
  /// false or the device has none.
  std::optional<GpuQueue> copy_queue() const noexcept;
  /// Whether it is in GpuConfig::extensions and enabled.
  bool has_extension(std::string_view name) const noexcept;

  /// Allocates device-local memory for storage, transfer, indirect arguments and device addresses.
  /// The size is rounded up to a multiple of 16 and is never 0. Contents are undefined.
  /// Errors: out_of_device_memory (with the sizes), out_of_host_memory, device_lost, driver_error.
  Result<Buffer> create_buffer(VkDeviceSize bytes) noexcept;

  /// Copies `bytes` to the start of the range and waits.
  /// Errors: invalid_argument (null range, past its buffer, smaller than `bytes`), out_of_host_memory,
  /// out_of_device_memory, device_lost, driver_error.
  Status upload(const BufferRange& to, std::span<const std::byte> bytes) noexcept;
  /// Copies the start of the range to `bytes` and waits. Errors: as upload.
  Status download(const BufferRange& from, std::span<std::byte> bytes) noexcept;
  /// Sets every 4-byte word of the range and waits. Offset and size must be multiples of 4. Errors: as upload.
  Status fill(const BufferRange& range, uint32_t word) noexcept;

  /// Calls `record`, submits and waits.
  /// All earlier writes are visible to the commands, and theirs to everything later, the host included.
  /// Errors: those of `record`, with nothing submitted; out_of_host_memory, out_of_device_memory, device_lost,
  /// driver_error.
  Result<RunTime> run(const std::function<Status(VkCommandBuffer)>& record) noexcept;

  /// Calls `record(commands, i)` for i < count, each between its own timestamps, submits and waits.
  /// Returns the device milliseconds of each. Repetitions are separated by full barriers and submitted in batches of
  /// about a quarter second.
  /// Errors: missing_feature (no timestamps), those of `record` and of `run`.
  Result<std::vector<double>> time(uint32_t count,
                                   const std::function<Status(VkCommandBuffer, uint32_t)>& record) noexcept;

#ifdef WEFT_HAS_ONE_LINE_CALLS
  /// Uploads `items`, any contiguous range, scans, and downloads. Pipelines are built once per kind of call and kept.
  template <std::ranges::contiguous_range Items>
  Result<std::vector<ItemOf<Items>>> exclusive_scan(const Items& items, Op op = Op::add) noexcept {
    return scan_items(std::span<const ItemOf<Items>>(items), ScanKind::exclusive, op);
  }
  /// As exclusive_scan.
  template <std::ranges::contiguous_range Items>
  Result<std::vector<ItemOf<Items>>> inclusive_scan(const Items& items, Op op = Op::add) noexcept {
    return scan_items(std::span<const ItemOf<Items>>(items), ScanKind::inclusive, op);
  }
  /// As exclusive_scan. `op`: any but arg_min and arg_max.
  template <std::ranges::contiguous_range Items>
  Result<ItemOf<Items>> reduce(const Items& items, Op op = Op::add) noexcept {
    return reduce_items<ItemOf<Items>>(std::span<const ItemOf<Items>>(items), op);
  }
  /// As exclusive_scan. `op`: arg_min or arg_max.
  template <std::ranges::contiguous_range Items>
  Result<ArgResult> arg_reduce(const Items& items, Op op) noexcept {
    return reduce_items<ArgResult>(std::span<const ItemOf<Items>>(items), op);
  }
#endif

 private:
#ifdef WEFT_HAS_ONE_LINE_CALLS
  template <class T>
  Result<std::vector<T>> scan_items(std::span<const T> items, ScanKind kind, Op op) noexcept {
    std::vector<T> result;
    auto allocate = [&] { result.resize(items.size()); };
    Status status = runtime::guarded([](void* call) { (*static_cast<decltype(allocate)*>(call))(); }, &allocate);
    if (!status) return status.error();
    status = scan_bytes({kind, op, type_of<T>, type_of<T>, Strategy::automatic}, std::as_bytes(items), items.size(),
                        std::as_writable_bytes(std::span(result)));
    if (!status) return status.error();
    return result;
  }
  template <class Output, class T>
  Result<Output> reduce_items(std::span<const T> items, Op op) noexcept {
    Output result{};
    const Status status = reduce_bytes({op, type_of<T>, type_of<T>}, std::as_bytes(items), items.size(),
                                       std::as_writable_bytes(std::span(&result, 1)));
    if (!status) return status.error();
    return result;
  }
  Status scan_bytes(const ScanConfig& config, std::span<const std::byte> items, uint64_t count,
                    std::span<std::byte> result) noexcept;
  Status reduce_bytes(const ReduceConfig& config, std::span<const std::byte> items, uint64_t count,
                      std::span<std::byte> result) noexcept;
#endif

  struct State;
  explicit Gpu(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace weft
