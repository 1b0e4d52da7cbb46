// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tuning.hpp"

namespace weft::primitives {

/// BinarySearch. SortedSearch has Merge's.
struct SearchTuning {
  uint32_t workgroup = 256;
};

inline constexpr runtime::TuningKey<SearchTuning> kSearchTuningKeys[] = {
    {"workgroup", &SearchTuning::workgroup, 128, 256},
};

inline const runtime::TuningTable<SearchTuning> search_tuning("search", kSearchTuningKeys,
                                                              {.cpu = {.workgroup = 128},
                                                               .nvidia = {.workgroup = 128}});

}  // namespace weft::primitives
