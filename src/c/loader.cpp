// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <vector>

#include "c/calls.hpp"
#include "structs.hpp"

using namespace weft::c;

struct weft_loader {
  weft::Loader value;
};

struct weft_loader_pack {
  weft::LoaderPack value;
};

struct weft_load_batch {
  weft::LoadBatch value;
};

// As translate.py writes it of other structs.
template <>
struct weft::c::Tagged<weft_load_request> {
  using Cpp = weft::LoadRequest;
  static constexpr const char* kName = "weft_load_request";
  static constexpr size_t kEnds[] = {
      WEFT_END(weft_load_request, struct_size), WEFT_END(weft_load_request, pack),
      WEFT_END(weft_load_request, path),        WEFT_END(weft_load_request, asset),
      WEFT_END(weft_load_request, level),       WEFT_END(weft_load_request, first),
      WEFT_END(weft_load_request, count),       WEFT_END(weft_load_request, stored),
      WEFT_END(weft_load_request, priority),    WEFT_END(weft_load_request, host),
      WEFT_END(weft_load_request, host_bytes),  WEFT_END(weft_load_request, buffer),
      WEFT_END(weft_load_request, image),       WEFT_END(weft_load_request, tag),
      WEFT_END(weft_load_request, deadline_ns),
  };
  static void defaults(weft_load_request& c, const Cpp& from) {
    c.level = -1;
    c.count = from.count;
    c.priority = static_cast<weft_load_priority>(from.priority);
  }
  static Status convert(const weft_load_request& c, Cpp& to) {
    const auto refuse = [](const char* why) { return Error{ErrorCode::invalid_argument, why}; };
    if (c.pack == nullptr) return refuse("pack is null");
    to.pack = c.pack->value;
    if (c.path != nullptr) to.path = c.path;
    to.asset = c.asset;
    if (c.level >= 0) to.level = static_cast<uint32_t>(c.level);
    to.first = c.first;
    to.count = c.count;
    to.stored = c.stored;
    if (Status status = enumerator(c.priority, 3, "priority", to.priority); !status) return status;
    if ((c.host != nullptr) + (c.buffer.buffer != VK_NULL_HANDLE) + (c.image != nullptr) != 1)
      return refuse("host, buffer.buffer and image are not null for one destination each");
    if (c.host != nullptr) to.to = std::span(static_cast<std::byte*>(c.host), c.host_bytes);
    if (c.buffer.buffer != VK_NULL_HANDLE) to.to = cpp_of(c.buffer);
    if (c.image != nullptr) to.to = std::bit_cast<ImageDestination>(*c.image);
    to.tag = c.tag;
    if (c.deadline_ns != 0) to.deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(c.deadline_ns);
    return {};
  }
};

namespace {

constexpr uint64_t kMostNanoseconds = uint64_t{24} * 3600 * 1'000'000'000;

bool write_entry(const weft::pack::Entry& from, weft_pack_entry* entry) {
  if (entry == nullptr) return false;
  *entry = {from.path.data(), from.path.size(), from.content_bytes, std::bit_cast<weft_pack_image>(from.image)};
  return true;
}

}  // namespace

