// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <type_traits>

#include "runtime/caught.hpp"

namespace weft::gstd {

/// Calls a function that returns a Status or a Result. Throws nothing.
template <class Call>
std::invoke_result_t<const Call&> guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (...) {
    return runtime::caught();
  }
}

}  // namespace weft::gstd
