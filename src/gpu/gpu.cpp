// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/gpu.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>

#include "gpu/state.hpp"
#include "runtime/error.hpp"

namespace weft {

namespace runtime {

Status guarded(void (*call)(void* data), void* data) noexcept try {
  call(data);
  return {};
} catch (...) {
  return caught();
}

void record_barrier(const vk::DeviceTable& vk, VkCommandBuffer commands, VkPipelineStageFlags from_stages,
                    VkAccessFlags from_access, VkPipelineStageFlags to_stages, VkAccessFlags to_access) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = from_access;
  barrier.dstAccessMask = to_access;
  vk.vkCmdPipelineBarrier(commands, from_stages, to_stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void record_full_barrier(const vk::DeviceTable& vk, VkCommandBuffer commands) {
  record_barrier(vk, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

std::string bytes_in_words(VkDeviceSize bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  size_t unit = 0;
  double value = static_cast<double>(bytes) / 1024;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

}  // namespace runtime

namespace {

using runtime::error_of;
using runtime::Submission;

// Larger files are no pipeline cache of weft's.
constexpr std::streamoff kMaxPipelineCacheFile = std::streamoff{256} << 20;

// The file's bytes; empty where there is none or it cannot be read.
std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff{file.tellg()} : 0;
  if (size <= 0 || size > kMaxPipelineCacheFile) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), size)) return {};
  return bytes;
}

// Writes beside `path` under a name of its own and renames, so that a reader never sees half a file and two writers do
// not mix. False where the file could not be written; nothing is left behind then.
bool replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::filesystem::path temporary = path;
  temporary += "." + std::to_string(std::random_device{}()) + ".tmp";
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      return false;
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (!error) return true;
  std::filesystem::remove(temporary, error);
  return false;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// ---- Buffer ----

Buffer::Buffer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Buffer::Buffer(Buffer&&) noexcept = default;
Buffer& Buffer::operator=(Buffer&&) noexcept = default;
Buffer::~Buffer() = default;

VkBuffer Buffer::handle() const noexcept { return state_->bound.buffer.get(); }
VkDeviceSize Buffer::size() const noexcept { return state_->bound.size; }
VkDeviceAddress Buffer::address() const noexcept { return state_->bound.address; }

// ---- opening and closing ----

Result<std::vector<GpuInfo>> Gpu::list(PFN_vkGetInstanceProcAddr get_instance_proc_addr) noexcept try {
  const auto instance = runtime::GpuInstance::create(get_instance_proc_addr, {}, {});
  if (!instance) return instance.error();
  auto list = (*instance)->list();
  if (!list) return list.error();
  std::vector<GpuInfo> infos;
  for (runtime::ListedGpu& gpu : *list) infos.push_back(std::move(gpu.info));
  return infos;
} catch (...) {
  return runtime::caught();
}

Result<Gpu> Gpu::open(const GpuConfig& config) noexcept try {
  auto state = std::make_unique<State>();
  if (Status status = state->open(config); !status) return status.error();
  return Gpu(std::move(state));
} catch (...) {
  return runtime::caught();
}

Gpu::Gpu(std::unique_ptr<State> state) : state_(std::move(state)) {}
Gpu::Gpu(Gpu&&) noexcept = default;
Gpu& Gpu::operator=(Gpu&&) noexcept = default;
Gpu::~Gpu() = default;

Result<uint32_t> Gpu::State::selected(const std::vector<runtime::ListedGpu>& list, const std::string& selection) {
  constexpr const char* kVariable = "WEFT_DEVICE";
  const char* value = std::getenv(kVariable);
  if (selection.empty() && value != nullptr && *value != '\0') {
    auto index = runtime::select_gpu(list, value);
    if (index) return index;
    warnings.push_back(std::string(kVariable) + " is ignored: " + index.error().message);
  }
  return runtime::select_gpu(list, selection);
}

Status Gpu::State::open(const GpuConfig& config) {
  auto opened = runtime::GpuInstance::create(config.get_instance_proc_addr, config.on_message, config.extensions);
  if (!opened) return opened.error();
  instance = *std::move(opened);
  extra_extensions = instance->extra_extensions();
  auto list = instance->list();
  if (!list) return list.error();

  const auto index = selected(*list, config.device);
  if (!index) return index.error();
  physical_device = (*list)[*index].handle;
  info = std::move((*list)[*index].info);

  auto queried = runtime::query_device_facts(instance->handle(), physical_device, instance->get_instance_proc_addr(),
                                             instance->api_version());
  if (!queried) return queried.error();
  facts = *std::move(queried);
  instance->vk().vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
  if (Status status = create_device(config); !status) return status;

  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool_info.queueFamilyIndex = queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkResult result = table.vkCreateCommandPool(device, &pool_info, nullptr, &pool);
  if (result != VK_SUCCESS) return error_of(result, "vkCreateCommandPool");
  command_pool = vk::UniqueCommandPool(ref(), pool);
  if (Status status = create_submission(main); !status) return status;

  if (timestamp_bits == 0 || !(facts.limits.timestampPeriod > 0)) return {};
  VkQueryPoolCreateInfo query_info{};
  query_info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  query_info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  query_info.queryCount = 2 * kTimedAtOnce;
  VkQueryPool query_pool = VK_NULL_HANDLE;
  result = table.vkCreateQueryPool(device, &query_info, nullptr, &query_pool);
  if (result != VK_SUCCESS) return error_of(result, "vkCreateQueryPool");
  queries = vk::UniqueQueryPool(ref(), query_pool);
  return {};
}

// Adds those of the program's extensions that the device has.
VkResult Gpu::State::choose_extensions(const std::vector<std::string>& wanted, std::vector<const char*>& enabled) {
  if (wanted.empty()) return VK_SUCCESS;
  const auto enumerate = instance->vk().vkEnumerateDeviceExtensionProperties;
  uint32_t count = 0;
  VkResult result = enumerate(physical_device, nullptr, &count, nullptr);
  if (result != VK_SUCCESS) return result;
  std::vector<VkExtensionProperties> found(count);
  result = enumerate(physical_device, nullptr, &count, found.data());
  if (result != VK_SUCCESS) return result;
  for (const std::string& name : wanted) {
    if (std::ranges::none_of(found, [&](const VkExtensionProperties& one) { return name == one.extensionName; }))
      continue;
    extra_extensions.push_back(name);
    if (std::ranges::none_of(enabled, [&](const char* one) { return name == one; })) enabled.push_back(name.c_str());
  }
  return VK_SUCCESS;
}

Status Gpu::State::create_device(const GpuConfig& config) {
  const vk::InstanceTable& vk = instance->vk();
  uint32_t family_count = 0;
  vk.vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &family_count, nullptr);
  std::vector<VkQueueFamilyProperties> families(family_count);
  vk.vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &family_count, families.data());
  queue_family = runtime::choose_queue_family(families);
  timestamp_bits = families[queue_family].timestampValidBits;

