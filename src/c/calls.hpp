// SPDX-License-Identifier: MIT OR Apache-2.0
// What every function of the C interface ends in, and what the primitives' have in common.
#pragma once

#include <new>
#include <span>
#include <utility>

#include "c/convert.hpp"
#include "runtime/caught.hpp"

struct weft_context {
  weft::Context value;
};

namespace weft::c {

weft_status failed(weft_error* error, const Error& why) noexcept;
weft_status null_argument(weft_error* error, const char* name) noexcept;

inline weft_status succeeded(weft_error* error) noexcept {
  if (error != nullptr) error->message[0] = 0;
  return WEFT_SUCCESS;
}

inline weft_status ended(weft_error* error, const Status& status) noexcept {
  return status ? succeeded(error) : failed(error, status.error());
}

/// What a callback of the caller's returned, with the reason that it wrote, if any.
Status returned(weft_status status, const char* callback, const char* message = "");

/// Has the caller's threads call `task`.
void run_on(weft_run_tasks run, void* user, uint32_t count, const std::function<void(uint32_t)>& task);

/// Writes a new handle of the result's value.
template <class Handle, class T>
weft_status handed(Result<T>&& result, Handle** out, weft_error* error) {
  if (!result) return failed(error, result.error());
  *out = new Handle{*std::move(result)};
  return succeeded(error);
}

template <class Handle, class Config>
weft_status create(const weft_context* context, const Config* config, Handle** out, weft_error* error) noexcept try {
  if (out == nullptr) return null_argument(error, "the handle to be written");
  *out = nullptr;
  if (context == nullptr) return null_argument(error, "context");
  typename Tagged<Config>::Cpp cpp{};
  if (Status status = read(config, cpp); !status) return failed(error, status.error());
  return handed(decltype(Handle::value)::create(context->value, cpp), out, error);
} catch (...) {
  return failed(error, runtime::caught());
}

/// `more`: what record() takes between the command buffer and the arguments.
template <class Handle, class Args, class... More>
weft_status record(const Handle* handle, VkCommandBuffer commands, const Args* args, weft_error* error,
                   const More&... more) noexcept try {
  if (handle == nullptr) return null_argument(error, "the primitive");
  if (args == nullptr) return null_argument(error, "args");
  typename Tagged<Args>::Cpp cpp{};
  if (Status status = read(args, cpp); !status) return failed(error, status.error());
  return ended(error, handle->value.record(commands, more..., cpp));
} catch (...) {
  return failed(error, runtime::caught());
}

}  // namespace weft::c
