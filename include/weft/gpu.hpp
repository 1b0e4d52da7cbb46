// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/context.hpp>
#include <weft/reduce.hpp>
#include <weft/scan.hpp>
#include <weft/types.hpp>

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

/// The UUID in the usual hexadecimal form with dashes.
std::string uuid_string(const GpuInfo& info);

struct GpuConfig {
  /// An index in the list, a part of a name (any case), or a UUID. Empty: WEFT_DEVICE in the environment, else the best
  /// usable device; a software device only where there is no other.
  std::string device;
  /// Called with every message of the validation layers, from any thread, where a layer and VK_EXT_debug_utils are present.
  std::function<void(std::string_view message)> on_message;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  ///< null: from the system's Vulkan loader
  Strategy strategy = Strategy::automatic;
  SubgroupBackend subgroup_backend = SubgroupBackend::automatic;
  uint32_t subgroup_size = 0;
  std::string pipeline_cache_file;  ///< read at open, written when the Gpu is destroyed. Empty: none
};

/// Memory of a Gpu. Movable; freed on destruction, which the caller orders after the device's last use of it.
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

/// How long a submission took.
struct RunTime {
  double host_ms = 0;                ///< from before submission until the host saw it complete
  std::optional<double> device_ms;   ///< between timestamps around the commands; none where the queue has no timestamps
};

/// A Vulkan device that weft opens itself, for programs that own no Vulkan: device, one compute queue, buffers, staging.
/// Movable. Calls may come from many threads; those that submit take turns.
class Gpu {
 public:
  /// Every Vulkan device of this machine, best first. Errors: not_found (no Vulkan loader), out_of_host_memory, driver_error.
  static Result<std::vector<GpuInfo>> list(PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr);

  /// Errors: not_found (no loader, no device, none that fits the selection; the message lists those there are),
  /// missing_feature (the device cannot run weft; the message says what it lacks), out_of_*_memory, driver_error.
  static Result<Gpu> open(const GpuConfig& config = {});

  Gpu(Gpu&&) noexcept;
  Gpu& operator=(Gpu&&) noexcept;
  ~Gpu();  ///< waits for the device

  const GpuInfo& info() const noexcept;
  const Context& context() const noexcept;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr() const noexcept;  ///< the one in use, for Vulkan calls of the program's own
  VkInstance instance() const noexcept;
  VkPhysicalDevice physical_device() const noexcept;
  VkQueue queue() const noexcept;
  uint32_t queue_family() const noexcept;

  /// Device-local memory for storage, transfer and device addresses; zero bytes are rounded up to 16. Contents undefined.
  /// Errors: out_of_device_memory, out_of_host_memory.
  Result<Buffer> create_buffer(VkDeviceSize bytes);

  /// Copies `bytes` to the range's start and waits. Errors: invalid_argument (range smaller than `bytes`), device_lost, ...
  Status upload(const BufferRange& to, std::span<const std::byte> bytes);
  /// Copies the range's start to `bytes` and waits.
  Status download(const BufferRange& from, std::span<std::byte> bytes);
  /// Sets every 4-byte word of the range (offset and size multiples of 4) and waits.
  Status fill(const BufferRange& range, uint32_t word);

  /// Records with `record`, submits and waits. Everything earlier is visible to it, and its writes to everything later.
  Result<RunTime> run(const std::function<Status(VkCommandBuffer)>& record);

  /// Records `count` times, `record(commands, i)` each between its own timestamps, as one submission and waits: device
  /// milliseconds of each. The repetitions are separated by full barriers. Errors: missing_feature (no timestamps), ...
  Result<std::vector<double>> time(uint32_t count, const std::function<Status(VkCommandBuffer, uint32_t)>& record);

  /// One-line calls: upload, run, download. Pipelines are built at the first call of a kind and kept.
  template <class T>
  Result<std::vector<T>> exclusive_scan(std::span<const T> items, Op op = Op::add) {
    return scan_items(items, ScanKind::exclusive, op);
  }
  template <class T>
  Result<std::vector<T>> inclusive_scan(std::span<const T> items, Op op = Op::add) {
    return scan_items(items, ScanKind::inclusive, op);
  }
  /// op: not arg_min or arg_max.
  template <class T>
  Result<T> reduce(std::span<const T> items, Op op = Op::add) {
    T result{};
    const Status status = reduce_bytes({op, type_of<T>, type_of<T>}, std::as_bytes(items), items.size(),
                                       std::as_writable_bytes(std::span(&result, 1)));
    if (!status) return status.error();
    return result;
  }
  template <class T>
  Result<ArgResult> arg_reduce(std::span<const T> items, Op op) {
    ArgResult result{};
    const Status status = reduce_bytes({op, type_of<T>, type_of<T>}, std::as_bytes(items), items.size(),
                                       std::as_writable_bytes(std::span(&result, 1)));
    if (!status) return status.error();
    return result;
  }

 private:
  template <class T>
  Result<std::vector<T>> scan_items(std::span<const T> items, ScanKind kind, Op op) {
    std::vector<T> result(items.size());
    const Status status = scan_bytes({kind, op, type_of<T>, type_of<T>, Strategy::automatic}, std::as_bytes(items),
                                     items.size(), std::as_writable_bytes(std::span(result)));
    if (!status) return status.error();
    return result;
  }
  Status scan_bytes(const ScanConfig& config, std::span<const std::byte> items, uint64_t count, std::span<std::byte> result);
  Status reduce_bytes(const ReduceConfig& config, std::span<const std::byte> items, uint64_t count,
                      std::span<std::byte> result);

  struct State;
  explicit Gpu(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace weft
