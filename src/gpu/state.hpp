// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include <weft/gpu.hpp>

#include "gpu/instance.hpp"
#include "runtime/device_facts.hpp"
#include "vk/memory.hpp"
#include "vk/unique.hpp"

namespace weft {

struct Buffer::State {
  vk::BoundBuffer bound;
};

namespace runtime {

/// A command buffer and the fence that is signalled when the device is done with it. Used under GpuState's mutex.
struct Submission {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  vk::UniqueFence fence;
  bool recording = false;
  bool pending = false;  ///< submitted and not waited for
};

/// The host-visible buffer through which uploads and downloads go: two halves, so that the host copies one while the
/// device copies the other, and transfers of any size need no more memory.
struct Staging {
  static constexpr VkDeviceSize kHalfBytes = VkDeviceSize{32} << 20;
  vk::BoundBuffer buffer;
  Submission halves[2];
};

/// What the one-line calls keep from one to the next.
struct OneLineCalls {
  std::mutex mutex;  // held for a whole call, since calls share the buffers; taken before GpuState's
  std::map<std::tuple<ScanKind, Op, Type, Type, Strategy>, Scan> scans;
  std::map<std::tuple<Op, Type, Type>, Reduce> reduces;
  std::optional<Buffer> items;
  std::optional<Buffer> result;
  std::optional<Buffer> scratch;
};

/// Keeps `buffer` if it has room for `bytes`, else frees it before a larger one is made.
Status grow(Gpu& gpu, std::optional<Buffer>& buffer, VkDeviceSize bytes);

}  // namespace runtime

struct Gpu::State {
  static constexpr uint32_t kTimedAtOnce = 256;  // repetitions in one submission of Gpu::time

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  vk::DeviceRef ref() const noexcept { return {&table, device, nullptr}; }
  Status open(const GpuConfig& config);
  Result<uint32_t> selected(const std::vector<runtime::ListedGpu>& list, const std::string& selection);
  VkResult choose_extensions(const std::vector<std::string>& wanted, std::vector<const char*>& enabled);
  Status create_device(const GpuConfig& config);
  Status create_submission(runtime::Submission& submission);
  void save_pipeline_cache() noexcept;

  // With `mutex` held:
  Status begin(runtime::Submission& submission);
  Status submit(runtime::Submission& submission);
  Status wait(runtime::Submission& submission) noexcept;
  Status prepare_staging();
  void settle_staging() noexcept;
  Status upload_staged(const BufferRange& to, std::span<const std::byte> bytes) noexcept;
  Status download_staged(const BufferRange& from, std::span<std::byte> bytes) noexcept;
  bool has_timestamps() const noexcept { return static_cast<bool>(queries); }
  void write_timestamp(VkCommandBuffer commands, uint32_t query) const;
  /// Milliseconds between queries 2i and 2i + 1, for i below `count`.
  Status read_times(uint32_t count, std::vector<double>& times) const;
  Result<Scan> scan_of(const ScanConfig& config);
  Result<Reduce> reduce_of(const ReduceConfig& config);

  std::unique_ptr<runtime::GpuInstance> instance;
  GpuInfo info;
  std::vector<std::string> warnings;
  std::vector<std::string> extra_extensions;  // of the program's, those that are enabled
  runtime::DeviceFacts facts;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory{};
  uint32_t queue_family = 0;
  uint32_t timestamp_bits = 0;
  VkDevice device = VK_NULL_HANDLE;
  vk::DeviceTable table{};
  VkQueue queue = VK_NULL_HANDLE;
  std::optional<GpuQueue> second_queue, copy_queue;
  std::string pipeline_cache_file;
  std::vector<std::byte> loaded_pipeline_cache;
  std::optional<Context> context;

  std::mutex mutex;  // one submission at a time: guards the queue and everything below but `calls`
  vk::UniqueCommandPool command_pool;
  vk::UniqueQueryPool queries;  // 2 * kTimedAtOnce timestamps; none where the queue has none
  runtime::Submission main;
  runtime::Staging staging;

  runtime::OneLineCalls calls;
};

namespace runtime {

/// A global memory barrier.
void record_barrier(const vk::DeviceTable& vk, VkCommandBuffer commands, VkPipelineStageFlags from_stages,
                    VkAccessFlags from_access, VkPipelineStageFlags to_stages, VkAccessFlags to_access);

/// Everything before is complete and visible to everything after, on the device.
void record_full_barrier(const vk::DeviceTable& vk, VkCommandBuffer commands);

/// "3.0 GiB", "16 bytes".
std::string bytes_in_words(VkDeviceSize bytes);

}  // namespace runtime
}  // namespace weft
