// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string_view>

#include <weft/status.hpp>
#include <weft/types.hpp>

#include "runtime/device_facts.hpp"

namespace weft::runtime {

/// What Strategy::automatic means on a device where neither the host nor WEFT_STRATEGY says otherwise. Never automatic.
/// look_back only where `enabled` has the 64-bit atomics that it needs.
Strategy default_strategy(const DeviceFacts& facts, const FeatureSet& enabled) noexcept;

/// Reads "reduce_then_scan" or "look_back". Errors: invalid_argument, which lists those.
Result<Strategy> parse_strategy(std::string_view text);

}  // namespace weft::runtime
