// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "c/calls.hpp"
#include "structs.hpp"

using namespace weft::c;

struct weft_gpu {
  weft::Gpu value;
  weft_context context;
};

struct weft_buffer {
  weft::Buffer value;
};

namespace {

// Cut if it is longer.
template <size_t kBytes>
void copy_text(const std::string& text, char (&to)[kBytes]) {
  to[text.copy(to, kBytes - 1)] = 0;
}

weft_gpu_info info_of(const weft::GpuInfo& info) {
  weft_gpu_info c{};
  c.index = info.index;
  c.kind = static_cast<weft_gpu_kind>(info.kind);
  c.vendor_id = info.vendor_id;
  c.device_id = info.device_id;
  c.api_version = info.api_version;
  c.subgroup_size = info.subgroup_size;
  c.device_local_bytes = info.device_local_bytes;
  static_assert(sizeof(c.uuid) == VK_UUID_SIZE);
  std::copy(info.uuid.begin(), info.uuid.end(), c.uuid);
  c.usable = info.support.usable();
  copy_text(info.name, c.name);
  copy_text(info.driver, c.driver);
  return c;
}

VkQueue queue_of(const std::optional<weft::GpuQueue>& queue, uint32_t* family) {
  if (!queue) return VK_NULL_HANDLE;
  if (family != nullptr) *family = queue->family;
  return queue->handle;
}

}  // namespace