  auto features = DeviceFeatures::query(instance->handle(), physical_device, instance->get_instance_proc_addr(),
                                        instance->api_version());
  if (!features) return features.error();
  std::vector<const char*> extensions = features->support().extensions;
  if (facts.portability_subset) extensions.push_back("VK_KHR_portability_subset");
  if (const VkResult result = choose_extensions(config.extensions, extensions); result != VK_SUCCESS)
    return error_of(result, "vkEnumerateDeviceExtensionProperties");

  if (config.second_queue)
    if (const auto family = runtime::choose_second_family(families, queue_family))
      second_queue.emplace().family = *family;
  if (config.copy_queue)
    if (const auto family = runtime::choose_copy_family(families)) copy_queue.emplace().family = *family;
  const float priorities[] = {1.0F, 1.0F};
  std::vector<VkDeviceQueueCreateInfo> queue_infos;
  const auto add_queue = [&](uint32_t family) {
    const auto same = std::ranges::find(queue_infos, family, &VkDeviceQueueCreateInfo::queueFamilyIndex);
    if (same != queue_infos.end()) return same->queueCount++;
    VkDeviceQueueCreateInfo queue_info{};
    queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue_info.queueFamilyIndex = family;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = priorities;
    queue_infos.push_back(queue_info);
    return 0U;
  };
  add_queue(queue_family);
  const uint32_t second_index = second_queue ? add_queue(second_queue->family) : 0;
  if (copy_queue) add_queue(copy_queue->family);
  VkDeviceCreateInfo device_info{};
  device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device_info.pNext = config.features;
  device_info.queueCreateInfoCount = static_cast<uint32_t>(queue_infos.size());
  device_info.pQueueCreateInfos = queue_infos.data();
  device_info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  device_info.ppEnabledExtensionNames = extensions.data();
  features->extend(device_info);
  if (const VkResult result = vk.vkCreateDevice(physical_device, &device_info, nullptr, &device); result != VK_SUCCESS)
    return error_of(result, "vkCreateDevice");
  if (!vk::load_device_table(table, device, vk.vkGetDeviceProcAddr))
    return Error{ErrorCode::driver_error, "the driver lacks functions of Vulkan 1.2"};
  table.vkGetDeviceQueue(device, queue_family, 0, &queue);
  if (second_queue) table.vkGetDeviceQueue(device, second_queue->family, second_index, &second_queue->handle);
  if (copy_queue) table.vkGetDeviceQueue(device, copy_queue->family, 0, &copy_queue->handle);

