// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/version.hpp>

#include <vector>

#include "c/calls.hpp"
#include "structs.hpp"

using namespace weft::c;

struct weft_device_features {
  weft::DeviceFeatures value;
  std::vector<const char*> missing{}, absent{};
};

namespace weft::c {

weft_status failed(weft_error* error, const Error& why) noexcept {
  if (error != nullptr) {
    size_t bytes = std::min(why.message.size(), sizeof(error->message) - 1);
    // Not inside of a character of several bytes.
    if (bytes < why.message.size())
      while (bytes > 0 && (static_cast<unsigned char>(why.message[bytes]) & 0xc0) == 0x80) --bytes;
    std::memcpy(error->message, why.message.data(), bytes);
    error->message[bytes] = 0;
  }
  return static_cast<weft_status>(static_cast<int>(why.code) + 1);
}

weft_status null_argument(weft_error* error, const char* name) noexcept try {
  return failed(error, {ErrorCode::invalid_argument, std::string(name) + " is null"});
} catch (...) {
  return failed(error, runtime::caught());
}

Status returned(weft_status status, const char* callback, const char* message) {
  if (status == WEFT_SUCCESS) return {};
  if (!is_enumerator(status, WEFT_OVER_LIMIT + 1))
    return Error{ErrorCode::system_error, std::string(callback) + " returned no weft_status"};
  return Error{static_cast<ErrorCode>(status - 1),
               message[0] != 0 ? std::string(message) : std::string(callback) + " returned an error"};
}

void run_on(weft_run_tasks run, void* user, uint32_t count, const std::function<void(uint32_t)>& task) {
  const weft_task call = [](void* work, uint32_t index) {
    (*static_cast<const std::function<void(uint32_t)>*>(work))(index);
  };
  run(user, count, call, const_cast<std::function<void(uint32_t)>*>(&task));
}

namespace {

// Null: none.
const char* const* texts_of(const std::vector<const char*>* texts, uint32_t* count) noexcept {
  if (count != nullptr) *count = texts == nullptr ? 0 : static_cast<uint32_t>(texts->size());
  return texts == nullptr ? nullptr : texts->data();
}

}  // namespace
}  // namespace weft::c

const char* weft_status_name(weft_status status) {
  if (status == WEFT_SUCCESS) return "success";
  return is_enumerator(status, WEFT_OVER_LIMIT + 1) ? name_of(static_cast<weft::ErrorCode>(status - 1)) : nullptr;
}