weft_status weft_gpu_list(weft_gpu_info* infos, uint32_t capacity, uint32_t* count, weft_error* error) try {
  if (count == nullptr) return null_argument(error, "count");
  if (infos == nullptr && capacity > 0) return null_argument(error, "infos");
  const auto list = weft::Gpu::list();
  if (!list) return failed(error, list.error());
  const auto end = list->begin() + static_cast<ptrdiff_t>(std::min<size_t>(capacity, list->size()));
  std::transform(list->begin(), end, infos, info_of);
  *count = static_cast<uint32_t>(list->size());
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_gpu_open(const weft_gpu_config* config, weft_gpu** gpu, weft_error* error) try {
  if (gpu == nullptr) return null_argument(error, "gpu");
  *gpu = nullptr;
  weft::GpuConfig cpp;
  if (weft::Status status = read(config, cpp); !status) return failed(error, status.error());
  auto opened = weft::Gpu::open(cpp);
  if (!opened) return failed(error, opened.error());
  weft_context context{opened->context()};
  *gpu = new weft_gpu{*std::move(opened), std::move(context)};
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_gpu_destroy(weft_gpu* gpu) { delete gpu; }

weft_status weft_gpu_get_info(const weft_gpu* gpu, weft_gpu_info* info, weft_error* error) try {
  if (gpu == nullptr) return null_argument(error, "gpu");
  if (info == nullptr) return null_argument(error, "info");
  *info = info_of(gpu->value.info());
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

const weft_context* weft_gpu_context(const weft_gpu* gpu) { return gpu == nullptr ? nullptr : &gpu->context; }

const char* weft_gpu_warning(const weft_gpu* gpu, uint32_t index) {
  if (gpu == nullptr || index >= gpu->value.warnings().size()) return nullptr;
  return gpu->value.warnings()[index].c_str();
}

PFN_vkGetInstanceProcAddr weft_gpu_get_instance_proc_addr(const weft_gpu* gpu) {
  return gpu == nullptr ? nullptr : gpu->value.get_instance_proc_addr();
}

VkInstance weft_gpu_instance(const weft_gpu* gpu) { return gpu == nullptr ? VK_NULL_HANDLE : gpu->value.instance(); }

VkPhysicalDevice weft_gpu_physical_device(const weft_gpu* gpu) {
  return gpu == nullptr ? VK_NULL_HANDLE : gpu->value.physical_device();
}

VkQueue weft_gpu_queue(const weft_gpu* gpu) { return gpu == nullptr ? VK_NULL_HANDLE : gpu->value.queue(); }

uint32_t weft_gpu_queue_family(const weft_gpu* gpu) { return gpu == nullptr ? 0 : gpu->value.queue_family(); }

VkQueue weft_gpu_second_queue(const weft_gpu* gpu, uint32_t* family) {
  return gpu == nullptr ? VK_NULL_HANDLE : queue_of(gpu->value.second_queue(), family);
}

VkQueue weft_gpu_copy_queue(const weft_gpu* gpu, uint32_t* family) {
  return gpu == nullptr ? VK_NULL_HANDLE : queue_of(gpu->value.copy_queue(), family);
}

bool weft_gpu_has_extension(const weft_gpu* gpu, const char* name) {
  return gpu != nullptr && name != nullptr && gpu->value.has_extension(name);
}

weft_status weft_buffer_create(weft_gpu* gpu, VkDeviceSize bytes, weft_buffer** buffer, weft_error* error) try {
  if (buffer == nullptr) return null_argument(error, "buffer");
  *buffer = nullptr;
  if (gpu == nullptr) return null_argument(error, "gpu");
  return handed(gpu->value.create_buffer(bytes), buffer, error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_buffer_destroy(weft_buffer* buffer) { delete buffer; }

weft_buffer_range weft_buffer_get_range(const weft_buffer* buffer) {
  if (buffer == nullptr) return {};
  return weft_range_of(buffer->value.handle(), 0, buffer->value.size());
}

VkDeviceAddress weft_buffer_address(const weft_buffer* buffer) {
  return buffer == nullptr ? 0 : buffer->value.address();
}

weft_status weft_gpu_upload(weft_gpu* gpu, const weft_buffer_range* to, const void* bytes, size_t size,
                            weft_error* error) {
  if (gpu == nullptr) return null_argument(error, "gpu");
  if (to == nullptr) return null_argument(error, "to");
  if (bytes == nullptr && size > 0) return null_argument(error, "bytes");
  return ended(error, gpu->value.upload(cpp_of(*to), {static_cast<const std::byte*>(bytes), size}));
}

weft_status weft_gpu_download(weft_gpu* gpu, const weft_buffer_range* from, void* bytes, size_t size,
                              weft_error* error) {
  if (gpu == nullptr) return null_argument(error, "gpu");
  if (from == nullptr) return null_argument(error, "from");
  if (bytes == nullptr && size > 0) return null_argument(error, "bytes");
  return ended(error, gpu->value.download(cpp_of(*from), {static_cast<std::byte*>(bytes), size}));
}

weft_status weft_gpu_fill(weft_gpu* gpu, const weft_buffer_range* range, uint32_t word, weft_error* error) {
  if (gpu == nullptr) return null_argument(error, "gpu");
  if (range == nullptr) return null_argument(error, "range");
  return ended(error, gpu->value.fill(cpp_of(*range), word));
}

weft_status weft_gpu_run(weft_gpu* gpu, weft_record record, void* user, weft_run_time* time, weft_error* error) try {
  if (gpu == nullptr) return null_argument(error, "gpu");
  if (record == nullptr) return null_argument(error, "record");
  weft_status recorded = WEFT_SUCCESS;
  succeeded(error);  // what it leaves there if it does not say why
  const auto done = gpu->value.run([&](VkCommandBuffer commands) -> weft::Status {
    recorded = record(user, commands, error);
    if (recorded == WEFT_SUCCESS) return {};
    return weft::Error{weft::ErrorCode::invalid_argument, {}};
  });
  if (recorded != WEFT_SUCCESS) return recorded;
  if (!done) return failed(error, done.error());
  if (time != nullptr) *time = {done->host_ms, done->device_ms.value_or(-1)};
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_gpu_time(weft_gpu* gpu, uint32_t count, weft_record record, void* user, double* device_ms,
                          weft_error* error) try {
  if (gpu == nullptr) return null_argument(error, "gpu");
  if (record == nullptr) return null_argument(error, "record");
  if (device_ms == nullptr && count > 0) return null_argument(error, "device_ms");
  const auto times = gpu->value.time(count, [&](VkCommandBuffer commands, uint32_t) {
    weft_error why{};
    const weft_status status = record(user, commands, &why);
    return returned(status, "record", why.message);
  });
  if (!times) return failed(error, times.error());
  std::copy(times->begin(), times->end(), device_ms);
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}