  pipeline_cache_file = config.pipeline_cache_file;
  if (!pipeline_cache_file.empty()) loaded_pipeline_cache = read_file(pipeline_cache_file);

  ContextConfig context_config;
  context_config.instance = instance->handle();
  context_config.physical_device = physical_device;
  context_config.device = device;
  context_config.get_instance_proc_addr = instance->get_instance_proc_addr();
  context_config.api_version = instance->api_version();
  context_config.device_create_info = &device_info;
  context_config.pipeline_cache_data = loaded_pipeline_cache.data();
  context_config.pipeline_cache_size = loaded_pipeline_cache.size();
  context_config.debug_utils = instance->has_debug_utils();
  context_config.strategy = config.strategy;
  context_config.subgroup_backend = config.subgroup_backend;
  context_config.subgroup_size = config.subgroup_size;
  context_config.tuning = config.tuning;
  context_config.use_environment = true;
  auto created = Context::create(context_config);
  if (!created) return created.error();
  context.emplace(*std::move(created));
  warnings.insert(warnings.end(), context->warnings().begin(), context->warnings().end());
  return {};
}

Status Gpu::State::create_submission(Submission& submission) {
  VkCommandBufferAllocateInfo commands_info{};
  commands_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands_info.commandPool = command_pool.get();
  commands_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands_info.commandBufferCount = 1;
  VkResult result = table.vkAllocateCommandBuffers(device, &commands_info, &submission.commands);
  if (result != VK_SUCCESS) return error_of(result, "vkAllocateCommandBuffers");
  VkFenceCreateInfo fence_info{};
  fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = VK_NULL_HANDLE;
  result = table.vkCreateFence(device, &fence_info, nullptr, &fence);
  if (result != VK_SUCCESS) return error_of(result, "vkCreateFence");
  submission.fence = vk::UniqueFence(ref(), fence);
  return {};
}

Gpu::State::~State() {
  if (table.vkDestroyDevice == nullptr) return;
  table.vkDeviceWaitIdle(device);
  save_pipeline_cache();
  // Everything of the device before the device itself.
  calls.scans.clear();
  calls.reduces.clear();
  calls.items.reset();
  calls.result.reset();
  calls.scratch.reset();
  staging = {};
  main = {};
  queries = {};
  command_pool = {};
  context.reset();
  table.vkDestroyDevice(device, nullptr);
}

void Gpu::State::save_pipeline_cache() noexcept {
  if (pipeline_cache_file.empty() || !context) return;
  // A cache that cannot be written costs time at the next start and nothing else.
  try {
    const auto data = context->pipeline_cache_data();
    if (data && *data != loaded_pipeline_cache) static_cast<void>(replace_file(pipeline_cache_file, *data));
  } catch (...) {
  }
}