uint32_t weft_version() { return WEFT_VERSION_MAJOR * 1'000'000 + WEFT_VERSION_MINOR * 1'000 + WEFT_VERSION_PATCH; }

uint32_t weft_size_of(weft_type type) { return size_of(static_cast<weft::Type>(std::min<uint32_t>(type, 255))); }

weft_status weft_device_features_query(VkInstance instance, VkPhysicalDevice physical_device,
                                       PFN_vkGetInstanceProcAddr get_instance_proc_addr, uint32_t api_version,
                                       weft_device_features** features, weft_error* error) try {
  if (features == nullptr) return null_argument(error, "features");
  *features = nullptr;
  auto result = weft::DeviceFeatures::query(instance, physical_device, get_instance_proc_addr, api_version);
  const weft_status status = handed(std::move(result), features, error);
  if (*features == nullptr) return status;
  try {
    const weft::DeviceSupport& support = (*features)->value.support();
    for (const std::string& text : support.missing) (*features)->missing.push_back(text.c_str());
    for (const std::string& text : support.absent) (*features)->absent.push_back(text.c_str());
  } catch (...) {
    delete *features;
    *features = nullptr;
    throw;
  }
  return status;
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_device_features_destroy(weft_device_features* features) { delete features; }

bool weft_device_features_usable(const weft_device_features* features) {
  return features != nullptr && features->value.support().usable();
}

const char* const* weft_device_features_missing(const weft_device_features* features, uint32_t* count) {
  return texts_of(features == nullptr ? nullptr : &features->missing, count);
}

const char* const* weft_device_features_absent(const weft_device_features* features, uint32_t* count) {
  return texts_of(features == nullptr ? nullptr : &features->absent, count);
}

const char* const* weft_device_features_extensions(const weft_device_features* features, uint32_t* count) {
  return texts_of(features == nullptr ? nullptr : &features->value.support().extensions, count);
}

void weft_device_features_extend(weft_device_features* features, VkDeviceCreateInfo* info) {
  if (features != nullptr && info != nullptr) features->value.extend(*info);
}

weft_status weft_context_create(const weft_context_config* config, weft_context** context, weft_error* error) try {
  if (context == nullptr) return null_argument(error, "context");
  *context = nullptr;
  weft::ContextConfig cpp;
  if (weft::Status status = read(config, cpp); !status) return failed(error, status.error());
  return handed(weft::Context::create(cpp), context, error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_context_destroy(weft_context* context) { delete context; }

VkDevice weft_context_device(const weft_context* context) {
  return context == nullptr ? VK_NULL_HANDLE : context->value.device();
}

weft_subgroup_backend weft_context_subgroup_backend(const weft_context* context) {
  return context == nullptr ? weft_subgroup_backend{}
                            : static_cast<weft_subgroup_backend>(context->value.subgroup_backend());
}

uint32_t weft_context_subgroup_size(const weft_context* context) {
  return context == nullptr ? 0 : context->value.subgroup_size();
}

uint32_t weft_context_required_subgroup_size(const weft_context* context) {
  return context == nullptr ? 0 : context->value.required_subgroup_size();
}

weft_strategy weft_context_strategy(const weft_context* context) {
  return context == nullptr ? weft_strategy{} : static_cast<weft_strategy>(context->value.strategy());
}

bool weft_context_supports(const weft_context* context, weft_type type) {
  return context != nullptr && weft_size_of(type) != 0 && context->value.supports(static_cast<weft::Type>(type));
}

const char* weft_context_warning(const weft_context* context, uint32_t index) {
  if (context == nullptr || index >= context->value.warnings().size()) return nullptr;
  return context->value.warnings()[index].c_str();
}

weft_status weft_context_tuning(const weft_context* context, uint32_t index, weft_tuning_value* value,
                                weft_error* error) try {
  if (context == nullptr) return null_argument(error, "context");
  if (value == nullptr) return null_argument(error, "value");
  const auto values = context->value.tuning();
  if (!values) return failed(error, values.error());
  if (index >= values->size()) return failed(error, {weft::ErrorCode::not_found, "there are no more sizes"});
  const weft::TuningValue& found = (*values)[index];
  *value = {};
  found.key.copy(value->key, sizeof(value->key) - 1);
  value->min = found.min;
  value->max = found.max;
  value->value = found.value;
  value->swept = found.swept;
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_context_prewarm(const weft_context* context, const weft_prewarm* work, uint32_t count,
                                 weft_run_tasks run, void* user, weft_error* error) try {
  if (context == nullptr) return null_argument(error, "context");
  if (work == nullptr && count > 0) return null_argument(error, "work");
  std::vector<weft::Prewarm> all;
  for (uint32_t i = 0; i < count; ++i) {
    if (work[i].create == nullptr) return null_argument(error, "create");
    all.push_back([context, one = work[i]](const weft::Context&) {
      weft_error why{};
      const weft_status status = one.create(one.user, context, &why);
      return returned(status, "create", why.message);
    });
  }
  weft::RunTasks threads;
  if (run != nullptr) {
    threads = [run, user](uint32_t tasks, const std::function<void(uint32_t)>& task) {
      run_on(run, user, tasks, task);
    };
  }
  return ended(error, context->value.prewarm(all, threads));
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_context_pipeline_cache_data(const weft_context* context, void* data, size_t* size,
                                             weft_error* error) try {
  if (context == nullptr) return null_argument(error, "context");
  if (size == nullptr) return null_argument(error, "size");
  const auto contents = context->value.pipeline_cache_data();
  if (!contents) return failed(error, contents.error());
  if (data != nullptr) {
    if (*size < contents->size()) {
      return failed(error, {weft::ErrorCode::over_limit,
                            "the pipeline cache has " + std::to_string(contents->size()) + " bytes, more than *size"});
    }
    std::copy(contents->begin(), contents->end(), static_cast<std::byte*>(data));
  }
  *size = contents->size();
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

weft_status weft_kernel_set_create(const char* name, const char* primitive, const weft_kernel_code* kernels,
                                   size_t count, weft_kernel_set** set, weft_error* error) try {
  if (set == nullptr) return null_argument(error, "set");
  *set = nullptr;
  if (name == nullptr) return null_argument(error, "name");
  if (primitive == nullptr) return null_argument(error, "primitive");
  if (kernels == nullptr && count > 0) return null_argument(error, "kernels");
  std::vector<weft::KernelCode> codes;
  for (size_t i = 0; i < count; ++i) {
    if (kernels[i].name == nullptr || kernels[i].words == nullptr) return null_argument(error, "a kernel");
    codes.push_back({kernels[i].name, {kernels[i].words, kernels[i].word_count}});
  }
  const weft::KernelSet made(name, primitive, codes);
  if (!made.ok()) return failed(error, weft::runtime::out_of_memory());
  *set = new weft_kernel_set{made};
  return succeeded(error);
} catch (...) {
  return failed(error, weft::runtime::caught());
}

void weft_kernel_set_destroy(weft_kernel_set* set) { delete set; }
