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

#include <weft/context.hpp>
#include <weft/types.hpp>
// A build of weft without these primitives (WEFT_PRIMITIVES) has no one-line calls.
#if __has_include(<weft/reduce.hpp>) && __has_include(<weft/scan.hpp>)
#define WEFT_HAS_ONE_LINE_CALLS 1
#include <weft/reduce.hpp>
#include <weft/scan.hpp>
#endif

namespace weft {

enum class GpuKind : uint8_t { discrete, integrated, virtual_gpu, software, other };

const char* name_of(GpuKind kind) noexcept;

/// A Vulkan device of this machine, as `Gpu::list` found it.
struct GpuInfo {
  uint32_t index = 0;  ///< in the list, which is ordered best first: discrete, integrated, virtual, other, software
  std::string name;
  std::string driver;  ///< the driver's name and version in its own words
  GpuKind kind = GpuKind::other;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  uint32_t api_version = 0;
  std::array<uint8_t, VK_UUID_SIZE> uuid{};
  VkDeviceSize device_local_bytes = 0;  ///< of the largest device-local heap
  uint32_t subgroup_size = 0;           ///< as the device reports it
  DeviceSupport support;
};

/// The UUID in the usual hexadecimal form with dashes: 36 characters and a terminating 0.
std::array<char, 37> uuid_string(const GpuInfo& info) noexcept;

struct GpuConfig {
  /// An index in the list (one or two digits), a part of a name (any case), or a UUID. Empty: what WEFT_DEVICE in the
  /// environment says, or the best usable device; a software device only where there is no other.
  std::string device;
  /// Called with every warning and error of the validation layers, from any thread, where VK_EXT_debug_utils is
  /// present. weft turns no layer on: the environment does (VK_INSTANCE_LAYERS). What it throws is dropped.
  std::function<void(std::string_view message)> on_message;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  ///< null: from the system's Vulkan loader
  Strategy strategy = Strategy::automatic;
  SubgroupBackend subgroup_backend = SubgroupBackend::automatic;
  uint32_t subgroup_size = 0;
  /// Read at open, replaced when the Gpu is destroyed; one that is missing, damaged, foreign or not writable does no
  /// harm. Empty: none.
  std::string pipeline_cache_file;
};

/// Memory of a Gpu. Movable.
/// Freed on destruction, which must come after the device's last use of it and before the Gpu's own destruction.
class Buffer {
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

/// The item type of a range, e.g. of std::vector<float> float.
template <std::ranges::contiguous_range Items>
using ItemOf = std::remove_cv_t<std::ranges::range_value_t<Items>>;

/// How long a submission took.
struct RunTime {
  double host_ms = 0;               ///< from before submission until the host saw it complete
  std::optional<double> device_ms;  ///< between timestamps around the commands; none where the queue has no timestamps
};

namespace runtime {
/// Calls `call(data)`. An exception becomes an Error.
Status guarded(void (*call)(void* data), void* data) noexcept;
}  // namespace runtime

/// A Vulkan device that weft opens itself, for programs that own no Vulkan: device, one compute queue, buffers,
/// staging. Movable.
/// Obeys WEFT_DEVICE, WEFT_STRATEGY, WEFT_SUBGROUPS and WEFT_TUNE in the environment; a value of no use is a warning.
/// Calls may come from many threads; those that submit take turns. A `record` given to one must not call another, and
/// if it throws, the call returns system_error with nothing submitted.
/// Buffers, Contexts and primitives made from a Gpu must be destroyed before it. After device_lost or driver_error,
/// destroy it.
/// Lifetime, threads and barriers: docs/integration.md.
class Gpu {
 public:
  /// Every Vulkan device of this machine, best first.
  /// Errors: not_found (no Vulkan loader or driver), out_of_host_memory, driver_error.
  static Result<std::vector<GpuInfo>> list(PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr) noexcept;

  /// Errors: not_found (no loader, no device, none that fits the selection; the message lists those there are),
  /// missing_feature (the device cannot run weft; the message says what it lacks), out_of_*_memory, driver_error.
  static Result<Gpu> open(const GpuConfig& config = {}) noexcept;

  Gpu(Gpu&&) noexcept;
  Gpu& operator=(Gpu&&) noexcept;
  ~Gpu();  ///< waits for the device

  const GpuInfo& info() const noexcept;
  const Context& context() const noexcept;
  /// Sentences for a log: values of the environment that were ignored, each with the reason. The Context's are among
  /// them.
  const std::vector<std::string>& warnings() const noexcept;
  /// The one in use, for Vulkan calls of the program's own.
  PFN_vkGetInstanceProcAddr get_instance_proc_addr() const noexcept;
  VkInstance instance() const noexcept;
  VkPhysicalDevice physical_device() const noexcept;
  VkQueue queue() const noexcept;  ///< submissions of the program's own must not coincide with calls of this Gpu
  uint32_t queue_family() const noexcept;

  /// Device-local memory for storage, transfer, indirect arguments and device addresses. The size is rounded up to a
  /// multiple of 16, and is never 0. Contents undefined. Errors: out_of_device_memory (with the sizes),
  /// out_of_host_memory.
  Result<Buffer> create_buffer(VkDeviceSize bytes) noexcept;

  /// Copies `bytes` to the range's start and waits. Errors: invalid_argument (range smaller than `bytes`), device_lost,
  /// driver_error.
  Status upload(const BufferRange& to, std::span<const std::byte> bytes) noexcept;
  /// Copies the range's start to `bytes` and waits. Errors: as upload.
  Status download(const BufferRange& from, std::span<std::byte> bytes) noexcept;
  /// Sets every 4-byte word of the range (offset and size multiples of 4) and waits. Errors: invalid_argument,
  /// device_lost, driver_error.
  Status fill(const BufferRange& range, uint32_t word) noexcept;

  /// Records with `record`, submits and waits. Everything earlier is visible to it, and its writes to everything later,
  /// the host included. Errors: those of `record`, with nothing submitted; device_lost, out_of_*_memory, driver_error.
  Result<RunTime> run(const std::function<Status(VkCommandBuffer)>& record) noexcept;

  /// Records `count` times, `record(commands, i)` each between its own timestamps, and waits: device milliseconds of
  /// each. The repetitions are separated by full barriers, and go out in batches of about a quarter second. Errors:
  /// missing_feature (no timestamps), those of `record` and of `run`.
  Result<std::vector<double>> time(uint32_t count,
                                   const std::function<Status(VkCommandBuffer, uint32_t)>& record) noexcept;

#ifdef WEFT_HAS_ONE_LINE_CALLS
  /// One-line calls: upload, run, download. `items` is any contiguous range, such as an array, a std::vector or a
  /// std::span. Pipelines are built at the first call of a kind and kept.
  template <std::ranges::contiguous_range Items>
  Result<std::vector<ItemOf<Items>>> exclusive_scan(const Items& items, Op op = Op::add) noexcept {
    return scan_items(std::span<const ItemOf<Items>>(items), ScanKind::exclusive, op);
  }
  template <std::ranges::contiguous_range Items>
  Result<std::vector<ItemOf<Items>>> inclusive_scan(const Items& items, Op op = Op::add) noexcept {
    return scan_items(std::span<const ItemOf<Items>>(items), ScanKind::inclusive, op);
  }
  /// op: not arg_min or arg_max.
  template <std::ranges::contiguous_range Items>
  Result<ItemOf<Items>> reduce(const Items& items, Op op = Op::add) noexcept {
    return reduce_items<ItemOf<Items>>(std::span<const ItemOf<Items>>(items), op);
  }
  /// op: arg_min or arg_max.
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