const GpuInfo& Gpu::info() const noexcept { return state_->info; }
const Context& Gpu::context() const noexcept { return *state_->context; }
const std::vector<std::string>& Gpu::warnings() const noexcept { return state_->warnings; }
PFN_vkGetInstanceProcAddr Gpu::get_instance_proc_addr() const noexcept {
  return state_->instance->get_instance_proc_addr();
}
VkInstance Gpu::instance() const noexcept { return state_->instance->handle(); }
VkPhysicalDevice Gpu::physical_device() const noexcept { return state_->physical_device; }
VkQueue Gpu::queue() const noexcept { return state_->queue; }
uint32_t Gpu::queue_family() const noexcept { return state_->queue_family; }
std::optional<GpuQueue> Gpu::second_queue() const noexcept { return state_->second_queue; }
std::optional<GpuQueue> Gpu::copy_queue() const noexcept { return state_->copy_queue; }
bool Gpu::has_extension(std::string_view name) const noexcept {
  return std::ranges::find(state_->extra_extensions, name) != state_->extra_extensions.end();
}

// ---- buffers ----

Result<Buffer> Gpu::create_buffer(VkDeviceSize bytes) noexcept try {
  constexpr VkDeviceSize kGranule = 16;
  constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                        VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  const auto refuse = [bytes](const std::string& why) {
    return Error{ErrorCode::out_of_device_memory, "a buffer of " + runtime::bytes_in_words(bytes) + ": " + why};
  };
  const runtime::DeviceFacts& facts = state_->facts;

  // Larger allocations than maxMemoryAllocationSize are the driver's to refuse, since some drivers of real devices
  // report less than they give. A software device would take the machine's memory instead of refusing.
  VkDeviceSize limit = std::min(facts.max_buffer_size, state_->info.device_local_bytes);
  const char* limited = facts.max_buffer_size < state_->info.device_local_bytes ? "the device's largest buffer is "
                                                                                : "the device's memory is ";
  if (state_->info.kind == GpuKind::software && facts.max_allocation_size < limit) {
    limit = facts.max_allocation_size;
    limited = "the device's largest allocation is ";
  }
  if (bytes > limit) return refuse(limited + runtime::bytes_in_words(limit));
  const VkDeviceSize size = std::max(kGranule, (bytes + kGranule - 1) / kGranule * kGranule);

  auto state = std::make_unique<Buffer::State>();
  const VkResult result =
      vk::create_bound_buffer(state_->ref(), state_->memory, size, kUsage, vk::MemoryUse::device, state->bound);
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
    return refuse("the device has " + runtime::bytes_in_words(state_->info.device_local_bytes) +
                  ", not enough of it free, or gives less at once; its largest certain allocation is " +
                  runtime::bytes_in_words(facts.max_allocation_size));
  }
  if (result != VK_SUCCESS) return error_of(result, ("a buffer of " + runtime::bytes_in_words(bytes)).c_str());
  return Buffer(std::move(state));
} catch (...) {
  return runtime::caught();
}

// ---- submitting ----

Status Gpu::State::begin(Submission& submission) {
  // A recording that its author gave up is ended first: a command buffer being recorded may not be begun.
  if (std::exchange(submission.recording, false)) table.vkEndCommandBuffer(submission.commands);
  VkCommandBufferBeginInfo begin_info{};
  begin_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin_info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  const VkResult result = table.vkBeginCommandBuffer(submission.commands, &begin_info);
  if (result != VK_SUCCESS) return error_of(result, "vkBeginCommandBuffer");
  submission.recording = true;
  return {};
}

Status Gpu::State::submit(Submission& submission) {
  submission.recording = false;
  VkResult result = table.vkEndCommandBuffer(submission.commands);
  if (result != VK_SUCCESS) return error_of(result, "vkEndCommandBuffer");
  const VkFence fence = submission.fence.get();
  result = table.vkResetFences(device, 1, &fence);
  if (result != VK_SUCCESS) return error_of(result, "vkResetFences");
  VkSubmitInfo submit_info{};
  submit_info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit_info.commandBufferCount = 1;
  submit_info.pCommandBuffers = &submission.commands;
  result = table.vkQueueSubmit(queue, 1, &submit_info, fence);
  if (result != VK_SUCCESS) return error_of(result, "vkQueueSubmit");
  submission.pending = true;
  return {};
}

Status Gpu::State::wait(Submission& submission) noexcept try {
  if (!std::exchange(submission.pending, false)) return {};
  const VkFence fence = submission.fence.get();
  const VkResult result = table.vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
  if (result == VK_SUCCESS) return {};
  // A wait may fail while the commands still run; they must be over before anything they use is touched again.
  static_cast<void>(table.vkDeviceWaitIdle(device));
  return error_of(result, "vkWaitForFences");
} catch (...) {
  return runtime::caught();
}

