// SPDX-License-Identifier: MIT OR Apache-2.0
// Where there is no liburing.
#include "loader/async_reads.hpp"

namespace weft::loader {

std::unique_ptr<AsyncReads> open_async_reads(uint32_t, std::span<std::byte>) { return nullptr; }

}  // namespace weft::loader
