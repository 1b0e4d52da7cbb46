// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace weft {

/// Why a call did not do what it was asked.
enum class ErrorCode : uint8_t {
  invalid_argument,      ///< an argument breaks its precondition; the message names it
  missing_feature,       ///< the device has not, or the host did not enable, what the call needs; the message names it
  unsupported,           ///< weft has no such combination, on any device
  out_of_host_memory,    ///< the host could not allocate
  out_of_device_memory,  ///< the device could not allocate
  device_lost,           ///< the VkDevice is lost; nothing on it can be used any more
  not_found,             ///< no Vulkan loader, no device, or none that fits the selection
  driver_error,          ///< any other VkResult; the message names it
  compile_error,         ///< a snippet of the user's own does not compile; the message is the compiler's
};

/// The code's name, e.g. "invalid_argument".
const char* name_of(ErrorCode code) noexcept;

/// A code to branch on and a sentence to show.
struct Error {
  ErrorCode code;
  std::string message;
};

/// Success, or an Error. Converts from Error, so that `return Error{...};` reads well.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(Error error) : error_(std::move(error)), ok_(false) {}

  bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  /// Precondition: !ok().
  const Error& error() const noexcept { return error_; }

 private:
  Error error_{ErrorCode::driver_error, {}};
  bool ok_ = true;
};

/// A value, or an Error. Reading the side that is not there is a precondition violation and terminates.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & noexcept { return *std::get_if<0>(&state_); }
  const T& value() const& noexcept { return *std::get_if<0>(&state_); }
  T&& value() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }

  const Error& error() const noexcept { return *std::get_if<1>(&state_); }
  Status status() const { return ok() ? Status{} : Status{error()}; }

 private:
  std::variant<T, Error> state_;
};

}  // namespace weft
