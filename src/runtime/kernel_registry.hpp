// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weft::runtime {

/// SPIR-V of one kernel variant, embedded at build time from shaders/kernels.cmake.
struct KernelCode {
  std::string_view name;  ///< "<stem>[.<item>.<accumulator>][.state32|.state64].native|.emulated"
  std::span<const uint32_t> words;
};

/// Every kernel variant of the manifest, sorted by name. Defined in the generated kernel_registry.cpp.
std::span<const KernelCode> kernel_registry() noexcept;

/// The variant of that name; empty where the manifest has none.
std::span<const uint32_t> find_kernel(std::string_view name) noexcept;

}  // namespace weft::runtime
