// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/gstd.hpp>

#include "gstd/guarded.hpp"

namespace weft::gstd {

/// Calls what reads a stream: the verdict is good until it says otherwise. Nothing is thrown.
template <class Call>
auto reading(const DecompressConfig& config, const Call& call) noexcept {
  if (config.verdict != nullptr) *config.verdict = {};
  return guarded(call);
}

/// Of what does not depend on the stream's bytes.
inline Error mistake(const std::string& what) { return {ErrorCode::invalid_argument, "gstd: " + what}; }

}  // namespace weft::gstd