weft_status weft_loader_create(const weft_context* context, const weft_loader_device* device,
                               const weft_loader_config* config, weft_loader** loader, weft_error* error) try {
  if (loader == nullptr) return null_argument(error, "loader");
  *loader = nullptr;
  weft::LoaderConfig cpp;
  if (weft::Status status = read(config, cpp); !status) return failed(error, status.error());
  if (context == nullptr && device == nullptr) return handed(weft::Loader::create(cpp), loader, error);
  if (context == nullptr) return null_argument(error, "context");
  if (device == nullptr) return null_argument(error, "device");
  weft::LoaderDevice on;
  if (weft::Status status = read(device, on); !status) return failed(error, status.error());
  return handed(weft::Loader::create(context->value, on, cpp), loader, error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_loader_destroy(weft_loader* loader) { delete loader; }

weft_status weft_loader_open_pack(weft_loader* loader, const char* path, weft_loader_pack** pack,
                                  weft_error* error) try {
  if (pack == nullptr) return null_argument(error, "pack");
  *pack = nullptr;
  if (loader == nullptr) return null_argument(error, "loader");
  if (path == nullptr) return null_argument(error, "path");
  return handed(loader->value.open_pack(path), pack, error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_loader_pack_destroy(weft_loader_pack* pack) { delete pack; }

uint32_t weft_loader_pack_size(const weft_loader_pack* pack) {
  return pack == nullptr ? 0 : pack->value.directory().size();
}

bool weft_loader_pack_entry(const weft_loader_pack* pack, uint32_t index, weft_pack_entry* entry) {
  return index < weft_loader_pack_size(pack) && write_entry(pack->value.directory().entry(index), entry);
}

bool weft_loader_pack_find(const weft_loader_pack* pack, const char* path, weft_pack_entry* entry) {
  if (pack == nullptr || path == nullptr) return false;
  const auto found = pack->value.directory().find(path);
  return found && write_entry(*found, entry);
}

void weft_load_request_init_sized(weft_load_request* to, size_t struct_size) { init_sized(to, struct_size); }

weft_status weft_loader_submit(weft_loader* loader, const weft_load_request* requests, uint32_t count,
                               VkSemaphore semaphore, uint64_t value, weft_load_batch** batch, weft_error* error) try {
  if (batch == nullptr) return null_argument(error, "batch");
  *batch = nullptr;
  if (loader == nullptr) return null_argument(error, "loader");
  if (requests == nullptr && count > 0) return null_argument(error, "requests");
  std::vector<weft::LoadRequest> all(count);
  const size_t stride = count > 0 ? requests->struct_size : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const auto* at = reinterpret_cast<const std::byte*>(requests) + i * stride;
    const auto* request = reinterpret_cast<const weft_load_request*>(at);
    if (request->struct_size != stride) {
      return failed(error, {weft::ErrorCode::invalid_argument,
                            "request " + std::to_string(i) + " has another struct_size than request 0"});
    }
    if (weft::Status status = read(request, all[i]); !status) return failed(error, status.error());
  }
  return handed(loader->value.submit(all, {semaphore, value}), batch, error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_load_batch_destroy(weft_load_batch* batch) { delete batch; }

uint32_t weft_load_batch_size(const weft_load_batch* batch) { return batch == nullptr ? 0 : batch->value.size(); }

bool weft_load_batch_done(const weft_load_batch* batch) { return batch != nullptr && batch->value.done(); }

weft_request_status weft_load_batch_status(const weft_load_batch* batch, uint32_t request,
                                           weft_request_report* report) {
  if (request >= weft_load_batch_size(batch)) return WEFT_REQUEST_STATUS_INVALID_ARGUMENT;
  const weft::RequestStatus status = batch->value.status(request);
  if (status != weft::RequestStatus::pending && report != nullptr) {
    const weft::RequestReport& from = batch->value.report(request);
    *report = {};
    report->path = static_cast<weft_load_path>(from.path);
    report->staging = static_cast<weft_staging_memory>(from.staging);
    report->bytes = from.bytes;
    report->read_bytes = from.read_bytes;
    report->system_error = from.system_error;
    if (from.done > from.submitted)
      report->duration_ns = static_cast<uint64_t>(std::chrono::nanoseconds(from.done - from.submitted).count());
    report->reason[from.reason.copy(report->reason, sizeof(report->reason) - 1)] = 0;
  }
  return static_cast<weft_request_status>(status);
}

uint32_t weft_loader_cancel(weft_loader* loader, uint64_t tag) {
  return loader == nullptr ? 0 : loader->value.cancel(tag);
}

bool weft_loader_pump(weft_loader* loader) { return loader != nullptr && loader->value.pump(); }

bool weft_loader_wait(weft_loader* loader, const weft_load_batch* batch, uint64_t timeout_ns) {
  if (loader == nullptr || batch == nullptr) return false;
  return loader->value.wait(batch->value, std::chrono::nanoseconds(std::min(timeout_ns, kMostNanoseconds)));
}

weft_status weft_loader_record(weft_loader* loader, VkCommandBuffer commands, uint64_t* number, weft_error* error) try {
  if (loader == nullptr) return null_argument(error, "loader");
  if (number == nullptr) return null_argument(error, "number");
  const auto recorded = loader->value.record(commands);
  if (!recorded) return failed(error, recorded.error());
  *number = *recorded;
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_loader_retire(weft_loader* loader, uint64_t number) {
  if (loader != nullptr) loader->value.retire(number);
}

weft_loader_usage weft_loader_get_usage(const weft_loader* loader) {
  return loader == nullptr ? weft_loader_usage{} : std::bit_cast<weft_loader_usage>(loader->value.usage());
}

weft_read_backend weft_loader_backend(const weft_loader* loader) {
  return loader == nullptr ? weft_read_backend{} : static_cast<weft_read_backend>(loader->value.backend());
}
