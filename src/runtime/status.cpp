// SPDX-License-Identifier: MIT OR Apache-2.0
#include <weft/status.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>

#include "runtime/caught.hpp"

namespace weft {

const char* name_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::missing_feature: return "missing_feature";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::out_of_host_memory: return "out_of_host_memory";
    case ErrorCode::out_of_device_memory: return "out_of_device_memory";
    case ErrorCode::device_lost: return "device_lost";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::driver_error: return "driver_error";
    case ErrorCode::compile_error: return "compile_error";
    case ErrorCode::system_error: return "system_error";
    case ErrorCode::corrupt_stream: return "corrupt_stream";
    case ErrorCode::over_limit: return "over_limit";
  }
  return "unknown";
}

Error::Error(const Error& other) noexcept : code(other.code) { *this = other; }

Error& Error::operator=(const Error& other) noexcept {
  code = other.code;
  try {
    message = other.message;
  } catch (...) {
    message.clear();
  }
  return *this;
}

namespace detail {

void abort_on_value_of(const Error& error) noexcept {
  std::fprintf(stderr, "weft: the value of a Result was read that holds an error: %s: %s\n", name_of(error.code),
               error.message.c_str());
  std::abort();
}

void abort_on_error_of_success() noexcept {
  std::fputs("weft: the error of a Result or Status was read that holds none\n", stderr);
  std::abort();
}

}  // namespace detail

namespace runtime {
namespace {

Error system_error(const char* what) noexcept {
  try {
    return {ErrorCode::system_error, what};
  } catch (...) {
    return out_of_memory();
  }
}

}  // namespace

Error out_of_memory() noexcept {
  // Within a string object itself, where every standard library keeps texts of up to 15 bytes.
  return {ErrorCode::out_of_host_memory, "out of memory"};
}

Error caught() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // more than any memory has
    return out_of_memory();
  } catch (const std::exception& exception) {
    return system_error(exception.what());
  } catch (...) {
    return system_error("an exception of unknown type");
  }
}

}  // namespace runtime
}  // namespace weft