void Gpu::State::write_timestamp(VkCommandBuffer commands, uint32_t query) const {
  // At the bottom of the pipe: the first of a pair is taken when all earlier commands are complete, the second when
  // those between are.
  table.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries.get(), query);
}

Status Gpu::State::read_times(uint32_t count, std::vector<double>& times) const {
  std::vector<uint64_t> ticks(2 * size_t{count});
  const VkResult result =
      table.vkGetQueryPoolResults(device, queries.get(), 0, 2 * count, ticks.size() * sizeof(uint64_t), ticks.data(),
                                  sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  if (result != VK_SUCCESS) return error_of(result, "vkGetQueryPoolResults");
  const uint64_t mask = timestamp_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << timestamp_bits) - 1;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t elapsed = (ticks[2 * i + 1] - ticks[2 * i]) & mask;  // right across a wrap of the counter
    times.push_back(static_cast<double>(elapsed) * static_cast<double>(facts.limits.timestampPeriod) * 1e-6);
  }
  return {};
}

Result<RunTime> Gpu::run(const std::function<Status(VkCommandBuffer)>& record) noexcept try {
  State& state = *state_;
  const vk::DeviceTable& vk = state.table;
  const std::lock_guard lock(state.mutex);
  if (Status status = state.begin(state.main); !status) return status.error();
  const VkCommandBuffer commands = state.main.commands;
  if (state.has_timestamps()) vk.vkCmdResetQueryPool(commands, state.queries.get(), 0, 2);
  runtime::record_full_barrier(vk, commands);
  if (state.has_timestamps()) state.write_timestamp(commands, 0);
  if (Status status = record(commands); !status) return status.error();
  if (state.has_timestamps()) state.write_timestamp(commands, 1);
  runtime::record_barrier(vk, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);

  RunTime time;
  const auto start = std::chrono::steady_clock::now();
  if (Status status = state.submit(state.main); !status) return status.error();
  if (Status status = state.wait(state.main); !status) return status.error();
  time.host_ms = milliseconds_since(start);
  if (state.has_timestamps()) {
    std::vector<double> times;
    if (Status status = state.read_times(1, times); !status) return status.error();
    time.device_ms = times.front();
  }
  return time;
} catch (...) {
  return runtime::caught();
}

Result<std::vector<double>> Gpu::time(uint32_t count,
                                      const std::function<Status(VkCommandBuffer, uint32_t)>& record) noexcept try {
  // A submission stays well below the seconds after which a system takes its device for hung.
  constexpr double kSubmissionMs = 250;
  constexpr uint32_t kFirst = 4;

  State& state = *state_;
  const vk::DeviceTable& vk = state.table;
  if (!state.has_timestamps()) {
    return Error{ErrorCode::missing_feature, state.info.name + " has no timestamps on its compute queue"};
  }
  const std::lock_guard lock(state.mutex);
  std::vector<double> times;
  times.reserve(count);
  uint32_t batch = kFirst;
  while (times.size() < count) {
    const auto done = static_cast<uint32_t>(times.size());
    batch = std::min({batch, count - done, State::kTimedAtOnce});
    if (Status status = state.begin(state.main); !status) return status.error();
    const VkCommandBuffer commands = state.main.commands;
    vk.vkCmdResetQueryPool(commands, state.queries.get(), 0, 2 * batch);
    for (uint32_t i = 0; i < batch; ++i) {
      runtime::record_full_barrier(vk, commands);
      state.write_timestamp(commands, 2 * i);
      if (Status status = record(commands, done + i); !status) return status.error();
      state.write_timestamp(commands, 2 * i + 1);
    }
    runtime::record_barrier(vk, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                            VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    if (Status status = state.submit(state.main); !status) return status.error();
    if (Status status = state.wait(state.main); !status) return status.error();
    if (Status status = state.read_times(batch, times); !status) return status.error();
    const double slowest = *std::max_element(times.begin() + done, times.end());
    const double fitting = slowest > 0 ? kSubmissionMs / slowest : State::kTimedAtOnce;
    batch = static_cast<uint32_t>(std::clamp<double>(fitting, 1, State::kTimedAtOnce));
  }
  return times;
} catch (...) {
  return runtime::caught();
}

}  // namespace weft
