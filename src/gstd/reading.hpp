// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include "gstd/guarded.hpp"

namespace weft::gstd {

/// Calls a function that reads a stream. The verdict is good unless it sets another. Throws nothing.
template <class Call>
auto reading(const DecompressConfig& config, const Call& call) noexcept {
  if (config.verdict != nullptr) *config.verdict = {};
  return guarded(call);
}

/// An error that does not depend on the stream's bytes.
inline Error mistake(const std::string& what) { return {ErrorCode::invalid_argument, "gstd: " + what}; }

}  // namespace weft::gstd
