// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "runtime/kernel_registry.hpp"

namespace weft::runtime {

std::span<const uint32_t> find_kernel(std::string_view name) noexcept {
  const std::span<const KernelCode> kernels = kernel_registry();
  const auto found = std::ranges::lower_bound(kernels, name, {}, &KernelCode::name);
  return found != kernels.end() && found->name == name ? found->words : std::span<const uint32_t>{};
}

}  // namespace weft::runtime
