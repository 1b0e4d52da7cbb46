// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <weft/export.h>
#include <weft/status.hpp>

namespace weft::runtime {

/// out_of_host_memory, created without an allocation.
WEFT_API Error out_of_memory() noexcept;

/// The exception that is being handled, as an Error: bad_alloc and length_error are out_of_host_memory, which takes no
/// allocation, all others system_error. Every public function ends in it:
///
///     Status Scan::record(...) const noexcept try {
///       ...
///     } catch (...) {
///       return runtime::caught();
///     }
WEFT_API Error caught() noexcept;

}  // namespace weft::runtime
