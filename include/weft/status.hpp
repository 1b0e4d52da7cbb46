// SPDX-License-Identifier: MIT OR Apache-2.0
// Errors are values; no exception leaves the library: docs/integration.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <version>

#include <weft/export.h>

#if defined(__cpp_lib_expected)
#include <expected>
#endif

namespace weft {

/// Error category of a failed call.
enum class ErrorCode : uint8_t {
  invalid_argument,      ///< an argument breaks its precondition; the message names it
  missing_feature,       ///< the device lacks, or the host did not enable, a feature; the message names it
  unsupported,           ///< weft has no such combination, on any device
  out_of_host_memory,    ///< a host allocation failed
  out_of_device_memory,  ///< a device allocation failed
  device_lost,           ///< the VkDevice is lost; nothing created from it is usable
  not_found,             ///< no Vulkan loader, no device, or no device that matches the selection
  driver_error,          ///< any other VkResult; the message names it
  compile_error,         ///< a user's snippet does not compile; the message is the compiler's
  system_error,          ///< a host lock or thread failed, or a callback threw; the message is its what()
  corrupt_stream,        ///< invalid stream; the message has the position and the reason
  over_limit,            ///< a limit or an output of the caller is too small
};

/// The code's name, e.g. "invalid_argument".
WEFT_API const char* name_of(ErrorCode code) noexcept;

/// A code for programs and a sentence for people.
struct WEFT_API Error {
  ErrorCode code;
  std::string message;

  Error(ErrorCode why, std::string what) noexcept : code(why), message(std::move(what)) {}
  /// Copies the code alone if memory for the message runs out.
  Error(const Error& other) noexcept;
  Error& operator=(const Error& other) noexcept;
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;
};

namespace detail {
// Print a message and call std::abort.
[[noreturn]] WEFT_API void abort_on_value_of(const Error& error) noexcept;
[[noreturn]] WEFT_API void abort_on_error_of_success() noexcept;
}  // namespace detail

/// Success, or an Error. Converts implicitly from Error.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(Error error) noexcept : error_(std::move(error)), ok_(false) {}

  bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  /// Precondition: !ok(). Otherwise prints a message and calls std::abort.
  const Error& error() const noexcept {
    if (ok_) detail::abort_on_error_of_success();
    return error_;
  }

#if defined(__cpp_lib_expected)
  operator std::expected<void, Error>() const noexcept {
    if (ok_) return {};
    return std::unexpected(error_);
  }
#endif

 private:
  Error error_{ErrorCode::driver_error, {}};
  bool ok_ = true;
};

/// A value, or an Error. Converts implicitly from both.
/// value() requires ok(), error() requires !ok(). Otherwise they print a message and call std::abort.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) noexcept : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & noexcept { return *checked_value(state_); }
  const T& value() const& noexcept { return *checked_value(state_); }
  T&& value() && noexcept { return std::move(*checked_value(state_)); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }

  const Error& error() const noexcept {
    const Error* error = std::get_if<1>(&state_);
    if (error == nullptr) detail::abort_on_error_of_success();
    return *error;
  }
  Status status() const noexcept { return ok() ? Status{} : Status{error()}; }

  /// Returns the value. If there is none, returns `other`.
  template <class Other>
  T value_or(Other&& other) const& {
    return ok() ? value() : static_cast<T>(std::forward<Other>(other));
  }
  template <class Other>
  T value_or(Other&& other) && {
    return ok() ? std::move(*this).value() : static_cast<T>(std::forward<Other>(other));
  }

  /// Returns next(value), a Result or a Status. If there is an error, returns it and does not call `next`.
  template <class Next>
  auto and_then(Next&& next) & {
    return then(*this, std::forward<Next>(next));
  }
  template <class Next>
  auto and_then(Next&& next) const& {
    return then(*this, std::forward<Next>(next));
  }
  template <class Next>
  auto and_then(Next&& next) && {
    return then(std::move(*this), std::forward<Next>(next));
  }

#if defined(__cpp_lib_expected)
  operator std::expected<T, Error>() const& {
    if (ok()) return value();
    return std::unexpected(error());
  }
  operator std::expected<T, Error>() && {
    if (ok()) return std::move(*this).value();
    return std::unexpected(error());
  }
#endif

 private:
  template <class State>
  static auto* checked_value(State& state) noexcept {
    auto* value = std::get_if<0>(&state);
    if (value == nullptr) detail::abort_on_value_of(*std::get_if<1>(&state));
    return value;
  }
  template <class Self, class Next>
  static auto then(Self&& self, Next&& next) {
    using Returned =
        std::remove_cvref_t<decltype(std::invoke(std::forward<Next>(next), std::forward<Self>(self).value()))>;
    if (!self.ok()) return Returned(self.error());
    return Returned(std::invoke(std::forward<Next>(next), std::forward<Self>(self).value()));
  }

  std::variant<T, Error> state_;
};

}  // namespace weft
