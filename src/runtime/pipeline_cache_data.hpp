// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/device_facts.hpp"

namespace weft::runtime {

/// A driver's pipeline cache contents with a header before them: magic, version, the driver they came from, length and
/// checksum. Some drivers crash on damaged contents after a header that is in order, so weft hands them only what is
/// intact.
std::vector<std::byte> wrap_pipeline_cache(std::span<const std::byte> contents, const DeviceFacts& facts);

/// The contents, where `data` is an intact envelope around a cache of this device and driver; else nothing.
std::span<const std::byte> unwrap_pipeline_cache(std::span<const std::byte> data, const DeviceFacts& facts) noexcept;

}  // namespace weft::runtime
