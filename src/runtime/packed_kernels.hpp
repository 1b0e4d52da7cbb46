// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <weft/kernels.hpp>
#include <weft/status.hpp>

namespace weft::runtime {

/// Names of all kernels, sorted. They point into `kernels`.
std::vector<std::string_view> names_of(const PackedKernels& kernels);

/// Decompresses the kernel of that name. Empty if there is none.
/// Errors: out_of_host_memory.
Result<std::vector<uint32_t>> unpack(const PackedKernels& kernels, std::string_view name);

}  // namespace weft::runtime
