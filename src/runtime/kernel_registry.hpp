// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <weft/kernels.hpp>

namespace weft::runtime {

using weft::KernelCode;

/// Every kernel variant of shaders/kernels.cmake, sorted by name. Defined in the generated kernel_registry.cpp.
std::span<const KernelCode> kernel_registry() noexcept;

/// The variant of that name; empty where the manifest has none.
std::span<const uint32_t> find_kernel(std::string_view name) noexcept;

}  // namespace weft::runtime
