// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// SortedSearch; of BinarySearch the workgroup.
struct SearchTuning {
  uint32_t workgroup = 256;
  uint32_t keys = 7;  ///< of a tile for each lane, at most 31 and as many as make 12 KiB; of 8 bytes half as many
};

inline constexpr runtime::TuningKey<SearchTuning> kSearchTuningKeys[] = {
    {"workgroup", &SearchTuning::workgroup, 128, 256},
    {"keys", &SearchTuning::keys, 1, 31},
};

inline const runtime::TuningTable<SearchTuning> search_tuning("search", kSearchTuningKeys,
                                                              {.cpu = {.workgroup = 128},
                                                               .nvidia = {.workgroup = 128, .keys = 15}});

}  // namespace weft::primitives
