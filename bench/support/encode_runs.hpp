// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace weft::bench {

/// Run-length encoding on one core: `symbols` and `lengths` have room for as many runs as there are items. Gives their
/// number. Stores a symbol and a length for every item and moves on where a run ends, since branches would be guessed
/// wrong as often as runs end; blocks of items without an end are passed over.
template <class T>
uint64_t encode_runs(std::span<const T> items, T* symbols, uint32_t* lengths);
extern template uint64_t encode_runs(std::span<const uint8_t>, uint8_t*, uint32_t*);
extern template uint64_t encode_runs(std::span<const uint32_t>, uint32_t*, uint32_t*);

}  // namespace weft::bench
